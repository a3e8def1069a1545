"""What a write unit leaves to be judged at its end, and what it did to which rows.

Foreign keys, unique indexes and checks look at the unit's final state, so the rows concerned
are noted as they are written. Each note is kept once, however often its row changes.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property

from sortedcontainers import SortedDict

from spanemu.sql.executor.reader import ByteRange
from spanemu.storage.layout import TreeId
from spanemu.txn.errors.rows import WrittenAndDeleted
from spanemu.txn.locks.key_range_sets import RangeUnion
from spanemu.txn.rules import CompiledForeignKey, CompiledIndex, CompiledTable, Row


class Rewrites:
    """Written rows and deleted ranges of one unit, by table; for tables with `watched` columns."""

    def __init__(self) -> None:
        self._written: dict[TreeId, SortedDict[bytes, Row]] = defaultdict(SortedDict)
        self._deleted: dict[TreeId, RangeUnion] = defaultdict(RangeUnion)

    def write(self, rules: CompiledTable, key: bytes, values: Row) -> None:
        """A row is written, and a referenced column is listed."""
        if self._deleted[rules.tree].covers(key):
            raise _refusal(rules, values)
        self._written[rules.tree][key] = values

    def delete(self, rules: CompiledTable, low: bytes, high: bytes) -> None:
        """Keys in [low, high) are deleted, whether there are rows or not."""
        written = self._written[rules.tree]
        for key in written.irange(low, high, inclusive=(True, False)):
            raise _refusal(rules, written[key])
        self._deleted[rules.tree].add(low, high)


def _refusal(rules: CompiledTable, values: Row) -> WrittenAndDeleted:
    watching = next(each for each in rules.referenced_by if each.foreign_key.cascade).foreign_key
    column = watching.referenced_columns[0]
    return WrittenAndDeleted(rules.table.name, column, rules.key_text(values), watching.name)


RowKey = tuple[TreeId, bytes]


class DeferredChecks:
    """The notes of one write unit."""

    def __init__(self) -> None:
        self.inserted: set[RowKey] = set()
        self.referring: set[tuple[str, bytes]] = set()  # by foreign key: updated to refer anew
        self.unique: dict[RowKey, tuple[CompiledIndex, Row]] = {}  # by the declared key's prefix
        self.references: dict[tuple[str, Row], CompiledForeignKey] = {}
        self.releases: dict[tuple[str, Row], CompiledForeignKey] = {}
        self.rows: dict[RowKey, CompiledTable] = {}  # rows with checks or generated NOT NULLs
        self._deleted: dict[TreeId, list[ByteRange]] = {}  # as asked for, rows or not

    @cached_property
    def rewrites(self) -> Rewrites:
        """Made when a table is written that a foreign key may cascade from."""
        return Rewrites()

    def row_written(self, rules: CompiledTable, key: bytes) -> None:
        """A row whose checks must hold in the end."""
        if rules.judges_rows:
            self.rows[rules.tree, key] = rules

    def refers(self, reference: CompiledForeignKey, values: Row) -> None:
        """A row that refers to `values` must find them; NULL refers to nothing."""
        if None not in values:
            self.references[reference.foreign_key.name, values] = reference

    def refers_newly(self, reference: CompiledForeignKey, key: bytes) -> bool:
        """Whether the unit itself made the row with that key refer to what it does."""
        rules = reference.compiled.of(reference.table)
        inserted = (rules.tree, key) in self.inserted
        return inserted or (reference.foreign_key.name, key) in self.referring

    def released(self, reference: CompiledForeignKey, values: Row) -> None:
        """Referenced values went away: nobody may refer to them, unless they came back."""
        if None not in values:
            self.releases[reference.foreign_key.name, values] = reference

    def range_deleted(self, rules: CompiledTable, low: bytes, high: bytes) -> None:
        """A mutation deletes [low, high), whether there are rows or not."""
        self._deleted.setdefault(rules.tree, []).append((low, high))
        if rules.watched:
            self.rewrites.delete(rules, low, high)

    def was_deleted(self, tree: TreeId, key: bytes) -> bool:
        """Whether a mutation deleted the key. Looks at all of them, so ask when it matters."""
        return any(low <= key < high for low, high in self._deleted.get(tree, ()))
