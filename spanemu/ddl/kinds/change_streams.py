"""Change streams: what they watch, and their options."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from spanemu.base.errors import SpannerError
from spanemu.base.identifiers import split_name
from spanemu.base.limits import CHANGE_STREAM_NAME_LENGTH_MAX, CHANGE_STREAMS_PER_OBJECT_MAX
from spanemu.ddl.errors.objects import InvalidObjectName
from spanemu.ddl.errors.routines import (
    ColumnIsWatched,
    NothingWatched,
    PartitionModeFixed,
    TableIsWatched,
    TooManyStreamsOnObject,
    WatchedColumnInvalid,
    WatchedTableInvalid,
)
from spanemu.ddl.kinds.kind import ObjectKind, privilege_problems, privileges_on
from spanemu.ddl.kinds.rows import GRANT, OPTION, ObjectTable, Rows, option_rows, privilege_rows
from spanemu.ddl.naming import find_column
from spanemu.ddl.validators import raise_first
from spanemu.ddl.validators.options import (
    TRUE_OR_FALSE,
    Rule,
    Rules,
    changed_options,
    is_period,
    is_placed,
    words,
)
from spanemu.schema.objects import ChangeStream, Watched
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.sql import ddl_ast

_LABEL = "Change Stream"
PARTITION_MODE = "partition_mode"
_RULES: Rules = {
    "value_capture_type": words(
        "OLD_AND_NEW_VALUES", "NEW_ROW", "NEW_VALUES", "NEW_ROW_AND_OLD_VALUES"
    ),
    "exclude_ttl_deletes": TRUE_OR_FALSE,
    "exclude_insert": TRUE_OR_FALSE,
    "exclude_update": TRUE_OR_FALSE,
    "exclude_delete": TRUE_OR_FALSE,
    "allow_txn_exclusion": TRUE_OR_FALSE,
    PARTITION_MODE: words("IMMUTABLE_KEY_RANGE", "MUTABLE_KEY_RANGE", any_case=True),
    "retention_period": Rule(is_period("1d", "30d"), "from '1d' to '30d'"),
}


def _stream(
    statement: ddl_ast.CreateChangeStream, _before: ChangeStream | None, schema: Schema
) -> ChangeStream:
    name = str(statement.name)
    options = changed_options((_LABEL, name), statement.options, _RULES, {})
    stream = ChangeStream(name, *_watched_by(statement.watches), options)
    raise_first(_problems(stream, schema))
    return stream


def _altered_stream(
    statement: ddl_ast.AlterChangeStream, before: ChangeStream, schema: Schema
) -> ChangeStream:
    if statement.drop_for_all:
        if not before.watches_all and not before.tables:
            raise NothingWatched(before.name)
        after = replace(before, watches_all=False, tables=())
    elif statement.watches is not None:
        watches_all, tables = _watched_by(statement.watches)
        after = replace(before, watches_all=watches_all, tables=tables)
    else:
        if PARTITION_MODE in ddl_ast.options_by_name(statement.options):
            raise PartitionModeFixed(before.name)
        options = changed_options((_LABEL, before.name), statement.options, _RULES, before.options)
        after = replace(before, options=options)
    raise_first(_problems(after, schema))
    return after


def _watched_by(clause: ddl_ast.ChangeStreamFor | None) -> tuple[bool, tuple[Watched, ...]]:
    if clause is None:
        return False, ()
    tables = tuple(
        Watched(
            str(watched.table),
            None if watched.columns is None else tuple(column.name for column in watched.columns),
        )
        for watched in clause.tables
    )
    return clause.all, tables


# ---------------------------------------------------------------------------- rules


def _name_problems(name: str) -> Iterator[SpannerError]:
    # The name of the read function is longer.
    if len(name) > CHANGE_STREAM_NAME_LENGTH_MAX:
        yield InvalidObjectName(_LABEL, name)


_PARTITIONED = "its rows are in placements, and change streams do not support partitioned data"


def _problems(stream: ChangeStream, schema: Schema) -> Iterator[SpannerError]:
    """Yield the problems with the watched tables and columns."""
    seen: set[str] = set()
    for watched in stream.tables:
        if watched.table in seen:
            reason = "it is listed more than once"
            yield WatchedTableInvalid(stream.name, watched.table, reason)
        seen.add(watched.table)
        table = schema.tables.get(schema.fold(watched.table))
        if table is None or table.name != watched.table or table.is_queue:
            reason = "it does not exist, or is not a table"
            yield WatchedTableInvalid(stream.name, watched.table, reason)
        elif is_placed(table, schema):
            yield WatchedTableInvalid(stream.name, watched.table, _PARTITIONED)
        else:
            yield from _column_problems(stream, watched, table)
    if stream.watches_all:
        for table in schema.placed_tables.values():
            yield WatchedTableInvalid(stream.name, table.name, _PARTITIONED)
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
    """Yield the objects that too many streams watch. A stream FOR ALL counts for each object."""
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


# ---------------------------------------------------------------------------- dependencies


def _read_privileges(dropped: ChangeStream, schema: Schema) -> Iterator[SpannerError]:
    for prefix in schema.dialect.read_functions:
        yield from privilege_problems(schema, "TABLE FUNCTION", f"{prefix}{dropped.name}")


def _streams_over_table(schema: Schema, table: Table) -> Iterator[SpannerError]:
    streams = [
        stream.name
        for stream in schema.change_streams.values()
        if stream.watched(table.name) is not None
    ]
    if streams:
        yield TableIsWatched(table.name, ", ".join(streams))


def _streams_over_column(schema: Schema, table: Table, column: str) -> Iterator[SpannerError]:
    streams = []
    for stream in schema.change_streams.values():
        watched = stream.watched(table.name)
        if watched is not None and column in (watched.columns or ()):
            streams.append(stream.name)
    if streams:
        yield ColumnIsWatched(table.name, column, ", ".join(streams))


def _renamed(stream: ChangeStream, old: str, new: str) -> ChangeStream:
    if stream.watched(old) is None:
        return stream
    tables = tuple(
        replace(watched, table=new) if watched.table == old else watched
        for watched in stream.tables
    )
    return replace(stream, tables=tables)


# ---------------------------------------------------------------------------- text


# ---------------------------------------------------------------------------- rows

# (name, type) of the parameters of a read function.
READ_PARAMETERS: Sequence[tuple[str, str]] = (
    ("start_timestamp", "TIMESTAMP"),
    ("end_timestamp", "TIMESTAMP"),
    ("partition_token", "STRING(MAX)"),
    ("heartbeat_milliseconds", "INT64"),
    ("read_options", "ARRAY<STRING(MAX)>"),
)


def read_functions(schema: Schema) -> Iterator[str]:
    """Yield the names of the functions that read change streams."""
    streams = schema.change_streams.values()
    return (stream.read_function(schema.dialect) for stream in streams)


def _rows(schema: Schema) -> Rows:
    for stream in schema.change_streams.values():
        yield "", "", stream.name, stream.watches_all


def _table_rows(schema: Schema) -> Rows:
    """Yield the tables that streams name; FOR ALL names none."""
    for stream in schema.change_streams.values():
        for watched in stream.tables:
            yield "", "", stream.name, "", *split_name(watched.table), watched.columns is None


def _column_rows(schema: Schema) -> Rows:
    for stream in schema.change_streams.values():
        for watched in stream.tables:
            for column in watched.columns or ():
                yield "", "", stream.name, "", *split_name(watched.table), column


def _option_rows(schema: Schema) -> Rows:
    for stream in schema.change_streams.values():
        yield from option_rows(stream.name, stream.options)


def _depends_on(stream: ChangeStream, _schema: Schema) -> Iterable[tuple[str, str]]:
    return ((watched.table, "watches") for watched in stream.tables)


_KEY = "*CHANGE_STREAM_CATALOG *CHANGE_STREAM_SCHEMA *CHANGE_STREAM_NAME"
_TABLE = "*TABLE_CATALOG *TABLE_SCHEMA *TABLE_NAME"
_PRIVILEGES = privilege_rows("CHANGE STREAM")

CHANGE_STREAM = ObjectKind(
    words="CHANGE STREAM",
    label=_LABEL,
    field="change_streams",
    found_in_any_case=True,
    create=ddl_ast.CreateChangeStream,
    define=_stream,
    alter=ddl_ast.AlterChangeStream,
    redefine=_altered_stream,
    drop=ddl_ast.DropChangeStream,
    limit="change_streams",
    default_schema_only=True,
    name_problems=_name_problems,
    privileges=frozenset({"SELECT"}),
    dependents=(privileges_on("CHANGE STREAM"), _read_privileges),
    table_dependents=_streams_over_table,
    column_dependents=_streams_over_column,
    renamed=_renamed,
    depends_on=_depends_on,
    tables=(
        ObjectTable("CHANGE_STREAMS", f"{_KEY} !ALL:BOOL", _rows, by_privilege=True),
        ObjectTable(
            "CHANGE_STREAM_COLUMNS",
            f"{_KEY} {_TABLE} *COLUMN_NAME",
            _column_rows,
            by_privilege=True,
        ),
        ObjectTable("CHANGE_STREAM_OPTIONS", f"{_KEY} {OPTION}", _option_rows, by_privilege=True),
        ObjectTable("CHANGE_STREAM_PRIVILEGES", f"{_KEY} {GRANT}", _PRIVILEGES),
        ObjectTable(
            "CHANGE_STREAM_TABLES",
            f"{_KEY} {_TABLE} !ALL_COLUMNS:BOOL",
            _table_rows,
            by_privilege=True,
        ),
        ObjectTable("ROLE_CHANGE_STREAM_GRANTS", f"{_KEY} {GRANT}", _PRIVILEGES),
    ),
)
