"""Clients on threads of their own, of which one runs at a time: the one whose turn it is.

A client gives its turn back between its steps, before each lock it asks for, and when it has to
wait for one. So an interleaving is a sequence of turns, and the same turns give the same history.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from unittest.mock import patch

from spanemu.base.call import Signal
from spanemu.database.transactions import read_write
from spanemu.txn.locks import holder
from spanemu.txn.locks import table as locks
from spanemu.txn.locks.holder import LockHolder
from spanemu.txn.locks.modes import Lock
from spanemu.txn.locks.table import LockTable


class Client:
    """One thread of work. `turn` lets it go on until it pauses, waits or ends."""

    def __init__(self, name: str, work: Callable[[], None]) -> None:
        self.name = name
        self.done = False
        self.waits_on: Signal | None = None
        self.failure: BaseException | None = None
        self._work = work
        self._go = threading.Semaphore(0)
        self._back = threading.Semaphore(0)
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    @property
    def is_ready(self) -> bool:
        """Return whether a turn would get it any further."""
        return not self.done and (self.waits_on is None or self.waits_on.is_set())

    def nudge(self) -> None:
        """Let a thread look again, as waiting clients do from time to time."""
        if self.waits_on is not None:
            self.waits_on.set()

    def turn(self) -> None:
        """Let it run. Raises what it raised."""
        self._go.release()
        self._back.acquire()
        if self.failure is not None:
            raise self.failure

    def pause(self, waits_on: Signal | None = None) -> None:
        """Give the turn back, from inside; with an event, until it is set."""
        self.waits_on = waits_on
        self._back.release()
        self._go.acquire()
        self.waits_on = None

    def _run(self) -> None:
        self._go.acquire()
        _current.client = self
        try:
            self._work()
        except BaseException as failure:
            self.failure = failure
        self.done = True
        self._back.release()


class _Current(threading.local):
    client: Client | None = None


_current = _Current()


def pause(waits_on: Signal | None = None) -> None:
    """Give the turn back, if this thread is a client at all."""
    if _current.client is not None:
        _current.client.pause(waits_on)
    else:
        assert waits_on is None, "nobody is left who could end the wait"


class SteppedLocks(LockTable):
    """A lock table whose waiters wait for their turn, not for time to pass.

    `before_lock` is called before each lock that is asked for.
    """

    def __init__(self, before_lock: Callable[[], None] = lambda: None) -> None:
        super().__init__()
        self._before_lock = before_lock

    def lock_row(self, owner: LockHolder, tree, key: bytes, lock: Lock) -> None:
        self._before_lock()
        super().lock_row(owner, tree, key, lock)

    def lock_rows(self, owner: LockHolder, tree, wanted) -> None:
        self._before_lock()
        super().lock_rows(owner, tree, wanted)

    def lock_range(self, owner: LockHolder, tree, low: bytes, high: bytes, lock: Lock) -> None:
        self._before_lock()
        super().lock_range(owner, tree, low, high, lock)

    def request_failed(self, owner: LockHolder) -> None:
        """Let the waiters look whether the owner is idle, since no time passes here."""
        with self.mutex:
            self._waiting.wake(owner)

    def _wait(self, owner: LockHolder, waits) -> None:
        pause(waits.signal)
        owner.waits_on = None


class Seconds:
    """A clock for the idle time of transactions, which the test advances."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@contextmanager
def seconds_told() -> Iterator[Seconds]:
    """Give the locks a clock of their own, so that a slow machine makes no holder idle."""
    seconds = Seconds()
    with ExitStack() as patches:
        patches.enter_context(patch.object(locks, "monotonic", seconds))
        for module in (locks, holder):
            patches.enter_context(patch.object(module, "waiting_time", seconds))
        yield seconds


def rows_read_ahead(count: int) -> AbstractContextManager[object]:
    """Set how many rows a query reads at once; it streams the others beside other clients."""
    return patch.object(read_write, "ROWS_READ_AHEAD_MAX", count)
