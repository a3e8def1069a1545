"""A read-write transaction: reads through its own writes and under locks, then one commit.

    pessimistic         (default) each read locks what it reads and sees the latest commit
    optimistic          reads share one snapshot, and are validated by the commit
    repeatable          reads share one snapshot; the commit validates what is written, and the
                        reads that must be kept true: for update, of DML, of constraints
    repeatable locking  the same, and those reads take locks as well

Writes are buffered (`buffer`); only `commit` touches the store. As in Spanner, DML locks what it
reads, and what it writes is locked when the transaction commits; only repeatable locking locks it
at once. What is locked are cells (`locks.modes`): other columns of the row stay free.

Not here: what a client may do next (`database.transactions.read_write`), constraints (`write`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum, auto
from functools import partial

from spanemu.schema.index import Index
from spanemu.schema.table import Table
from spanemu.sql.executor.reader import ByteRange, Row
from spanemu.sql.functions.registry import Context
from spanemu.storage.layout import TreeId, tree_of
from spanemu.storage.ranges import in_order
from spanemu.storage.store import LATEST, Store
from spanemu.storage.versions import changed, row_cells
from spanemu.txn.buffer import ABSENT, Buffer
from spanemu.txn.errors.requests import TransactionAborted
from spanemu.txn.locks.holder import LockHolder
from spanemu.txn.locks.modes import READ_ROW, WRITE_ROW, WRITE_TIMESTAMP_RANGE, Cells, Lock, covers
from spanemu.txn.locks.table import LockTable
from spanemu.txn.state import State
from spanemu.values.cell_mask import WHOLE_ROW
from spanemu.values.key import successor


class Reads(Enum):
    """How a transaction keeps its reads true until it commits."""

    PESSIMISTIC = auto()
    OPTIMISTIC = auto()
    REPEATABLE = auto()
    REPEATABLE_LOCKING = auto()


class TransactionWorkspace:
    """One read-write transaction at work; a `RowReader` and a `WriteView`."""

    def __init__(
        self, store: Store, locks: LockTable, holder: LockHolder, context: Context, reads: Reads
    ) -> None:
        self.store = store
        self.locks = locks
        self.holder = holder
        self.context = context
        self._at_once = reads is Reads.PESSIMISTIC  # sees the latest commit
        self._validates_all = reads is Reads.OPTIMISTIC
        self._locks_kept = reads is Reads.PESSIMISTIC or reads is Reads.REPEATABLE_LOCKING
        self._locks_writes = reads is Reads.REPEATABLE_LOCKING
        self._committing = False
        self.buffer = Buffer()
        self.marked: set[tuple[TreeId, bytes]] = set()  # rows that wait for the commit timestamp
        self.pending: dict[str, set[int]] = {}  # positions by table that wait for it
        self.deleted: set[tuple[TreeId, bytes]] = set()  # rows that DML deleted by themselves
        self.snapshot_at: int | None = None  # of optimistic and repeatable reads
        self.seen: list[tuple[TreeId, bytes, bytes, Cells]] = []  # to validate at commit
        # Where rows will land that have the commit timestamp in their keys.
        self._landings: list[tuple[TreeId, bytes, bytes]] = []
        self._only_reads = True

    # ------------------------------------------------------------------ as a RowReader

    def scan(
        self,
        table: Table,
        ranges: Sequence[ByteRange] | None = None,
        *,
        descending: bool = False,
        lock: Lock = READ_ROW,
        kept: bool = False,
    ) -> Iterator[Row]:
        """Rows of `table` in key order."""
        width = table.width
        for _, row in self._items(tree_of(table), ranges, lock, descending, kept):
            yield row if len(row) == width else row_cells(row, width)

    def scan_index(
        self,
        index: Index,
        ranges: Sequence[ByteRange] | None = None,
        *,
        descending: bool = False,
        lock: Lock = READ_ROW,
        kept: bool = False,
    ) -> Iterator[Row]:
        """Entries of `index` in key order."""
        for _, row in self._items(tree_of(index), ranges, lock, descending, kept):
            yield row

    def get_row(
        self, table: Table, key: bytes, lock: Lock = READ_ROW, *, kept: bool = False
    ) -> Row | None:
        """The row of a table with that encoded key, at the table's present width."""
        row = self._get(tree_of(table), key, lock, kept)
        width = table.width
        return row if row is None or len(row) == width else row_cells(row, width)

    def row_count_estimate(self, table: Table) -> int:
        """About how many rows a table has."""
        return self.store.row_count(tree_of(table))

    # ------------------------------------------------------------------ as a WriteView

    def get(self, tree: TreeId, key: bytes, lock: Lock = READ_ROW) -> Row | None:
        """The row as this transaction sees it."""
        if not (self._committing or self._locks_writes):
            lock = lock[0], 0
        return self._get(tree, key, lock, kept=True)

    def lock_all(self, tree: TreeId, keys: Iterable[bytes], lock: Lock) -> None:
        """Lock rows that `get` will be asked for, many at a time."""
        if self._at_once or self._locks_kept:
            now = self._now(lock)
            self.locks.lock_rows(self.holder, tree, [(key, now) for key in keys])

    def exists(self, tree: TreeId, key: bytes) -> bool:
        """Whether there seems to be such a row. Locks nothing: to be asked again."""
        pending = self.buffer.get(tree, key)
        return (self.store.get(tree, key) if pending is ABSENT else pending) is not None

    def below(self, tree: TreeId, key: bytes) -> Row | None:
        """The row as it is without this transaction. Locks nothing."""
        return self.store.get(tree, key, LATEST if self._at_once else self._snapshot())

    def items(
        self, tree: TreeId, ranges: Sequence[ByteRange] | None, lock: Lock = READ_ROW
    ) -> Iterator[tuple[bytes, Row]]:
        """Rows of ranges as this transaction sees them, with their keys."""
        return self._items(tree, ranges, self._now(lock), descending=False, kept=True)

    def put(
        self,
        tree: TreeId,
        key: bytes,
        row: Row | None,
        written: Cells = WHOLE_ROW,
        base: Row | None = None,
    ) -> None:
        """Buffer the new state of a row, of which the cells `written` differ from `base`."""
        if self._locks_writes:
            self.locks.lock_row(self.holder, tree, key, self._write_lock(written))
        self.buffer.put(tree, key, row, written, base)

    def mark_pending(
        self, tree: TreeId, key: bytes, timestamp_key_range: ByteRange | None = None
    ) -> None:
        """Remember that a buffered row waits for the commit timestamp.

        `timestamp_key_range` is where its key will be, when that waits as well.
        """
        self.marked.add((tree, key))
        if timestamp_key_range is not None:
            self._landings.append((tree, *timestamp_key_range))
            if self._locks_writes:
                self.locks.lock_range(
                    self.holder, tree, *timestamp_key_range, WRITE_TIMESTAMP_RANGE
                )

    # ------------------------------------------------------------------ ending

    def begin_commit(self) -> None:
        """From now on, what is read to be written is locked for both."""
        self._committing = self._at_once

    def lock_writes(self) -> None:
        """Lock what is written, where that was left to the very end."""
        if self._locks_writes:
            return
        buffer, held = self.buffer, self.holder.rows
        for tree, pending in buffer.trees.items():
            whole: Lock | None = None
            left: list[tuple[bytes, Lock]] = []
            for key in pending.rows:
                locked = held.get((tree, key))
                if locked is WRITE_ROW:  # What was met by the commit itself was locked for both.
                    continue
                if buffer.parts:
                    lock = self._write_lock(buffer.written(tree, key))
                else:
                    lock = whole = whole or self._write_lock(WHOLE_ROW)
                if not covers(locked, lock):
                    left.append((key, lock))
            if len(left) == 1:
                self.locks.lock_row(self.holder, tree, *left[0])
            elif left:
                self.locks.lock_rows(self.holder, tree, left)
        for timestamp_key_range in self._landings:
            self.locks.lock_range(self.holder, *timestamp_key_range, WRITE_TIMESTAMP_RANGE)

    def rebase(self) -> None:
        """Put each part of a row on top of the row as it is now."""
        for (tree, key), (_, base) in list(self.buffer.parts.items()):
            head = self.store.get(tree, key)
            if head is not None and head is not base:
                self.buffer.rebase(tree, key, head)

    def validate(self) -> None:
        """Raise ABORTED when what was read without locks has changed, or what is written has."""
        at = self.snapshot_at
        if at is None or self._only_reads:
            return  # Reads alone are true at their snapshot.
        store = self.store
        if store.oldest_readable > at:
            raise TransactionAborted("Its snapshot is older than the versions that are kept.")
        for tree, low, high, cells in self.seen:
            if store.changed_since(tree, [(low, high)], at, cells):
                raise TransactionAborted("Rows that it read have changed since.")
        for tree, key, _ in self.buffer.entries():
            head = store.head(tree, key)
            if head is not None and changed(head, at, self.buffer.written(tree, key)):
                raise TransactionAborted("Rows that it writes have changed since it read.")

    def _now(self, lock: Lock) -> Lock:
        """That part of a lock which is not left to the commit."""
        return lock if self._committing or self._locks_writes else (lock[0], 0)

    def _write_lock(self, written: Cells) -> Lock:
        """Blind writers go side by side, except where clients asked for locks at once."""
        return (0, written) if self._at_once else (written, written)

    def _get(self, tree: TreeId, key: bytes, lock: Lock, kept: bool) -> Row | None:
        kept = kept or lock[1] != 0
        if self._at_once or (kept and self._locks_kept):
            self.locks.lock_row(self.holder, tree, key, lock)
        buffer = self.buffer
        is_part = False
        if buffer.trees:
            pending = buffer.get(tree, key)
            is_part = bool(buffer.parts) and (tree, key) in buffer.parts
            if pending is not ABSENT and not is_part:
                found: Row | None = pending
                return found
        if not self._at_once:
            self._saw(tree, key, successor(key), lock[0], kept)
        elif not is_part:
            return self.store.get(tree, key)
        return self._present(tree, key) if is_part else self.below(tree, key)

    def _items(
        self,
        tree: TreeId,
        ranges: Sequence[ByteRange] | None,
        lock: Lock,
        descending: bool,
        kept: bool,
    ) -> Iterator[tuple[bytes, Row]]:
        kept = kept or lock[1] != 0
        for low, high in in_order(ranges, descending=False):
            if self._at_once or (kept and self._locks_kept):
                self.locks.lock_range(self.holder, tree, low, high, lock)
            if not self._at_once:
                self._saw(tree, low, high, lock[0], kept)
        # After the locks, so that what was waited for is seen.
        at = LATEST if self._at_once else self._snapshot()
        below = self.store.scan_items(tree, ranges, at, descending=descending)
        present = partial(self._present, tree) if self.buffer.parts else None
        holder = self.holder
        for item in self.buffer.merge(tree, below, ranges, descending, present):
            if holder.state is State.ABORTED:
                holder.check()
            yield item

    def _present(self, tree: TreeId, key: bytes) -> Row | None:
        """A pending row with those cells that it does not write as they are now."""
        pending: Row | None = self.buffer.get(tree, key)
        part = self.buffer.parts.get((tree, key))
        if part is None:
            return pending
        head = self.below(tree, key)
        if head is None or head is part[1]:
            return pending
        return self.buffer.rebase(tree, key, head)

    def _saw(self, tree: TreeId, low: bytes, high: bytes, cells: Cells, kept: bool) -> None:
        """Note what was read without a lock that would keep it true."""
        if kept:
            self._only_reads = False
        if kept or self._validates_all:
            self.seen.append((tree, low, high, cells))

    def _snapshot(self) -> int:
        if self.snapshot_at is None:
            self.snapshot_at = self.store.read_timestamp()
        return self.snapshot_at
