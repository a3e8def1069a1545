"""The work of schema changes on stored rows, as jobs (see `change`).

A job of a function `verify_...` raises for the first row in key order that does not meet a
condition, and writes nothing. The other jobs return the rows that the change writes: index entries,
and cells of columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from spanemu.ddl.change import Data, Job
from spanemu.ddl.errors.data import (
    ConversionFailed,
    DuplicateIndexKey,
    ForeignKeyDataViolation,
    ParentRowsMissing,
    StoredCheckViolated,
    StoredKeyTooLarge,
    StoredNull,
    StoredTimestampInFuture,
    StoredValueTooLong,
)
from spanemu.ddl.validators.tables import scalar_of
from spanemu.schema.indexes import Index
from spanemu.schema.table import Column, ForeignKey, key_message
from spanemu.storage.layout import tree_of
from spanemu.storage.observer import TreeWrite
from spanemu.txn.rules import (
    CompiledIndex,
    CompiledTable,
    Row,
    compiled_index,
    with_virtual_columns,
)
from spanemu.values.cell_mask import cells_of
from spanemu.values.key import key_size
from spanemu.values.mutation import COMMIT_TIMESTAMP
from spanemu.values.timestamp import format_utc
from spanemu.values.types import TypeCode

_NOTHING: Sequence[TreeWrite] = ()


def verify_foreign_key(foreign_key: ForeignKey) -> Job:
    """Return the check that every referencing row has a referenced row."""

    def job(data: Data) -> Sequence[TreeWrite]:
        # Read rows, because managed indexes may be as new as the foreign key.
        reference = data.rules.reference(foreign_key)
        missing: dict[Row, None] = {}
        for row in _full_rows(data.rules_of(foreign_key.table), data):
            values = reference.values_of(row)
            if None not in values:
                missing[values] = None
        if missing:
            for row in _full_rows(data.rules_of(foreign_key.referenced_table), data):
                missing.pop(reference.referenced_values_of(row), None)
        for values in missing:
            raise ForeignKeyDataViolation(
                foreign_key.name, foreign_key.table, foreign_key.referenced_table,
                reference.text(values),
            )  # fmt: skip
        return _NOTHING

    return job


def verify_check(table: str, check: str) -> Job:
    """Return the check that no row violates a check constraint."""

    def job(data: Data) -> Sequence[TreeWrite]:
        rules = data.rules_of(table)
        expression = dict(rules.checks)[check]
        for row in _full_rows(rules, data):
            if expression.evaluate(row, data.context) is False:
                raise StoredCheckViolated(table, check, rules.key_text(rules.key_of(row)))
        return _NOTHING

    return job


def _full_rows(rules: CompiledTable, data: Data) -> Iterator[Row]:
    for _, row in data.rows(rules.table):
        yield with_virtual_columns(rules, row, data.context)


def verify_not_null(table: str, column: Column) -> Job:
    """Return the check that no row has NULL in a column."""

    def check(cell: Any, key: str, _: Data) -> None:
        if cell is None:
            raise StoredNull(table, column.name, key)

    return _each_cell(table, column, check)


def verify_length(table: str, column: Column) -> Job:
    """Return the check that no value or array element exceeds a column's length."""
    limit = column.length
    assert limit is not None

    def check(cell: Any, key: str, _: Data) -> None:
        for value in cell if column.type.is_array and cell is not None else (cell,):
            if value is not None and len(value) > limit:
                raise StoredValueTooLong(table, column.name, limit, len(value), key)

    return _each_cell(table, column, check)


def verify_past(table: str, column: Column) -> Job:
    """Return the check that no value of a new commit timestamp column is in the future."""

    def check(cell: Any, key: str, data: Data) -> None:
        if cell is not None and cell > data.at:
            raise StoredTimestampInFuture(table, column.name, format_utc(cell), key)

    return _each_cell(table, column, check)


def _each_cell(table: str, column: Column, check: Callable[[Any, str, Data], None]) -> Job:
    def job(data: Data) -> Sequence[TreeWrite]:
        rules = data.rules_of(table)
        for _, row in data.rows(rules.table):
            check(row[column.position], rules.key_text(rules.key_of(row)), data)
        return _NOTHING

    return job


def verify_parents(child: str, parent: str) -> Job:
    """Return the check that every row of a table has a parent row."""

    def job(data: Data) -> Sequence[TreeWrite]:
        below, above = data.rules_of(child), data.rules_of(parent)
        parts = len(above.table.key)
        for _, row in data.rows(below.table):
            key = below.key_of(row)
            if data.store.get(above.tree, above.encode(key[:parts])) is None:
                raise ParentRowsMissing(parent, child, below.key_text(key))
        return _NOTHING

    return job


# Returns the new value of a cell of a row.
NewCell = Callable[[Row], Any]


def fill_index(index: Index) -> Job:
    """Return the job that writes the entries of an index. The job raises DuplicateIndexKey."""

    def job(data: Data) -> Sequence[TreeWrite]:
        schema = data.rules.schema
        current = schema.index_of_any_kind(index.name)
        assert current is not None
        rules = data.rules_of(current.table)
        rows = (row for _, row in data.rows(rules.table))
        return list(index_entries(current, rules, rows, data))

    return job


def index_entries(
    index: Index, rules: CompiledTable, rows: Iterable[Row], data: Data
) -> Iterator[TreeWrite]:
    """Yield the entries of an index for rows of the index's table."""
    compiled, tree = compiled_index(index, rules.key_bytes), tree_of(index)
    virtual = any(column.is_virtual for column in index.columns)
    seen: set[bytes] = set()
    for row in rows:
        full = with_virtual_columns(rules, row, data.context) if virtual else row
        for key, cells in compiled.entries(full):
            if len(key) > compiled.key_bytes:
                _check_size(compiled, cells)
            if compiled.is_unique:
                prefix = compiled.prefix(cells)
                if prefix in seen:
                    raise DuplicateIndexKey(index.name, _declared_key(compiled, cells))
                seen.add(prefix)
            yield tree, key, cells


def _check_size(compiled: CompiledIndex, cells: Row) -> None:
    types = [part.column.type for part in compiled.index.full_key]
    size = key_size(cells[: compiled.key_parts], types)
    if size > compiled.key_bytes:
        raise StoredKeyTooLarge(compiled.index.name, size, compiled.key_bytes)


def _declared_key(compiled: CompiledIndex, cells: Row) -> str:
    return key_message(cells[: compiled.declared_parts], compiled.index.declared_key)


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
