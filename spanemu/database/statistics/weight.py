"""How many bytes a stored row takes, by the rule of Spanner's page on storage.

Each value has a size by its type, plus 8 bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from spanemu.schema.index import Index
from spanemu.schema.table import Table
from spanemu.values.json import Json
from spanemu.values.types import Type, TypeCode

Weigh = Callable[[Any], int]

_OVERHEAD = 8  # bytes per value

_FIXED: Mapping[TypeCode, int] = {
    TypeCode.BOOL: 1,
    TypeCode.INT64: 8,
    TypeCode.FLOAT32: 4,
    TypeCode.FLOAT64: 8,
    TypeCode.DATE: 4,
    TypeCode.TIMESTAMP: 12,
    TypeCode.NUMERIC: 22,
    TypeCode.UUID: 16,
    TypeCode.INTERVAL: 16,
    TypeCode.ENUM: 8,
}


def row_weigher(thing: Table | Index) -> Weigh:
    """The size in bytes of rows of a table, or of entries of an index."""
    stored = [
        (column.position if isinstance(thing, Table) else place, _weigher(column.type))
        for place, column in enumerate(thing.columns)
        if not column.is_virtual
    ]

    def weigh(row: tuple[Any, ...]) -> int:
        total = 0
        for place, weigh_value in stored:
            # A row from before a column was added is shorter.
            value = row[place] if place < len(row) else None
            if value is not None:
                total += _OVERHEAD + weigh_value(value)
        return total

    return weigh


def _weigher(type_: Type) -> Weigh:
    """The size in bytes of values of a type."""
    if type_.element is not None:
        weigh = _weigher(type_.element)
        return lambda array: sum(weigh(item) for item in array if item is not None)
    fixed = _FIXED.get(type_.code)
    return _LENGTHS[type_.code] if fixed is None else lambda _: fixed


def _text_length(value: str) -> int:
    return len(value.encode())


def _json_length(value: Json) -> int:
    return _text_length(value.text)


_LENGTHS: Mapping[TypeCode, Weigh] = {
    TypeCode.STRING: _text_length,
    TypeCode.JSON: _json_length,
    TypeCode.BYTES: len,
    TypeCode.PROTO: len,
    TypeCode.TOKENLIST: len,
}
