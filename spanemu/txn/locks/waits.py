"""What a transaction waits for, and how long before it looks again."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable
from typing import NamedTuple

from spanemu.base.call import Call
from spanemu.base.clock import monotonic
from spanemu.storage.layout import TreeId
from spanemu.txn.locks.holder import LockHolder
from spanemu.txn.locks.modes import Lock, joined

LOOK_EVERY_SECONDS = 0.25  # whether those who are waited for are still there


class Request(NamedTuple):
    """What a transaction waits for: one key, or the range up to `high`."""

    low: bytes
    high: bytes | None
    lock: Lock

    def meets(self, other: Request) -> bool:
        """Whether both want the same row, in ways that do not go together."""
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
    """What a transaction waits for: the event is set when one of the blockers is gone."""

    event: threading.Event
    blockers: list[LockHolder]


def patience(call: Call, owner: LockHolder, blockers: Iterable[LockHolder]) -> float:
    """Seconds to wait before looking again: the deadline, or when a blocker counts as idle.

    Not long in any case: a blocker's client may be gone.
    """
    now = monotonic()
    waits = [max(0.0, blocker.idle_at - now) for blocker in blockers]
    waits.append(LOOK_EVERY_SECONDS)
    if owner.patient_until is not None:
        waits.append(max(0.0, owner.patient_until - now))
    left = call.seconds_left()
    if left is not None:
        waits.append(left)
    return min(waits) + 0.001


NOTED_MAX = 4_096


class LockRequest(NamedTuple):
    """A lock that was wanted or held, and the tag of the transaction."""

    lock: Lock
    tag: str


class LockWait(NamedTuple):
    """A wait for one key, or for the range that begins with it.

    `at` is when it was over, by the emulator's clock, and `ended` by `clock.monotonic`. `age` is
    the waiter's. `requests` are the waiter's, then what the transactions in its way held.
    """

    at: int
    ended: float
    seconds: float
    age: tuple[int, int]
    tree: TreeId
    key: bytes
    is_range: bool
    requests: tuple[LockRequest, ...]


class LockLog:
    """The waits of one database. `peek` is the emulator's clock."""

    def __init__(self, peek: Callable[[], int]) -> None:
        self._peek = peek
        self._noted: deque[LockWait] = deque(maxlen=NOTED_MAX)

    def note(
        self,
        owner: LockHolder,
        tree: TreeId,
        request: Request,
        held: list[LockRequest],
        began: float,
    ) -> None:
        """A wait is over, granted or not; `held` is what was in its way when it `began`."""
        now = monotonic()
        requests = (LockRequest(request.lock, owner.tag), *held)
        is_range = request.high is not None
        self._noted.append(
            LockWait(
                self._peek(), now, now - began, owner.age, tree, request.low, is_range, requests
            )
        )

    def taken(self) -> list[LockWait]:
        """Those that were noted since they were last taken, the oldest first."""
        return [self._noted.popleft() for _ in range(len(self._noted))]


def in_the_way(tree: TreeId, request: Request, waits: Wait | None) -> list[LockRequest]:
    """What those who are waited for hold of the row, or of the first one of the range."""
    blockers = [] if waits is None else waits.blockers
    return [LockRequest(_held(blocker, tree, request), blocker.tag) for blocker in blockers]


def _held(owner: LockHolder, tree: TreeId, request: Request) -> Lock:
    """What a transaction holds of a row; of one that only waits too, the same as is wanted."""
    key = request.low
    found = owner.rows.get((tree, key))
    for (other, low, high), lock in owner.ranges.items():
        if other == tree and low <= key < high:
            found = joined(found, lock)
    return found or request.lock
