"""Rows that a schema change writes: index entries, new columns' values."""

from __future__ import annotations

from spanemu.ddl.change import DataWork
from spanemu.schema.index import Index
from spanemu.storage.layout import tree_of
from spanemu.storage.store import Store, row_cells
from spanemu.txn.rules import IndexRules, RuleBook


def fill_index(index: Index) -> DataWork:
    """Entries of a new index for every row of its table."""

    def work(store: Store, rules: RuleBook, at: int) -> None:
        table = rules.schema.tables[index.table.lower()]
        entries = IndexRules(index)
        writes = []
        for row in store.scan(tree_of(table)):
            entry = entries.entry(row_cells(row, table.width))
            if entry is not None:
                writes.append((tree_of(index), *entry))
        store.apply(writes, at)

    return work
