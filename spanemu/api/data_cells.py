"""Cells of dumps and loads in the messages of Spanner's API.

Rows are read a column at a time, and written as bytes: a Python call for each cell of a message
would take longer than everything else that a dump and a load do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from spanemu.frontend import wire
from spanemu.interchange.connection import Batch, Cell, Row
from spanemu.values.types import API_CODES, TypeCode
from spanemu.values.value_bytes import LISTED, field, raw_bytes, varint

# The numbers of fields: Mutation.insert, and table, columns and values of Mutation.Write.
_INSERT, _TABLE, _COLUMNS = 1, 1, 2
_VALUES = b"\x1a"


def batches_of(results: Iterator[Any]) -> Iterator[Batch]:
    """Yield the rows of partial results, whose last value may continue in the next result."""
    readers: list[Callable[[list[Any]], list[Cell]]] = []
    values: list[Any] = []
    is_open = False  # while the last value continues
    for result in results:
        if not readers:
            fields = result.metadata.row_type.fields
            readers = [_READERS.get(each.type_.code, _texts) for each in fields]
        added = list(result.values)
        if is_open and added:
            values[-1] = _merged(values[-1], added.pop(0))
        values += added
        is_open = result.chunked_value
        width = len(readers)
        whole = len(values) - 1 if is_open else len(values)
        whole -= whole % width
        if whole:
            yield [read(values[place:whole:width]) for place, read in enumerate(readers)]
            del values[:whole]


def _merged(first: Any, second: Any) -> Any:
    """Return a value that was divided into two: text, or a list whose last element is divided."""
    if first.WhichOneof("kind") == "list_value":
        joined = list(first.list_value.values)
        rest = list(second.list_value.values)
        if joined and rest and _is_divisible(joined[-1], rest[0]):
            joined[-1] = _merged(joined[-1], rest.pop(0))
        merged = wire.Value()
        merged.list_value.values.extend([*joined, *rest])
        return merged
    return wire.Value(string_value=first.string_value + second.string_value)


def _is_divisible(first: Any, second: Any) -> bool:
    kind = first.WhichOneof("kind")
    return kind in ("string_value", "list_value") and second.WhichOneof("kind") == kind


def _texts(values: list[Any]) -> list[Cell]:
    return [value.string_value or cell_of(value) for value in values]


def _numbers(values: list[Any]) -> list[Cell]:
    return [value.number_value or cell_of(value) for value in values]


def _bools(values: list[Any]) -> list[Cell]:
    return [value.bool_value or cell_of(value) for value in values]


def _lists(values: list[Any]) -> list[Cell]:
    return [cell_of(value) for value in values]


_READERS: Mapping[int, Callable[[list[Any]], list[Cell]]] = {
    API_CODES[TypeCode.ARRAY][0]: _lists,
    API_CODES[TypeCode.BOOL][0]: _bools,
    API_CODES[TypeCode.FLOAT32][0]: _numbers,
    API_CODES[TypeCode.FLOAT64][0]: _numbers,
}


def cell_of(value: Any) -> Cell:
    """Return the cell of a message google.protobuf.Value."""
    kind = value.WhichOneof("kind")
    if kind == "string_value":
        return value.string_value  # type: ignore[no-any-return]
    if kind == "null_value":
        return None
    if kind == "number_value":
        return value.number_value  # type: ignore[no-any-return]
    if kind == "bool_value":
        return value.bool_value  # type: ignore[no-any-return]
    return [each.string_value or cell_of(each) for each in value.list_value.values]


def insertion(table: str, columns: Sequence[str], rows: Sequence[Row]) -> bytes:
    """Return the bytes of a Mutation that inserts rows."""
    parts = [field(_TABLE, table.encode())]
    parts += [field(_COLUMNS, column.encode()) for column in columns]
    for row in rows:
        cells = b"".join([raw_bytes(cell, LISTED) for cell in row])
        parts += (_VALUES, varint(len(cells)), cells)
    return field(_INSERT, b"".join(parts))
