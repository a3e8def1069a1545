"""Dumps as SQL text, in the form of spanner-dump: the schema, then INSERT statements.

    -- Dump of spanemu, format 1, dialect GOOGLE_STANDARD_SQL
    CREATE TABLE Singers (...) PRIMARY KEY(SingerId);
    INSERT INTO `Singers` (`SingerId`, `LastName`) VALUES (1, "Smith"), (2, "Jones");
    -- End of the dump, SHA-256 ...

Tables come after those that their rows need; foreign keys and change streams follow the rows.
`statements` divides a text into statements again, and `sql_checksum` reads the comments.

Every literal has the type of its column, so that NULLs, empty arrays and special floats need no
context. Control characters are escaped: a literal never contains a line break.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import TextIO

from spanemu.interchange.connection import Batch, Cell
from spanemu.interchange.parts import DumpSource, loaded_columns
from spanemu.interchange.sql_checksum import SqlWriter
from spanemu.schema.dialect import POSTGRESQL, DatabaseDialect
from spanemu.schema.table import Column, Table
from spanemu.sql.dialects import dialect_of
from spanemu.values.types import Type, TypeCode

ROWS_PER_INSERT = 100
MUTATIONS_PER_INSERT = 20_000  # a quarter of what a commit can hold
INSERT_CHARS_MAX = 500_000  # half of what Spanner accepts as a statement


Literal = Callable[[Cell], str]
_SPECIAL_FLOATS = {"NaN": "nan", "Infinity": "inf", "-Infinity": "-inf"}
_CONTROL = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029]")


def write_sql(file: TextIO, source: DumpSource) -> None:
    """Write the statements that create the schema, unless it is left out, and the rows."""
    schema, parts = source.schema, source.parts
    dump = SqlWriter(file, schema.dialect)
    for statement in [] if parts is None else parts.before:
        dump.write(f"{statement};\n")
    for table in source.tables:
        count_max = rows_max(len(loaded_columns(table)), len(schema.indexes_of(table)))
        for statement in inserts(table, source.batches(table), schema.dialect, count_max):
            dump.write(f"{statement};\n")
    for statement in [] if parts is None else parts.after:
        dump.write(f"{statement};\n")
    dump.end()


def rows_max(columns: int, indexes: int) -> int:
    """Return the number of rows of an INSERT, which a commit can hold with index entries."""
    mutations = columns * (1 + indexes)
    return max(1, min(ROWS_PER_INSERT, MUTATIONS_PER_INSERT // max(1, mutations)))


def inserts(
    table: Table,
    batches: Iterable[Batch],
    dialect: DatabaseDialect,
    count_max: int = ROWS_PER_INSERT,
) -> Iterator[str]:
    """Yield INSERT statements for rows of a table."""
    columns, quote = loaded_columns(table), quoter(dialect)
    writers = [literal_writer(column, dialect) for column in columns]
    names = ", ".join(quote(column.name) for column in columns)
    path = ".".join(quote(part) for part in table.name.split("."))
    head = f"INSERT INTO {path} ({names}) VALUES"
    values: list[str] = []
    size = 0
    for batch in batches:
        literals = [
            ["NULL" if cell is None else write(cell) for cell in cells]
            for write, cells in zip(writers, batch, strict=True)
        ]
        for row in zip(*literals, strict=True):
            text = ", ".join(row)
            if values and (size + len(text) > INSERT_CHARS_MAX or len(values) == count_max):
                yield f"{head} ({'), ('.join(values)})"
                values, size = [], 0
            values.append(text)
            size += len(text)
    if values:
        yield f"{head} ({'), ('.join(values)})"


def quoter(dialect: DatabaseDialect) -> Callable[[str], str]:
    """Return the function that quotes an identifier, whether or not it needs quotes."""
    if dialect is POSTGRESQL:
        return lambda name: '"' + name.replace('"', '""') + '"'
    return lambda name: f"`{name}`"


def literal_writer(column: Column, dialect: DatabaseDialect) -> Literal:
    """Return the function from a cell of a column, which is not NULL, to its literal."""
    if dialect is POSTGRESQL:
        return _postgresql(column.type, dialect_of(dialect).column_type(column))
    return _googlesql(column.type)


def _items(write: Literal, cell: Cell) -> str:
    assert isinstance(cell, list)
    return ", ".join(["NULL" if item is None else write(item) for item in cell])


# ---------------------------------------------------------------------------- GoogleSQL

# The escapes of JSON are escapes of GoogleSQL as well, and those that JSON lacks are rare.
_json_text = json.JSONEncoder(ensure_ascii=False).encode
_NO_JSON_ESCAPE = re.compile(r"[\x7f\x85\u2028\u2029]")


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


def _googlesql_text(cell: Cell) -> str:
    text = _json_text(cell)
    return _NO_JSON_ESCAPE.sub(_escape, text) if _NO_JSON_ESCAPE.search(text) else text


def _googlesql_bytes(cell: Cell) -> str:
    digits = base64.b64decode(str(cell)).hex(" ")
    return 'B"\\x' + digits.replace(" ", "\\x") + '"' if digits else 'B""'


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
        item, name = _googlesql(type_.item()), googlesql_name(type_.item())
        return lambda cell: f"ARRAY<{name}>[{_items(item, cell)}]"
    if type_.code is TypeCode.ENUM:
        return lambda cell: f"CAST({cell} AS {googlesql_name(type_)})"
    if type_.code is TypeCode.PROTO:
        return lambda cell: f"CAST({_googlesql_bytes(cell)} AS {googlesql_name(type_)})"
    return _GOOGLESQL[type_.code]


def googlesql_name(type_: Type) -> str:
    """Return the name of a type in SQL."""
    return f"`{type_.proto_name}`" if type_.proto_name else str(type_)


# ---------------------------------------------------------------------------- PostgreSQL

_NEEDS_ESCAPES = re.compile(r"[\\\x00-\x1f\x7f\x85\u2028\u2029]")
_POSTGRESQL_ESCAPES = {"\\": "\\\\", "'": "''", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def _postgresql_text(cell: Cell) -> str:
    text = str(cell)
    if _NEEDS_ESCAPES.search(text) is None:
        return "'" + text.replace("'", "''") + "'"
    for char, escaped in _POSTGRESQL_ESCAPES.items():
        text = text.replace(char, escaped)
    return f"E'{_CONTROL.sub(_escape, text)}'"


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
        item = _POSTGRESQL.get(type_.item().code, _postgresql_value)
        return lambda cell: f"ARRAY[{_items(item, cell)}]::{name}"
    write = _POSTGRESQL.get(type_.code, _postgresql_value)
    if type_.code in _POSTGRESQL_PLAIN:
        return write
    return lambda cell: f"{write(cell)}::{name}"


def _postgresql_value(cell: Cell) -> str:
    return _postgresql_text(repr(cell) if isinstance(cell, float) else cell)
