"""Rows that a schema change writes: index entries, and cells of columns.

Each function makes a job (see `change`): it reads rows as they are and gives the writes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from spanemu.ddl.change import Data, Job
from spanemu.ddl.errors.data import DuplicateIndexKey, StoredKeyTooLarge, StoredNull
from spanemu.schema.column import Column, key_message
from spanemu.schema.index import Index
from spanemu.storage.layout import tree_of
from spanemu.storage.observer import TreeWrite
from spanemu.txn.rules import IndexRules, Row, TableRules
from spanemu.txn.write import computed
from spanemu.values.key import key_size
from spanemu.values.mutation import COMMIT_TIMESTAMP

# A new value for one cell, given the row so far.
NewCell = Callable[[Row], Any]


def fill_index(index: Index) -> Job:
    """Entries of an index for every row of its table. Raises for two rows of one unique key."""

    def job(data: Data) -> Sequence[TreeWrite]:
        current = data.rules.schema.indexes[index.name.lower()]
        rules = data.rules_of(current.table)
        rows = (row for _, row in data.rows(rules.table))
        return list(index_entries(current, rules, rows, data))

    return job


def index_entries(
    index: Index, rules: TableRules, rows: Iterable[Row], data: Data
) -> Iterator[TreeWrite]:
    """The entries for some rows of the index's table."""
    entries, tree = IndexRules(index, rules.key_bytes), tree_of(index)
    virtual = any(column.is_virtual for column in index.columns)
    seen: set[bytes] = set()
    for row in rows:
        entry = entries.entry(computed(rules, row, data.context) if virtual else row)
        if entry is None:
            continue
        key, cells = entry
        if len(key) > entries.key_bytes:
            _check_size(entries, cells)
        if index.unique:
            prefix = entries.prefix(cells)
            if prefix in seen:
                raise DuplicateIndexKey(index.name, _declared_key(entries, cells))
            seen.add(prefix)
        yield tree, key, cells


def _check_size(entries: IndexRules, cells: Row) -> None:
    types = [part.column.type for part in entries.index.full_key]
    size = key_size(cells[: entries.key_parts], types)
    if size > entries.key_bytes:
        raise StoredKeyTooLarge(entries.index.name, size, entries.key_bytes)


def _declared_key(entries: IndexRules, cells: Row) -> str:
    return key_message(cells[: entries.declared_parts], entries.index.key)


def fill_column(table: str, column: Column) -> Job:
    """Cells of an added column, for every row: its default, or what it is computed from."""

    def job(data: Data) -> Sequence[TreeWrite]:
        rules = data.rules_of(table)
        value = _source(rules, column, data)
        check = rules.cell_checks.get(column.position)
        writes: list[TreeWrite] = []
        for key, row in data.rows(rules.table):
            cell = value(row)
            if cell is None and column.not_null:
                text = rules.key_text(rules.key_of(row))
                raise StoredNull(rules.table.name, column.name, text)
            if check is not None and cell is not None:
                check(cell)
            changed = list(row)
            changed[column.position] = cell
            writes.append((rules.tree, key, tuple(changed)))
        return writes

    return job


def _source(rules: TableRules, column: Column, data: Data) -> NewCell:
    context = data.context
    if column.identity is not None:
        sequence = column.identity.sequence
        return lambda _: context.next_sequence_value(sequence)
    if column.default is not None:
        default = rules.defaults[column.position]

        def default_cell(_: Row) -> Any:
            value = default.evaluate((), context)
            return data.at if value is COMMIT_TIMESTAMP else value

        return default_cell
    generated = {made.position: expression for made, expression in rules.generated}
    expression = generated[column.position]
    if not rules.virtual:
        return lambda row: expression.evaluate(row, context)
    return lambda row: expression.evaluate(computed(rules, row, context), context)
