"""TABLE_SIZES_STATS_1HOUR: how much room the rows of each table and index take.

By the rule of Spanner's page on storage: each value has a size by its type, plus 8 bytes. The rows
are weighed when the table is read, as they are then; the interval is the last full hour.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from spanemu.base.call import current
from spanemu.database.system_tables.source import Source
from spanemu.schema.index import Index
from spanemu.schema.table import Table
from spanemu.storage.layout import tree_of
from spanemu.values.json import Json
from spanemu.values.types import Type, TypeCode

Rows = Iterator[tuple[Any, ...]]
Weigh = Callable[[Any], int]

_HOUR_NANOS = 3600 * 10**9
_OVERHEAD = 8  # bytes per value
_CHECKED_EVERY = 0xFF  # a mask: the deadline is looked at every 256 rows

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


def table_sizes(source: Source) -> Rows:
    """A row for each table and index."""
    interval_end = source.at - source.at % _HOUR_NANOS
    for thing in source.schema.sorted_things():
        size = float(_size(source, thing))
        yield interval_end, thing.name, size, size, 0.0


def _size(source: Source, thing: Table | Index) -> int:
    check = current().check
    stored = [
        (column.position if isinstance(thing, Table) else place, _weigher(column.type))
        for place, column in enumerate(thing.columns)
        if not column.is_virtual
    ]
    total = 0
    for number, row in enumerate(source.core.store.scan(tree_of(thing), at=source.at)):
        if not number & _CHECKED_EVERY:
            check()
        for place, weigh in stored:
            # A row from before a column was added is shorter.
            value = row[place] if place < len(row) else None
            if value is not None:
                total += _OVERHEAD + weigh(value)
    return total


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
