"""Lock requests that wait, how long each wait lasts, and the log of finished waits."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Protocol

from spanemu.base.call import Call
from spanemu.base.clock import monotonic
from spanemu.base.record import NamedTuple
from spanemu.storage.layout import TreeId
from spanemu.txn.locks.holder import LockHolder
from spanemu.txn.locks.modes import Lock, combined

# How often a waiting transaction checks that the clients of its blockers are still connected.
RECHECK_SECONDS = 0.25


class Request(NamedTuple):
    """A lock that a transaction waits for: on one key, or on the range from `low` up to `high`."""

    low: bytes
    high: bytes | None
    lock: Lock

    def meets(self, other: Request) -> bool:
        """Return whether the two requests overlap and conflict."""
        (reads, writes), (read, written) = self.lock, other.lock
        if not (reads & written or writes & read):
            return False
        if self.high is None:
            if other.high is None:
                return self.low == other.low
            return other.low <= self.low < other.high
        if other.high is None:
            return self.low <= other.low < self.high
        return self.low < other.high and other.low < self.high


class Wait(NamedTuple):
    """One wait of a transaction: `event` is set when one of the blockers ends."""

    event: threading.Event
    blockers: list[LockHolder]


class Requested(NamedTuple):
    """A lock that a transaction waits for, and the transactions that it waits for."""

    tree: TreeId
    request: Request
    blockers: tuple[LockHolder, ...]


def find_requested(
    holder: LockHolder,
    requests: Mapping[TreeId, Mapping[LockHolder, Request]],
    waiters: Mapping[LockHolder, Collection[LockHolder]],
) -> Requested | None:
    """Return the lock that a transaction waits for, None if the transaction does not wait.

    `requests` are all requested locks by tree, `waiters` all waiting transactions by blocker.
    """
    for tree, by_holder in requests.items():
        if (request := by_holder.get(holder)) is not None:
            blockers = tuple(each for each, waiting in waiters.items() if holder in waiting)
            return Requested(tree, request, blockers)
    return None


def older_requests(
    waiting: Mapping[LockHolder, Request], holder: LockHolder, requested: Request
) -> list[LockHolder]:
    """Return the older transactions that wait for a conflicting lock: they go first.

    `waiting` are the requests for locks of the same tree.
    """
    return [
        other
        for other, request in waiting.items()
        if other.age < holder.age and other is not holder and request.meets(requested)
    ]


def wait_seconds(call: Call, holder: LockHolder, blockers: Iterable[LockHolder]) -> float:
    """Return how many seconds to wait before checking again.

    The wait ends at the request's deadline, when a blocker counts as idle, or after
    `RECHECK_SECONDS`, because the client of a blocker may have disconnected.
    """
    now = monotonic()
    waits = [max(0.0, blocker.client.idle_at - now) for blocker in blockers]
    waits.append(RECHECK_SECONDS)
    if holder.patient_until is not None:
        waits.append(max(0.0, holder.patient_until - now))
    left = call.seconds_left()
    if left is not None:
        waits.append(left)
    return min(waits) + 0.001


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
