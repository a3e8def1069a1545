"""What a write unit leaves to be judged at its end, and what it did to which rows.

Foreign keys, unique indexes and checks look at the unit's final state, so the rows concerned
are noted as they are written. Each note is kept once, however often its row changes.
"""

from __future__ import annotations

from typing import Any

from spanemu.storage.layout import TreeId
from spanemu.txn.errors import WrittenAndDeleted
from spanemu.txn.rules import IndexRules, Reference, Row, TableRules

RowKey = tuple[TreeId, bytes]


class Notes:
    """The notes of one write unit."""

    def __init__(self) -> None:
        self.inserted: set[RowKey] = set()
        self.deleted: set[RowKey] = set()
        self.unique: dict[RowKey, tuple[IndexRules, Row]] = {}  # by the declared key's prefix
        self.references: dict[tuple[str, Row], Reference] = {}
        self.releases: dict[tuple[str, Row], Reference] = {}
        self.rows: dict[RowKey, TableRules] = {}  # rows with checks or generated NOT NULLs
        self._written: set[RowKey] = set()  # rows that a cascading foreign key refers to
        self._erased: set[RowKey] = set()

    def row_written(self, rules: TableRules, key: bytes) -> None:
        """A row whose checks must hold in the end."""
        if rules.judges_rows:
            self.rows[rules.tree, key] = rules

    def refers(self, reference: Reference, values: Row) -> None:
        """A row that refers to `values` must find them; NULL refers to nothing."""
        if None not in values:
            self.references[reference.foreign_key.name, values] = reference

    def released(self, reference: Reference, values: Row) -> None:
        """Referenced values went away: nobody may refer to them, unless they came back."""
        if None not in values:
            self.releases[reference.foreign_key.name, values] = reference

    def written(self, reference: Reference, rules: TableRules, key: bytes, cells: Row) -> None:
        """A row that a cascading foreign key refers to was written."""
        if reference.foreign_key.cascade:
            self._written.add((rules.tree, key))
            self._refuse_both(reference, rules, key, cells)

    def erased(self, reference: Reference, rules: TableRules, key: bytes, cells: Row) -> None:
        """A row that a cascading foreign key refers to was deleted."""
        self._erased.add((rules.tree, key))
        self._refuse_both(reference, rules, key, cells)

    def _refuse_both(
        self, reference: Reference, rules: TableRules, key: bytes, cells: Any
    ) -> None:
        if (rules.tree, key) in self._written and (rules.tree, key) in self._erased:
            raise WrittenAndDeleted(
                rules.table.name, rules.key_text(cells), reference.foreign_key.name
            )
