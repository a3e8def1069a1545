"""Keys and values of changed rows as JSON text, and types as JSON, in both dialects.

GoogleSQL databases write the canonical text of JSON, PostgreSQL databases that of JSONB: a blank
after each colon and comma, and the members of an object by the length of their names. The values
are the same: INT64, NUMERIC, BYTES, dates and times are strings, and a JSON document is a string
that holds its text.
"""

from __future__ import annotations

from binascii import b2a_base64
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from json.encoder import encode_basestring
from math import isnan
from typing import Any

from spanemu.base.clock import NANOS_PER_SECOND
from spanemu.change_streams.records import ChangedRow, RecordShape
from spanemu.schema.table import Column
from spanemu.values import json, numeric, pg_jsonb, pg_numeric, timestamp, uuid_text
from spanemu.values.floats import FLOAT64_MAX
from spanemu.values.types import Type, TypeCode

ValueWriter = Callable[[Any], str]
RowWriter = Callable[[Any], str]  # takes a stored row; None only if it writes no column

EMPTY_OBJECT = "{}"


@dataclass(frozen=True, slots=True)
class JsonStyle:
    """The layout of the text of JSON or JSONB."""

    comma: str
    colon: str
    number: Callable[[float], str]
    ordered: Callable[[dict[str, Any]], dict[str, Any]]
    dump: Callable[[Any], str]


def _jsonb_number(number: float) -> str:
    return pg_numeric.format(pg_numeric.parse(repr(number)))


JSON_STYLE = JsonStyle(",", ":", json.format_double, json.ordered, json.dump)
JSONB_STYLE = JsonStyle(", ", ": ", _jsonb_number, pg_jsonb.ordered, pg_jsonb.dump)


# ---------------------------------------------------------------------------- values


def value_writer(type_: Type, style: JsonStyle) -> ValueWriter:
    """Return a function from a value of a column to its JSON text."""
    if type_.is_array:
        return _array_writer(value_writer(type_.item(), style), style.comma)
    if type_.is_float:
        return _float_writer(style.number)
    return _WRITERS[type_.code]


def row_writer(columns: Iterable[Column], style: JsonStyle) -> RowWriter:
    """Return a function from a stored row to a JSON object of these columns.

    The function is compiled: every record passes through two or three of them.
    """
    names = style.ordered({column.name: column for column in columns})
    if not names:
        return lambda _: EMPTY_OBJECT
    members = [f"{encode_basestring(name)}{style.colon}" for name in names]
    template = "{" + style.comma.join(name.replace("%", "%%") + "%s" for name in members) + "}"
    scope: dict[str, Any] = {"template": template, "quoted": encode_basestring}
    cells = []
    for column in names.values():
        cell, text = f"row[{column.position}]", _INLINE.get(column.type.code)
        if text is None:
            scope[f"text_{column.position}"] = value_writer(column.type, style)
            cells.append(f"text_{column.position}({cell})")
        else:
            cells.append(f"'null' if (value := {cell}) is None else {text}")
    write: RowWriter = eval(f"lambda row: template % ({', '.join(cells)},)", scope)
    return write


def _write_integer(value: int | None) -> str:
    return "null" if value is None else f'"{value}"'


def _write_bool(value: bool | None) -> str:
    if value is None:
        return "null"
    return "true" if value else "false"


def _write_string(value: str | None) -> str:
    return "null" if value is None else encode_basestring(value)


def _write_bytes(value: bytes | None) -> str:
    return "null" if value is None else f'"{b2a_base64(value, newline=False).decode()}"'


def _plain_writer(text_of: Callable[[Any], str]) -> ValueWriter:
    """Return the writer of a type whose text needs no escapes."""

    def write(value: Any) -> str:
        return "null" if value is None else f'"{text_of(value)}"'

    return write


def _write_document(value: json.Json | pg_jsonb.Jsonb | None) -> str:
    return "null" if value is None else encode_basestring(value.text)


def _float_writer(number: Callable[[float], str]) -> ValueWriter:
    def write(value: float | None) -> str:
        if value is None:
            return "null"
        if -FLOAT64_MAX <= value <= FLOAT64_MAX:
            return number(value)
        if isnan(value):
            return '"NaN"'
        return '"Infinity"' if value > 0 else '"-Infinity"'

    return write


def _array_writer(item: ValueWriter, comma: str) -> ValueWriter:
    def write(value: Sequence[Any] | None) -> str:
        return "null" if value is None else "[" + comma.join(map(item, value)) + "]"

    return write


