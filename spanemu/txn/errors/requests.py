"""What can be wrong with keys, columns and values before any row is looked at."""

from __future__ import annotations

from typing import Any

from spanemu.base.errors import Code, Detail, HelpLink, SpannerError

_LIMITS_PAGE = HelpLink(
    "Cloud Spanner limits documentation.", "https://cloud.google.com/spanner/docs/limits"
)


class NoColumns(SpannerError):
    """A read asks for no column at all."""

    code = Code.INVALID_ARGUMENT
    prose = "A read of table {table} must name at least one column."
    table: str


class WrongKeyParts(SpannerError):
    """A key has more or fewer parts than the table or index declares."""

    code = Code.FAILED_PRECONDITION
    prose = "Wrong number of key parts in {target}. Expected: {expected}. Got: {got}."
    target: str
    expected: int
    got: int


class BadKeyValue(SpannerError):
    """A key part cannot be converted to the type of its column."""

    code = Code.FAILED_PRECONDITION
    prose = "Could not parse the provided key value {value!r} as {type_text} for {target}{because}"
    value: Any
    type_text: str
    target: str
    because: str


class BadCellValue(SpannerError):
    """A mutation's value cannot be converted to the type of its column."""

    code = Code.FAILED_PRECONDITION
    prose = "Could not parse {value!r} as {type_text} for column {column} of {table}{because}"
    value: Any
    type_text: str
    table: str
    column: str
    because: str


class DuplicateColumn(SpannerError):
    """A mutation lists a column twice."""

    code = Code.INVALID_ARGUMENT
    prose = "Multiple values for column {column} of table {table}."
    table: str
    column: str


class ColumnValueMismatch(SpannerError):
    """A mutation's row has more or fewer values than it names columns."""

    code = Code.INVALID_ARGUMENT
    prose = (
        "Mutation column and value size mismatch for table {table}: {columns} columns and "
        "{values} values."
    )
    table: str
    columns: int
    values: int


class DeleteRangeTooWide(SpannerError):
    """A range of a delete differs in more than the last key part."""

    code = Code.UNIMPLEMENTED
    prose = (
        "For delete ranges, start and limit keys may only differ in the final key part; "
        "see the range for table {table}."
    )
    table: str


class WriteWithoutRows(SpannerError):
    """A mutation that writes names a table and no row."""

    code = Code.INVALID_ARGUMENT
    prose = "The mutation of table {table} has no rows: no value provided for its values."
    table: str


class TooManyMutations(SpannerError):
    """A commit exceeds the limit of mutations."""

    code = Code.INVALID_ARGUMENT
    prose = (
        "The transaction contains too many mutations. Insert and update operations count with "
        "the multiplicity of the number of columns they affect. It has {count}; the limit is "
        "{limit}."
    )
    count: int
    limit: int

    def details(self) -> tuple[Detail, ...]:
        """The link by which clients know this failure, to run the statement in partitions."""
        return (_LIMITS_PAGE,)
