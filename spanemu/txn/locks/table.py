"""The lock table of a database, with wound-wait conflict resolution.

Locks cover cells of rows (`modes`) and cells of key ranges, so that no row appears in a range
that was scanned (phantoms). Wound-wait settles conflicts: an older transaction wounds a younger
holder and continues; a younger transaction waits for an older one, whether that one holds the lock
or waits for it. So no transactions wait in a circle, and no transaction overtakes an older one that
requests the same lock. A committing holder cannot be wounded: others wait for it, and it waits for
none itself. The priority of a request plays no part: priority is a hint to Spanner's scheduler
("RequestOptions"), and what grows with each lost attempt is age, which a retry keeps
("Transactions").

A holder whose client has been silent for `IDLE_SECONDS_MAX` while others wait is wounded as well,
whatever its age, as in Spanner.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice

from spanemu.base.call import add_metric, current, current_annotations, waiting_time
from spanemu.base.clock import monotonic
from spanemu.storage.layout import TreeId
from spanemu.txn.locks.holder import (
    ACTIVE,
    COMMITTED,
    COMMITTING,
    IDLE,
    NEXT,
    OUTRANKED,
    LockHolder,
    RangeKey,
    RowKey,
    State,
    by_lock,
)
from spanemu.txn.locks.idle_watch import IdleWatch
from spanemu.txn.locks.key_range_sets import KeySet, RangeUnion
from spanemu.txn.locks.lines import Lines
from spanemu.txn.locks.modes import Lock, combined, covers, exclusive
from spanemu.txn.locks.waits import (
    LockExplorer,
    LockLog,
    LockObserver,
    Request,
    Requested,
    Wait,
    Waiting,
    blocking_requests,
)

NameLock = Callable[[TreeId, Request], str]


def _unnamed(tree: TreeId, request: Request) -> str:
    return ""


BATCH_ROWS = 256  # rows locked in one critical section
FEW_ROWS = 16  # whose locks are released one by one


class LockTable:
    """The locks of one database, and the transactions that wait for locks.

    `name_of` returns the text of a lock for the annotations of the request that waited for it.
    """

    def __init__(self, peek: Callable[[], int] = lambda: 0, name_of: NameLock = _unnamed) -> None:
        self.log = LockLog(peek)
        self._name_of = name_of
        self.observer: LockObserver | None = None
        self.explorer: LockExplorer | None = None
        # Guards every field below, and the locks of each holder. Taken after the mutex of the store
        # by those that hold both.
        self.mutex = threading.Lock()
        # Rows with a single holder may share a dictionary, which therefore never changes.
        self._rows: dict[RowKey, dict[LockHolder, Lock]] = {}
        # The same locks by tree and holder; shared with `LockHolder.keys` and `.unions`.
        self._keys: dict[TreeId, dict[LockHolder, dict[Lock, KeySet]]] = {}
        self._ranges: dict[TreeId, dict[LockHolder, dict[Lock, RangeUnion]]] = {}
        self._requests: dict[TreeId, Lines] = {}
        self._waiting = Waiting()
        self._idle_watch = IdleWatch(self.mutex, self._waiting.by_blocker.keys(), self._wound)

    def lock_row(self, holder: LockHolder, tree: TreeId, key: bytes, lock: Lock) -> None:
        """Lock cells of one row, whether the row exists or not.

        Raise ABORTED when the transaction is wounded, or what `call.check` raises.
        """
        row_key = tree, key
        if self.explorer is not None:
            self.explorer.requested(holder, tree, key, None, lock)
        if holder.contended_rows and row_key in holder.contended_rows:
            lock = exclusive(lock)
        held = holder.rows.get(row_key)
        if held is not None and (held is lock or covers(held, lock)):
            return
        if holder.unions and holder.covers_key(tree, key, lock):
            return
        waits = self._try_row(holder, row_key, lock)
        if waits is not None:
            self._queue(holder, tree, Request(key, None, lock), waits)

    def lock_rows(
        self, holder: LockHolder, tree: TreeId, requested: Sequence[tuple[bytes, Lock]]
    ) -> None:
        """Lock cells of many rows of a tree; uncontended rows are locked in batches."""
        if len(requested) == 1:
            self.lock_row(holder, tree, *requested[0])
            return
        if self.explorer is not None:
            for key, lock in requested:
                self.explorer.requested(holder, tree, key, None, lock)
        rows = iter(requested)
        while batch := list(islice(rows, BATCH_ROWS)):
            with self.mutex:
                holder.check_active()
                left = self._take_free(holder, tree, batch)
            for key, lock in left:
                self.lock_row(holder, tree, key, lock)

    def lock_range(
        self, holder: LockHolder, tree: TreeId, low: bytes, high: bytes, lock: Lock
    ) -> None:
        """Lock cells of every row of [low, high), including rows that do not exist yet."""
        if self.explorer is not None:
            self.explorer.requested(holder, tree, low, high, lock)
        if low >= high or covers(holder.ranges.get((tree, low, high)), lock):
            return
        waits = self._try_range(holder, (tree, low, high), lock)
        if waits is not None:
            self._queue(holder, tree, Request(low, high, lock), waits)

    def begin_commit(self, holder: LockHolder) -> None:
        """Move the transaction to COMMITTING, in which it cannot be wounded.

        Raise ABORTED when it was wounded before.
        """
        with self.mutex:
            if holder.state is not ACTIVE:
                holder.check_active()
            holder.state = COMMITTING

    def release(self, holder: LockHolder, state: State, why_aborted: str = "") -> bool:
        """End a transaction in `state`; return False if it cannot enter that state any more."""
        with self.mutex:
            return self._release(holder, state, why_aborted)

    def wound(self, holder: LockHolder, why: str) -> bool:
        """Abort an active transaction, from any thread; return False if it is no longer active."""
        with self.mutex:
            return self._wound(holder, why)

    def wound_all(self, why: str) -> None:
        """Abort every active transaction that holds a lock."""
        for holder in self.holders():
            self.wound(holder, why)

    def request_failed(self, holder: LockHolder) -> None:
        """Let the transactions that wait for `holder` do so only until its client counts as idle.

        That is soon, because the last request of the client failed.
        """
        if holder in self._waiting.by_blocker and self.explorer is None:
            with self.mutex:
                self._idle_watch.begin([holder])

    def holders(self) -> Iterator[LockHolder]:
        """Return the transactions that hold a lock now."""
        with self.mutex:
            return iter(set(chain(*self._keys.values(), *self._ranges.values())))

    def held_by(self, holder: LockHolder) -> tuple[dict[RowKey, Lock], dict[RangeKey, Lock]]:
        """Return copies of the row locks and of the range locks of a transaction."""
        with self.mutex:
            return dict(holder.rows), dict(holder.ranges)

    def waiting_count(self) -> int:
        """Return the number of lock requests that wait now."""
        with self.mutex:
            return sum(len(lines.requests) for lines in self._requests.values())

    def waiting_holders(self) -> list[LockHolder]:
        """Return the transactions that wait for a lock."""
        with self.mutex:
            return list(self._waiting.waits)

    def requested_by(self, holder: LockHolder) -> Requested | None:
        """Return the lock that a transaction waits for, None if the transaction does not wait."""
        with self.mutex:
            wait = self._waiting.waits.get(holder)
            for tree, lines in self._requests.items():
                if (request := lines.requests.get(holder)) is not None:
                    return Requested(tree, request, tuple(wait.blockers) if wait else ())
            return None

    # ------------------------------------------------------------------ inside the mutex

    def is_free_for(self, holder: LockHolder | None, tree: TreeId, key: bytes) -> bool:
        """Return whether a transaction could lock a row now without regard to others.

        `holder` is None for a transaction without locks. The caller holds `mutex`.
        """
        if not (self._rows or self._ranges or self._requests):
            return True
        holders = self._rows.get((tree, key))
        if holders is not None and (len(holders) > 1 or holder not in holders):
            return False
        ranges = self._ranges.get(tree)
        if ranges is not None and (len(ranges) > 1 or holder not in ranges):
            return False
        return not self._requests

    def end_commit(self, holder: LockHolder) -> None:
        """End an active transaction that has committed meanwhile. The caller holds `mutex`."""
        holder.state = COMMITTED
        self._drop(holder)

    def _try_row(self, holder: LockHolder, row_key: RowKey, lock: Lock) -> Wait | None:
        with self.mutex:
            if holder.state is not ACTIVE:
                holder.check_active()
            tree, key = row_key
            holders, held = self._rows.get(row_key), holder.rows.get(row_key)
            alone = holders is None or (held is not None and len(holders) == 1)
            if not alone or self._ranges.get(tree) or tree in self._requests:
                blockers = self._row_blockers(holder, row_key, lock)
                blockers += self._line_before(holder, tree, Request(key, None, lock))
                if blockers and (left := self._wound_blockers(holder, blockers, row_key)):
                    return self._waiting.add(holder, left)
                for wounded in blockers:
                    wounded.contend(row_key)
                    if self.observer is not None:
                        self.observer.on_conflict(tree, key, None, 0.0)
                holders = self._rows.get(row_key)  # Wounding may have removed the last holder.
            if held is not None:
                lock = combined(held, lock)
            holder.rows[row_key] = lock
            if holders is None or (held is not None and len(holders) == 1):
                self._rows[row_key] = {holder: lock}
            elif len(holders) == 1:
                self._rows[row_key] = {**holders, holder: lock}
            else:
                holders[holder] = lock
            self._keys_of(holder, tree, lock).append(key)
            return None

    def _take_free(
        self, holder: LockHolder, tree: TreeId, requested: list[tuple[bytes, Lock]]
    ) -> list[tuple[bytes, Lock]]:
        """Lock those rows that concern no other transaction; return the remaining rows."""
        in_range = any(other is not holder for other in self._ranges.get(tree, ()))
        if in_range or tree in self._requests or holder.contended_rows:
            return requested
        locks = {(tree, key): lock for key, lock in requested}
        lock, *others = set(locks.values())
        if not others and not holder.unions and self._rows.keys().isdisjoint(locks):
            alone = {holder: lock}
            self._rows.update(dict.fromkeys(locks, alone))
            holder.rows.update(locks)
            self._keys_of(holder, tree, lock).extend([key for _, key in locks])
            return []
        left = []
        for key, lock in requested:
            if holder.unions and holder.covers_key(tree, key, lock):
                continue
            row_key = (tree, key)
            holders = self._rows.get(row_key)
            if holders is None:
                self._rows[row_key] = {holder: lock}
                holder.rows[row_key] = lock
                self._keys_of(holder, tree, lock).append(key)
            elif not covers(holders.get(holder), lock):
                left.append((key, lock))
        return left

    def _row_blockers(self, holder: LockHolder, row_key: RowKey, lock: Lock) -> list[LockHolder]:
        reads, writes = lock
        blockers: list[LockHolder] = []
        holders = self._rows.get(row_key)
        if holders is not None:
            blockers = [
                other
                for other, (read, written) in holders.items()
                if (reads & written or writes & read) and other is not holder
            ]
        ranges = self._ranges.get(row_key[0])
        if ranges:
            key = row_key[1]
            blockers += [
                other
                for other, unions in ranges.items()
                if other is not holder
                and any(
                    (reads & written or writes & read) and union.covers(key)
                    for (read, written), union in unions.items()
                )
            ]
        return blockers

    def _try_range(self, holder: LockHolder, range_key: RangeKey, lock: Lock) -> Wait | None:
        tree, low, high = range_key
        with self.mutex:
            holder.check_active()
            blockers = self._range_blockers(holder, range_key, lock)
            blockers += self._line_before(holder, tree, Request(low, high, lock))
            if blockers and (blockers := self._wound_blockers(holder, blockers)):
                return self._waiting.add(holder, blockers)
            holder.ranges[range_key] = lock = combined(holder.ranges.get(range_key), lock)
            self._union_of(holder, tree, lock).add(low, high)
            return None

    def _range_blockers(
        self, holder: LockHolder, range_key: RangeKey, lock: Lock
    ) -> list[LockHolder]:
        (reads, writes), (tree, low, high) = lock, range_key
        blockers: list[LockHolder] = []
        held: Iterable[tuple[LockHolder, dict[Lock, KeySet] | dict[Lock, RangeUnion]]]
        for held in (self._keys.get(tree, {}).items(), self._ranges.get(tree, {}).items()):
            blockers += [
                other
                for other, sets in held
                if other is not holder
                and any(
                    (reads & written or writes & read) and keys.meets(low, high)
                    for (read, written), keys in sets.items()
                )
            ]
        return blockers

    def _line_before(
        self, holder: LockHolder, tree: TreeId, request: Request
    ) -> tuple[LockHolder, ...]:
        """Return the transaction in line for a lock behind which a request has to wait, if any."""
        lines = self._requests.get(tree)
        last = None if lines is None else lines.last_before(holder, request)
        return () if last is None else (last,)

    def _keys_of(self, holder: LockHolder, tree: TreeId, lock: Lock) -> KeySet:
        sets = by_lock(holder, tree, holder.keys, self._keys)
        return sets.get(lock) or sets.setdefault(lock, KeySet())

    def _union_of(self, holder: LockHolder, tree: TreeId, lock: Lock) -> RangeUnion:
        sets = by_lock(holder, tree, holder.unions, self._ranges)
        return sets[lock] if lock in sets else sets.setdefault(lock, RangeUnion())

    def _wound_blockers(
        self, holder: LockHolder, blockers: list[LockHolder], row_key: RowKey | None = None
    ) -> list[LockHolder]:
        """Wound the blockers that may be wounded; return the blockers to wait for."""
        now = waiting_time()
        left = []
        for blocker in blockers:
            younger = blocker.age > holder.age
            if younger and row_key in holder.contended_rows and holder.yields_to(blocker, row_key):
                younger = False
            idle = blocker.client.idle_at < now
            why = IDLE if idle else OUTRANKED
            if blocker.state is COMMITTING or not (younger or idle):
                left.append(blocker)
            else:
                self._wound(blocker, why)
        return left

    def _wound(self, holder: LockHolder, why: str) -> bool:
        return holder.state is ACTIVE and self._release(holder, State.ABORTED, why)

    def _release(self, holder: LockHolder, state: State, why_aborted: str) -> bool:
        if state not in NEXT[holder.state]:
            return False
        holder.state = state
        if why_aborted:  # The reason stays when an aborted transaction is rolled back.
            holder.why_aborted = why_aborted
        self._drop(holder)
        return True

    def _drop(self, holder: LockHolder) -> None:
        """Release the locks of a transaction, and wake the transaction and its waiters."""
        if self.explorer is not None:
            self.explorer.ended_transaction(holder)
        if holder.rows:
            rows = self._rows
            if len(rows) == len(holder.rows) > FEW_ROWS and self._is_only_holder():
                rows.clear()
            else:
                for row_key in holder.rows:
                    holders = rows.pop(row_key)
                    if len(holders) > 1:
                        del holders[holder]
                        rows[row_key] = holders
            for tree in holder.keys:
                key_holders = self._keys[tree]
                del key_holders[holder]
                if not key_holders:
                    del self._keys[tree]
            holder.rows, holder.keys = {}, {}
        if holder.ranges:
            for tree in holder.unions:
                range_holders = self._ranges[tree]
                del range_holders[holder]
                if not range_holders:
                    del self._ranges[tree]
            holder.ranges, holder.unions = {}, {}
        if self._waiting.by_blocker:
            self._waiting.wake(holder)
        if holder.waits_on is not None:
            holder.waits_on.set()

    def _is_only_holder(self) -> bool:
        """Return whether one transaction holds all locks of rows."""
        return len(set(chain(*self._keys.values()))) == 1

    # ------------------------------------------------------------------ outside the mutex

    def _queue(
        self, holder: LockHolder, tree: TreeId, request: Request, waits: Wait | None
    ) -> None:
        """Wait until the request is granted; meanwhile no younger transaction gets the lock."""
        began = monotonic()
        with self.mutex:
            self._requests.setdefault(tree, Lines()).add(holder, request)
            held = blocking_requests(tree, request, waits)
        try:
            while waits is not None:
                self._wait(holder, waits)
                if request.high is None:
                    waits = self._try_row(holder, (tree, request.low), request.lock)
                else:
                    range_key = tree, request.low, request.high
                    waits = self._try_range(holder, range_key, request.lock)
        finally:
            with self.mutex:
                holder.patient_until = None
                self._waiting.remove(holder)
                lines = self._requests[tree]
                lines.remove(holder)
                if not lines.requests:
                    del self._requests[tree]
                # Not granted, or the transaction was aborted since: others that wait behind the
                # request may have begun to wait after its locks were released.
                if waits is not None or holder.state is not ACTIVE:
                    self._waiting.wake(holder)
            self.log.record(holder, tree, request, held, began)
            facts = current_annotations()
            if facts is not None:
                facts.setdefault("awaited_locks", []).append(self._name_of(tree, request))
            if self.observer is not None:
                self.observer.on_conflict(tree, request.low, request.high, monotonic() - began)

    def _wait(self, holder: LockHolder, waits: Wait) -> None:
        """Wait until a blocker ends, `holder` is wounded, or the request is cancelled."""
        call, began = current(), monotonic()
        if self.explorer is not None and self.explorer.wait(holder, waits):
            holder.waits_on = None
            call.check()
            return
        with self.mutex:
            self._idle_watch.begin(waits.blockers)
        patience = None if holder.patient_until is None else holder.patient_until - began + 0.001
        try:
            waits.signal.wait(patience)
        finally:
            holder.waits_on = None
            add_metric("lock_wait_seconds", monotonic() - began)
        call.check()
