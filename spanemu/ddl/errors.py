"""What can be wrong with a schema change.

    SpannerError
    ├── names     DuplicateName, TableNotFound, IndexNotFound, InvalidName, ...
    ├── tables    DuplicateColumnName, KeyColumnMissing, KeyColumnRepeated, BadKeyType, ...
    └── indexes   IndexColumnMissing, ...
"""

from __future__ import annotations

from dataclasses import dataclass

from spanemu.base.errors import Code, SpannerError


@dataclass(eq=False)
class DuplicateName(SpannerError):
    """Something in the schema has the name already."""

    code = Code.FAILED_PRECONDITION
    prose = "Duplicate name in schema: {name}."
    name: str


@dataclass(eq=False)
class TableNotFound(SpannerError):
    """A statement refers to a table that does not exist."""

    code = Code.NOT_FOUND
    prose = "Table not found: {name}"
    name: str


@dataclass(eq=False)
class IndexNotFound(SpannerError):
    """A statement refers to an index that does not exist."""

    code = Code.NOT_FOUND
    prose = "Index not found: {name}"
    name: str


@dataclass(eq=False)
class KeyColumnMissing(SpannerError):
    """A primary key names a column that the table does not have."""

    code = Code.FAILED_PRECONDITION
    prose = "Table {table} references nonexistent key column {column}."
    table: str
    column: str


@dataclass(eq=False)
class IndexColumnMissing(SpannerError):
    """An index names a column that its table does not have."""

    code = Code.INVALID_ARGUMENT
    prose = "Index {index} specifies {column}, which does not exist in the index's base table {table}."
    index: str
    column: str
    table: str
