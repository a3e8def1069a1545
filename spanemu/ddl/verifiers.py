"""Conditions that stored rows must meet before a change.

Each function returns a job (see `change`), which raises for the first row in key order that does
not meet the condition, and writes nothing.
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
from spanemu.schema.table import Column, ForeignKey
from spanemu.storage.observer import TreeWrite
from spanemu.txn.rules import CompiledTable, Row
from spanemu.txn.write import with_virtual_columns
from spanemu.values.timestamp import format_utc

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


def verify_vector_length(table: str, column: Column) -> Job:
    """Return the check that every array has as many elements as the column requires."""
    length = column.vector_length
    assert length is not None

    def check(cell: Any, key: str, _: Data) -> None:
        if cell is not None and (len(cell) != length or None in cell):
            raise StoredVectorLength(table, column.name, length, len(cell), key)

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
