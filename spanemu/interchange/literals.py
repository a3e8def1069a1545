"""Cells as literals of SQL, in both dialects.

Every literal has the type of its column, so that NULLs, empty arrays and special floats need no
context. Control characters are escaped: a literal never contains a line break.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping
from functools import partial

from spanemu.interchange.connection import Cell
from spanemu.schema.column import Column
from spanemu.schema.dialect import POSTGRESQL, DatabaseDialect
from spanemu.sql.dialects import dialect_of
from spanemu.values.types import Type, TypeCode

Literal = Callable[[Cell], str]

_SPECIAL_FLOATS = {"NaN": "nan", "Infinity": "inf", "-Infinity": "-inf"}
_CONTROL = r"\x00-\x1f\x7f\x85\u2028\u2029"
_NAMED_ESCAPES = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def literal_writer(column: Column, dialect: DatabaseDialect) -> Literal:
    """Return the function from a cell of a column to its literal."""
    if dialect is POSTGRESQL:
        return _postgresql(column.type, dialect_of(dialect).column_type(column))
    return _googlesql(column.type)


def _nullable(write: Literal, cell: Cell) -> str:
    return "NULL" if cell is None else write(cell)


def _items(cell: Cell) -> list[Cell]:
    assert isinstance(cell, list)
    return cell


# ---------------------------------------------------------------------------- GoogleSQL

_GOOGLESQL_ESCAPED = re.compile(rf'[\\"{_CONTROL}]')


_ESCAPED_BYTES = {byte: f"\\x{byte:02x}" for byte in range(256)}


def _googlesql_escape(match: re.Match[str]) -> str:
    char = match[0]
    return '\\"' if char == '"' else _NAMED_ESCAPES.get(char) or f"\\u{ord(char):04x}"


def _googlesql_text(cell: Cell) -> str:
    return f'"{_GOOGLESQL_ESCAPED.sub(_googlesql_escape, str(cell))}"'


def _googlesql_bytes(cell: Cell) -> str:
    text = base64.b64decode(str(cell)).decode("latin-1")
    return f'B"{text.translate(_ESCAPED_BYTES)}"'


def _googlesql_float(name: str, cell: Cell) -> str:
    if isinstance(cell, str):
        return f'CAST("{_SPECIAL_FLOATS[cell]}" AS {name})'
    return repr(cell)


def _prefixed(word: str, cell: Cell) -> str:
    return f"{word} {_googlesql_text(cell)}"


_GOOGLESQL: Mapping[TypeCode, Literal] = {
    TypeCode.BOOL: lambda cell: "TRUE" if cell else "FALSE",
    TypeCode.INT64: str,
    TypeCode.FLOAT32: partial(_googlesql_float, "FLOAT32"),
    TypeCode.FLOAT64: partial(_googlesql_float, "FLOAT64"),
    TypeCode.NUMERIC: partial(_prefixed, "NUMERIC"),
    TypeCode.STRING: _googlesql_text,
    TypeCode.BYTES: _googlesql_bytes,
    TypeCode.DATE: partial(_prefixed, "DATE"),
    TypeCode.TIMESTAMP: partial(_prefixed, "TIMESTAMP"),
    TypeCode.JSON: partial(_prefixed, "JSON"),
    TypeCode.UUID: lambda cell: f"CAST({_googlesql_text(cell)} AS UUID)",
}


def _googlesql(type_: Type) -> Literal:
    if type_.is_array:
        item, name = _googlesql(type_.item()), _googlesql_name(type_.item())
        return partial(
            _nullable, lambda cell: f"ARRAY<{name}>[{', '.join(map(item, _items(cell)))}]"
        )
    if type_.code is TypeCode.ENUM:
        return partial(_nullable, lambda cell: f"CAST({cell} AS {_googlesql_name(type_)})")
    if type_.code is TypeCode.PROTO:
        return partial(
            _nullable, lambda cell: f"CAST({_googlesql_bytes(cell)} AS {_googlesql_name(type_)})"
        )
    return partial(_nullable, _GOOGLESQL[type_.code])


def _googlesql_name(type_: Type) -> str:
    return f"`{type_.proto_name}`" if type_.proto_name else str(type_)


# ---------------------------------------------------------------------------- PostgreSQL

_POSTGRESQL_ESCAPED = re.compile(rf"[\\'{_CONTROL}]")
_NEEDS_ESCAPES = re.compile(rf"[\\{_CONTROL}]")


def _postgresql_escape(match: re.Match[str]) -> str:
    char = match[0]
    return "''" if char == "'" else _NAMED_ESCAPES.get(char) or f"\\u{ord(char):04x}"


def _postgresql_text(cell: Cell) -> str:
    text = str(cell)
    if _NEEDS_ESCAPES.search(text):
        return f"E'{_POSTGRESQL_ESCAPED.sub(_postgresql_escape, text)}'"
    return "'" + text.replace("'", "''") + "'"


def _postgresql_bytes(cell: Cell) -> str:
    return f"'\\x{base64.b64decode(str(cell)).hex()}'"


_POSTGRESQL: Mapping[TypeCode, Literal] = {
    TypeCode.BOOL: lambda cell: "true" if cell else "false",
    TypeCode.INT64: str,
    TypeCode.STRING: _postgresql_text,
    TypeCode.BYTES: _postgresql_bytes,
}
# The types whose literals are of the type without a cast.
_POSTGRESQL_PLAIN = frozenset({TypeCode.BOOL, TypeCode.INT64, TypeCode.STRING})


def _postgresql(type_: Type, name: str) -> Literal:
    if type_.is_array:
        item = partial(_nullable, _POSTGRESQL.get(type_.item().code, _postgresql_value))
        return partial(
            _nullable, lambda cell: f"ARRAY[{', '.join(map(item, _items(cell)))}]::{name}"
        )
    write = _POSTGRESQL.get(type_.code, _postgresql_value)
    if type_.code in _POSTGRESQL_PLAIN:
        return partial(_nullable, write)
    return partial(_nullable, lambda cell: f"{write(cell)}::{name}")


def _postgresql_value(cell: Cell) -> str:
    return _postgresql_text(repr(cell) if isinstance(cell, float) else cell)
