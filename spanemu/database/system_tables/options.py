"""Rows about options of the database and of columns, and about sequences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from spanemu.database.system_tables.source import Source, split_name
from spanemu.schema.ddl_text import shown_options
from spanemu.schema.sequence import Sequence

Rows = Iterator[tuple[Any, ...]]


def typed(value: object) -> tuple[str, str]:
    """(OPTION_TYPE, OPTION_VALUE) of an option's value."""
    if isinstance(value, bool):
        return "BOOL", str(value).upper()
    if isinstance(value, int):
        return "INT64", str(value)
    return "STRING", str(value)


def database_options(source: Source) -> Rows:
    """DATABASE_OPTIONS: the dialect, which clients tell dialects by, then what was set."""
    yield "", "", "database_dialect", "STRING", "GOOGLE_STANDARD_SQL"
    for name, value in shown_options(source.schema):
        yield "", "", name, *typed(value)


def column_options(source: Source) -> Rows:
    """COLUMN_OPTIONS: options that are set; FALSE is as good as not set."""
    for table in source.schema.tables.values():
        home, name = split_name(table.name)
        for column in table.columns:
            for option, value in column.options.items():
                if value is not None and value is not False:
                    yield "", home, name, column.name, option, *typed(value)


# ---------------------------------------------------------------------------- sequences


def sequences(source: Source) -> Rows:
    """SEQUENCES: those of users, not those of identity columns."""
    for sequence in _visible(source):
        yield "", *split_name(sequence.name), "INT64"


def sequence_options(source: Source) -> Rows:
    """SEQUENCE_OPTIONS: the kind, and what else was set."""
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
    return (one for one in source.schema.sequences.values() if not one.internal)
