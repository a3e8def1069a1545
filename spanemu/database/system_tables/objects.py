"""Rows about change streams, placements, locality groups, models, graphs and statistics."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from spanemu.database.system_tables.options import typed
from spanemu.database.system_tables.source import Source, split_name
from spanemu.schema.column_text import option_value
from spanemu.schema.graph_text import graph_metadata
from spanemu.schema.object_text import unlimited
from spanemu.schema.placement import DEFAULT
from spanemu.values.json import Json

Rows = Iterator[tuple[Any, ...]]

# ---------------------------------------------------------------------------- change streams


def change_streams(source: Source) -> Rows:
    """CHANGE_STREAMS."""
    for stream in source.schema.change_streams.values():
        yield "", "", stream.name, stream.watches_all


def change_stream_tables(source: Source) -> Rows:
    """CHANGE_STREAM_TABLES: those that streams name; FOR ALL names none."""
    for stream in source.schema.change_streams.values():
        for one in stream.tables:
            yield "", "", stream.name, "", *split_name(one.table), one.columns is None


def change_stream_columns(source: Source) -> Rows:
    """CHANGE_STREAM_COLUMNS: those that streams name."""
    for stream in source.schema.change_streams.values():
        for one in stream.tables:
            for column in one.columns or ():
                yield "", "", stream.name, "", *split_name(one.table), column


def change_stream_options(source: Source) -> Rows:
    """CHANGE_STREAM_OPTIONS: those that are set."""
    for stream in source.schema.change_streams.values():
        for name, value in stream.options.items():
            yield "", "", stream.name, name, *typed(value)


# ---------------------------------------------------------------------------- places of rows


def locality_group_options(source: Source) -> Rows:
    """LOCALITY_GROUP_OPTIONS: a group without options has a row too."""
    for group in source.schema.locality_groups.values():
        for name, value in group.options.items():
            yield group.name, name.upper(), str(value)


def placements(source: Source) -> Rows:
    """PLACEMENTS: the default one, then those of users."""
    yield DEFAULT, True
    for placement in source.schema.placements.values():
        yield placement.name, False


def placement_options(source: Source) -> Rows:
    """PLACEMENT_OPTIONS."""
    for placement in source.schema.placements.values():
        for name, value in placement.options.items():
            yield placement.name, name, "STRING(MAX)", str(value)


def spanner_statistics(source: Source) -> Rows:
    """SPANNER_STATISTICS: the packages that ALTER STATISTICS spoke of."""
    for name, allow_gc in source.schema.statistics.items():
        yield "", "", name, allow_gc


# ---------------------------------------------------------------------------- models


def models(source: Source) -> Rows:
    """MODELS: all of them are remote."""
    for model in source.schema.models.values():
        yield "", *split_name(model.name), True


def model_options(source: Source) -> Rows:
    """MODEL_OPTIONS."""
    for model in source.schema.models.values():
        for name, value in model.options.items():
            yield "", *split_name(model.name), name, *_listed(value)


def _listed(value: Any) -> tuple[str, str]:
    if isinstance(value, tuple):
        return "ARRAY<STRING>", option_value(value)
    return typed(value)


def model_columns(source: Source) -> Rows:
    """MODEL_COLUMNS: those that were declared."""
    for head, kind, place, column in _model_columns(source):
        yield *head, kind, column.name, place, unlimited(column.type), True


def model_column_options(source: Source) -> Rows:
    """MODEL_COLUMN_OPTIONS."""
    for head, kind, _, column in _model_columns(source):
        for name, value in column.options.items():
            yield *head, kind, column.name, name, *typed(value)


def _model_columns(source: Source) -> Iterator[tuple[tuple[str, ...], str, int, Any]]:
    for model in source.schema.models.values():
        for kind, columns in (("INPUT", model.inputs), ("OUTPUT", model.outputs)):
            for place, column in enumerate(columns or (), 1):
                yield ("", *split_name(model.name)), kind, place, column


# ---------------------------------------------------------------------------- graphs


def property_graphs(source: Source) -> Rows:
    """PROPERTY_GRAPHS, each with all there is to say about it."""
    for graph in source.schema.graphs.values():
        yield "", *split_name(graph.name), Json(graph_metadata(graph))
