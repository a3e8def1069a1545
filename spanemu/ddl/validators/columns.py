"""Definitions of columns, as far as they need no look at expressions."""

from __future__ import annotations

from collections.abc import Iterator

from spanemu.base.errors import SpannerError
from spanemu.base.limits import BYTES_LENGTH_MAX, STRING_LENGTH_MAX
from spanemu.ddl.errors.columns import (
    BadLength,
    CommitTimestampOnGenerated,
    CommitTimestampType,
    IdentityNotInteger,
    TokenListNotHidden,
    VectorLengthOnComputed,
    VectorLengthType,
    VirtualNotNull,
    VirtualWithLength,
)
from spanemu.ddl.validators.names import column_name_problems
from spanemu.schema.column import Column
from spanemu.values.types import INT64, Type, TypeCode

LENGTHS_MAX = {TypeCode.STRING: STRING_LENGTH_MAX, TypeCode.BYTES: BYTES_LENGTH_MAX}


def scalar_of(type_: Type) -> Type:
    """The type itself, or that of an array's elements."""
    return type_.item() if type_.is_array else type_


def column_problems(table: str, column: Column) -> Iterator[SpannerError]:
    """What is wrong with one column of a table, its expressions aside."""
    yield from column_name_problems(table, column.name)
    yield from _length_problems(table, column)
    yield from _vector_problems(table, column)
    if column.type.code is TypeCode.TOKENLIST and not column.hidden:
        yield TokenListNotHidden(table, column.name)
    if "allow_commit_timestamp" in column.options and column.type.code is not TypeCode.TIMESTAMP:
        yield CommitTimestampType(table, column.name)
    if column.identity is not None and column.type != INT64:
        yield IdentityNotInteger(table, column.name, str(column.type))
    if column.generated is not None and column.allow_commit_timestamp:
        yield CommitTimestampOnGenerated(table, column.name)
    if column.is_virtual:
        if column.not_null:
            yield VirtualNotNull(table, column.name)
        if column.length is not None:
            yield VirtualWithLength(table, column.name)


def _length_problems(table: str, column: Column) -> Iterator[SpannerError]:
    most = LENGTHS_MAX.get(scalar_of(column.type).code)
    if most is not None and column.length is not None and not 1 <= column.length <= most:
        yield BadLength(table, column.name, column.length, most)


def _vector_problems(table: str, column: Column) -> Iterator[SpannerError]:
    if column.vector_length is None:
        return
    if not (column.type.is_array and column.type.item().is_float):
        yield VectorLengthType(table, column.name, str(column.type))
    if column.default is not None or column.generated is not None:
        yield VectorLengthOnComputed(table, column.name)