_WRITERS: Mapping[TypeCode, ValueWriter] = {
    TypeCode.BOOL: _write_bool,
    TypeCode.INT64: _write_integer,
    TypeCode.ENUM: _write_integer,
    TypeCode.PG_OID: _write_integer,
    TypeCode.NUMERIC: _plain_writer(numeric.format),
    TypeCode.PG_NUMERIC: _plain_writer(pg_numeric.format),
    TypeCode.STRING: _write_string,
    TypeCode.BYTES: _write_bytes,
    TypeCode.PROTO: _write_bytes,
    TypeCode.DATE: _plain_writer(date.isoformat),
    TypeCode.TIMESTAMP: _plain_writer(timestamp.format_utc),
    TypeCode.JSON: _write_document,
    TypeCode.PG_JSONB: _write_document,
    TypeCode.UUID: _plain_writer(uuid_text.format),
}


# The texts of `value`, not NULL, in the most frequent types, as expressions of Python.
_INLINE: Mapping[TypeCode, str] = {
    TypeCode.BOOL: "'true' if value else 'false'",
    TypeCode.INT64: """f'"{value}"'""",
    TypeCode.STRING: "quoted(value)",
}


def commit_text(nanos: int) -> str:
    """Return a commit timestamp as `timestamp.format_utc` does; many are within one second."""
    seconds, fraction = divmod(nanos, NANOS_PER_SECOND)
    if not fraction:
        return timestamp.format_utc(nanos)
    return f"{_second_text(seconds)}.{fraction:09d}".rstrip("0") + "Z"


@lru_cache(maxsize=64)
def _second_text(seconds: int) -> str:
    return timestamp.format_utc(seconds * NANOS_PER_SECOND)[:-1]


class ModWriter:
    """The functions that write the keys and values of the changed rows of one shape."""

    def __init__(self, shape: RecordShape, style: JsonStyle) -> None:
        self.keys = row_writer(shape.key_columns, style)
        self.new_values = row_writer(shape.new_columns, style)
        self._shape, self._style = shape, style
        self._old: dict[int, RowWriter] = {}
        self._any_old = row_writer(shape.old_columns, style)

    def old_values(self, row: ChangedRow) -> str:
        """Return the JSON text of the old values of a changed row."""
        before, _, modified = row
        if not self._shape.old_are_modified:
            return self._any_old(before)
        write = self._old.get(modified)
        if write is None:
            columns = self._shape.modified_columns(modified)
            write = self._old[modified] = row_writer(columns, self._style)
        return write(before)

    def texts(self, rows: Iterable[ChangedRow]) -> list[tuple[str, str, str]]:
        """Return the JSON texts of the keys, the new values and the old values of rows."""
        keys, new, old = self.keys, self.new_values, self._any_old
        if self._shape.old_are_modified:
            of_modified = self.old_values
            return [(keys(row[1] or row[0]), new(row[1]), of_modified(row)) for row in rows]
        return [
            (keys(before if after is None else after), new(after), old(before))
            for before, after, _ in rows
        ]


# ---------------------------------------------------------------------------- types

# The types of PostgreSQL databases that google.spanner.v1.Type writes as a code and an annotation.
_ANNOTATED: Mapping[TypeCode, str] = {
    TypeCode.PG_NUMERIC: "NUMERIC",
    TypeCode.PG_JSONB: "JSON",
    TypeCode.PG_OID: "INT64",
}


def type_json(type_: Type) -> dict[str, Any]:
    """Return a type as the JSON form of google.spanner.v1.Type."""
    if type_.is_array:
        return {"array_element_type": type_json(type_.item()), "code": "ARRAY"}
    if type_.code in _ANNOTATED:
        return {"code": _ANNOTATED[type_.code], "type_annotation": type_.code.value}
    if type_.proto_name:
        return {"code": type_.code.value, "proto_type_fqn": type_.proto_name}
    return {"code": type_.code.value}


def type_text(type_: Type, style: JsonStyle) -> str:
    """Return the JSON text of a type."""
    return style.dump(_in_order(type_json(type_), style))


def _in_order(members: dict[str, Any], style: JsonStyle) -> dict[str, Any]:
    inner = {
        name: _in_order(value, style) if isinstance(value, dict) else value
        for name, value in members.items()
    }
    return style.ordered(inner)
