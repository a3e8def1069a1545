"""Who may read and write which cells now, and who waits for whom.

Rows are locked by cells (`modes`), and so are ranges of keys, so that no row appears in what
was scanned (phantoms). Conflicts are settled by wound-wait: an older transaction wounds a younger
holder and goes on; a younger one waits for the older, be that a holder or one that waits itself.
So nobody waits in a circle, and nobody overtakes an older one that wants the same. A holder that
is committing cannot be wounded: it is waited for, and waits for nobody itself. The priority of a
request has no part in this: it is a hint to Spanner's scheduler ("RequestOptions"), and what grows
with each lost attempt is age, which a retry keeps ("Transactions").

A holder that has not been heard of for `IDLE_SECONDS_MAX` while others wait is wounded too,
whatever its age, as Spanner does.

Not here: what a wounded transaction does about it (`read_write` raises ABORTED at its next step).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Protocol

from spanemu.base.call import add_metric, current
from spanemu.base.clock import monotonic
from spanemu.storage.layout import TreeId
from spanemu.txn.locks.holder import OUTRANKED, LockHolder, RangeKey, RowKey
from spanemu.txn.locks.key_range_sets import KeySet, RangeUnion
from spanemu.txn.locks.modes import Lock, covers, exclusive, joined
from spanemu.txn.locks.waits import LockLog, Request, Wait, in_the_way, patience
from spanemu.txn.state import NEXT, State

BATCH_ROWS = 256  # locked under the mutex at a time


class LockObserver(Protocol):
    """Told of each conflict, when it is over."""

    def contended(self, tree: TreeId, low: bytes, high: bytes | None, seconds: float) -> None:
        """A row, or a range up to `high`, was waited for; for no time if its holder had to go."""
        ...


class LockTable:
    """Locks of one database, and the transactions that wait for them."""

    def __init__(self, peek: Callable[[], int] = lambda: 0) -> None:
        self.log = LockLog(peek)
        self.observer: LockObserver | None = None
        self._mutex = threading.Lock()  # Guards every field below, and owners' locks.
        self._rows: dict[RowKey, dict[LockHolder, Lock]] = {}
        # The same locks by tree and owner, for ranges; shared with `LockHolder.keys` and `.unions`.
        self._keys: dict[TreeId, dict[LockHolder, dict[Lock, KeySet]]] = {}
        self._ranges: dict[TreeId, dict[LockHolder, dict[Lock, RangeUnion]]] = {}
        self._requests: dict[TreeId, dict[LockHolder, Request]] = {}
        self._waiters: dict[
            LockHolder, dict[LockHolder, threading.Event]
        ] = {}  # by who is waited for

    def lock_row(self, owner: LockHolder, tree: TreeId, key: bytes, lock: Lock) -> None:
        """Lock cells of one row, existing or not.

        Raises ABORTED when wounded, or what `call.check` raises.
        """
        row_key = tree, key
        if owner.contended and row_key in owner.contended:
            lock = exclusive(lock)
        held = owner.rows.get(row_key)
        if held is not None and (held is lock or covers(held, lock)):
            return
        if owner.unions and _in_range(owner, tree, key, lock):
            return
        waits = self._try_row(owner, row_key, lock)
        if waits is not None:
            self._queue(owner, tree, Request(key, None, lock), waits)

    def lock_rows(
        self, owner: LockHolder, tree: TreeId, wanted: Sequence[tuple[bytes, Lock]]
    ) -> None:
        """Lock cells of many rows of a tree; those that nobody else has locked, many at a time."""
        if len(wanted) == 1:
            self.lock_row(owner, tree, *wanted[0])
            return
        rows = iter(wanted)
        while batch := list(islice(rows, BATCH_ROWS)):
            with self._mutex:
                owner.check_active()
                left = self._take_free(owner, tree, batch)
            for key, lock in left:
                self.lock_row(owner, tree, key, lock)

    def lock_range(
        self, owner: LockHolder, tree: TreeId, low: bytes, high: bytes, lock: Lock
    ) -> None:
        """Lock cells of every row of [low, high), those included that do not exist yet."""
        if low >= high or covers(owner.ranges.get((tree, low, high)), lock):
            return
        waits = self._try_range(owner, (tree, low, high), lock)
        if waits is not None:
            self._queue(owner, tree, Request(low, high, lock), waits)

    def begin_commit(self, owner: LockHolder) -> None:
        """From here on the owner cannot be wounded. Raises ABORTED when it already is."""
        with self._mutex:
            if owner.state is not State.ACTIVE:
                owner.check_active()
            owner.state = State.COMMITTING

    def release(self, owner: LockHolder, state: State) -> bool:
        """End a transaction's part here: give up its locks and wake who waits for it.

        False when it cannot come to that state any more: then nothing changes.
        """
        with self._mutex:
            if state not in NEXT[owner.state]:
                return False
            owner.state = state
            self._drop(owner)
            return True

    def wound(self, owner: LockHolder, why: str) -> bool:
        """Abort an active transaction, from any thread. False when it is past that."""
        with self._mutex:
            return self._wound(owner, why)

    def wound_all(self, why: str) -> None:
        """Abort every active transaction that holds a lock."""
        for owner in self.holders():
            self.wound(owner, why)

    def wake_waiters(self, owner: LockHolder) -> None:
        """Have those who wait for a transaction look again: they need not be patient any more."""
        with self._mutex:
            self._wake(owner)

    def holders(self) -> Iterator[LockHolder]:
        """Transactions that hold a lock now."""
        with self._mutex:
            found = {owner for owners in self._keys.values() for owner in owners}
            found |= {owner for owners in self._ranges.values() for owner in owners}
        return iter(found)

    def held_by(self, owner: LockHolder) -> tuple[dict[RowKey, Lock], dict[RangeKey, Lock]]:
        """What a transaction has locked now: rows, and ranges."""
        with self._mutex:
            return dict(owner.rows), dict(owner.ranges)

    # ------------------------------------------------------------------ inside the mutex

    def _try_row(self, owner: LockHolder, row_key: RowKey, lock: Lock) -> Wait | None:
        with self._mutex:
            if owner.state is not State.ACTIVE:
                owner.check_active()
            tree, key = row_key
            holders, held = self._rows.get(row_key), owner.rows.get(row_key)
            alone = holders is None or (held is not None and len(holders) == 1)
            if not alone or self._ranges.get(tree) or tree in self._requests:
                blockers = self._row_blockers(owner, row_key, lock)
                if tree in self._requests:
                    blockers += self._older_requests(owner, tree, Request(key, None, lock))
                if blockers and (left := self._settle(owner, blockers, row_key)):
                    return self._enqueue(owner, left)
                for wounded in blockers:
                    wounded.contend(row_key)
                    if self.observer is not None:
                        self.observer.contended(tree, key, None, 0.0)
                holders = self._rows.get(row_key)  # The last of them may have been wounded.
            if held is not None:
                lock = joined(held, lock)
            owner.rows[row_key] = lock
            if holders is None:
                self._rows[row_key] = {owner: lock}
            else:
                holders[owner] = lock
            self._keys_of(owner, tree, lock).append(key)
            return None

    def _take_free(
        self, owner: LockHolder, tree: TreeId, wanted: list[tuple[bytes, Lock]]
    ) -> list[tuple[bytes, Lock]]:
        """Lock those rows that nobody else is concerned with; the others."""
        in_range = any(other is not owner for other in self._ranges.get(tree, ()))
        if in_range or tree in self._requests or owner.contended:
            return wanted
        left = []
        for key, lock in wanted:
            if owner.unions and _in_range(owner, tree, key, lock):
                continue
            row_key = (tree, key)
            holders = self._rows.get(row_key)
            if holders is None:
                self._rows[row_key] = {owner: lock}
                owner.rows[row_key] = lock
                self._keys_of(owner, tree, lock).append(key)
            elif not covers(holders.get(owner), lock):
                left.append((key, lock))
        return left

    def _row_blockers(self, owner: LockHolder, row_key: RowKey, lock: Lock) -> list[LockHolder]:
        reads, writes = lock
        blockers: list[LockHolder] = []
        holders = self._rows.get(row_key)
        if holders is not None:
            blockers = [
                other
                for other, (read, written) in holders.items()
                if (reads & written or writes & read) and other is not owner
            ]
        ranges = self._ranges.get(row_key[0])
        if ranges:
            key = row_key[1]
            blockers += [
                other
                for other, unions in ranges.items()
                if other is not owner
                and any(
                    (reads & written or writes & read) and union.covers(key)
                    for (read, written), union in unions.items()
                )
            ]
        return blockers

    def _try_range(self, owner: LockHolder, range_key: RangeKey, lock: Lock) -> Wait | None:
        tree, low, high = range_key
        with self._mutex:
            owner.check_active()
            blockers = self._range_blockers(owner, range_key, lock)
            if tree in self._requests:
                blockers += self._older_requests(owner, tree, Request(low, high, lock))
            if blockers and (blockers := self._settle(owner, blockers)):
                return self._enqueue(owner, blockers)
            owner.ranges[range_key] = lock = joined(owner.ranges.get(range_key), lock)
            self._union_of(owner, tree, lock).add(low, high)
            return None

    def _range_blockers(
        self, owner: LockHolder, range_key: RangeKey, lock: Lock
    ) -> list[LockHolder]:
        (reads, writes), (tree, low, high) = lock, range_key
        blockers: list[LockHolder] = []
        held: Iterable[tuple[LockHolder, dict[Lock, KeySet] | dict[Lock, RangeUnion]]]
        for held in (self._keys.get(tree, {}).items(), self._ranges.get(tree, {}).items()):
            blockers += [
                other
                for other, sets in held
                if other is not owner
                and any(
                    (reads & written or writes & read) and keys.meets(low, high)
                    for (read, written), keys in sets.items()
                )
            ]
        return blockers

    def _older_requests(self, owner: LockHolder, tree: TreeId, wanted: Request) -> list[LockHolder]:
        """Those who wait for the same and are older: they are not overtaken."""
        return [
            other
            for other, request in self._requests[tree].items()
            if other.age < owner.age and other is not owner and request.meets(wanted)
        ]

    def _keys_of(self, owner: LockHolder, tree: TreeId, lock: Lock) -> KeySet:
        sets = owner.keys.get(tree)
        if sets is None:
            sets = owner.keys[tree] = {}
            self._keys.setdefault(tree, {})[owner] = sets
        found = sets.get(lock)
        if found is None:
            found = sets[lock] = KeySet()
        return found

    def _union_of(self, owner: LockHolder, tree: TreeId, lock: Lock) -> RangeUnion:
        sets = owner.unions.get(tree)
        if sets is None:
            sets = owner.unions[tree] = {}
            self._ranges.setdefault(tree, {})[owner] = sets
        found = sets.get(lock)
        if found is None:
            found = sets[lock] = RangeUnion()
        return found

    def _settle(
        self, owner: LockHolder, blockers: list[LockHolder], row_key: RowKey | None = None
    ) -> list[LockHolder]:
        """Wound what may be wounded; the blockers that must be waited for."""
        now = monotonic()
        left = []
        for blocker in blockers:
            younger = blocker.age > owner.age
            if younger and row_key in owner.contended and owner.lets_finish(blocker, row_key):
                younger = False
            idle = blocker.idle_at < now
            why = "It was idle while others waited." if idle else OUTRANKED
            if blocker.state is State.COMMITTING or not (younger or idle):
                left.append(blocker)
            else:
                self._wound(blocker, why)
        return left

    def _wound(self, owner: LockHolder, why: str) -> bool:
        if owner.state is not State.ACTIVE:
            return False
        owner.state = State.ABORTED
        owner.why_aborted = why
        self._drop(owner)
        return True

    def _drop(self, owner: LockHolder) -> None:
        """Give up what a transaction has locked, and wake it and those who wait for it."""
        for row_key in owner.rows:
            holders = self._rows[row_key]
            del holders[owner]
            if not holders:
                del self._rows[row_key]
        for tree in owner.keys:
            owners = self._keys[tree]
            del owners[owner]
            if not owners:
                del self._keys[tree]
        for tree in owner.unions:
            scanners = self._ranges[tree]
            del scanners[owner]
            if not scanners:
                del self._ranges[tree]
        owner.rows, owner.ranges, owner.keys, owner.unions = {}, {}, {}, {}
        if self._waiters:
            self._wake(owner)
        if owner.waits_on is not None:
            owner.waits_on.set()

    def _wake(self, owner: LockHolder) -> None:
        """Have those who wait for a transaction look again."""
        for event in self._waiters.pop(owner, {}).values():
            event.set()

    def _enqueue(self, owner: LockHolder, blockers: list[LockHolder]) -> Wait:
        """Wait for the blockers; of those that stand in line, for the last one only.

        So who leaves wakes the next, and not everybody behind.
        """
        in_line = [each for each in blockers if each.waits_on is not None and each.age < owner.age]
        if in_line:
            blockers = [max(in_line, key=lambda each: each.age)]
        event = threading.Event()
        owner.waits_on = event
        for blocker in blockers:
            self._waiters.setdefault(blocker, {})[owner] = event
        return Wait(event, blockers)

    # ------------------------------------------------------------------ outside the mutex

    def _queue(self, owner: LockHolder, tree: TreeId, request: Request, waits: Wait | None) -> None:
        """Wait until the request is granted. Meanwhile nobody younger is granted the same."""
        began = monotonic()
        with self._mutex:
            self._requests.setdefault(tree, {})[owner] = request
            held = in_the_way(tree, request, waits)
        try:
            while waits is not None:
                self._wait(owner, waits)
                if request.high is None:
                    waits = self._try_row(owner, (tree, request.low), request.lock)
                else:
                    range_key = tree, request.low, request.high
                    waits = self._try_range(owner, range_key, request.lock)
        finally:
            with self._mutex:
                owner.patient_until = None
                requests = self._requests[tree]
                del requests[owner]
                if not requests:
                    del self._requests[tree]
                if waits is not None:
                    self._wake(owner)  # It makes way. Once granted, it will when it ends.
            self.log.note(owner, tree, request, held, began)
            if self.observer is not None:
                self.observer.contended(tree, request.low, request.high, monotonic() - began)

    def _wait(self, owner: LockHolder, waits: Wait) -> None:
        """Until a blocker ends, the owner is wounded, or its request is no longer wanted."""
        call, began = current(), monotonic()
        call.on_cancel(waits.event.set)
        try:
            if not waits.event.wait(patience(call, owner, waits.blockers)):
                for blocker in waits.blockers:
                    blocker.notice_loss()
        finally:
            call.forget(waits.event.set)
            owner.waits_on = None
            add_metric("lock_wait_seconds", monotonic() - began)
        call.check()


def _in_range(owner: LockHolder, tree: TreeId, key: bytes, lock: Lock) -> bool:
    """Whether a range that the owner has locked makes a lock on one of its rows needless."""
    unions = owner.unions.get(tree)
    return unions is not None and any(
        covers(held, lock) and union.covers(key) for held, union in unions.items()
    )
