"""Rows about options, sequences, change streams, placements, models, graphs and routines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from spanemu.database.system_tables.declaration import Source, split_name
from spanemu.schema.ddl_text import shown_options
from spanemu.schema.object_text import graph_metadata, unlimited
from spanemu.schema.objects import DEFAULT, Sequence
from spanemu.schema.table_text import option_value
from spanemu.values.json import Json


def typed(value: object) -> tuple[str, str]:
    """Return (OPTION_TYPE, OPTION_VALUE) of an option's value."""
    if isinstance(value, bool):
        return "BOOL", str(value).upper()
    if isinstance(value, int):
        return "INT64", str(value)
    return "STRING", str(value)


def database_options(source: Source) -> Rows:
    """Yield the rows of DATABASE_OPTIONS: the dialect, which clients check, then the options
    set.
    """
    yield "", "", "database_dialect", "STRING", source.schema.dialect.name
    for name, value in shown_options(source.schema):
        yield "", "", name, *typed(value)


def column_options(source: Source) -> Rows:
    """Yield the rows of COLUMN_OPTIONS: the options set; FALSE counts as unset."""
    for table in source.schema.tables.values():
        home, name = split_name(table.name)
        for column in table.columns:
            for option, value in column.options.items():
                if value is not None and value is not False:
                    yield "", home, name, column.name, option, *typed(value)


# ---------------------------------------------------------------------------- sequences


def sequences(source: Source) -> Rows:
    """Yield the rows of SEQUENCES: users' sequences, not those of identity columns."""
    for sequence in _visible(source):
        yield "", *split_name(sequence.name), "INT64"


def sequence_options(source: Source) -> Rows:
    """Yield the rows of SEQUENCE_OPTIONS: the kind, and the other options set."""
    for sequence in _visible(source):
        head = "", *split_name(sequence.name)
        yield *head, "sequence_kind", *typed(sequence.kind)
        if sequence.skip_range is not None:
            low, high = sequence.skip_range
            yield *head, "skip_range_min", *typed(low)
            yield *head, "skip_range_max", *typed(high)
        if sequence.start_counter is not None:
            yield *head, "start_with_counter", *typed(sequence.start_counter)


def _visible(source: Source) -> Iterator[Sequence]:
    sequences = source.schema.sequences.values()
    return (sequence for sequence in sequences if not sequence.internal)


Rows = Iterator[tuple[Any, ...]]

# ---------------------------------------------------------------------------- change streams


def change_streams(source: Source) -> Rows:
    """Yield the rows of CHANGE_STREAMS."""
    for stream in source.schema.change_streams.values():
        yield "", "", stream.name, stream.watches_all


def change_stream_tables(source: Source) -> Rows:
    """Yield the rows of CHANGE_STREAM_TABLES: the tables that streams name; FOR ALL names none."""
    for stream in source.schema.change_streams.values():
        for watched in stream.tables:
            yield "", "", stream.name, "", *split_name(watched.table), watched.columns is None


def change_stream_columns(source: Source) -> Rows:
    """Yield the rows of CHANGE_STREAM_COLUMNS: the columns that streams name."""
    for stream in source.schema.change_streams.values():
        for watched in stream.tables:
            for column in watched.columns or ():
                yield "", "", stream.name, "", *split_name(watched.table), column


def change_stream_options(source: Source) -> Rows:
    """Yield the rows of CHANGE_STREAM_OPTIONS: the options set."""
    for stream in source.schema.change_streams.values():
        for name, value in stream.options.items():
            yield "", "", stream.name, name, *typed(value)


# ---------------------------------------------------------------------------- storage


def locality_group_options(source: Source) -> Rows:
    """Yield the rows of LOCALITY_GROUP_OPTIONS."""
    for group in source.schema.locality_groups.values():
        for name, value in group.options.items():
            yield group.name, name.upper(), str(value)


def placements(source: Source) -> Rows:
    """Yield the rows of PLACEMENTS: the default placement, then users' placements."""
    yield DEFAULT, True
    for placement in source.schema.placements.values():
        yield placement.name, False


