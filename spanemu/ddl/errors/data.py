"""What stored rows refuse: found while a change runs, with the statements before it applied."""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError


class DuplicateIndexKey(SpannerError):
    """Two rows have the same key in a unique index."""

    code = Code.FAILED_PRECONDITION
    prose = "Found uniqueness violation on index {index},  duplicate key: {key}"
    index: str
    key: str


class StoredKeyTooLarge(SpannerError):
    """A row's key in an index would be larger than keys may be."""

    code = Code.INVALID_ARGUMENT
    prose = "Index key of {index} has size {size}, which exceeds the maximum of {limit}."
    index: str
    size: int
    limit: int


class ForeignKeyDataViolation(SpannerError):
    """A row refers to a row that does not exist."""

    code = Code.FAILED_PRECONDITION
    prose = (
        "Foreign key `{foreign_key}` constraint violation on table `{table}`. Cannot find "
        "referenced key `{key}` in table `{referenced}`."
    )
    foreign_key: str
    table: str
    referenced: str
    key: str


class StoredCheckViolated(SpannerError):
    """A row fails a new check."""

    code = Code.OUT_OF_RANGE
    prose = "Check constraint `{table}`.`{check}` is violated for key {key}."
    table: str
    check: str
    key: str


class StoredNull(SpannerError):
    """A row has no value in a column that becomes NOT NULL."""

    code = Code.FAILED_PRECONDITION
    prose = (
        "Adding a NOT NULL constraint on a column {table}.{column} is not allowed because it "
        "contains a NULL value at key: {key}."
    )
    table: str
    column: str
    key: str


class StoredValueTooLong(SpannerError):
    """A row has a longer value than a column's new length."""

    code = Code.FAILED_PRECONDITION
    prose = (
        "Reducing the length of column {table}.{column} to {length} is not allowed because it "
        "contains a value of length {size} at key: {key}."
    )
    table: str
    column: str
    length: int
    size: int
    key: str


class StoredVectorLength(SpannerError):
    """A row has an array of another size than a column's new vector length, or a NULL in it."""

    code = Code.FAILED_PRECONDITION
    prose = (
        "Changing the vector_length of column {table}.{column} to {length} is not allowed because "
        "it contains an array of {size} elements at key: {key}."
    )
    table: str
    column: str
    length: int
    size: int
    key: str


class ConversionFailed(SpannerError):
    """A row has bytes that are no text."""

    code = Code.FAILED_PRECONDITION
    prose = (
        "Column {table}.{column} cannot become a STRING because it contains invalid UTF-8 at key: "
        "{key}."
    )
    table: str
    column: str
    key: str


class StoredTimestampInFuture(SpannerError):
    """A row has a later time than now in a column that becomes a commit timestamp column."""

    code = Code.FAILED_PRECONDITION
    prose = "Column {table}.{column} has a timestamp in the future at key: {key}: {timestamp}."
    table: str
    column: str
    timestamp: str
    key: str


class ParentRowsMissing(SpannerError):
    """A row has no parent row in a table that becomes its parent."""

    code = Code.FAILED_PRECONDITION
    prose = (
        "Parent-child row existence constraint validation failed: row {key} of table {child} has "
        "no parent row in {parent}."
    )
    parent: str
    child: str
    key: str
