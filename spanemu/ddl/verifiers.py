"""What stored rows must satisfy before a change may happen.

Each function makes a job (see `change`) that raises for the first row in key order which refuses
the change, and writes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from spanemu.ddl.change import Data, Job
from spanemu.ddl.errors.data import (
    ForeignKeyDataViolation,
    ParentRowsMissing,
    StoredCheckViolated,
    StoredNull,
    StoredTimestampInFuture,
    StoredValueTooLong,
    StoredVectorLength,
)
from spanemu.schema.column import Column
from spanemu.schema.constraints import ForeignKey
from spanemu.storage.observer import TreeWrite
from spanemu.txn.rules import CompiledTable, Row
from spanemu.txn.write import with_virtual_columns
from spanemu.values.timestamp import format_utc

_NOTHING: Sequence[TreeWrite] = ()


def verify_foreign_key(foreign_key: ForeignKey) -> Job:
    """Every row that refers to something must find it."""

    def job(data: Data) -> Sequence[TreeWrite]:
        # Managed indexes may be as new as the foreign key, so rows are looked at instead.
        reference = data.rules.reference(foreign_key)
        wanted: dict[Row, None] = {}
        for row in _full_rows(data.rules_of(foreign_key.table), data):
            values = reference.values_of(row)
            if None not in values:
                wanted[values] = None
        if wanted:
            for row in _full_rows(data.rules_of(foreign_key.referenced_table), data):
                wanted.pop(reference.referenced_values_of(row), None)
        for values in wanted:
            raise ForeignKeyDataViolation(
                foreign_key.name, foreign_key.table, foreign_key.referenced_table,
                reference.text(values),
            )  # fmt: skip
        return _NOTHING

    return job


def verify_check(table: str, check: str) -> Job:
    """No row may fail the check of that name."""

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
    """No row may be without a value in a column."""

    def judge(cell: Any, key: str, _: Data) -> None:
        if cell is None:
            raise StoredNull(table, column.name, key)

    return _each_cell(table, column, judge)


def verify_length(table: str, column: Column) -> Job:
    """No value, and no element of an array, may be longer than a column's length."""
    limit = column.length
    assert limit is not None

    def judge(cell: Any, key: str, _: Data) -> None:
        for value in cell if column.type.is_array and cell is not None else (cell,):
            if value is not None and len(value) > limit:
                raise StoredValueTooLong(table, column.name, limit, len(value), key)

    return _each_cell(table, column, judge)


def verify_vector_length(table: str, column: Column) -> Job:
    """Every array must have as many elements as a column's vectors have."""
    wanted = column.vector_length
    assert wanted is not None

    def judge(cell: Any, key: str, _: Data) -> None:
        if cell is not None and (len(cell) != wanted or None in cell):
            raise StoredVectorLength(table, column.name, wanted, len(cell), key)

    return _each_cell(table, column, judge)


def verify_past(table: str, column: Column) -> Job:
    """No timestamp may be later than now in a column that is to hold commit timestamps."""

    def judge(cell: Any, key: str, data: Data) -> None:
        if cell is not None and cell > data.at:
            raise StoredTimestampInFuture(table, column.name, format_utc(cell), key)

    return _each_cell(table, column, judge)


def _each_cell(table: str, column: Column, judge: Callable[[Any, str, Data], None]) -> Job:
    def job(data: Data) -> Sequence[TreeWrite]:
        rules = data.rules_of(table)
        for _, row in data.rows(rules.table):
            judge(row[column.position], rules.key_text(rules.key_of(row)), data)
        return _NOTHING

    return job


def verify_parents(child: str, parent: str) -> Job:
    """Every row must have its row in a table that becomes its parent."""

    def job(data: Data) -> Sequence[TreeWrite]:
        below, above = data.rules_of(child), data.rules_of(parent)
        parts = len(above.table.key)
        for _, row in data.rows(below.table):
            key = below.key_of(row)
            if data.store.get(above.tree, above.encode(key[:parts])) is None:
                raise ParentRowsMissing(parent, child, below.key_text(key))
        return _NOTHING

    return job
