"""A read-write transaction: reads through its own writes and under locks, then one commit.

    pessimistic         (default) each read locks what it reads and sees the latest commit
    optimistic          reads share one snapshot, and the commit validates all reads
    repeatable          reads share one snapshot; the commit validates the writes, and the reads
                        that must hold until the commit: FOR UPDATE, reads of DML and of constraints
    repeatable locking  the same, and the reads that must hold take locks as well

To validate a cell is to find that no commit since the snapshot wrote it, with whatever value.

Writes are buffered (`buffer`); only `commit` changes the store. As in Spanner, DML locks what it
reads, and its writes are locked when the transaction commits; only repeatable locking locks writes
at once. Locks cover cells (`locks.modes`): other columns of a row stay unlocked.

Not here: which requests a client may send next (`database.transactions.read_write`), constraints
(`write`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from enum import Enum
from functools import partial
from itertools import repeat

from spanemu.base.call import current
from spanemu.schema.indexes import TableOrIndex
from spanemu.schema.table import Table
from spanemu.sql.executor.run import ByteRange, Row
from spanemu.sql.functions.registry import Context
from spanemu.storage.layout import TreeId, in_order, tree_of
from spanemu.storage.observer import TreeWrite
from spanemu.storage.reads import LATEST
from spanemu.storage.store import Store
from spanemu.storage.versions import row_cells, was_written
from spanemu.txn.buffer import ABSENT, Buffer
from spanemu.txn.errors import TransactionAborted
from spanemu.txn.locks.holder import LockHolder, State
from spanemu.txn.locks.modes import (
    READ_EXISTENCE,
    READ_ROW,
    WRITE_ROW,
    WRITE_TIMESTAMP_RANGE,
    Cells,
    Lock,
    covers,
)
from spanemu.txn.locks.table import LockTable
from spanemu.values.cell_mask import WHOLE_ROW
from spanemu.values.key import successor


class Reads(Enum):
    """The ways to protect a transaction's reads until it commits.

    With `see_latest`, reads see the latest commit, otherwise a snapshot. The commit validates all
    reads with `are_validated`, otherwise only those that must hold. These take locks with
    `lock_if_required`. With `lock_writes`, each write is locked when it is made.
    """

    PESSIMISTIC = (True, False, True, False)
    OPTIMISTIC = (False, True, False, False)
    REPEATABLE = (False, False, False, False)
    REPEATABLE_LOCKING = (False, False, True, True)

    def __init__(
        self, see_latest: bool, are_validated: bool, lock_if_required: bool, lock_writes: bool
    ) -> None:
        self.see_latest = see_latest
        self.are_validated = are_validated
        self.lock_if_required = lock_if_required
        self.lock_writes = lock_writes
        self.are_serializable = see_latest or are_validated


class TransactionWorkspace:
    """The working state of one read-write transaction, from which its rows are read and written.

    The SQL engine reads through `TransactionReader`, which chooses the locks of each scan. A write
    batch (`write`) and its constraint checks read and write here, with the locks that they name.
    """

    # Defaults in the class: a transaction that reads and writes a row sets none of them.
    statement_mutations_max: int | None = None  # of a DML statement; None: no limit
    snapshot_at: int | None = None  # the snapshot of optimistic and repeatable reads
    _committing = False
    _only_reads = True

    def __init__(
        self, store: Store, locks: LockTable, holder: LockHolder, context: Context, reads: Reads
    ) -> None:
        self.store = store
        self.locks = locks
        self.holder = holder
        self.context = context
        self._reads_latest = reads.see_latest
        self._validates_all = reads.are_validated
        self._locks_required_reads = reads.lock_if_required
        self._locks_writes = reads.lock_writes
        self.buffer = Buffer()
        # rows whose commit timestamp is pending
        self.awaiting_timestamp: set[tuple[TreeId, bytes]] = set()
        # Positions, by table, of columns with a pending commit timestamp.
        self.pending: dict[str, set[int]] = {}
        self.deleted: set[tuple[TreeId, bytes]] = set()  # rows deleted by DML, without cascades
        # Ranges and cells that the commit validates.
        self.recorded_reads: list[tuple[TreeId, bytes, bytes, Cells]] = []
        # The ranges that rows with a pending timestamp in their keys will fall into.
        self._timestamp_ranges: list[tuple[TreeId, bytes, bytes]] = []

    # ------------------------------------------------------------------ for TransactionReader

    def scan(
        self,
        source: TableOrIndex,
        ranges: Sequence[ByteRange] | None = None,
        *,
        descending: bool = False,
        lock: Lock = READ_ROW,
        must_hold: bool = False,
    ) -> Iterator[Row]:
        """Yield the rows or entries of `source` in key order."""
        items = self._items(tree_of(source), ranges, lock, descending, must_hold)
        if isinstance(source, Table) and source.has_short_rows:
            width = source.width
            for _, row in items:
                yield row if len(row) == width else row_cells(row, width)
        else:
            for _, row in items:
                yield row

    def count(
        self,
        tree: TreeId,
        ranges: Sequence[ByteRange] | None,
        lock: Lock = READ_ROW,
        *,
        must_hold: bool = False,
    ) -> int:
        """Return the number of rows in ranges."""
        at = self._protect(tree, ranges, lock, must_hold)
        check, total = current().check, 0
        for count in self.store.count(tree, ranges, at):
            check()
            if self.holder.state is State.ABORTED:
                self.holder.check()
            total += count
        return total + self.buffer.rows_added(
            tree, ranges, lambda key: self.store.get(tree, key, at)
        )

    def get_row(
        self, table: Table, key: bytes, lock: Lock = READ_ROW, *, must_hold: bool = False
    ) -> Row | None:
        """Return the row of a table with that encoded key, at the table's current width."""
        row = self._get(tree_of(table), key, lock, must_hold)
        width = table.width
        return row if row is None or len(row) == width else row_cells(row, width)

    def row_count_estimate(self, table: Table) -> int:
        """Return the approximate number of rows of a table."""
        return self.store.row_count(tree_of(table))

    # ------------------------------------------------------------------ for write batches

    def get(self, tree: TreeId, key: bytes, lock: Lock = READ_ROW) -> Row | None:
        """Return the row as this transaction sees it, locked for reading until the commit."""
        if not (self._committing or self._locks_writes):
            lock = lock[0], 0
        return self._get(tree, key, lock, must_hold=True)

    def lock_all(self, tree: TreeId, keys: Iterable[bytes], lock: Lock) -> None:
        """Lock rows that `get` will read, many at a time."""
        if self._reads_latest or self._locks_required_reads:
            now = self._now(lock)
            self.locks.lock_rows(self.holder, tree, [(key, now) for key in keys])

    def exists(self, tree: TreeId, key: bytes) -> bool:
        """Return whether the row seems to exist. Takes no lock, so the answer may change."""
        pending = self.buffer.get(tree, key)
        return (self.store.get(tree, key) if pending is ABSENT else pending) is not None

    def committed(self, tree: TreeId, key: bytes) -> Row | None:
        """Return the row without the transaction's own writes. Takes no lock."""
        return self.store.get(tree, key, LATEST if self._reads_latest else self._snapshot())

    def items(
        self, tree: TreeId, ranges: Sequence[ByteRange] | None, lock: Lock = READ_ROW
    ) -> Iterator[tuple[bytes, Row]]:
        """Yield the keys and rows of ranges as this transaction sees them."""
        return self._items(tree, ranges, self._now(lock), descending=False, must_hold=True)

    def put(
        self,
        tree: TreeId,
        key: bytes,
        row: Row | None,
        written: Cells = WHOLE_ROW,
        base: Row | None = None,
    ) -> None:
        """Buffer the new state of a row; its cells `written` differ from `base`."""
        if self._locks_writes:
            self.locks.lock_row(self.holder, tree, key, self._write_lock(written))
        self.buffer.put(tree, key, row, written, base)

    def may_insert(self, tree: TreeId, keys: Sequence[bytes]) -> bool:
        """Return whether `insert` may succeed. Takes no locks, so the answer may change."""
        if not self._committing or self.buffer.parts:
            return False
        pending = self.buffer.trees.get(tree)
        is_written = pending is not None and not pending.rows.keys().isdisjoint(keys)
        return not is_written and self.store.lacks(tree, keys)

    def insert(self, tree: TreeId, keys: Sequence[bytes], rows: Sequence[Row]) -> bool:
        """Lock and buffer rows; return False, with locks only, if one of them exists by then."""
        self.lock_all(tree, keys, WRITE_ROW)
        if not self.store.lacks(tree, keys):
            return False
        self.buffer.put_all(tree, keys, rows)
        return True

    def have(self, tree: TreeId, keys: Sequence[bytes]) -> bool:
        """Lock the existence of rows; return whether this transaction sees all of them."""
        self.lock_all(tree, keys, READ_EXISTENCE)
        pending = self.buffer.trees.get(tree)
        if pending is not None and pending.rows:
            written = [pending.rows.get(key, ABSENT) for key in keys]
            if None in written:
                return False
            keys = [key for key, row in zip(keys, written, strict=True) if row is ABSENT]
        return all(self.store.get(tree, key) is not None for key in keys)

    def mark_pending(
        self, tree: TreeId, key: bytes, timestamp_key_range: ByteRange | None = None
    ) -> None:
        """Record that a buffered row waits for the commit timestamp.

        `timestamp_key_range` is the range that its key will fall into, if the key waits as well.
        """
        self.awaiting_timestamp.add((tree, key))
        if timestamp_key_range is not None:
            self._timestamp_ranges.append((tree, *timestamp_key_range))
            if self._locks_writes:
                self.locks.lock_range(
                    self.holder, tree, *timestamp_key_range, WRITE_TIMESTAMP_RANGE
                )

    @property
    def is_blank(self) -> bool:
        """Return whether the transaction has buffered no write, not even one taken back since."""
        return not self.buffer.trees

    # ------------------------------------------------------------------ ending

    def begin_commit(self) -> None:
        """Lock rows that are read in order to be written in both modes from now on."""
        self._committing = self._reads_latest

    def lock_writes(self) -> None:
        """Lock the buffered writes, unless each was locked when it was made."""
        if self._locks_writes:
            return
        for tree, pending in self.buffer.trees.items():
            left = self._left_to_lock(tree, pending.rows)
            if len(left) == 1:
                self.locks.lock_row(self.holder, tree, *left[0])
            elif left:
                self.locks.lock_rows(self.holder, tree, left)
        for timestamp_key_range in self._timestamp_ranges:
            self.locks.lock_range(self.holder, *timestamp_key_range, WRITE_TIMESTAMP_RANGE)

    def _left_to_lock(self, tree: TreeId, keys: Collection[bytes]) -> list[tuple[bytes, Lock]]:
        """Return the keys of buffered rows that are not locked for writing, with their locks."""
        buffer, held = self.buffer, self.holder.rows
        whole: Lock | None = None
        locked_keys = self.holder.keys.get(tree)
        if locked_keys is None and not buffer.parts:  # No row of the tree is locked.
            return list(zip(keys, repeat(self._write_lock(WHOLE_ROW))))
        if locked_keys is not None and locked_keys.get(WRITE_ROW) == [*keys]:
            return []  # The commit has locked all of them.
        left: list[tuple[bytes, Lock]] = []
        for key in keys:
            locked = held.get((tree, key))
            if locked is WRITE_ROW:  # The commit has locked this row already.
                continue
            if buffer.parts:
                lock = self._write_lock(buffer.written(tree, key))
            else:
                lock = whole = whole or self._write_lock(WHOLE_ROW)
            if not covers(locked, lock):
                left.append((key, lock))
        return left

    def rebase(self) -> None:
        """Apply each partly written row to the row as committed now."""
        for (tree, key), (_, base) in list(self.buffer.parts.items()):
            head = self.store.get(tree, key)
            if head is not None and head is not base:
                self.buffer.rebase(tree, key, head)

    def settled(
        self, writes: list[TreeWrite], cells: dict[tuple[TreeId, bytes], Cells]
    ) -> list[TreeWrite]:
        """Return the writes to apply, given those of the buffer and their masks of cells.

        Index entries that keep their values are written only if another transaction may validate
        them; their masks are added to `cells`. The caller holds the store's mutex.
        """
        store, buffer = self.store, self.buffer
        rewritten = buffer.rewritten
        if not store.has_other_validators(self):
            parts = rewritten.keys() & buffer.parts.keys()
            same = {entry for entry in parts if store.get(*entry) == buffer.get(*entry)}
            return [write for write in writes if write[:2] not in same] if same else writes
        for (tree, key), mask in rewritten.items():
            if (tree, key) in cells:
                cells[tree, key] |= mask
            elif buffer.get(tree, key) is ABSENT and (entry := store.get(tree, key)) is not None:
                cells[tree, key] = mask
                writes.append((tree, key, entry))
        return writes

    def validate(self) -> None:
        """Raise ABORTED when cells that the commit validates were written since the snapshot."""
        at = self.snapshot_at
        if at is None or self._only_reads:
            return  # A transaction that only read is serialized at its snapshot.
        store = self.store
        if store.explorer is not None:
            for tree, low, high, cells in self.recorded_reads:
                store.explorer.validated(tree, low, high, cells)
            for tree, key, _ in self.buffer.entries():
                store.explorer.validated(
                    tree, key, successor(key), self.buffer.written(tree, key), is_write=True
                )
        if store.oldest_readable > at:
            raise TransactionAborted("Its snapshot is older than the retained versions.")
        for tree, low, high, cells in self.recorded_reads:
            if store.written_since(tree, [(low, high)], at, cells):
                raise TransactionAborted("Rows that it read were written since.")
        if self._validates_all:
            return  # A write that depends on no read is serialized at the commit.
        for tree, key, _ in self.buffer.entries():
            head = store.head(tree, key)
            if head is not None and was_written(head, at, self.buffer.written(tree, key)):
                raise TransactionAborted("Rows that it writes were written since it read.")

    def _now(self, lock: Lock) -> Lock:
        """Return the part of a lock that is not left to the commit."""
        return lock if self._committing or self._locks_writes else (lock[0], 0)

    def _write_lock(self, written: Cells) -> Lock:
        """Return the lock for a write.

        Blind writers do not conflict, except where the client asked for locks at once.
        """
        return (0, written) if self._reads_latest else (written, written)

    def _get(self, tree: TreeId, key: bytes, lock: Lock, must_hold: bool) -> Row | None:
        must_hold = must_hold or lock[1] != 0
        if self._reads_latest or (must_hold and self._locks_required_reads):
            self.locks.lock_row(self.holder, tree, key, lock)
        buffer = self.buffer
        is_part = False
        if buffer.trees:
            pending = buffer.get(tree, key)
            is_part = bool(buffer.parts) and (tree, key) in buffer.parts
            if pending is not ABSENT and not is_part:
                row: Row | None = pending
                return row
        if not self._reads_latest:
            self._record_read(tree, key, successor(key), lock[0], must_hold)
        elif not is_part:
            return self.store.get(tree, key)
        return self._present(tree, key) if is_part else self.committed(tree, key)

    def _items(
        self,
        tree: TreeId,
        ranges: Sequence[ByteRange] | None,
        lock: Lock,
        descending: bool,
        must_hold: bool,
    ) -> Iterator[tuple[bytes, Row]]:
        at = self._protect(tree, ranges, lock, must_hold)
        committed = self.store.scan_items(tree, ranges, at, descending=descending)
        present = partial(self._present, tree) if self.buffer.parts else None
        holder = self.holder
        for item in self.buffer.merge(tree, committed, ranges, descending, present):
            if holder.state is State.ABORTED:
                holder.check()
            yield item

    def _protect(
        self, tree: TreeId, ranges: Sequence[ByteRange] | None, lock: Lock, must_hold: bool
    ) -> int:
        """Lock ranges that are about to be read, or record the read; return its timestamp."""
        must_hold = must_hold or lock[1] != 0
        for low, high in in_order(ranges, descending=False):
            if self._reads_latest or (must_hold and self._locks_required_reads):
                self.locks.lock_range(self.holder, tree, low, high, lock)
            if not self._reads_latest:
                self._record_read(tree, low, high, lock[0], must_hold)
        # Chosen after the locks, so that the read sees the commits that it waited for.
        return LATEST if self._reads_latest else self._snapshot()

    def _present(self, tree: TreeId, key: bytes) -> Row | None:
        """Return a pending row whose unwritten cells are as committed now."""
        pending: Row | None = self.buffer.get(tree, key)
        part = self.buffer.parts.get((tree, key))
        if part is None:
            return pending
        head = self.committed(tree, key)
        if head is None or head is part[1]:
            return pending
        return self.buffer.rebase(tree, key, head)

    def _record_read(
        self, tree: TreeId, low: bytes, high: bytes, cells: Cells, must_hold: bool
    ) -> None:
        """Record a read that took no lock, if it must be validated."""
        if self.store.explorer is not None:
            self.store.explorer.read(tree, ((low, high),), cells, self.snapshot_at)
        if must_hold:
            self._only_reads = False
        if must_hold or self._validates_all:
            self.recorded_reads.append((tree, low, high, cells))

    def _snapshot(self) -> int:
        if self.snapshot_at is None:
            self.snapshot_at = self.store.validated_timestamp(self)
        return self.snapshot_at
