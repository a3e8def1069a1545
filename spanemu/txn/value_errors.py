"""Errors in column values: NULL, length, size, generated values and commit timestamps."""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError
from spanemu.base.sql_states import SqlState


class NullInNotNull(
    SpannerError, code=Code.FAILED_PRECONDITION, sql_state=SqlState.NOT_NULL_VIOLATION
):
    prose = "Cannot specify a null value for column: {table}.{column}"
    table: str
    column: str


class NotNullMissing(
    SpannerError, code=Code.FAILED_PRECONDITION, sql_state=SqlState.NOT_NULL_VIOLATION
):
    prose = (
        "A new row in table {table} does not specify a non-null value for NOT NULL column: {column}"
    )
    table: str
    column: str


class KeyDefaultNeedsValue(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Key column {column} of table {table} must have a specific value in an update."
    table: str
    column: str


class WriteToGenerated(
    SpannerError, code=Code.FAILED_PRECONDITION, sql_state=SqlState.GENERATED_ALWAYS
):
    prose = "Cannot write into generated column {table}.{column}."
    table: str
    column: str


class GeneratedKeySupplied(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.GENERATED_ALWAYS
):
    prose = (
        "Value for generated primary key column {table}.{column} cannot be specified in "
        "operations except update operations."
    )
    table: str
    column: str


class GeneratedKeyUnknown(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = (
        "Generated primary key column {table}.{column} cannot be evaluated: it must be explicitly "
        "specified, or all columns it depends on."
    )
    table: str
    column: str


class GeneratedKeyChanged(
    SpannerError, code=Code.OUT_OF_RANGE, sql_state=SqlState.GENERATED_ALWAYS
):
    prose = "The value of generated primary key column {table}.{column} cannot be modified."
    table: str
    column: str


class ValueTooLong(
    SpannerError, code=Code.FAILED_PRECONDITION, sql_state=SqlState.STRING_DATA_RIGHT_TRUNCATION
):
    prose = (
        "New value exceeds the maximum size limit for this column in this database: "
        "{table}.{column}, size: {size}, limit: {limit}."
    )
    table: str
    column: str
    size: int
    limit: int


class CellTooLarge(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.PROGRAM_LIMIT_EXCEEDED
):
    prose = "Value of {table}.{column} has {size} bytes; a cell can hold at most {limit}."
    table: str
    column: str
    size: int
    limit: int


class KeyTooLarge(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.PROGRAM_LIMIT_EXCEEDED
):
    prose = "Number of bytes for key of {target}: {size} exceeds the maximum of {limit}."
    target: str
    size: int
    limit: int


class TooManyTokenBytes(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.PROGRAM_LIMIT_EXCEEDED
):
    prose = "A row has too many search token bytes in index {index}: {size} (limit {limit})."
    index: str
    size: int
    limit: int


class UnknownPlacement(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.INVALID_PARAMETER_VALUE
):
    prose = "Placement {placement!r} does not exist; it was given for {table}.{column}."
    placement: str
    table: str
    column: str


class VectorTooLong(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.INVALID_PARAMETER_VALUE
):
    prose = (
        "Array column {table}.{column} has {elements} elements and exceeds the `vector_length` "
        "limit: {length}."
    )
    table: str
    column: str
    elements: int
    length: int


class VectorTooShort(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.INVALID_PARAMETER_VALUE
):
    prose = (
        "Array column {table}.{column} has {elements} elements and is less than the "
        "`vector_length` limit: {length}."
    )
    table: str
    column: str
    elements: int
    length: int


class NullInVector(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.INVALID_PARAMETER_VALUE
):
    prose = "The array column {table}.{column} has `vector_length`, and Null is disallowed in it."
    table: str
    column: str


class CommitTimestampNotAllowed(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = (
        "Cannot write commit timestamp because the allow_commit_timestamp column option is not "
        "set to true for column {table}.{column}."
    )
    table: str
    column: str


class CommitTimestampHierarchyMismatch(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = (
        "Cannot write commit timestamp because the allow_commit_timestamp column option is not "
        "set to true for column {column} of {table} in all tables of its hierarchy: not in {other}."
    )
    table: str
    column: str
    other: str


class FutureTimestamp(
    SpannerError, code=Code.FAILED_PRECONDITION, sql_state=SqlState.DATETIME_FIELD_OVERFLOW
):
    prose = "Cannot write timestamps in the future {value}, column {table}.{column}."
    value: str
    table: str
    column: str


class PendingTimestampRead(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        "{target} has a pending CommitTimestamp: it cannot be read in the transaction that wrote "
        "it until that commits."
    )
    target: str
