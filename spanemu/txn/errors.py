"""Errors of reads, writes and commits.

First the errors in names, keys and columns of a request, and those of a transaction's lifecycle;
then the errors that depend on existing rows, with unique indexes, foreign keys and CHECK
constraints. `value_errors` has those of column values. Codes follow the reference's table of
constraints; texts keep the fragments that clients match.
"""

from __future__ import annotations

from spanemu.base.clock import NANOS_PER_MILLI
from spanemu.base.errors import Code, Detail, ErrorInfo, HelpLink, RetryInfo, SpannerError
from spanemu.base.sql_states import SqlState
from spanemu.schema.dialect import POSTGRESQL, DatabaseDialect

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
    prose = "Could not parse the provided key value {shown} as {type_text} for {target}{because}"
    shown: str
    type_text: str
    target: str
    because: str


class BadCellValue(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Could not parse {shown} as {type_text} for column {column} of {table}{because}"
    shown: str
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


class TooManyMutations(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.PROGRAM_LIMIT_EXCEEDED
):
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


class StatementOverMutationLimit(TooManyMutations):
    """A DML statement that alone has too many mutations; `count` is the number so far."""

    prose = (
        "The transaction contains too many mutations. Insert and update operations count with "
        "the multiplicity of the number of columns they affect. The first rows of the statement "
        "have {count}; the limit is {limit}."
    )


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


class ViewNotWritable(
    SpannerError, code=Code.FAILED_PRECONDITION, sql_state=SqlState.WRONG_OBJECT_TYPE
):
    prose = "Cannot write to {view}: it is a view, and views are read-only."
    view: str


class RowAlreadyExists(SpannerError, code=Code.ALREADY_EXISTS, sql_state=SqlState.UNIQUE_VIOLATION):
    # The words of Google's emulator, in which clients such as SpiceDB find the key.
    prose = "Table {table}: Row {key} already exists."
    table: str
    key: str


class PostgreSqlRowAlreadyExists(RowAlreadyExists):
    # The words of Spanner, by which PGAdapter knows a unique violation.
    prose = "Row {key} in table {table} already exists."


def row_already_exists(table: str, key: str, dialect: DatabaseDialect) -> RowAlreadyExists:
    """Return the error for an existing row, in the words that clients of the dialect parse."""
    kind = PostgreSqlRowAlreadyExists if dialect is POSTGRESQL else RowAlreadyExists
    return kind(table, key)


class RowInsertedTwice(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.UNIQUE_VIOLATION
):
    prose = "Table {table}: Row {key} is inserted twice in the same transaction."
    table: str
    key: str


class RowNotFound(SpannerError, code=Code.NOT_FOUND):
    prose = "Table {table}: Row {key} not found."
    table: str
    key: str


class MessageNotFound(SpannerError, code=Code.NOT_FOUND):
    prose = "Message not found in queue {queue}: {key}."
    queue: str
    key: str


class UpdateAfterDelete(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Table {table}: Row {key} was deleted and then updated in the same transaction."
    table: str
    key: str


class ParentRowMissing(SpannerError, code=Code.NOT_FOUND, sql_state=SqlState.FOREIGN_KEY_VIOLATION):
    prose = (
        "Parent row {parent_key} is missing: Insert failed because key was not found in parent "
        "table {parent} for the row {key} of {child}."
    )
    parent: str
    parent_key: str
    child: str
    key: str


class ParentInsertedLater(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.FOREIGN_KEY_VIOLATION
):
    prose = (
        "Row {key} of {child} is inserted before its parent row {parent_key} of {parent} in the "
        "same transaction; put the parent first."
    )
    parent: str
    parent_key: str
    child: str
    key: str


class PendingParentMissing(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        "Row {key} of {child} has the commit timestamp in the key it shares with its parent row "
        "{parent_key}, which the same transaction does not insert into {parent} before it."
    )
    parent: str
    parent_key: str
    child: str
    key: str


class ChildRowsExist(
    SpannerError, code=Code.FAILED_PRECONDITION, sql_state=SqlState.FOREIGN_KEY_VIOLATION
):
    prose = (
        "Integrity constraint violation during DELETE/REPLACE of row {key} of {parent}: Delete "
        "failed because one or more keys exist within the child table {child}: {child_key}."
    )
    parent: str
    key: str
    child: str
    child_key: str


class UniqueViolation(SpannerError, code=Code.ALREADY_EXISTS, sql_state=SqlState.UNIQUE_VIOLATION):
    # The two blanks are those of Google's emulator: tests compare the text.
    prose = "UNIQUE violation on index {index},  duplicate key: {key} in this transaction."
    index: str
    key: str


class ForeignKeyViolation(SpannerError, sql_state=SqlState.FOREIGN_KEY_VIOLATION):
    """A violated foreign key; the text is Spanner's, and a detail carries the facts."""

    def details(self) -> tuple[Detail, ...]:
        facts = tuple(self.facts().items())
        return (ErrorInfo("FOREIGN_KEY_VIOLATION", "spanner.googleapis.com", facts),)


class ReferencedKeyMissing(ForeignKeyViolation, code=Code.FAILED_PRECONDITION):
    prose = (
        "Foreign key constraint `{foreign_key}` is violated on table `{table}`. Cannot find "
        "referenced values in {referenced}({columns})."
    )
    foreign_key: str
    table: str
    referenced: str
    columns: str
    key: str


class StillReferenced(ForeignKeyViolation, code=Code.FAILED_PRECONDITION):
    prose = (
        "Foreign key constraint violation when deleting or updating referenced row(s): referencing "
        "row(s) found in table `{table}`."
    )
    foreign_key: str
    table: str
    referenced: str
    key: str


class WrittenAndDeleted(ForeignKeyViolation, code=Code.FAILED_PRECONDITION):
    prose = (
        "Cannot write a value for the referenced column `{table}.{column}` and delete it in the "
        "same transaction."
    )
    table: str
    column: str
    key: str
    foreign_key: str


class CheckViolated(SpannerError, code=Code.OUT_OF_RANGE, sql_state=SqlState.CHECK_VIOLATION):
    prose = "Check constraint `{table}`.`{check}` is violated for key {key}"
    table: str
    check: str
    key: str
