"""What a request names and the schema has not: tables, columns, indexes, views."""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError


class TableNotFound(SpannerError):
    """A read or mutation names a table that does not exist."""

    code = Code.NOT_FOUND
    prose = "Table not found: {table}"
    table: str


class TableNotFoundAtTimestamp(SpannerError):
    """The table did not exist yet at the timestamp of the read."""

    code = Code.NOT_FOUND
    prose = "Table {table} is not found at timestamp {timestamp}."
    table: str
    timestamp: str


class ColumnNotFound(SpannerError):
    """A read or mutation names a column that its table does not have."""

    code = Code.NOT_FOUND
    prose = "Column not found in table {table}: {column}"
    table: str
    column: str


class ColumnNotInIndex(SpannerError):
    """An index read asks for a column that the index does not hold."""

    code = Code.NOT_FOUND
    prose = "Index {index} does not have a column named {column}."
    index: str
    column: str


class IndexNotFound(SpannerError):
    """A read names an index that does not exist."""

    code = Code.NOT_FOUND
    prose = "Index not found: no index {index!r} was found for table {table!r}."
    index: str
    table: str


class IndexNotReady(SpannerError):
    """An index is to be read as of a time when it was still being filled."""

    code = Code.FAILED_PRECONDITION
    prose = "The index {index} on table {table} is not ready: its rows are still being written."
    index: str
    table: str


class IndexOfOtherTable(SpannerError):
    """A read names an index of another table."""

    code = Code.FAILED_PRECONDITION
    prose = (
        "Index {index} is on table {index_table}, which does not match the given base table "
        "{table}."
    )
    index: str
    index_table: str
    table: str


class ViewNotReadable(SpannerError):
    """Views are reached by SQL only."""

    code = Code.NOT_FOUND
    prose = "Table not found: {view} is a view; read it with SQL."
    view: str


class ViewNotWritable(SpannerError):
    """A mutation writes to a view."""

    code = Code.FAILED_PRECONDITION
    prose = "Cannot write to {view}: it is a view, and views are read-only."
    view: str
