"""The functions under test, each on a thread that is kept from run to run."""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

from spanemu.base.rand import seeded_state
from spanemu.txn.locks.holder import LockHolder
from spanemu.txn.locks.waits import Wait

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class Actor:
    """One function under test, with its state in the present run."""

    def __init__(self, number: int, name: str, function: Callable[[], Any]) -> None:
        self.number = number
        self.name = name
        self.letter = LETTERS[number]
        self.function = function
        self.baton = threading.Semaphore(0)
        self._tasks: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self.thread = threading.Thread(target=self._work, name=f"explore-{name}", daemon=True)
        self.thread.start()
        self.reset()

    def reset(self) -> None:
        """Forget the run before."""
        self.kind = "start"
        self.is_done = False
        self.waits: Wait | None = None
        self.enabled_by: int | None = None
        self.open_atomic: set[LockHolder] = set()
        self.snapshot_steps: set[int] = set()
        self.transaction: int | None = None  # the open one
        self.commits = 0
        self.was_lost = False
        self.was_aborted = False
        self.result: Any = None
        self.error: BaseException | None = None
        self.generated: list[tuple[str, Any]] = []
        self.random_state = seeded_state(f"spanemu explorer {self.letter}")

    def run(self, task: Callable[[], None]) -> None:
        """Run a task on the thread of the actor."""
        self._tasks.put(task)

    def stop(self) -> None:
        """End the thread after the present task."""
        self._tasks.put(None)

    def _work(self) -> None:
        while (task := self._tasks.get()) is not None:
            task()

    def wake_at(self) -> float | None:
        """Return the virtual time at which the wait ends by itself, None if it never does."""
        assert self.waits is not None
        times = [
            blocker.client.idle_at
            for blocker in self.waits.blockers
            if blocker.is_active and not blocker.client.busy and blocker.waits_on is None
        ]
        return min(times, default=None)
