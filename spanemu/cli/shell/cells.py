"""Cells in wire form as text of a table, CSV or TSV, and as values of JSON.

A scalar is shown as Spanner sends it: BYTES in Base64, a timestamp with its nanoseconds. Arrays and
structs are JSON in text: [1, 2], {"a": 1}.
"""

from __future__ import annotations

import json
import re
from typing import Any

from google.cloud.spanner_v1 import TypeCode

from spanemu.interchange.connection import Cell

NULL = "NULL"
NUMBERS = frozenset({TypeCode.INT64, TypeCode.FLOAT64, TypeCode.FLOAT32, TypeCode.NUMERIC})
_UNQUOTED = frozenset({TypeCode.INT64, TypeCode.ENUM})  # numbers that are text on the wire
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def text_of(cell: Cell, type_: Any) -> str:
    """Return a cell as text, NULL included."""
    if cell is None:
        return NULL
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, list):
        return json.dumps(_nested(cell, type_), ensure_ascii=False)
    if isinstance(cell, float):
        return repr(cell).removesuffix(".0")
    return cell


def printable(text: str) -> str:
    r"""Return a text in which control characters are escapes, as a terminal would obey them.

    >>> printable("a\x1b[31m")
    'a\\x1b[31m'
    """
    return _CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", text)


def json_of(cell: Cell, type_: Any) -> Any:
    """Return a cell as a value of JSON: INT64 and NUMERIC as text, documents as documents."""
    if isinstance(cell, list):
        if type_.code == TypeCode.STRUCT:
            return _struct(cell, type_, json_of)
        return [json_of(item, type_.array_element_type) for item in cell]
    if isinstance(cell, str) and type_.code == TypeCode.JSON:
        return json.loads(cell)
    return cell


def _nested(cell: Cell, type_: Any) -> Any:
    """Return a cell inside an array or a struct for its JSON text, with integers as numbers."""
    if isinstance(cell, list):
        if type_.code == TypeCode.STRUCT:
            return _struct(cell, type_, _nested)
        return [_nested(item, type_.array_element_type) for item in cell]
    if isinstance(cell, str) and type_.code in _UNQUOTED:
        return int(cell)
    return cell


def _struct(cells: list[Cell], type_: Any, convert: Any) -> dict[str, Any]:
    fields = type_.struct_type.fields
    names = unique_names([field.name for field in fields])
    return {
        name: convert(cell, field.type_)
        for name, field, cell in zip(names, fields, cells, strict=True)
    }


def unique_names(names: list[str]) -> list[str]:
    """Return names for the keys of an object: unnamed columns get numbers, repeated names suffixes.

    >>> unique_names(["a", "", "a"])
    ['a', 'column_2', 'a_2']
    """
    unique: list[str] = []
    for number, name in enumerate(names, 1):
        candidate = base = name or f"column_{number}"
        count = 1
        while candidate in unique:
            count += 1
            candidate = f"{base}_{count}"
        unique.append(candidate)
    return unique
