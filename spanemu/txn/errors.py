"""Failures of reads, writes and transactions.

    SpannerError
    ├── names        TableNotFound, ColumnNotFound, IndexNotFound, IndexOfOtherTable, ...
    ├── requests     WrongKeyParts, BadKeyValue, BadCellValue, DuplicateColumn, ...
    ├── rows         RowAlreadyExists, RowNotFound, ParentRowMissing, ChildRowsExist, ...
    ├── values       NullInNotNull, ValueTooLong, KeyTooLarge, FutureTimestamp, ...
    ├── constraints  UniqueViolation, ReferencedKeyMissing, StillReferenced, CheckViolated
    └── lifecycle    TransactionAborted, TransactionOver, ReadTooOld, ...

Codes follow the reference's table of constraints; words keep the fragments clients match.
"""

from __future__ import annotations

from typing import Any

from spanemu.base.clock import NANOS_PER_MILLI
from spanemu.base.errors import Code, Detail, RetryInfo, SpannerError

# ---------------------------------------------------------------------------- names


class TableNotFound(SpannerError):
    """A read or mutation names a table that does not exist."""

    code = Code.NOT_FOUND
    prose = "Table not found: {table}"
    table: str


class TableNotFoundAtTimestamp(SpannerError):
    """The table did not exist yet at the timestamp of the read."""

    code = Code.NOT_FOUND
    prose = "Table {table} is not found at timestamp {timestamp}."
    table: str
    timestamp: str


class ColumnNotFound(SpannerError):
    """A read or mutation names a column that its table does not have."""

    code = Code.NOT_FOUND
    prose = "Column not found in table {table}: {column}"
    table: str
    column: str


class ColumnNotInIndex(SpannerError):
    """An index read asks for a column that the index does not hold."""

    code = Code.NOT_FOUND
    prose = "Index {index} does not have a column named {column}."
    index: str
    column: str


class IndexNotFound(SpannerError):
    """A read names an index that does not exist."""

    code = Code.NOT_FOUND
    prose = "Index not found: no index {index!r} was found for table {table!r}."
    index: str
    table: str


class IndexNotReady(SpannerError):
    """An index is to be read as of a time when it was still being filled."""

    code = Code.FAILED_PRECONDITION
    prose = "The index {index} on table {table} is not ready: its rows are still being written."
    index: str
    table: str


class IndexOfOtherTable(SpannerError):
    """A read names an index of another table."""

    code = Code.FAILED_PRECONDITION
    prose = (
        "Index {index} is on table {index_table}, which does not match the given base table "
        "{table}."
    )
    index: str
    index_table: str
    table: str


class ViewNotReadable(SpannerError):
    """Views are reached by SQL only."""

    code = Code.NOT_FOUND
    prose = "Table not found: {view} is a view; read it with SQL."
    view: str


class ViewNotWritable(SpannerError):
    """A mutation writes to a view."""

    code = Code.FAILED_PRECONDITION
    prose = "Cannot write to {view}: it is a view, and views are read-only."
    view: str


# ---------------------------------------------------------------------------- requests


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
    prose = "Could not parse the provided key value {value!r} as {type_text} for {target}: {reason}"
    value: Any
    type_text: str
    target: str
    reason: str


class BadCellValue(SpannerError):
    """A mutation's value cannot be converted to the type of its column."""

    code = Code.FAILED_PRECONDITION
    prose = "Could not parse {value!r} as {type_text} for column {column} of {table}: {reason}"
    value: Any
    type_text: str
    table: str
    column: str
    reason: str


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


# ---------------------------------------------------------------------------- rows


class RowAlreadyExists(SpannerError):
    """An insert meets a row with its key."""

    code = Code.ALREADY_EXISTS
    prose = "Table {table}: Row {key} already exists."
    table: str
    key: str


class RowInsertedTwice(SpannerError):
    """One commit or statement inserts the same key twice."""

    code = Code.INVALID_ARGUMENT
    prose = "Table {table}: Row {key} is inserted twice in the same transaction."
    table: str
    key: str


class RowUpsertedTwice(SpannerError):
    """One INSERT OR UPDATE or DO UPDATE statement touches a row twice."""

    code = Code.INVALID_ARGUMENT
    prose = "Cannot affect a row second time for key {key} of table {table}."
    table: str
    key: str


class RowNotFound(SpannerError):
    """An update names a row that does not exist."""

    code = Code.NOT_FOUND
    prose = "Table {table}: Row {key} not found."
    table: str
    key: str


