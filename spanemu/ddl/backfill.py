"""Rows that a schema change writes: index entries, and cells of columns.

Each function returns a job (see `change`), which reads stored rows and returns the writes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from spanemu.ddl.change import Data, Job
from spanemu.ddl.errors.data import (
    ConversionFailed,
    DuplicateIndexKey,
    StoredKeyTooLarge,
    StoredNull,
    StoredValueTooLong,
)
from spanemu.ddl.validators.columns import scalar_of
from spanemu.schema.index import Index
from spanemu.schema.table import Column, key_message
from spanemu.storage.layout import tree_of
from spanemu.storage.observer import TreeWrite
from spanemu.txn.rules import CompiledIndex, CompiledTable, Row
from spanemu.txn.write import with_virtual_columns
from spanemu.values.cell_mask import cells_of
from spanemu.values.key import key_size
from spanemu.values.mutation import COMMIT_TIMESTAMP
from spanemu.values.types import TypeCode

# Returns the new value of a cell of a row.
NewCell = Callable[[Row], Any]


def fill_index(index: Index) -> Job:
    """Return the job that writes the entries of an index. The job raises DuplicateIndexKey."""

    def job(data: Data) -> Sequence[TreeWrite]:
        schema = data.rules.schema
        current = schema.indexes[schema.fold(index.name)]
        rules = data.rules_of(current.table)
        rows = (row for _, row in data.rows(rules.table))
        return list(index_entries(current, rules, rows, data))

    return job


def index_entries(
    index: Index, rules: CompiledTable, rows: Iterable[Row], data: Data
) -> Iterator[TreeWrite]:
    """Yield the entries of an index for rows of the index's table."""
    entries, tree = CompiledIndex(index, rules.key_bytes), tree_of(index)
    virtual = any(column.is_virtual for column in index.columns)
    seen: set[bytes] = set()
    for row in rows:
        entry = entries.entry(with_virtual_columns(rules, row, data.context) if virtual else row)
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


def _check_size(entries: CompiledIndex, cells: Row) -> None:
    types = [part.column.type for part in entries.index.full_key]
    size = key_size(cells[: entries.key_parts], types)
    if size > entries.key_bytes:
        raise StoredKeyTooLarge(entries.index.name, size, entries.key_bytes)


def _declared_key(entries: CompiledIndex, cells: Row) -> str:
    return key_message(cells[: entries.declared_parts], entries.index.key)


def fill_column(table: str, column: Column) -> Job:
    """Return the job that computes the cells of an added column for every row."""

    def job(data: Data) -> Sequence[TreeWrite]:
        rules = data.rules_of(table)
        value = _source(rules, column, data)
        check = rules.cell_checks.get(column.position)
        writes: list[TreeWrite] = []
        if column.generated is None:
            data.backfilled[rules.tree] = cells_of([column.position])
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


def _source(rules: CompiledTable, column: Column, data: Data) -> NewCell:
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
    return lambda row: expression.evaluate(with_virtual_columns(rules, row, context), context)


def convert_column(table: str, column: Column) -> Job:
    """Return the job that converts cells between STRING and BYTES; `column` is the new one."""
    convert = _to_bytes if scalar_of(column.type).code is TypeCode.BYTES else _to_text

    def job(data: Data) -> Sequence[TreeWrite]:
        rules = data.rules_of(table)
        rows: list[Row] = []
        writes: list[TreeWrite] = []
        for key, row in data.rows(rules.table):
            try:
                changed = _converted(row, column, convert)
            except UnicodeDecodeError:
                text = rules.key_text(_readable(rules.key_of(row)))
                raise ConversionFailed(table, column.name, text) from None
            too_long = _too_long(changed[column.position], column)
            if too_long is not None:
                text = rules.key_text(rules.key_of(changed))
                assert column.length is not None
                raise StoredValueTooLong(table, column.name, column.length, too_long, text)
            rows.append(changed)
            writes.append((rules.tree, key, changed))
        for index in data.rules.schema.indexes_of(rules.table):
            if any(held.id == column.id for held in index.columns):
                writes.extend(index_entries(index, rules, rows, data))
        return writes

    return job


def _converted(row: Row, column: Column, convert: Callable[[Any], Any]) -> Row:
    cell = row[column.position]
    if cell is None:
        return row
    changed = list(row)
    if column.type.is_array:
        changed[column.position] = tuple(None if v is None else convert(v) for v in cell)
    else:
        changed[column.position] = convert(cell)
    return tuple(changed)


def _to_bytes(text: str) -> bytes:
    return text.encode()


def _to_text(data: bytes) -> str:
    return data.decode()


def _too_long(cell: Any, column: Column) -> int | None:
    if cell is None or column.length is None:
        return None
    values = cell if column.type.is_array else (cell,)
    sizes = (len(value) for value in values if value is not None)
    return next((size for size in sizes if size > column.length), None)


def _readable(key: Row) -> Row:
    """Return a key for a message; its bytes need not be valid text yet."""
    return tuple(part.decode(errors="replace") if isinstance(part, bytes) else part for part in key)
