"""Lock requests that wait, how long each wait lasts, and the log of finished waits."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Protocol

from spanemu.base.call import Signal, current
from spanemu.base.clock import monotonic
from spanemu.base.record import NamedTuple
from spanemu.storage.layout import TreeId
from spanemu.txn.locks.holder import LockHolder
from spanemu.txn.locks.modes import Lock, combined


class Request(NamedTuple):
    """A lock that a transaction waits for: on one key, or on the range from `low` up to `high`."""

    low: bytes
    high: bytes | None
    lock: Lock


class Wait(NamedTuple):
    """One wait of a transaction: `signal` is set when one of the blockers ends."""

    signal: Signal
    blockers: list[LockHolder]


class Waiting:
    """The transactions that wait. Guarded by the mutex of the lock table."""

    def __init__(self) -> None:
        self.waits: dict[LockHolder, Wait] = {}
        self.by_blocker: dict[LockHolder, dict[LockHolder, Signal]] = {}

    def add(self, holder: LockHolder, blockers: list[LockHolder]) -> Wait:
        """Wait for the blockers; of those in line for the last only, so that one waiter wakes."""
        in_line = [each for each in blockers if each.waits_on is not None and each.age < holder.age]
        if in_line:
            blockers = [max(in_line, key=lambda each: each.age)]
        self.remove(holder)
        signal = current().signal()
        wait = self.waits[holder] = Wait(signal, blockers)
        holder.waits_on = signal
        for blocker in blockers:
            self.by_blocker.setdefault(blocker, {})[holder] = signal
        return wait

    def remove(self, holder: LockHolder) -> None:
        """Forget what a transaction has waited for."""
        wait = self.waits.pop(holder, None)
        for blocker in () if wait is None else wait.blockers:
            waiters = self.by_blocker.get(blocker)
            if waiters is not None:
                waiters.pop(holder, None)
                if not waiters:
                    del self.by_blocker[blocker]

    def wake(self, blocker: LockHolder) -> None:
        """Make the transactions that wait for `blocker` check again."""
        for signal in self.by_blocker.pop(blocker, {}).values():
            signal.set()


class Requested(NamedTuple):
    """A lock that a transaction waits for, and the transactions that it waits for."""

    tree: TreeId
    request: Request
    blockers: tuple[LockHolder, ...]


RECORDED_WAITS_MAX = 4_096


class LockRequest(NamedTuple):
    """A lock that a transaction waited for or held, and the transaction's tag."""

    lock: Lock
    tag: str


class LockWait(NamedTuple):
    """A finished wait for one key, or for the range that begins with the key.

    `at` is when the wait ended by the emulator's clock, and `ended` by `clock.monotonic`. `age` is
    the waiter's age. `requests` holds the waiter's request, then the locks of its blockers.
    """

    at: int
    ended: float
    seconds: float
    age: tuple[int, int]
    tree: TreeId
    key: bytes
    is_range: bool
    requests: tuple[LockRequest, ...]


class LockObserver(Protocol):
    """A receiver of lock conflicts, each reported when it is over."""

    def on_conflict(self, tree: TreeId, low: bytes, high: bytes | None, seconds: float) -> None:
        """Record a conflict on the row `low`, or on the range [low, high).

        `seconds` is how long the transaction waited: 0 if it wounded the holder.
        """
        ...


class LockExplorer(Protocol):
    """A scheduler of transactions, which orders their lock requests and replaces their waits.

    Every method is called by the thread that serves the request.
    """

    def began(self, holder: LockHolder, *, is_atomic: bool) -> None:
        """Record the first statement of a transaction, which is serializable if `is_atomic`."""
        ...

    def requested(
        self, holder: LockHolder, tree: TreeId, low: bytes, high: bytes | None, lock: Lock
    ) -> None:
        """Record a request for a lock on the row `low`, or on the range [low, high)."""
        ...

    def wait(self, holder: LockHolder, waits: Wait) -> bool:
        """Wait until `waits` is over; return False if the caller has to wait itself."""
        ...

    def next_transaction(self, what: str) -> None:
        """Let other transactions run before a request begins one more of its own transactions."""
        ...

    def ended_transaction(self, holder: LockHolder) -> None:
        """Record that a transaction is about to release its locks. The table's mutex is held."""
        ...


class LockLog:
    """The finished lock waits of one database. `peek` reads the emulator's clock."""

    def __init__(self, peek: Callable[[], int]) -> None:
        self._peek = peek
        self._recorded: deque[LockWait] = deque(maxlen=RECORDED_WAITS_MAX)

    def record(
        self,
        holder: LockHolder,
        tree: TreeId,
        request: Request,
        held: list[LockRequest],
        began: float,
    ) -> None:
        """Record a wait that is over, granted or not.

        `held` are the locks that blocked the request when the wait `began`.
        """
        now = monotonic()
        requests = (LockRequest(request.lock, holder.client.tag), *held)
        is_range = request.high is not None
        self._recorded.append(
            LockWait(
                self._peek(), now, now - began, holder.age, tree, request.low, is_range, requests
            )
        )

    def drain(self) -> list[LockWait]:
        """Return the waits recorded since the last call, oldest first."""
        return [self._recorded.popleft() for _ in range(len(self._recorded))]


def blocking_requests(tree: TreeId, request: Request, waits: Wait | None) -> list[LockRequest]:
    """Return the locks that the blockers hold on the row, or on the first row of the range."""
    blockers = [] if waits is None else waits.blockers
    return [LockRequest(_held(blocker, tree, request), blocker.client.tag) for blocker in blockers]


def _held(holder: LockHolder, tree: TreeId, request: Request) -> Lock:
    """Return the lock of a transaction on a row.

    A transaction that only waits for the row counts with the requested lock.
    """
    key = request.low
    held = holder.rows.get((tree, key))
    for (other, low, high), lock in holder.ranges.items():
        if other == tree and low <= key < high:
            held = combined(held, lock)
    return held or request.lock
