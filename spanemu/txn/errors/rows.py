"""Errors that depend on rows that exist, or do not exist."""

from __future__ import annotations

from spanemu.base.errors import Code, Detail, ErrorInfo, SpannerError
from spanemu.schema.dialect import POSTGRESQL, DatabaseDialect


class RowAlreadyExists(SpannerError, code=Code.ALREADY_EXISTS):
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


class RowInsertedTwice(SpannerError, code=Code.INVALID_ARGUMENT):
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


class ParentRowMissing(SpannerError, code=Code.NOT_FOUND):
    prose = (
        "Parent row {parent_key} is missing: Insert failed because key was not found in parent "
        "table {parent} for the row {key} of {child}."
    )
    parent: str
    parent_key: str
    child: str
    key: str


class ParentInsertedLater(SpannerError, code=Code.INVALID_ARGUMENT):
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


class ChildRowsExist(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = (
        "Integrity constraint violation during DELETE/REPLACE of row {key} of {parent}: Delete "
        "failed because one or more keys exist within the child table {child}: {child_key}."
    )
    parent: str
    key: str
    child: str
    child_key: str


class UniqueViolation(SpannerError, code=Code.ALREADY_EXISTS):
    # The two blanks are those of Google's emulator: tests compare the text.
    prose = "UNIQUE violation on index {index},  duplicate key: {key} in this transaction."
    index: str
    key: str


class ForeignKeyViolation(SpannerError):
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


class CheckViolated(SpannerError, code=Code.OUT_OF_RANGE):
    prose = "Check constraint `{table}`.`{check}` is violated for key {key}"
    table: str
    check: str
    key: str
