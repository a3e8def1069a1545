"""A read-write transaction: reads through its own writes and under locks, then one commit.

    pessimistic         (default) each read locks what it reads and sees the latest commit
    optimistic          reads share one snapshot, and are validated by the commit
    repeatable          reads share one snapshot; the commit validates what is written, and the
                        reads that must be kept true: for update, of DML, of constraints
    repeatable locking  the same, and those reads take locks as well

Writes are buffered (`buffer`); only `commit` touches the store. They are locked exclusively when
they are made; by the modes that lock nothing else, when they are committed.
Not here: what a client may do next (`database.read_write`), constraints (`write`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum, auto

from spanemu.schema.index import Index
from spanemu.schema.table import Table
from spanemu.sql.executor.reader import ByteRange, Row
from spanemu.sql.functions.registry import Context
from spanemu.storage.layout import TreeId, tree_of
from spanemu.storage.store import EVERYTHING, LATEST, Store, row_cells
from spanemu.txn.buffer import ABSENT, Buffer
from spanemu.txn.errors import TransactionAborted
from spanemu.txn.locks import LockTable, Mode, Owner
from spanemu.txn.state import State
from spanemu.values.key import successor


class Reads(Enum):
    """How a transaction keeps its reads true until it commits."""

    PESSIMISTIC = auto()
    OPTIMISTIC = auto()
    REPEATABLE = auto()
    REPEATABLE_LOCKING = auto()


_LOCKING = frozenset({Reads.PESSIMISTIC, Reads.REPEATABLE_LOCKING})


class ReadWrite:
    """One read-write transaction at work; a `RowReader` and a `WriteView`."""

    def __init__(
        self, store: Store, locks: LockTable, owner: Owner, context: Context, reads: Reads
    ) -> None:
        self.store = store
        self.locks = locks
        self.owner = owner
        self.context = context
        self._at_once = reads is Reads.PESSIMISTIC  # sees the latest commit
        self._validates_all = reads is Reads.OPTIMISTIC
        self._locks_kept = reads in _LOCKING
        self.buffer = Buffer()
        self.marked: set[tuple[TreeId, bytes]] = set()  # rows that wait for the commit timestamp
        self.pending: dict[str, set[int]] = {}  # positions by table that wait for it
        self.snapshot_at: int | None = None  # of optimistic and repeatable reads
        self._seen: list[tuple[TreeId, bytes, bytes]] = []  # ranges to validate at commit
        self._only_reads = True

    # ------------------------------------------------------------------ as a RowReader

    def scan(
        self,
        table: Table,
        ranges: Sequence[ByteRange] | None = None,
        *,
        descending: bool = False,
        for_update: bool = False,
        kept: bool = False,
    ) -> Iterator[Row]:
        """Rows of `table` in key order."""
        width = table.width
        tree = tree_of(table)
        kept = kept or for_update
        for key, row in self._items(tree, ranges, descending=descending, kept=kept):
            if for_update:
                self.lock(tree, key)
            yield row if len(row) == width else row_cells(row, width)

    def scan_index(
        self,
        index: Index,
        ranges: Sequence[ByteRange] | None = None,
        *,
        descending: bool = False,
        for_update: bool = False,
        kept: bool = False,
    ) -> Iterator[Row]:
        """Entries of `index` in key order."""
        tree = tree_of(index)
        kept = kept or for_update
        for key, row in self._items(tree, ranges, descending=descending, kept=kept):
            if for_update:
                self.lock(tree, key)
            yield row

    def get_row(
        self, table: Table, key: bytes, *, for_update: bool = False, kept: bool = False
    ) -> Row | None:
        """The row of a table with that encoded key, at the table's present width."""
        row = self._get(tree_of(table), key, exclusive=for_update, kept=kept or for_update)
        return row if row is None else row_cells(row, table.width)

    def row_count_estimate(self, table: Table) -> int:
        """About how many rows a table has."""
        return self.store.row_count(tree_of(table))

    # ------------------------------------------------------------------ as a WriteView

    def get(self, tree: TreeId, key: bytes, *, exclusive: bool = False) -> Row | None:
        """The row as this transaction sees it."""
        return self._get(tree, key, exclusive=exclusive, kept=True)

    def items(
        self,
        tree: TreeId,
        ranges: Sequence[ByteRange] | None,
        *,
        descending: bool = False,
    ) -> Iterator[tuple[bytes, Row]]:
        """Rows of ranges as this transaction sees them, with their keys."""
        return self._items(tree, ranges, descending=descending, kept=True)

    def put(self, tree: TreeId, key: bytes, row: Row | None) -> None:
        """Buffer the new state of a row."""
        self.lock(tree, key)
        self.buffer.put(tree, key, row)

    def lock(self, tree: TreeId, key: bytes) -> None:
        """Lock a row exclusively, unless that is left to the commit."""
        if self._locks_kept:
            self.locks.lock_row(self.owner, tree, key, Mode.EXCLUSIVE)

    def mark(self, tree: TreeId, key: bytes) -> None:
        """Remember that a buffered row waits for the commit timestamp."""
        self.marked.add((tree, key))

    # ------------------------------------------------------------------ ending

    def lock_writes(self) -> None:
        """Lock what is written, where that was left to the commit."""
        if not self._locks_kept:
            for tree, key, _ in self.buffer.entries():
                self.locks.lock_row(self.owner, tree, key, Mode.EXCLUSIVE)

    def validate(self) -> None:
        """Raise ABORTED when what was read without locks has changed, or what is written has."""
        at = self.snapshot_at
        if at is None or self._only_reads:
            return  # Reads alone are true at their snapshot.
        for tree, low, high in self._seen:
            if self.store.changed_since(tree, [(low, high)], at):
                raise TransactionAborted("Rows that it read have changed since.")
        for tree, key, _ in self.buffer.entries():
            head = self.store.head(tree, key)
            if head is not None and head[0] > at:
                raise TransactionAborted("Rows that it writes have changed since it read.")

    def _get(self, tree: TreeId, key: bytes, *, exclusive: bool, kept: bool) -> Row | None:
        if exclusive:
            self.lock(tree, key)
        elif self._at_once or (kept and self._locks_kept):
            self.locks.lock_row(self.owner, tree, key, Mode.SHARED)
        pending = self.buffer.get(tree, key)
        if pending is not ABSENT:
            found: Row | None = pending
            return found
        if self._at_once:
            return self.store.get(tree, key)
        self._saw(tree, key, successor(key), kept)
        return self.store.get(tree, key, self._snapshot())

    def _items(
        self,
        tree: TreeId,
        ranges: Sequence[ByteRange] | None,
        *,
        descending: bool,
        kept: bool,
    ) -> Iterator[tuple[bytes, Row]]:
        for low, high in EVERYTHING if ranges is None else ranges:
            if self._at_once or (kept and self._locks_kept):
                self.locks.lock_range(self.owner, tree, low, high)
            if not self._at_once:
                self._saw(tree, low, high, kept)
        # After the locks, so that what was waited for is seen.
        at = LATEST if self._at_once else self._snapshot()
        below = self.store.scan_items(tree, ranges, at, descending=descending)
        owner = self.owner
        for item in self.buffer.merge(tree, below, ranges, descending):
            if owner.state is State.ABORTED:
                owner.check()
            yield item

    def _saw(self, tree: TreeId, low: bytes, high: bytes, kept: bool) -> None:
        """Note what was read without a lock that would keep it true."""
        if kept:
            self._only_reads = False
        if kept or self._validates_all:
            self._seen.append((tree, low, high))

    def _snapshot(self) -> int:
        if self.snapshot_at is None:
            self.snapshot_at = self.store.read_timestamp()
        return self.snapshot_at
