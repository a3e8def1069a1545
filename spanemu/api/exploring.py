"""Explorations of functions of this process on a database of an emulator in another process.

The emulator chooses the order of the requests (`explorer.remote`). This process starts the
functions of each run, each on a thread whose requests carry the name of the function. What needs
the errors or the rows of a run in the process of the search is refused: `allow_errors` and
`invariant`.
"""

from __future__ import annotations

import inspect
import json
import sys
import threading
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import grpc

from spanemu.api.calls import RemoteFailure
from spanemu.api.client import through_channel
from spanemu.base.clock import monotonic
from spanemu.base.errors import Unsupported
from spanemu.control.explorations import (
    ACTOR_METADATA,
    FAILED,
    ExplorationHandle,
    ExplorationsControl,
    RunOrVerdict,
)
from spanemu.explorer import errors, exploration, outcomes
from spanemu.explorer import settings as options_of

SILENT_SECONDS_MAX = 70.0  # for which a function may run on after the emulator has given it up
_REFUSED = ("invariant", "allow_errors")
_present = threading.local()


class _Naming(grpc.UnaryUnaryClientInterceptor, grpc.UnaryStreamClientInterceptor):  # type: ignore[misc]
    """An interceptor that adds the name of the function on this thread to each request."""

    def intercept_unary_unary(self, continuation: Any, details: Any, request: Any) -> Any:
        return continuation(_named(details), request)

    def intercept_unary_stream(self, continuation: Any, details: Any, request: Any) -> Any:
        return continuation(_named(details), request)


def _named(details: Any) -> Any:
    name = getattr(_present, "name", None)
    if name is None:
        return details
    return details._replace(metadata=[*(details.metadata or ()), (ACTOR_METADATA, name)])


def explore(
    control: ExplorationsControl, client: Any, actors: Any, options: Mapping[str, Any]
) -> exploration.Explored:
    """Run the interleavings of some functions; `client` is a `Database` for them alone."""
    settings = options_of.Settings(**options)
    for name in _REFUSED:
        if options.get(name):
            raise Unsupported(f"{name}= in explorations of an emulator in another process")
    functions = options_of.named(actors)
    for name, function in functions.items():
        if inspect.iscoroutinefunction(function):
            raise Unsupported(
                f"The coroutine function {name} in explorations of an emulator in another process"
            )
    through_channel(client, lambda channel: grpc.intercept_channel(channel, _Naming()))
    with client.snapshot() as snapshot:  # The client creates its sessions, which is of no function.
        list(snapshot.execute_sql("SELECT 1"))
    client.run_in_transaction(lambda work: list(work.execute_sql("SELECT 1")))
    bound = {name: options_of.bound(name, function, client) for name, function in functions.items()}
    plain = {name: value for name, value in options.items() if name not in ("each", *_REFUSED)}
    began = monotonic()
    try:
        handle = control.start(list(bound), **plain)
        try:
            result = _driven(handle, bound, settings.each)
        finally:
            handle.stop()
    except RemoteFailure as failure:
        raise errors.CannotExplore(failure.message) from None
    result.require_complete, result.seconds = settings.require_complete, monotonic() - began
    return result


def _driven(
    handle: ExplorationHandle,
    functions: Mapping[str, Callable[[], Any]],
    reset: Callable[[], object] | None,
) -> exploration.Explored:
    """Run the functions as often as an exploration asks for, until its verdict."""
    result = exploration.Explored()
    while not (following := handle.next()).verdict:
        result.schedules = following.run
        if reset is not None:
            reset()
        threads = [
            threading.Thread(
                target=_live,
                args=(handle, name, functions[name]),
                name=f"explore-{name}",
                daemon=True,
            )
            for name in following.actors
        ]
        for thread in threads:
            thread.start()
        _join(following.actors, threads)
    return _with_verdict(result, following)


def _live(handle: ExplorationHandle, name: str, function: Callable[[], Any]) -> None:
    _present.name = name
    try:
        result = function()
    except BaseException as error:
        ended = {"error": outcomes.status_of(error) or type(error).__name__, "message": str(error)}
    else:
        ended = {"result": _plain(result)}
    with suppress(ValueError):  # if the emulator has given up the run
        handle.done(name, **ended)


def _plain(value: Any) -> Any:
    """Return a value that JSON can write, or else a text of it."""
    try:
        json.dumps(value)
    except (TypeError, ValueError):
        return outcomes.value_text(value, {}, 0)
    return value


def _join(names: Sequence[str], threads: Sequence[threading.Thread]) -> None:
    """Wait for the ends of functions. Raises ActorHangs."""
    for name, thread in zip(names, threads, strict=True):
        thread.join(SILENT_SECONDS_MAX)
        if thread.is_alive():
            frame = sys._current_frames().get(thread.ident or 0)
            stack = "" if frame is None else "".join(traceback.format_stack(frame))
            raise errors.ActorHangs(name, SILENT_SECONDS_MAX, stack)


def _with_verdict(result: exploration.Explored, verdict: RunOrVerdict) -> exploration.Explored:
    result.warnings = list(verdict.warnings)
    if verdict.verdict == FAILED:
        result.failure = verdict.text
        result.kind, result.schedule = verdict.kind or None, verdict.schedule or None
    elif not verdict.complete:
        result.left = 1  # or more, which only the emulator knows
    return result
