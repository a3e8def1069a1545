"""Checks that a write batch defers to its end, and the rows that the batch wrote or deleted.

Foreign keys, unique indexes and checks depend on the final state of a batch, so the rows concerned
are recorded as they are written. Each entry is recorded once, however often its row changes.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property

from sortedcontainers import SortedDict

from spanemu.sql.executor.run import ByteRange
from spanemu.storage.layout import TreeId
from spanemu.txn.errors import WrittenAndDeleted
from spanemu.txn.locks.key_range_sets import RangeUnion
from spanemu.txn.rules import CompiledForeignKey, CompiledIndex, CompiledTable, Row


class Rewrites:
    """Written rows and deleted ranges of one batch, by table, for tables with `watched` columns."""

    def __init__(self) -> None:
        self._written: dict[TreeId, SortedDict[bytes, Row]] = defaultdict(SortedDict)
        self._deleted: dict[TreeId, RangeUnion] = defaultdict(RangeUnion)

    def write(self, rules: CompiledTable, key: bytes, values: Row) -> None:
        """Record that a row is written with a referenced column listed.

        Raise WrittenAndDeleted if the batch deletes the row.
        """
        if self._deleted[rules.tree].covers(key):
            raise _refusal(rules, values)
        self._written[rules.tree][key] = values

    def delete(self, rules: CompiledTable, low: bytes, high: bytes) -> None:
        """Record that the keys in [low, high) are deleted, with or without rows.

        Raise WrittenAndDeleted if the batch has written one of these rows.
        """
        written = self._written[rules.tree]
        for key in written.irange(low, high, inclusive=(True, False)):
            raise _refusal(rules, written[key])
        self._deleted[rules.tree].add(low, high)


def _refusal(rules: CompiledTable, values: Row) -> WrittenAndDeleted:
    cascading = (each for each in rules.referenced_by if each.foreign_key.cascade)
    foreign_key = next(cascading).foreign_key
    column = foreign_key.referenced_columns[0]
    return WrittenAndDeleted(rules.table.name, column, rules.key_text(values), foreign_key.name)


RowKey = tuple[TreeId, bytes]


class DeferredChecks:
    """The deferred checks of one write batch."""

    def __init__(self) -> None:
        self.inserted: set[RowKey] = set()
        self.referring: set[tuple[str, bytes]] = set()  # (foreign key, row) with new values
        self.unique: dict[
            RowKey, tuple[CompiledIndex, Row]
        ] = {}  # by the prefix of the declared key
        self.references: dict[tuple[str, Row], CompiledForeignKey] = {}
        self.releases: dict[tuple[str, Row], CompiledForeignKey] = {}
        self.rows: dict[RowKey, CompiledTable] = {}  # rows with checks or generated NOT NULLs
        self._deleted: dict[TreeId, list[ByteRange]] = {}  # deleted ranges, with or without rows

    @cached_property
    def rewrites(self) -> Rewrites:
        """The rewrites of the batch, created when a table that cascades is written."""
        return Rewrites()

    def row_written(self, rules: CompiledTable, key: bytes) -> None:
        """Record a row whose checks must hold at the end."""
        if rules.has_row_checks:
            self.rows[rules.tree, key] = rules

    def refers(self, reference: CompiledForeignKey, values: Row) -> None:
        """Record that a row refers to `values`, which must exist; NULL refers to no row."""
        if None not in values:
            self.references[reference.foreign_key.name, values] = reference

    def refers_newly(self, reference: CompiledForeignKey, key: bytes) -> bool:
        """Return whether the batch inserted the row, or changed the values by which it refers."""
        rules = reference.compiled.of(reference.table)
        inserted = (rules.tree, key) in self.inserted
        return inserted or (reference.foreign_key.name, key) in self.referring

    def released(self, reference: CompiledForeignKey, values: Row) -> None:
        """Record that referenced values were removed: no row may refer to them at the end."""
        if None not in values:
            self.releases[reference.foreign_key.name, values] = reference

    def range_deleted(self, rules: CompiledTable, low: bytes, high: bytes) -> None:
        """Record that a mutation deletes [low, high), with or without rows."""
        self._deleted.setdefault(rules.tree, []).append((low, high))
        if rules.watched:
            self.rewrites.delete(rules, low, high)

    def was_deleted(self, tree: TreeId, key: bytes) -> bool:
        """Return whether a mutation deleted the key. Visits all ranges, so call it rarely."""
        return any(low <= key < high for low, high in self._deleted.get(tree, ()))