class UpdateAfterDelete(SpannerError):
    """One commit deletes a row and then updates it."""

    code = Code.INVALID_ARGUMENT
    prose = "Table {table}: Row {key} was deleted and then updated in the same transaction."
    table: str
    key: str


class ParentRowMissing(SpannerError):
    """A child row was written without the row it is interleaved under."""

    code = Code.NOT_FOUND
    prose = (
        "Parent row {parent_key} is missing: Insert failed because key was not found in parent "
        "table {parent} for the row {key} of {child}."
    )
    parent: str
    parent_key: str
    child: str
    key: str


class ParentInsertedLater(SpannerError):
    """A commit inserts a child row before the parent that it also inserts."""

    code = Code.INVALID_ARGUMENT
    prose = (
        "Row {key} of {child} is inserted before its parent row {parent_key} of {parent} in the "
        "same transaction; put the parent first."
    )
    parent: str
    parent_key: str
    child: str
    key: str


class PendingParentMissing(SpannerError):
    """A child row takes the commit timestamp in its parent's key, and no such parent is written."""

    code = Code.INVALID_ARGUMENT
    prose = (
        "Row {key} of {child} has the commit timestamp in the key it shares with its parent row "
        "{parent_key}, which the same transaction does not insert into {parent} before it."
    )
    parent: str
    parent_key: str
    child: str
    key: str


class ChildRowsExist(SpannerError):
    """A parent row cannot go while rows are interleaved under it."""

    code = Code.FAILED_PRECONDITION
    prose = (
        "Integrity constraint violation during DELETE/REPLACE of row {key} of {parent}: Delete "
        "failed because one or more keys exist within the child table {child}: {child_key}."
    )
    parent: str
    key: str
    child: str
    child_key: str


# ---------------------------------------------------------------------------- values


class NullInNotNull(SpannerError):
    """A NULL for a NOT NULL column."""

    code = Code.FAILED_PRECONDITION
    prose = "Cannot specify a null value for column: {table}.{column}"
    table: str
    column: str


class NotNullMissing(SpannerError):
    """An insert leaves out a NOT NULL column that has no default."""

    code = Code.FAILED_PRECONDITION
    prose = (
        "A new row in table {table} does not specify a non-null value for NOT NULL column: {column}"
    )
    table: str
    column: str


class KeyDefaultNeedsValue(SpannerError):
    """An update or delete leaves out a key column that has a default."""

    code = Code.FAILED_PRECONDITION
    prose = "Key column {column} of table {table} must have a specific value in an update."
    table: str
    column: str


class WriteToGenerated(SpannerError):
    """A write gives a value for a generated column."""

    code = Code.FAILED_PRECONDITION
    prose = "Cannot write into generated column {table}.{column}."
    table: str
    column: str


class GeneratedKeySupplied(SpannerError):
    """A write other than an update gives a value for a generated key column."""

    code = Code.INVALID_ARGUMENT
    prose = (
        "Value for generated primary key column {table}.{column} cannot be specified in "
        "operations except update operations."
    )
    table: str
    column: str


class GeneratedKeyUnknown(SpannerError):
    """The columns that a generated key column is computed from are not all given."""

    code = Code.FAILED_PRECONDITION
    prose = (
        "Generated primary key column {table}.{column} cannot be evaluated: it must be explicitly "
        "specified, or all columns it depends on."
    )
    table: str
    column: str


class GeneratedKeyChanged(SpannerError):
    """An update would change a generated key column."""

    code = Code.OUT_OF_RANGE
    prose = "The value of generated primary key column {table}.{column} cannot be modified."
    table: str
    column: str


class ValueTooLong(SpannerError):
    """A STRING or BYTES value exceeds its column's length."""

    code = Code.FAILED_PRECONDITION
    prose = (
        "New value exceeds the maximum size limit for this column in this database: "
        "{table}.{column}, size: {size}, limit: {limit}."
    )
    table: str
    column: str
    size: int
    limit: int


class CellTooLarge(SpannerError):
    """A single value exceeds what any cell can hold."""

    code = Code.INVALID_ARGUMENT
    prose = "Value of {table}.{column} has {size} bytes; a cell can hold at most {limit}."
    table: str
    column: str
    size: int
    limit: int


class KeyTooLarge(SpannerError):
    """A primary or index key exceeds 8 KiB."""

    code = Code.INVALID_ARGUMENT
    prose = "Number of bytes for key of {target}: {size} exceeds the maximum of {limit}."
    target: str
    size: int
    limit: int


class UnknownPlacement(SpannerError):
    """A row is to be placed where no placement is."""

    code = Code.INVALID_ARGUMENT
    prose = "Placement {placement!r} does not exist; it was given for {table}.{column}."
    placement: str
    table: str
    column: str


