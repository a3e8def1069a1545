"""What a column's definition may not say."""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError


class DuplicateColumnName(SpannerError):
    """Two columns of a table differ at most in letter case."""

    code = Code.FAILED_PRECONDITION
    prose = "Duplicate column name {table}.{column}."
    table: str
    column: str


# ---------------------------------------------------------------------------- types


class TypeNotFound(SpannerError):
    """A column has a type that nobody declared."""

    code = Code.NOT_FOUND
    prose = "Type not found: {type} of column {table}.{column}."
    table: str
    column: str
    type: str


class TypeNotStorable(SpannerError):
    """A column has a type that only query results can have."""

    code = Code.INVALID_ARGUMENT
    prose = "Column {table}.{column} has type {type}, which cannot be stored in a table."
    table: str
    column: str
    type: str


class NestedArray(SpannerError):
    """A column is an array of arrays."""

    code = Code.INVALID_ARGUMENT
    prose = "Array of arrays type is not supported by the schema: column {table}.{column}."
    table: str
    column: str


class LengthMissing(SpannerError):
    """STRING or BYTES without a length."""

    code = Code.INVALID_ARGUMENT
    prose = "Column {table}.{column} of type {type} must have a length: {type}(MAX) or {type}(n)."
    table: str
    column: str
    type: str


class LengthNotAllowed(SpannerError):
    """A length on a type that has none."""

    code = Code.INVALID_ARGUMENT
    prose = "Column {table}.{column} of type {type} cannot have a length."
    table: str
    column: str
    type: str


class BadLength(SpannerError):
    """The length of a STRING or BYTES column is out of its range."""

    code = Code.INVALID_ARGUMENT
    prose = "Bad length for column {table}.{column}: {length} : Allowed length range: [1, {most}]."
    table: str
    column: str
    length: int
    most: int


class VectorLengthType(SpannerError):
    """vector_length on something other than an array of floats."""

    code = Code.INVALID_ARGUMENT
    prose = (
        "vector_length is only allowed on ARRAY<FLOAT32> and ARRAY<FLOAT64> columns: column "
        "{table}.{column} has type {type}."
    )
    table: str
    column: str
    type: str


class VectorLengthOnComputed(SpannerError):
    """vector_length on a generated or defaulted column."""

    code = Code.INVALID_ARGUMENT
    prose = "vector_length is not allowed on generated or default column {table}.{column}."
    table: str
    column: str


class TokenListNotHidden(SpannerError):
    """A TOKENLIST column can be selected by accident."""

    code = Code.INVALID_ARGUMENT
    prose = "Column {table}.{column} of type TOKENLIST must be HIDDEN."
    table: str
    column: str


# ---------------------------------------------------------------------------- options


class UnknownOption(SpannerError):
    """An option that objects of the kind do not have."""

    code = Code.INVALID_ARGUMENT
    prose = "Option: {option} is unknown for {kind} {name}."
    kind: str
    name: str
    option: str


class BadOptionValue(SpannerError):
    """An option's value has the wrong type."""

    code = Code.INVALID_ARGUMENT
    prose = "Unexpected value for option: {option}. Supported option values are {supported}."
    option: str
    supported: str


class CommitTimestampType(SpannerError):
    """allow_commit_timestamp on a column that is no TIMESTAMP."""

    code = Code.FAILED_PRECONDITION
    prose = (
        "Column {table}.{column} has invalid allow_commit_timestamp option. Option only allowed "
        "on TIMESTAMP columns."
    )
    table: str
    column: str


# ---------------------------------------------------------------------------- expressions


class DefaultInvalid(SpannerError):
    """A DEFAULT expression means nothing, or nothing that a default may be."""

    code = Code.INVALID_ARGUMENT
    prose = "Error parsing the default value of column `{table}`.`{column}`: {reason}"
    table: str
    column: str
    reason: str


class DefaultRefersToColumn(SpannerError):
    """A DEFAULT expression reads a column of its row."""

    code = Code.INVALID_ARGUMENT
    prose = (
        "Error parsing the default value of column `{table}`.`{column}`: Default value expression "
        "of column `{column}` has a reference to another column. Default expressions referencing "
        "other columns are not supported."
    )
    table: str
    column: str


class CommitTimestampDefault(SpannerError):
    """A commit timestamp column has another default than PENDING_COMMIT_TIMESTAMP()."""

    code = Code.FAILED_PRECONDITION
    prose = "Cannot use commit timestamp column `{table}.{column}` as a column with default value."
    table: str
    column: str


