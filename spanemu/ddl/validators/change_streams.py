"""Change streams: their names, what they may watch, their options."""

from __future__ import annotations

from collections.abc import Iterator

from spanemu.base.errors import SpannerError
from spanemu.base.limits import CHANGE_STREAM_NAME_LENGTH_MAX, CHANGE_STREAMS_PER_OBJECT_MAX
from spanemu.ddl.errors.names import InvalidObjectName, NamedSchemaNotSupported
from spanemu.ddl.errors.routines import (
    TooManyStreamsOnObject,
    WatchedColumnInvalid,
    WatchedTableInvalid,
)
from spanemu.ddl.lookup import find_column
from spanemu.ddl.validators.names import object_name_problems
from spanemu.ddl.validators.options import TRUE_OR_FALSE, Rule, Rules, is_period, words
from spanemu.schema.objects import ChangeStream, Watched
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table

RULES: Rules = {
    "retention_period": Rule(is_period("1d", "30d"), "from '1d' to '30d'"),
    "value_capture_type": words(
        "OLD_AND_NEW_VALUES", "NEW_ROW", "NEW_VALUES", "NEW_ROW_AND_OLD_VALUES"
    ),
    "exclude_ttl_deletes": TRUE_OR_FALSE,
    "exclude_insert": TRUE_OR_FALSE,
    "exclude_update": TRUE_OR_FALSE,
    "exclude_delete": TRUE_OR_FALSE,
    "allow_txn_exclusion": TRUE_OR_FALSE,
}


def stream_name_problems(name: str, schema: Schema) -> Iterator[SpannerError]:
    """What is wrong with `name` for a new stream; its read function's name is longer."""
    if "." in name:
        yield NamedSchemaNotSupported("Change Stream", name)
    if len(name) > CHANGE_STREAM_NAME_LENGTH_MAX:
        yield InvalidObjectName("Change Stream", name)
    yield from object_name_problems("Change Stream", name, schema)


def stream_problems(stream: ChangeStream, schema: Schema) -> Iterator[SpannerError]:
    """What is wrong with what a stream watches."""
    seen: set[str] = set()
    for watched in stream.tables:
        if watched.table in seen:
            reason = "it is listed more than once"
            yield WatchedTableInvalid(stream.name, watched.table, reason)
        seen.add(watched.table)
        table = schema.tables.get(watched.table.lower())
        if table is None or table.name != watched.table:
            reason = "it does not exist, or is not a table"
            yield WatchedTableInvalid(stream.name, watched.table, reason)
        else:
            yield from _column_problems(stream, watched, table)
    yield from _count_problems(stream, schema)


def _column_problems(
    stream: ChangeStream, watched: Watched, table: Table
) -> Iterator[SpannerError]:
    seen: set[str] = set()
    keys = {column.id for column in table.key_columns}
    for name in watched.columns or ():
        column = find_column(table, name)
        reason = None
        if name in seen:
            reason = "it is listed more than once"
        elif column is None:
            reason = "it does not exist"
        elif column.id in keys:
            reason = "it is a key column, and those are always tracked"
        elif column.generated is not None:
            reason = "it is a generated column"
        if reason is not None:
            yield WatchedColumnInvalid(stream.name, table.name, name, reason)
        seen.add(name)


def _count_problems(stream: ChangeStream, schema: Schema) -> Iterator[SpannerError]:
    """More streams on one object than may be. A stream FOR ALL counts for everything."""
    most = CHANGE_STREAMS_PER_OBJECT_MAX
    others = [other for other in schema.change_streams.values() if other.name != stream.name]
    of_all = sum(other.watches_all for other in others)
    if stream.watches_all and of_all >= most:
        yield TooManyStreamsOnObject(stream.name, "ALL", most)
    for watched in stream.tables:
        same = [mine for other in others if (mine := other.watched(watched.table)) is not None]
        if watched.columns is None:
            if of_all + sum(mine.columns is None for mine in same) >= most:
                yield TooManyStreamsOnObject(stream.name, watched.table, most)
            continue
        for column in watched.columns:
            count = sum(mine.columns is None or column in mine.columns for mine in same)
            if of_all + count >= most:
                name = f"{watched.table}.{column}"
                yield TooManyStreamsOnObject(stream.name, name, most)