class VectorLengthMismatch(SpannerError):
    """An array does not have the length its column demands, or has a NULL element."""

    code = Code.INVALID_ARGUMENT
    prose = "Array of {table}.{column} must have exactly {expected} non-NULL elements, got {got}."
    table: str
    column: str
    expected: int
    got: str


class CommitTimestampNotAllowed(SpannerError):
    """The commit timestamp was asked for in a column that does not allow it."""

    code = Code.FAILED_PRECONDITION
    prose = (
        "Cannot write commit timestamp because the allow_commit_timestamp column option is not "
        "set to true for column {table}.{column}."
    )
    table: str
    column: str


class CommitTimestampHierarchyMismatch(SpannerError):
    """A shared key column allows commit timestamps in one table of the hierarchy only."""

    code = Code.FAILED_PRECONDITION
    prose = (
        "Cannot write commit timestamp because the allow_commit_timestamp column option is not "
        "set to true for column {column} of {table} in all tables of its hierarchy: not in {other}."
    )
    table: str
    column: str
    other: str


class FutureTimestamp(SpannerError):
    """A value later than now for a commit timestamp column."""

    code = Code.FAILED_PRECONDITION
    prose = "Cannot write timestamps in the future {value}, column {table}.{column}."
    value: str
    table: str
    column: str


class PendingTimestampRead(SpannerError):
    """A statement reads what still waits for its commit timestamp."""

    code = Code.INVALID_ARGUMENT
    prose = (
        "{target} has a pending CommitTimestamp: it cannot be read in the transaction that wrote "
        "it until that commits."
    )
    target: str


# ---------------------------------------------------------------------------- constraints


class UniqueViolation(SpannerError):
    """Two rows have the same key in a unique index."""

    code = Code.ALREADY_EXISTS
    prose = "UNIQUE violation on index {index}, duplicate key: {key} in this transaction."
    index: str
    key: str


class ReferencedKeyMissing(SpannerError):
    """A foreign key refers to a row that does not exist."""

    code = Code.FAILED_PRECONDITION
    prose = (
        "Foreign key {foreign_key} constraint violation on table {table}. Cannot find referenced "
        "key {key} in table {referenced}."
    )
    foreign_key: str
    table: str
    referenced: str
    key: str


class StillReferenced(SpannerError):
    """A referenced row goes or changes while rows refer to it."""

    code = Code.FAILED_PRECONDITION
    prose = (
        "Foreign key {foreign_key} constraint violation on table {referenced}. The referenced key "
        "{key} exists in the referencing table {table}."
    )
    foreign_key: str
    table: str
    referenced: str
    key: str


class WrittenAndDeleted(SpannerError):
    """One unit writes and deletes a row that an ON DELETE CASCADE foreign key refers to."""

    code = Code.FAILED_PRECONDITION
    prose = (
        "Cannot write and delete the row with key {key} of table {table} in one statement or "
        "commit: foreign key {foreign_key} refers to it with ON DELETE CASCADE."
    )
    table: str
    key: str
    foreign_key: str


class CheckViolated(SpannerError):
    """A CHECK constraint is FALSE for a row."""

    code = Code.OUT_OF_RANGE
    prose = "Check constraint `{table}`.`{check}` is violated for key {key}"
    table: str
    check: str
    key: str


# ---------------------------------------------------------------------------- lifecycle

RETRY_DELAY_NANOS = 1 * NANOS_PER_MILLI


class TransactionAborted(SpannerError):
    """The transaction lost to another one; the client runs it again."""

    code = Code.ABORTED
    prose = "Transaction was aborted. {reason}"
    reason: str

    def details(self) -> tuple[Detail, ...]:
        return (RetryInfo(RETRY_DELAY_NANOS),)


class TransactionOver(SpannerError):
    """Rows of a transaction that are still wanted after it has ended."""

    code = Code.FAILED_PRECONDITION
    prose = "The transaction is {state}: it cannot read or write any more."
    state: str


class ReadTooOld(SpannerError):
    """A read timestamp before what the database still keeps."""

    code = Code.FAILED_PRECONDITION
    prose = (
        "Read timestamp {timestamp} has exceeded the maximum timestamp staleness: the earliest "
        "readable timestamp is {earliest}."
    )
    timestamp: str
    earliest: str


class ReadTooFarAhead(SpannerError):
    """A read timestamp that will not come within the time a request may take."""

    code = Code.DEADLINE_EXCEEDED
    prose = "Read timestamp {timestamp} is more than 1 hour in future."
    timestamp: str
