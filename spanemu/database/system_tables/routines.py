"""Rows about routines: functions of users, and the functions that read change streams."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from spanemu.database.system_tables.options import typed
from spanemu.database.system_tables.source import Source, split_name

Rows = Iterator[tuple[Any, ...]]

_READ_PARAMETERS = (
    ("start_timestamp", "TIMESTAMP"),
    ("end_timestamp", "TIMESTAMP"),
    ("partition_token", "STRING(MAX)"),
    ("heartbeat_milliseconds", "INT64"),
    ("read_options", "ARRAY<STRING(MAX)>"),
)


def read_functions(source: Source) -> Iterator[str]:
    """Names of the functions that read change streams."""
    for stream in source.schema.change_streams.values():
        yield f"READ_{stream.name}"


def routines(source: Source) -> Rows:
    """ROUTINES."""
    for name in read_functions(source):
        yield "", "", name, "", "", name, "FUNCTION", "TABLE", "EXTERNAL", "", "INVOKER"
    for function in source.schema.functions.values():
        home, name = split_name(function.name)
        body = ("EXTERNAL", "") if function.body is None else ("SQL", function.body)
        yield "", home, name, "", home, name, "FUNCTION", str(function.returns), *body, "INVOKER"


def routine_options(source: Source) -> Rows:
    """ROUTINE_OPTIONS: of remote functions."""
    for function in source.schema.functions.values():
        for name, value in function.options.items():
            yield "", *split_name(function.name), name, *typed(value)


def parameters(source: Source) -> Rows:
    """PARAMETERS."""
    for name in read_functions(source):
        for place, (parameter, type_) in enumerate(_READ_PARAMETERS, 1):
            yield "", "", name, place, parameter, type_, None
    for function in source.schema.functions.values():
        for place, one in enumerate(function.parameters, 1):
            yield "", *split_name(function.name), place, one.name, str(one.type), one.default
