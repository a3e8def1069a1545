"""What a write unit leaves to be judged at its end, and what it did to which rows.

Foreign keys, unique indexes and checks look at the unit's final state, so the rows concerned
are noted as they are written. Each note is kept once, however often its row changes.
"""

from __future__ import annotations

from functools import cached_property

from spanemu.sql.executor.reader import ByteRange
from spanemu.storage.layout import TreeId
from spanemu.txn.constraints.rewrites import Rewrites
from spanemu.txn.rules import IndexRules, Reference, Row, TableRules

RowKey = tuple[TreeId, bytes]


class Notes:
    """The notes of one write unit."""

    def __init__(self) -> None:
        self.inserted: set[RowKey] = set()
        self.referring: set[tuple[str, bytes]] = set()  # by foreign key: updated to refer anew
        self.unique: dict[RowKey, tuple[IndexRules, Row]] = {}  # by the declared key's prefix
        self.references: dict[tuple[str, Row], Reference] = {}
        self.releases: dict[tuple[str, Row], Reference] = {}
        self.rows: dict[RowKey, TableRules] = {}  # rows with checks or generated NOT NULLs
        self._deleted: dict[TreeId, list[ByteRange]] = {}  # as asked for, rows or not

    @cached_property
    def rewrites(self) -> Rewrites:
        """Made when a table is written that a foreign key may cascade from."""
        return Rewrites()

    def row_written(self, rules: TableRules, key: bytes) -> None:
        """A row whose checks must hold in the end."""
        if rules.judges_rows:
            self.rows[rules.tree, key] = rules

    def refers(self, reference: Reference, values: Row) -> None:
        """A row that refers to `values` must find them; NULL refers to nothing."""
        if None not in values:
            self.references[reference.foreign_key.name, values] = reference

    def refers_newly(self, reference: Reference, key: bytes) -> bool:
        """Whether the unit itself made the row with that key refer to what it does."""
        rules = reference.book.of(reference.table)
        inserted = (rules.tree, key) in self.inserted
        return inserted or (reference.foreign_key.name, key) in self.referring

    def released(self, reference: Reference, values: Row) -> None:
        """Referenced values went away: nobody may refer to them, unless they came back."""
        if None not in values:
            self.releases[reference.foreign_key.name, values] = reference

    def range_deleted(self, rules: TableRules, low: bytes, high: bytes) -> None:
        """A mutation deletes [low, high), whether there are rows or not."""
        self._deleted.setdefault(rules.tree, []).append((low, high))
        if rules.watched:
            self.rewrites.delete(rules, low, high)

    def was_deleted(self, tree: TreeId, key: bytes) -> bool:
        """Whether a mutation deleted the key. Looks at all of them, so ask when it matters."""
        return any(low <= key < high for low, high in self._deleted.get(tree, ()))
