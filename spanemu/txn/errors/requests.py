"""Errors in names, keys and columns of a request, and errors of a transaction's lifecycle."""

from __future__ import annotations

from typing import Any

from spanemu.base.clock import NANOS_PER_MILLI
from spanemu.base.errors import Code, Detail, HelpLink, RetryInfo, SpannerError

_LIMITS_PAGE = HelpLink(
    "Cloud Spanner limits documentation.", "https://cloud.google.com/spanner/docs/limits"
)


class NoColumns(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "A read of table {table} must name at least one column."
    table: str


class WrongKeyParts(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Wrong number of key parts in {target}. Expected: {expected}. Got: {got}."
    target: str
    expected: int
    got: int


class BadKeyValue(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Could not parse the provided key value {value!r} as {type_text} for {target}{because}"
    value: Any
    type_text: str
    target: str
    because: str


class BadCellValue(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Could not parse {value!r} as {type_text} for column {column} of {table}{because}"
    value: Any
    type_text: str
    table: str
    column: str
    because: str


class DuplicateColumn(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Multiple values for column {column} of table {table}."
    table: str
    column: str


class ColumnValueMismatch(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        "Mutation column and value size mismatch for table {table}: {columns} columns and "
        "{values} values."
    )
    table: str
    columns: int
    values: int


class DeleteRangeTooWide(SpannerError, code=Code.UNIMPLEMENTED):
    prose = (
        "For delete ranges, start and limit keys may only differ in the final key part; "
        "see the range for table {table}."
    )
    table: str


class WriteWithoutRows(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "The mutation of table {table} has no rows: no value provided for its values."
    table: str


class TooManyMutations(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        "The transaction contains too many mutations. Insert and update operations count with "
        "the multiplicity of the number of columns they affect. It has {count}; the limit is "
        "{limit}."
    )
    count: int
    limit: int

    def details(self) -> tuple[Detail, ...]:
        """Return the help link by which clients recognize that they must use partitioned DML."""
        return (_LIMITS_PAGE,)


RETRY_DELAY_NANOS = 1 * NANOS_PER_MILLI


class TransactionAborted(SpannerError, code=Code.ABORTED):
    prose = "Transaction was aborted. {reason}"
    reason: str

    def details(self) -> tuple[Detail, ...]:
        return (RetryInfo(RETRY_DELAY_NANOS),)


class TransactionOver(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "The transaction is {state}: it cannot read or write any more."
    state: str


class ReadTooOld(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = (
        "Read timestamp {timestamp} has exceeded the maximum timestamp staleness: the earliest "
        "readable timestamp is {earliest}."
    )
    timestamp: str
    earliest: str


class ReadTooFarAhead(SpannerError, code=Code.DEADLINE_EXCEEDED):
    prose = "Read timestamp {timestamp} is more than 1 hour in future."
    timestamp: str


class QueueNotFound(SpannerError, code=Code.NOT_FOUND):
    prose = "Queue not found: {queue}"
    queue: str


class QueueNotUpdatable(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Messages of queue {queue} cannot be updated: delete the message and insert another."
    queue: str


class SendDisabled(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "No message can be sent to queue {queue}: its option disable_send is true."
    queue: str


class TableNotFound(SpannerError, code=Code.NOT_FOUND):
    prose = "Table not found: {table}"
    table: str


class TableNotFoundAtTimestamp(SpannerError, code=Code.NOT_FOUND):
    prose = "Table {table} is not found at timestamp {timestamp}."
    table: str
    timestamp: str


class ColumnNotFound(SpannerError, code=Code.NOT_FOUND):
    prose = "Column not found in table {table}: {column}"
    table: str
    column: str


class ColumnNotInIndex(SpannerError, code=Code.NOT_FOUND):
    prose = "Index {index} does not have a column named {column}."
    index: str
    column: str


class IndexNotFound(SpannerError, code=Code.NOT_FOUND):
    prose = "Index not found: no index {index!r} was found for table {table!r}."
    index: str
    table: str


class IndexNotReady(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "The index {index} on table {table} is not ready: its rows are still being written."
    index: str
    table: str


class IndexOfOtherTable(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = (
        "Index {index} is on table {index_table}, which does not match the given base table "
        "{table}."
    )
    index: str
    index_table: str
    table: str


class ViewNotReadable(SpannerError, code=Code.NOT_FOUND):
    prose = "Table not found: {view} is a view; read it with SQL."
    view: str


class ViewNotWritable(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Cannot write to {view}: it is a view, and views are read-only."
    view: str
