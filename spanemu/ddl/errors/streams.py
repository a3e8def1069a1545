"""Change streams: what they may watch, and what they keep from going."""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError


class WatchedTableInvalid(SpannerError):
    """A change stream names a table that it cannot watch, or not so."""

    code = Code.FAILED_PRECONDITION
    prose = "Change Stream {stream} cannot track table {table}: {reason}."
    stream: str
    table: str
    reason: str


class WatchedColumnInvalid(SpannerError):
    """A change stream names a column that it cannot watch, or not so."""

    code = Code.FAILED_PRECONDITION
    prose = "Change Stream {stream} cannot track column {column} of table {table}: {reason}."
    stream: str
    table: str
    column: str
    reason: str


class TooManyStreamsOnObject(SpannerError):
    """As many change streams watch a table, a column or everything as may."""

    code = Code.FAILED_PRECONDITION
    prose = (
        "Failed to create or alter Change Stream {stream}: not more than {limit} Change Streams "
        "may track the same table, column or ALL: {object}."
    )
    stream: str
    object: str
    limit: int


class NothingWatched(SpannerError):
    """DROP FOR ALL of a change stream that watches nothing."""

    code = Code.FAILED_PRECONDITION
    prose = (
        "ALTER CHANGE STREAM DROP FOR ALL cannot be applied on Change Stream {stream}: it does not "
        "track anything."
    )
    stream: str


class TableIsWatched(SpannerError):
    """A change stream names the table that is to go."""

    code = Code.FAILED_PRECONDITION
    prose = (
        "Cannot drop table {table}. It is tracked by Change Streams: {streams}. Drop them or "
        "change their FOR clauses first."
    )
    table: str
    streams: str


class ColumnIsWatched(SpannerError):
    """A change stream names the column that is to go."""

    code = Code.FAILED_PRECONDITION
    prose = (
        "Cannot drop column {table}.{column}. It is tracked by Change Streams: {streams}. Drop "
        "them or change their FOR clauses first."
    )
    table: str
    column: str
    streams: str
