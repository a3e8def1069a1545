"""Rows that a schema change writes: index entries, new columns' values."""

from __future__ import annotations

from collections.abc import Sequence

from spanemu.ddl.change import Data, Job
from spanemu.schema.index import Index
from spanemu.storage.layout import tree_of
from spanemu.storage.observer import TreeWrite
from spanemu.txn.rules import IndexRules


def fill_index(index: Index) -> Job:
    """Entries of a new index for every row of its table."""

    def job(data: Data) -> Sequence[TreeWrite]:
        entries = IndexRules(index)
        table = data.rules.schema.tables[index.table.lower()]
        found = (entries.entry(row) for _, row in data.rows(table))
        return [(tree_of(index), *entry) for entry in found if entry is not None]

    return job
