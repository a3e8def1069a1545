"""Foreign keys as declared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from spanemu.base.errors import SpannerError
from spanemu.ddl.errors.constraints import (
    ForeignKeyActionNotEnforced,
    ForeignKeyColumnCount,
    ForeignKeyColumnMissing,
    ForeignKeyColumnTwice,
    ForeignKeyCommitTimestamp,
    ForeignKeyTypeDiffers,
    ForeignKeyTypeUnsupported,
)
from spanemu.ddl.lookup import find_column
from spanemu.schema.column import Column
from spanemu.schema.foreign_key import ForeignKey
from spanemu.schema.table import Table
from spanemu.values.key import can_be_key


def foreign_key_problems(
    foreign_key: ForeignKey, table: Table, referenced: Table
) -> Iterator[SpannerError]:
    """What is wrong with the columns on both sides, and how they pair up."""
    name = foreign_key.name
    if foreign_key.cascade and not foreign_key.enforced:
        yield ForeignKeyActionNotEnforced(name)
    yield from _side_problems(name, table, foreign_key.columns)
    yield from _side_problems(name, referenced, foreign_key.referenced_columns)
    if len(foreign_key.columns) != len(foreign_key.referenced_columns):
        yield ForeignKeyColumnCount(name, table.name, referenced.name)
    pairs = zip(foreign_key.columns, foreign_key.referenced_columns, strict=False)
    for mine, theirs in pairs:
        column, other = find_column(table, mine), find_column(referenced, theirs)
        if column is not None and other is not None and column.type != other.type:
            yield ForeignKeyTypeDiffers(name, table.name, column.name, referenced.name, other.name)


def _side_problems(foreign_key: str, table: Table, names: Sequence[str]) -> Iterator[SpannerError]:
    seen: set[str] = set()
    for name in names:
        column = find_column(table, name)
        if column is None:
            yield ForeignKeyColumnMissing(foreign_key, table.name, name)
            continue
        if name in seen:
            yield ForeignKeyColumnTwice(foreign_key, table.name, name)
        seen.add(name)
        yield from _column_problems(foreign_key, table, column)


def _column_problems(foreign_key: str, table: Table, column: Column) -> Iterator[SpannerError]:
    if not can_be_key(column.type):
        yield ForeignKeyTypeUnsupported(foreign_key, table.name, column.name)
    if column.allow_commit_timestamp:
        yield ForeignKeyCommitTimestamp(foreign_key, table.name, column.name)