class PendingDefaultWithoutOption(SpannerError):
    """PENDING_COMMIT_TIMESTAMP() as the default of a column that may not hold it."""

    code = Code.FAILED_PRECONDITION
    prose = (
        "Cannot use PENDING_COMMIT_TIMESTAMP() as the default value of column "
        "`{table}.{column}`, which does not have the option allow_commit_timestamp = true."
    )
    table: str
    column: str


class OnUpdateWithoutDefault(SpannerError):
    """ON UPDATE without DEFAULT."""

    code = Code.INVALID_ARGUMENT
    prose = "Column `{table}.{column}` has an ON UPDATE expression but no DEFAULT value."
    table: str
    column: str


class OnUpdateMismatch(SpannerError):
    """ON UPDATE and DEFAULT differ."""

    code = Code.INVALID_ARGUMENT
    prose = "The ON UPDATE and DEFAULT expressions of column `{table}.{column}` must be the same."
    table: str
    column: str


class OnUpdateNotCommitTimestamp(SpannerError):
    """ON UPDATE with an expression other than PENDING_COMMIT_TIMESTAMP()."""

    code = Code.INVALID_ARGUMENT
    prose = (
        "The ON UPDATE expression of column `{table}.{column}` must be PENDING_COMMIT_TIMESTAMP()."
    )
    table: str
    column: str


class OnUpdateInKey(SpannerError):
    """ON UPDATE on a key column: keys never change."""

    code = Code.INVALID_ARGUMENT
    prose = "Column `{table}.{column}` with an ON UPDATE expression cannot be in the primary key."
    table: str
    column: str


class GeneratedColumnInvalid(SpannerError):
    """A generated column's expression means nothing, or nothing that such a column may be."""

    code = Code.INVALID_ARGUMENT
    prose = "Error parsing the definition of generated column `{table}`.`{column}`: {reason}"
    table: str
    column: str
    reason: str


class GeneratedColumnCycle(SpannerError):
    """Generated columns are computed from each other."""

    code = Code.FAILED_PRECONDITION
    prose = "Cycle detected while analysing generated column, which include objects ({columns})"
    columns: str


class GeneratedKeyDependency(SpannerError):
    """A generated key column is computed from columns that it may not use."""

    code = Code.INVALID_ARGUMENT
    prose = "Generated primary key column `{table}.{column}` cannot use column `{used}`: {reason}."
    table: str
    column: str
    used: str
    reason: str


class VirtualNotNull(SpannerError):
    """NOT NULL on a generated column that is not stored."""

    code = Code.INVALID_ARGUMENT
    prose = "Non-stored generated column `{table}.{column}` cannot be marked as NOT NULL."
    table: str
    column: str


class VirtualWithLength(SpannerError):
    """A length on a generated column that is not stored."""

    code = Code.INVALID_ARGUMENT
    prose = "Non-stored generated column `{table}.{column}` must have the length MAX."
    table: str
    column: str


class VirtualKeyColumn(SpannerError):
    """A generated column that is not stored in the primary key."""

    code = Code.INVALID_ARGUMENT
    prose = "Non-stored generated column `{table}.{column}` cannot be part of the primary key."
    table: str
    column: str


class CommitTimestampOnGenerated(SpannerError):
    """A generated column that is to hold commit timestamps."""

    code = Code.FAILED_PRECONDITION
    prose = "Cannot set the option allow_commit_timestamp on generated column `{table}.{column}`."
    table: str
    column: str


class CommitTimestampDependency(SpannerError):
    """A generated column is computed from a commit timestamp."""

    code = Code.FAILED_PRECONDITION
    prose = (
        "Cannot use commit timestamp column `{used}` as a dependency of generated column "
        "`{column}`."
    )
    column: str
    used: str


# ---------------------------------------------------------------------------- identity


class IdentityKindMissing(SpannerError):
    """An identity column without a sequence kind, and the database has no default."""

    code = Code.INVALID_ARGUMENT
    prose = (
        "The sequence kind of an identity column {column} is not specified. Please specify the "
        "sequence kind explicitly or set the database option `default_sequence_kind`."
    )
    column: str


class IdentityNotInteger(SpannerError):
    """An identity column that is not an INT64."""

    code = Code.INVALID_ARGUMENT
    prose = "Identity column {table}.{column} must have type INT64, but has type {type}."
    table: str
    column: str
    type: str
