"""INSERT statements of literals as rows, which a load commits without SQL.

    INSERT INTO `Singers` (`SingerId`, `LastName`) VALUES (1, "Smith"), (2, NULL)

A server needs many times as long for a statement as for its rows. Only what a dump writes is read:
literals of exactly the types of their columns. Every other statement is left to the server.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from spanemu.base.record import NamedTuple
from spanemu.interchange.connection import Cell, Row
from spanemu.interchange.sql_text import googlesql_name
from spanemu.schema.dialect import POSTGRESQL, DatabaseDialect
from spanemu.schema.schema import Schema
from spanemu.schema.table import Column, Table
from spanemu.sql.dialects import dialect_of
from spanemu.values.types import Type, TypeCode


class Unreadable(Exception):
    """A literal that only the server can read."""


class InsertedRows(NamedTuple):
    """The rows of an INSERT statement."""

    table: Table
    columns: tuple[str, ...]
    rows: list[Row]


class _Form(NamedTuple):
    """The literals of a type: patterns without groups, and the cell of the text of `content`."""

    before: str
    content: str
    after: str
    read: Callable[[str], Cell] | None = None  # None for a text that is the cell

    @property
    def pattern(self) -> str:
        """The pattern of a literal, whose group is the content, or of NULL."""
        return f"(?:{self.before}({self.content}){self.after}|NULL)"

    @property
    def items(self) -> str:
        """The pattern of the items of an array."""
        item = f"(?:{self.before}(?:{self.content}){self.after}|NULL)"
        return rf"(?:{item}(?:\s*,\s*{item})*)?"


@dataclass(frozen=True, slots=True)
class _Head:
    """The text of a statement before its rows, with the pattern of a row."""

    table: Table
    columns: tuple[str, ...]
    row: re.Pattern[str]
    readers: Sequence[tuple[int, Callable[[str], Cell]]]


_NAME = r'(?:`[^`\\]+`|"(?:[^"]|"")+"|[A-Za-z_]\w*)'
_PATH = rf"{_NAME}(?:\s*\.\s*{_NAME})*"
_HEAD = re.compile(
    rf"INSERT\s+(?:INTO\s+)?({_PATH})\s*\(\s*({_NAME}(?:\s*,\s*{_NAME})*)\s*\)\s*VALUES\s*",
    re.IGNORECASE,
)
_NAMES = re.compile(_NAME)


def begins_insert(statement: str) -> bool:
    """Return whether a statement begins as an INSERT that may have rows of literals."""
    return _HEAD.match(statement) is not None


class InsertReader:
    """A reader of INSERT statements for the tables of a schema."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self._heads: dict[str, _Head | None] = {}

    def read(self, statement: str) -> InsertedRows | None:
        """Return the rows of a statement; None for a statement that only the server can read."""
        match = _HEAD.match(statement)
        if match is None:
            return None
        if match[0] not in self._heads:
            self._heads[match[0]] = self._head(match[1], match[2])
        head = self._heads[match[0]]
        if head is None:
            return None
        try:
            rows = _rows(head, statement, match.end())
        except Unreadable:
            return None
        return None if rows is None else InsertedRows(head.table, head.columns, rows)

    def _head(self, path: str, names: str) -> _Head | None:
        name = ".".join([self._unquoted(part) for part in _NAMES.findall(path)])
        table = self.schema.requested_table(name)
        if table is None or table.is_queue or not self._is_name(table.name, name):
            return None
        columns = []
        for name in map(self._unquoted, _NAMES.findall(names)):
            column = table.requested_column(name)
            if column is None or column.generated or not self._is_name(column.name, name):
                return None
            columns.append(column)
        forms = [_form(column, self.schema.dialect) for column in columns]
        cells = r"\s*,\s*".join(form.pattern for form in forms)
        return _Head(
            table,
            tuple(column.name for column in columns),
            re.compile(rf"\(\s*{cells}\s*\)\s*(?:,\s*|\Z)", re.ASCII | re.DOTALL),
            [(column, form.read) for column, form in enumerate(forms) if form.read is not None],
        )

    def _is_name(self, name: str, given: str) -> bool:
        """Return whether SQL accepts a name for an object; requests may ignore its case."""
        return self.schema.dialect is not POSTGRESQL or name == given

    def _unquoted(self, name: str) -> str:
        """Return the name that an identifier means; unquoted names of PostgreSQL are folded."""
        if name[0] in '`"':
            return name[1:-1].replace('""', '"')
        return name.lower() if self.schema.dialect is POSTGRESQL else name


