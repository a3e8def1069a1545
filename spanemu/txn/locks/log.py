"""Who waited for a lock, how long, and for whom: what the "Lock statistics" page shows.

Noted by the lock table when a wait is over, which is off the path of those who never wait. Whoever
adds them up takes them; until then the last `NOTED_MAX` are kept.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from spanemu.base.clock import monotonic
from spanemu.storage.layout import TreeId
from spanemu.txn.locks.modes import Lock, joined
from spanemu.txn.locks.owner import Owner
from spanemu.txn.locks.waits import Request, Wait

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
        self, owner: Owner, tree: TreeId, request: Request, held: list[LockRequest], began: float
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


def _held(owner: Owner, tree: TreeId, request: Request) -> Lock:
    """What a transaction holds of a row; of one that only waits too, the same as is wanted."""
    key = request.low
    found = owner.rows.get((tree, key))
    for (other, low, high), lock in owner.ranges.items():
        if other == tree and low <= key < high:
            found = joined(found, lock)
    return found or request.lock