def placement_options(source: Source) -> Rows:
    """Yield the rows of PLACEMENT_OPTIONS."""
    for placement in source.schema.placements.values():
        for name, value in placement.options.items():
            yield placement.name, name, "STRING(MAX)", str(value)


def spanner_statistics(source: Source) -> Rows:
    """Yield the rows of SPANNER_STATISTICS: the packages that ALTER STATISTICS named."""
    for name, allow_gc in source.schema.statistics.items():
        yield "", "", name, allow_gc


# ---------------------------------------------------------------------------- models


def models(source: Source) -> Rows:
    """Yield the rows of MODELS; all models are remote."""
    for model in source.schema.models.values():
        yield "", *split_name(model.name), True


def model_options(source: Source) -> Rows:
    """Yield the rows of MODEL_OPTIONS."""
    for model in source.schema.models.values():
        for name, value in model.options.items():
            yield "", *split_name(model.name), name, *_listed(value)


def _listed(value: Any) -> tuple[str, str]:
    if isinstance(value, tuple):
        return "ARRAY<STRING>", option_value(value)
    return typed(value)


def model_columns(source: Source) -> Rows:
    """Yield the rows of MODEL_COLUMNS: the declared columns."""
    for head, kind, position, column in _model_columns(source):
        yield *head, kind, column.name, position, unlimited(column.type), True


def model_column_options(source: Source) -> Rows:
    """Yield the rows of MODEL_COLUMN_OPTIONS."""
    for head, kind, _, column in _model_columns(source):
        for name, value in column.options.items():
            yield *head, kind, column.name, name, *typed(value)


def _model_columns(source: Source) -> Iterator[tuple[tuple[str, ...], str, int, Any]]:
    for model in source.schema.models.values():
        for kind, columns in (("INPUT", model.inputs), ("OUTPUT", model.outputs)):
            for position, column in enumerate(columns or (), 1):
                yield ("", *split_name(model.name)), kind, position, column


# ---------------------------------------------------------------------------- graphs


def property_graphs(source: Source) -> Rows:
    """Yield the rows of PROPERTY_GRAPHS, with the metadata of each graph."""
    for graph in source.schema.graphs.values():
        yield "", *split_name(graph.name), Json(graph_metadata(graph))


_READ_PARAMETERS = (
    ("start_timestamp", "TIMESTAMP"),
    ("end_timestamp", "TIMESTAMP"),
    ("partition_token", "STRING(MAX)"),
    ("heartbeat_milliseconds", "INT64"),
    ("read_options", "ARRAY<STRING(MAX)>"),
)


def read_functions(source: Source) -> Iterator[str]:
    """Yield the names of the functions that read change streams."""
    for stream in source.schema.change_streams.values():
        yield f"READ_{stream.name}"


def routines(source: Source) -> Rows:
    """Yield the rows of ROUTINES."""
    for name in read_functions(source):
        yield "", "", name, "", "", name, "FUNCTION", "TABLE", "EXTERNAL", "", "INVOKER"
    for function in source.schema.functions.values():
        home, name = split_name(function.name)
        body = ("EXTERNAL", "") if function.body is None else ("SQL", function.body)
        yield "", home, name, "", home, name, "FUNCTION", str(function.returns), *body, "INVOKER"


def routine_options(source: Source) -> Rows:
    """Yield the rows of ROUTINE_OPTIONS, for remote functions."""
    for function in source.schema.functions.values():
        for name, value in function.options.items():
            yield "", *split_name(function.name), name, *typed(value)


def parameters(source: Source) -> Rows:
    """Yield the rows of PARAMETERS."""
    for name in read_functions(source):
        for position, (parameter_name, type_) in enumerate(_READ_PARAMETERS, 1):
            yield "", "", name, position, parameter_name, type_, None
    for function in source.schema.functions.values():
        head = "", *split_name(function.name)
        for position, parameter in enumerate(function.parameters, 1):
            yield *head, position, parameter.name, str(parameter.type), parameter.default
