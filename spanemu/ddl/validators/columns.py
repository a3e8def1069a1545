"""Rules for the definitions of columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from spanemu.base.deferred import deferred
from spanemu.base.errors import SpannerError
from spanemu.base.limits import BYTES_LENGTH_MAX, STRING_LENGTH_MAX
from spanemu.ddl.naming import column_name_problems
from spanemu.schema.schema import Schema
from spanemu.schema.table import Column
from spanemu.values.types import INT64, Type, TypeCode

if TYPE_CHECKING:
    from spanemu.ddl.errors import columns as column_errors
else:
    column_errors = deferred("spanemu.ddl.errors.columns")

LENGTHS_MAX = {TypeCode.STRING: STRING_LENGTH_MAX, TypeCode.BYTES: BYTES_LENGTH_MAX}


def scalar_of(type_: Type) -> Type:
    """Return the type itself, or the type of an array's elements."""
    return type_.item() if type_.is_array else type_


def column_problems(table: str, column: Column, schema: Schema) -> Iterator[SpannerError]:
    """Yield what is wrong with a column, except for its expressions."""
    yield from column_name_problems(table, column.name, schema)
    yield from _length_problems(table, column)
    yield from _vector_problems(table, column)
    if column.type.code is TypeCode.TOKENLIST and not column.hidden:
        yield column_errors.TokenListNotHidden(table, column.name)
    if "allow_commit_timestamp" in column.options and column.type.code is not TypeCode.TIMESTAMP:
        yield column_errors.CommitTimestampType(table, column.name)
    if column.identity is not None and column.type != INT64:
        yield column_errors.IdentityNotInteger(table, column.name, str(column.type))
    if column.generated is not None and column.allow_commit_timestamp:
        yield column_errors.CommitTimestampOnGenerated(table, column.name)
    if column.is_virtual:
        if column.not_null:
            yield column_errors.VirtualNotNull(table, column.name)
        if column.length is not None:
            yield column_errors.VirtualWithLength(table, column.name)


def _length_problems(table: str, column: Column) -> Iterator[SpannerError]:
    most = LENGTHS_MAX.get(scalar_of(column.type).code)
    if most is not None and column.length is not None and not 1 <= column.length <= most:
        yield column_errors.BadLength(table, column.name, column.length, most)


def _vector_problems(table: str, column: Column) -> Iterator[SpannerError]:
    if column.vector_length is None:
        return
    if not (column.type.is_array and column.type.item().is_float):
        yield column_errors.VectorLengthType(table, column.name, str(column.type))
    if column.default is not None or column.generated is not None:
        yield column_errors.VectorLengthOnComputed(table, column.name)
