"""Errors of the definitions of columns."""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError
from spanemu.base.sql_states import SqlState


class DuplicateColumnName(
    SpannerError, code=Code.FAILED_PRECONDITION, sql_state=SqlState.DUPLICATE_COLUMN
):
    prose = "Duplicate column name {table}.{column}."
    table: str
    column: str


# ---------------------------------------------------------------------------- types


class TypeNotFound(SpannerError, code=Code.NOT_FOUND, sql_state=SqlState.UNDEFINED_OBJECT):
    prose = "Type not found: {type} of column {table}.{column}."
    table: str
    column: str
    type: str


class TypeNotStorable(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Column {table}.{column} has type {type}, which cannot be stored in a table."
    table: str
    column: str
    type: str


class NestedArray(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Array of arrays type is not supported by the schema: column {table}.{column}."
    table: str
    column: str


class LengthMissing(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Column {table}.{column} of type {type} must have a length: {type}(MAX) or {type}(n)."
    table: str
    column: str
    type: str


class LengthNotAllowed(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Column {table}.{column} of type {type} cannot have a length."
    table: str
    column: str
    type: str


class BadLength(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.INVALID_PARAMETER_VALUE
):
    prose = "Bad length for column {table}.{column}: {length} : Allowed length range: [1, {most}]."
    table: str
    column: str
    length: int
    most: int


class VectorLengthType(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        "`vector_length` can only be applied on ARRAY<FLOAT32> or ARRAY<FLOAT64>, but it is "
        "applied on {table}.{column}, which is of type {type}."
    )
    table: str
    column: str
    type: str


class VectorLengthRange(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.INVALID_PARAMETER_VALUE
):
    prose = "Bad `vector_length` for column {table}.{column}: {length} is out of range for INT64."
    table: str
    column: str
    length: int


class VectorLengthOnComputed(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        "`vector_length` cannot be applied on generated column or default column, but it is "
        "applied on {table}.{column}."
    )
    table: str
    column: str


class TokenListNotHidden(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "TOKENLIST column {table}.{column} must be HIDDEN."
    table: str
    column: str


class TokenListNotGenerated(SpannerError, code=Code.INVALID_ARGUMENT):
    """A column of token lists that come from the user, of which there are no values."""

    prose = (
        "TOKENLIST column {table}.{column} must be a generated column: token lists are made by "
        "tokenizer functions alone."
    )
    table: str
    column: str


# ---------------------------------------------------------------------------- options


class UnknownOption(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Option: {option} is unknown for {kind} {name}."
    kind: str
    name: str
    option: str


class BadOptionValue(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Unexpected value for option: {option}. Supported option values are {supported}."
    option: str
    supported: str


class CommitTimestampType(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = (
        "Column {table}.{column} has invalid allow_commit_timestamp option. Option only allowed "
        "on TIMESTAMP columns."
    )
    table: str
    column: str


# ---------------------------------------------------------------------------- expressions


class DefaultInvalid(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Error parsing the default value of column `{table}`.`{column}`: {reason}"
    table: str
    column: str
    reason: str


class DefaultRefersToColumn(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.FEATURE_NOT_SUPPORTED
):
    prose = (
        "Error parsing the default value of column `{table}`.`{column}`: Default value expression "
        "of column `{column}` has a reference to another column. Default expressions referencing "
        "other columns are not supported."
    )
    table: str
    column: str


class CommitTimestampDefault(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Cannot use commit timestamp column `{table}.{column}` as a column with default value."
    table: str
    column: str


class PendingDefaultWithoutOption(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = (
        "Cannot use PENDING_COMMIT_TIMESTAMP() as the default value of column "
        "`{table}.{column}`, which does not have the option allow_commit_timestamp = true."
    )
    table: str
    column: str


class OnUpdateWithoutDefault(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Column `{table}.{column}` has an ON UPDATE expression but no DEFAULT value."
    table: str
    column: str


class OnUpdateMismatch(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "The ON UPDATE and DEFAULT expressions of column `{table}.{column}` must be the same."
    table: str
    column: str


class OnUpdateNotCommitTimestamp(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        "The ON UPDATE expression of column `{table}.{column}` must be PENDING_COMMIT_TIMESTAMP()."
    )
    table: str
    column: str


class OnUpdateInKey(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Column `{table}.{column}` with an ON UPDATE expression cannot be in the primary key."
    table: str
    column: str


class GeneratedColumnInvalid(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Error parsing the definition of generated column `{table}`.`{column}`: {reason}"
    table: str
    column: str
    reason: str


class GeneratedColumnCycle(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Cycle detected while analysing generated column, which include objects ({columns})"
    columns: str


class GeneratedKeyDependency(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Generated primary key column `{table}.{column}` cannot use column `{used}`: {reason}."
    table: str
    column: str
    used: str
    reason: str


class VirtualNotNull(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Non-stored generated column `{table}.{column}` cannot be marked as NOT NULL."
    table: str
    column: str


class VirtualWithLength(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Non-stored generated column `{table}.{column}` must have the length MAX."
    table: str
    column: str


class VirtualKeyColumn(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Non-stored generated column `{table}.{column}` cannot be part of the primary key."
    table: str
    column: str


class CommitTimestampOnGenerated(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Cannot set the option allow_commit_timestamp on generated column `{table}.{column}`."
    table: str
    column: str


class CommitTimestampDependency(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = (
        "Cannot use commit timestamp column `{used}` as a dependency of generated column "
        "`{column}`."
    )
    column: str
    used: str


# ---------------------------------------------------------------------------- identity


class IdentityKindMissing(SpannerError, code=Code.INVALID_ARGUMENT):
    """An identity column, or one of type serial.

    Drivers know the error by its code and the end of its text, and set the option.
    """

    prose = (
        "The sequence kind of an identity column {column} is not specified. Please specify the "
        "sequence kind explicitly or set the database option `default_sequence_kind`."
    )
    column: str


class IdentityNotInteger(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.INVALID_PARAMETER_VALUE
):
    prose = "Identity column {table}.{column} must have type INT64, but has type {type}."
    table: str
    column: str
    type: str
