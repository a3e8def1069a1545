"""Who may read and write which rows now, and who waits for whom.

Rows are locked shared or exclusively; scans lock ranges shared, so that no row appears in what
was read (phantoms). Conflicts are settled by wound-wait: an older transaction wounds a younger
holder and goes on; a younger one waits for the older. So nobody waits in a circle. A holder that
is committing cannot be wounded: it is waited for, and waits for nobody itself.

A holder that has not been heard of for `IDLE_SECONDS_MAX` while others wait is wounded too,
whatever its age, as Spanner does.

Not here: what a wounded transaction does about it (`read_write` raises ABORTED at its next step).
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from enum import Enum, auto

from spanemu.base.call import Call, current
from spanemu.base.clock import monotonic
from spanemu.storage.layout import TreeId
from spanemu.txn.errors import TransactionAborted, TransactionOver
from spanemu.txn.key_range_sets import KeySet, RangeUnion
from spanemu.txn.state import NEXT, State

IDLE_SECONDS_MAX = 10.0  # "transactions" page: idle transactions
# Clients walk away from a transaction whose request failed more often than they go on with it
# (google-cloud-python does not roll back), so nobody is made to wait long for one.
IDLE_AFTER_FAILURE_SECONDS_MAX = 0.1

YOUNGEST = (1 << 62, 0)

RowKey = tuple[TreeId, bytes]
RangeKey = tuple[TreeId, bytes, bytes]


class Mode(Enum):
    """How a lock excludes others."""

    SHARED = auto()
    EXCLUSIVE = auto()


class Owner:
    """A transaction as the lock table sees it.

    `age` orders transactions, smaller is older; one that has none yet is the youngest.
    `heard_at` is when its client last asked for something (seconds of `clock.monotonic`); `busy`
    tells that a request is being served, and `failed` that the last one failed.
    """

    __slots__ = (
        "age", "busy", "failed", "heard_at", "ranges", "rows", "state", "waits_on", "why_aborted",
    )  # fmt: skip

    def __init__(self, age: tuple[int, int] = YOUNGEST) -> None:
        self.age = age
        self.state = State.ACTIVE
        self.busy = 0
        self.failed = False
        self.heard_at = monotonic()
        self.rows: dict[RowKey, Mode] = {}
        self.ranges: set[RangeKey] = set()
        self.waits_on: threading.Event | None = None
        self.why_aborted = ""

    @property
    def idle_at(self) -> float:
        """When it counts as idle (seconds of `clock.monotonic`)."""
        if self.busy:
            return monotonic() + IDLE_SECONDS_MAX
        patience = IDLE_AFTER_FAILURE_SECONDS_MAX if self.failed else IDLE_SECONDS_MAX
        return self.heard_at + patience

    def check(self) -> None:
        """Raise ABORTED when this transaction was wounded."""
        if self.state is State.ABORTED:
            raise TransactionAborted(self.why_aborted)

    def check_active(self) -> None:
        """Raise unless this transaction may still take locks."""
        if self.state is not State.ACTIVE:
            self.check()
            raise TransactionOver(str(self.state))


class _Row:
    """Who holds one row."""

    __slots__ = ("exclusive", "shared")

    def __init__(self) -> None:
        self.exclusive: Owner | None = None
        self.shared: set[Owner] = set()


class LockTable:
    """Locks of one database, and the transactions that wait for them."""

    def __init__(self) -> None:
        self._mutex = threading.Lock()  # Guards every field below, and owners' lock sets.
        self._rows: dict[RowKey, _Row] = {}
        self._ranges: dict[TreeId, dict[Owner, RangeUnion]] = {}
        self._exclusive: dict[TreeId, dict[Owner, KeySet]] = {}
        self._waiters: dict[Owner, list[threading.Event]] = {}

    def lock_row(self, owner: Owner, tree: TreeId, key: bytes, mode: Mode) -> None:
        """Lock one row, existing or not; raises ABORTED, or what `call.check` raises."""
        held = owner.rows.get((tree, key))
        if held is mode or held is Mode.EXCLUSIVE:
            return
        while (waits := self._try_row(owner, (tree, key), mode)) is not None:
            self._wait(owner, waits)

    def lock_rows(self, owner: Owner, keys: Iterable[RowKey]) -> None:
        """Lock rows exclusively, in the given order."""
        for tree, key in keys:
            self.lock_row(owner, tree, key, Mode.EXCLUSIVE)

    def lock_range(self, owner: Owner, tree: TreeId, low: bytes, high: bytes) -> None:
        """Lock every row of [low, high) shared, those included that do not exist yet."""
        if (tree, low, high) in owner.ranges:
            return
        while (waits := self._try_range(owner, (tree, low, high))) is not None:
            self._wait(owner, waits)

    def begin_commit(self, owner: Owner) -> None:
        """From here on the owner cannot be wounded. Raises ABORTED when it already is."""
        with self._mutex:
            owner.check_active()
            owner.state = State.COMMITTING

    def release(self, owner: Owner, state: State) -> bool:
        """End a transaction's part here: give up its locks and wake who waits for it.

        False when it cannot come to that state any more: then nothing changes.
        """
        with self._mutex:
            if state not in NEXT[owner.state]:
                return False
            owner.state = state
            self._drop(owner)
            return True

    def wound(self, owner: Owner, why: str) -> bool:
        """Abort an active transaction, from any thread. False when it is past that."""
        with self._mutex:
            return self._wound(owner, why)

    def holders(self) -> Iterator[Owner]:
        """Transactions that hold a lock now."""
        with self._mutex:
            found = {row.exclusive for row in self._rows.values() if row.exclusive is not None}
            for row in self._rows.values():
                found |= row.shared
            for ranges in self._ranges.values():
                found |= ranges.keys()
        return iter(found)

    # ------------------------------------------------------------------ inside the mutex

    def _try_row(self, owner: Owner, row_key: RowKey, mode: Mode) -> _Wait | None:
        with self._mutex:
            owner.check_active()
            row = self._rows.get(row_key)
            if row is None:
                row = _Row()
            blockers = self._row_blockers(owner, row_key, row, mode)
            if blockers and (blockers := self._settle(owner, blockers)):
                return self._enqueue(owner, blockers)
            self._rows[row_key] = row
            owner.rows[row_key] = mode
            if mode is Mode.EXCLUSIVE:
                row.exclusive = owner
                self._keys_of(owner, row_key[0]).add(row_key[1])
            else:
                row.shared.add(owner)
            return None

    def _row_blockers(self, owner: Owner, row_key: RowKey, row: _Row, mode: Mode) -> list[Owner]:
        blockers: list[Owner] = []
        if row.exclusive is not None and row.exclusive is not owner:
            blockers.append(row.exclusive)
        if mode is Mode.EXCLUSIVE:
            blockers.extend(other for other in row.shared if other is not owner)
            ranges = self._ranges.get(row_key[0])
            if ranges:
                key = row_key[1]
                blockers.extend(
                    other
                    for other, locked in ranges.items()
                    if other is not owner and locked.covers(key)
                )
        return blockers

    def _keys_of(self, owner: Owner, tree: TreeId) -> KeySet:
        keys = self._exclusive.setdefault(tree, {})
        found = keys.get(owner)
        if found is None:
            found = keys[owner] = KeySet()
        return found

    def _try_range(self, owner: Owner, range_key: RangeKey) -> _Wait | None:
        tree, low, high = range_key
        with self._mutex:
            owner.check_active()
            blockers = [
                other
                for other, keys in self._exclusive.get(tree, {}).items()
                if other is not owner and keys.meets(low, high)
            ]
            if blockers and (blockers := self._settle(owner, blockers)):
                return self._enqueue(owner, blockers)
            ranges = self._ranges.setdefault(tree, {})
            locked = ranges.get(owner)
            if locked is None:
                locked = ranges[owner] = RangeUnion()
            locked.add(low, high)
            owner.ranges.add(range_key)
            return None

    def _settle(self, owner: Owner, blockers: list[Owner]) -> list[Owner]:
        """Wound what may be wounded; the blockers that must be waited for."""
        now = monotonic()
        left = []
        for blocker in blockers:
            younger = blocker.age > owner.age
            idle = blocker.idle_at < now
            why = "It was idle while others waited." if idle else "An older transaction needed it."
            if blocker.state is State.COMMITTING or not (younger or idle):
                left.append(blocker)
            else:
                self._wound(blocker, why)
        return left

    def _wound(self, owner: Owner, why: str) -> bool:
        if owner.state is not State.ACTIVE:
            return False
        owner.state = State.ABORTED
        owner.why_aborted = why
        self._drop(owner)
        return True

    def _drop(self, owner: Owner) -> None:
        """Give up what a transaction has locked, and wake it and those who wait for it."""
        for row_key in owner.rows:
            row = self._rows[row_key]
            row.shared.discard(owner)
            if row.exclusive is owner:
                row.exclusive = None
            if row.exclusive is None and not row.shared:
                del self._rows[row_key]
        for tree in {tree for (tree, _), mode in owner.rows.items() if mode is Mode.EXCLUSIVE}:
            self._exclusive[tree].pop(owner, None)
        for tree in {tree for tree, _, _ in owner.ranges}:
            del self._ranges[tree][owner]
        owner.rows = {}
        owner.ranges = set()
        for event in self._waiters.pop(owner, ()):
            event.set()
        if owner.waits_on is not None:
            owner.waits_on.set()

    def _enqueue(self, owner: Owner, blockers: list[Owner]) -> _Wait:
        event = threading.Event()
        owner.waits_on = event
        for blocker in blockers:
            self._waiters.setdefault(blocker, []).append(event)
        return _Wait(event, blockers)

    # ------------------------------------------------------------------ outside the mutex

    def _wait(self, owner: Owner, waits: _Wait) -> None:
        """Until a blocker ends, the owner is wounded, or its request is no longer wanted."""
        call = current()
        call.on_cancel(waits.event.set)
        try:
            waits.event.wait(_patience(call, waits.blockers))
        finally:
            call.forget(waits.event.set)
            owner.waits_on = None
        call.check()


class _Wait:
    """What a transaction waits for: the event is set when one of the blockers is gone."""

    __slots__ = ("blockers", "event")

    def __init__(self, event: threading.Event, blockers: list[Owner]) -> None:
        self.event = event
        self.blockers = blockers


def _patience(call: Call, blockers: Iterable[Owner]) -> float:
    """Seconds to wait before looking again: the deadline, or when a blocker counts as idle."""
    now = monotonic()
    waits = [max(0.0, blocker.idle_at - now) for blocker in blockers]
    left = call.seconds_left()
    if left is not None:
        waits.append(left)
    return min(waits) + 0.001
