"""Errors because of stored rows, raised while a change runs.

The statements before the change in its batch have been applied.
"""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError
from spanemu.base.sql_states import SqlState


class DuplicateIndexKey(
    SpannerError, code=Code.FAILED_PRECONDITION, sql_state=SqlState.UNIQUE_VIOLATION
):
    prose = "Found uniqueness violation on index {index},  duplicate key: {key}"
    index: str
    key: str


class StoredKeyTooLarge(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Index key of {index} has size {size}, which exceeds the maximum of {limit}."
    index: str
    size: int
    limit: int


class ForeignKeyDataViolation(
    SpannerError, code=Code.FAILED_PRECONDITION, sql_state=SqlState.FOREIGN_KEY_VIOLATION
):
    prose = (
        "Foreign key `{foreign_key}` constraint violation on table `{table}`. Cannot find "
        "referenced key `{key}` in table `{referenced}`."
    )
    foreign_key: str
    table: str
    referenced: str
    key: str


class StoredCheckViolated(SpannerError, code=Code.OUT_OF_RANGE, sql_state=SqlState.CHECK_VIOLATION):
    prose = "Check constraint `{table}`.`{check}` is violated for key {key}."
    table: str
    check: str
    key: str


class StoredNull(
    SpannerError, code=Code.FAILED_PRECONDITION, sql_state=SqlState.NOT_NULL_VIOLATION
):
    prose = (
        "Adding a NOT NULL constraint on a column {table}.{column} is not allowed because it "
        "contains a NULL value at key: {key}."
    )
    table: str
    column: str
    key: str


class StoredValueTooLong(
    SpannerError, code=Code.FAILED_PRECONDITION, sql_state=SqlState.STRING_DATA_RIGHT_TRUNCATION
):
    prose = (
        "Reducing the length of column {table}.{column} to {length} is not allowed because it "
        "contains a value of length {size} at key: {key}."
    )
    table: str
    column: str
    length: int
    size: int
    key: str


class ConversionFailed(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = (
        "Column {table}.{column} cannot become a STRING because it contains invalid UTF-8 at key: "
        "{key}."
    )
    table: str
    column: str
    key: str


class StoredTimestampInFuture(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Column {table}.{column} has a timestamp in the future at key: {key}: {timestamp}."
    table: str
    column: str
    timestamp: str
    key: str


class ParentRowsMissing(
    SpannerError, code=Code.FAILED_PRECONDITION, sql_state=SqlState.FOREIGN_KEY_VIOLATION
):
    prose = (
        "Parent-child row existence constraint validation failed: row {key} of table {child} has "
        "no parent row in {parent}."
    )
    parent: str
    child: str
    key: str