def _rows(head: _Head, statement: str, position: int) -> list[Row] | None:
    rows: list[Row] = []
    for match in head.row.finditer(statement, position):
        if match.start() != position:
            return None
        position = match.end()
        cells: Row = list(match.groups())
        for column, read in head.readers:
            text = match[column + 1]
            if text is not None:
                cells[column] = read(text)
        rows.append(cells)
    # A comma before the end is an error, which the server reports.
    if not rows or position != len(statement) or statement.endswith(","):
        return None
    return rows


def _form(column: Column, dialect: DatabaseDialect) -> _Form:
    if dialect is POSTGRESQL:
        return _postgresql(column.type, dialect_of(dialect).column_type(column))
    return _googlesql(column.type)


def _array(item: _Form, before: str, after: str) -> _Form:
    """Return the form of arrays, with patterns of what stands around their items."""
    pattern = re.compile(rf"{item.pattern}(?:\s*,\s*|\Z)", re.ASCII | re.DOTALL)
    return _Form(before, item.items, after, partial(_items, pattern, item.read))


def _items(item: re.Pattern[str], read: Callable[[str], Cell] | None, text: str) -> Cell:
    texts: list[str | None] = [match[1] for match in item.finditer(text)]
    if read is None:
        return list(texts)
    return [None if each is None else read(each) for each in texts]


_INTEGER = r"-?(?:0|[1-9]\d{0,18})"
_DECIMAL = r"-?\d+(?:\.\d+)?"
_DATE = r"\d{4}-\d\d-\d\d"
_TIMESTAMP = rf"{_DATE}T\d\d:\d\d:\d\d(?:\.\d{{1,9}})?Z"
_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"

# The strings of dumps have escapes that JSON has as well. A surrogate is none of them.
_json_string = json.JSONDecoder(strict=False).decode
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def _unescaped(text: str) -> str:
    """Return a string literal without its escapes. Raises Unreadable."""
    if "\\" not in text:
        return text
    try:
        string = _json_string(f'"{text}"')
    except ValueError as problem:
        raise Unreadable from problem
    if _SURROGATE.search(text):
        raise Unreadable
    assert isinstance(string, str)
    return string


def _base64(digits: str, count: int) -> str:
    try:
        data = bytes.fromhex(digits)
    except ValueError as problem:
        raise Unreadable from problem
    if len(data) != count:
        raise Unreadable
    return base64.b64encode(data).decode("ascii")


# ---------------------------------------------------------------------------- GoogleSQL

_GOOGLESQL_TEXT = r'[^"\\\r\n]*+(?:\\.[^"\\\r\n]*+)*+'
_SPECIAL_FLOATS = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
_NUMBER = r"-?(?:\d+\.\d*(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\d{1,15})"


