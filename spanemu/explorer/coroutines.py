"""Coroutine functions as actors: an event loop whose waits are stops, and whose time is virtual.

Embedded asyncio channels serve the requests of an actor on the thread of its loop, so that one
request follows another. Tasks of one actor therefore run in one order, which is not explored.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from spanemu.base.call import serving
from spanemu.explorer.actors import Actor
from spanemu.explorer.requests import Sent

Ready = list[tuple[selectors.SelectorKey, int]]
_PACKAGE = str(Path(__file__).parents[1])


class _Selector(selectors.DefaultSelector):
    """A selector of events that stops the actor where it would block."""

    seconds = 0.0  # virtual time of the loop

    def select(self, timeout: float | None = None) -> Ready:
        """Return the events that are ready, after a stop if there are none."""
        ready = super().select(0)
        actor: Actor | None = serving.actor
        if actor is None or actor.run is None:
            return ready
        actor.has_tasks = actor.has_tasks or has_tasks()
        if ready or (timeout is not None and timeout <= 0):
            return ready
        if timeout is None:
            actor.run.wait_for(actor, self._has_events, None)
        else:
            actor.run.stop(actor, "sleep", Sent("", "sleeps"))
        ready = super().select(0)
        if not ready and timeout is not None:
            self.seconds += timeout
        return ready

    def _has_events(self) -> bool:
        return bool(super().select(0))


class _Loop(asyncio.SelectorEventLoop):
    """An event loop in virtual time."""

    def __init__(self) -> None:
        self._stopping_selector = _Selector()
        super().__init__(self._stopping_selector)

    def time(self) -> float:
        """Return the virtual time in seconds."""
        return self._stopping_selector.seconds


def run_coroutine(function: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    """Run a coroutine function on this thread, and return its result."""
    with asyncio.Runner(loop_factory=_Loop) as runner:
        return runner.run(function())


def has_tasks() -> bool:
    """Return whether the loop of this thread runs several tasks of client code."""
    return sum(map(_is_of_client, asyncio.all_tasks())) > 1


def _is_of_client(task: asyncio.Task[Any]) -> bool:
    code = getattr(task.get_coro(), "cr_code", None)
    return code is None or not code.co_filename.startswith(_PACKAGE)
