"""STRING columns that become BYTES, and back: stored rows and index entries are written anew.

Keys keep their encoding, because a STRING is sorted as its UTF-8 bytes are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from spanemu.ddl.backfill import index_entries
from spanemu.ddl.change import Data, Job
from spanemu.ddl.errors.data import ConversionFailed, StoredValueTooLong
from spanemu.ddl.validators.columns import scalar_of
from spanemu.schema.column import Column
from spanemu.storage.observer import TreeWrite
from spanemu.txn.rules import Row
from spanemu.values.types import TypeCode


def convert_column(table: str, column: Column) -> Job:
    """Cells of a column whose type changed between STRING and BYTES; `column` is the new one."""
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
    """A key whose bytes may not be text yet, for a message."""
    return tuple(part.decode(errors="replace") if isinstance(part, bytes) else part for part in key)