def _googlesql_bytes(text: str) -> Cell:
    digits = text.replace("\\x", "")
    if len(digits) * 2 != len(text):
        raise Unreadable
    return _base64(digits, len(digits) // 2)


def _googlesql_float(text: str) -> Cell:
    if text.startswith("CAST"):
        return _SPECIAL_FLOATS[text.split('"')[1]]
    return float(text)


def _googlesql(type_: Type) -> _Form:
    if type_.is_array:
        item = type_.item()
        prefix = rf"(?:ARRAY<{re.escape(googlesql_name(item))}>)?\[\s*"
        return _array(_googlesql(item), prefix, r"\s*\]")
    name = re.escape(googlesql_name(type_))
    if type_.code is TypeCode.ENUM:
        return _Form(r"CAST\(", _INTEGER, rf"\s+AS\s+{name}\)")
    if type_.code is TypeCode.PROTO:
        return _Form(r'CAST\([bB]"', _GOOGLESQL_TEXT, rf'"\s+AS\s+{name}\)', _googlesql_bytes)
    if type_.code in (TypeCode.FLOAT32, TypeCode.FLOAT64):
        special = rf'CAST\("(?:nan|inf|-inf)"\s+AS\s+{name}\)'
        return _Form("", f"{_NUMBER}|{special}", "", _googlesql_float)
    return _GOOGLESQL[type_.code]


_GOOGLESQL: Mapping[TypeCode, _Form] = {
    TypeCode.BOOL: _Form("", "TRUE|FALSE", "", "TRUE".__eq__),
    TypeCode.INT64: _Form("", _INTEGER, ""),
    TypeCode.NUMERIC: _Form(r'NUMERIC\s+"', _DECIMAL, '"'),
    TypeCode.STRING: _Form('"', _GOOGLESQL_TEXT, '"', _unescaped),
    TypeCode.BYTES: _Form('[bB]"', _GOOGLESQL_TEXT, '"', _googlesql_bytes),
    TypeCode.DATE: _Form(r'DATE\s+"', _DATE, '"'),
    TypeCode.TIMESTAMP: _Form(r'TIMESTAMP\s+"', _TIMESTAMP, '"'),
    TypeCode.JSON: _Form(r'JSON\s+"', _GOOGLESQL_TEXT, '"', _unescaped),
    TypeCode.UUID: _Form(r'CAST\("', _UUID, r'"\s+AS\s+UUID\)'),
}

# ---------------------------------------------------------------------------- PostgreSQL

_POSTGRESQL_TEXT = r"E'[^'\\]*+(?:(?:\\.|'')[^'\\]*+)*+'|'[^']*+(?:''[^']*+)*+'"


def _postgresql_text(literal: str) -> Cell:
    if literal[0] == "'":
        return literal[1:-1].replace("''", "'")
    return _unescaped(literal[2:-1].replace("''", "'").replace('"', '\\"'))


def _postgresql_float(text: str) -> Cell:
    return text if text[-1] in "Ny" else float(text)  # NaN, Infinity


def _postgresql(type_: Type, name: str) -> _Form:
    """Return the form of a type; `name` is the name that its literals are cast to."""
    if type_.is_array:
        return _array(_postgresql(type_.item(), ""), r"ARRAY\[\s*", rf"\s*\]::{re.escape(name)}")
    form = _POSTGRESQL.get(type_.code, _POSTGRESQL[TypeCode.STRING])
    if not name or type_.code in _UNCAST:
        return form
    return form._replace(after=f"{form.after}::{re.escape(name)}")


_UNCAST = frozenset({TypeCode.BOOL, TypeCode.INT64, TypeCode.STRING})
_FLOAT = _Form("'", r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|NaN|-?Infinity", "'", _postgresql_float)
_POSTGRESQL: Mapping[TypeCode, _Form] = {
    TypeCode.BOOL: _Form("", "true|false", "", "true".__eq__),
    TypeCode.INT64: _Form("", _INTEGER, ""),
    TypeCode.FLOAT32: _FLOAT,
    TypeCode.FLOAT64: _FLOAT,
    TypeCode.PG_NUMERIC: _Form("'", f"{_DECIMAL}|NaN", "'"),
    TypeCode.STRING: _Form("", _POSTGRESQL_TEXT, "", _postgresql_text),
    TypeCode.BYTES: _Form(
        r"'\\x", "[0-9a-f]*", "'", lambda digits: _base64(digits, len(digits) // 2)
    ),
    TypeCode.DATE: _Form("'", _DATE, "'"),
    TypeCode.TIMESTAMP: _Form("'", _TIMESTAMP, "'"),
    TypeCode.UUID: _Form("'", _UUID, "'"),
}
