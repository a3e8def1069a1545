"""What a column demands of a value: one check per column, composed once.

Checks see Python values, never NULL. They raise; a column that demands nothing has none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from spanemu.base.limits import BYTES_LENGTH_MAX, CELL_BYTES_MAX, STRING_LENGTH_MAX
from spanemu.schema.column import Column
from spanemu.txn.errors import CellTooLarge, ValueTooLong, VectorLengthMismatch
from spanemu.values.json import format as format_json
from spanemu.values.types import TypeCode

Check = Callable[[Any], None]


def check_of(table: str, column: Column) -> Check | None:
    """What a non-NULL value of the column must satisfy, or None for nothing."""
    if column.type.is_array:
        return _array_check(table, column)
    code = column.type.code
    if code is TypeCode.STRING:
        return _length_check(table, column, STRING_LENGTH_MAX)
    if code in (TypeCode.BYTES, TypeCode.PROTO, TypeCode.TOKENLIST):
        return _length_check(table, column, BYTES_LENGTH_MAX)
    if code is TypeCode.JSON:
        return _json_check(table, column)
    return None


def _length_check(table: str, column: Column, most: int) -> Check:
    limit = most if column.length is None else column.length
    name = column.name

    def check(value: Any) -> None:
        size = len(value)
        if size > limit:
            if size > CELL_BYTES_MAX:
                raise CellTooLarge(table, name, size, CELL_BYTES_MAX)
            raise ValueTooLong(table, name, size, limit)

    return check


def _json_check(table: str, column: Column) -> Check:
    def check(value: Any) -> None:
        size = len(format_json(value))
        if size > CELL_BYTES_MAX:
            raise CellTooLarge(table, column.name, size, CELL_BYTES_MAX)

    return check


def _array_check(table: str, column: Column) -> Check | None:
    code = column.type.item().code
    lengths: Check | None = None
    if code is TypeCode.STRING:
        lengths = _length_check(table, column, STRING_LENGTH_MAX)
    elif code is TypeCode.BYTES:
        lengths = _length_check(table, column, BYTES_LENGTH_MAX)
    vector = column.vector_length
    if lengths is None and vector is None:
        return None

    def check(value: Any) -> None:
        if vector is not None and (len(value) != vector or None in value):
            got = "a NULL element" if None in value else str(len(value))
            raise VectorLengthMismatch(table, column.name, vector, got)
        if lengths is not None:
            for element in value:
                if element is not None:
                    lengths(element)

    return check
