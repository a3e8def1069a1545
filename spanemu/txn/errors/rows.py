"""Errors that depend on rows that exist, or do not exist."""

from __future__ import annotations

from spanemu.base.errors import Code, Detail, ErrorInfo, SpannerError


class RowAlreadyExists(SpannerError):
    """An insert of a key that exists already."""

    code = Code.ALREADY_EXISTS
    prose = "Table {table}: Row {key} already exists."
    table: str
    key: str


class RowInsertedTwice(SpannerError):
    """A DML statement that inserts the same key twice."""

    code = Code.INVALID_ARGUMENT
    prose = "Table {table}: Row {key} is inserted twice in the same transaction."
    table: str
    key: str


class RowNotFound(SpannerError):
    """An update of a row that does not exist."""

    code = Code.NOT_FOUND
    prose = "Table {table}: Row {key} not found."
    table: str
    key: str


class UpdateAfterDelete(SpannerError):
    """A commit that deletes a row and then updates it."""

    code = Code.INVALID_ARGUMENT
    prose = "Table {table}: Row {key} was deleted and then updated in the same transaction."
    table: str
    key: str


class ParentRowMissing(SpannerError):
    """A child row without the parent row that it is interleaved in."""

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
    """A commit that inserts a child row before its parent row."""

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
    """A child row with a pending commit timestamp in its parent key, without a parent written."""

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
    """The deletion of a parent row that still has child rows."""

    code = Code.FAILED_PRECONDITION
    prose = (
        "Integrity constraint violation during DELETE/REPLACE of row {key} of {parent}: Delete "
        "failed because one or more keys exist within the child table {child}: {child_key}."
    )
    parent: str
    key: str
    child: str
    child_key: str


class UniqueViolation(SpannerError):
    """Two rows with the same key in a unique index."""

    code = Code.ALREADY_EXISTS
    # The two blanks are those of Google's emulator: tests compare the text.
    prose = "UNIQUE violation on index {index},  duplicate key: {key} in this transaction."
    index: str
    key: str


class ForeignKeyViolation(SpannerError):
    """A violated foreign key; the text is Spanner's, and a detail carries the facts."""

    def details(self) -> tuple[Detail, ...]:
        facts = tuple(self.facts().items())
        return (ErrorInfo("FOREIGN_KEY_VIOLATION", "spanner.googleapis.com", facts),)


class ReferencedKeyMissing(ForeignKeyViolation):
    """A foreign key value without a referenced row."""

    code = Code.FAILED_PRECONDITION
    prose = (
        "Foreign key constraint `{foreign_key}` is violated on table `{table}`. Cannot find "
        "referenced values in {referenced}({columns})."
    )
    foreign_key: str
    table: str
    referenced: str
    columns: str
    key: str


class StillReferenced(ForeignKeyViolation):
    """The deletion or change of a row that other rows refer to."""

    code = Code.FAILED_PRECONDITION
    prose = (
        "Foreign key constraint violation when deleting or updating referenced row(s): referencing "
        "row(s) found in table `{table}`."
    )
    foreign_key: str
    table: str
    referenced: str
    key: str


class WrittenAndDeleted(ForeignKeyViolation):
    """A batch that writes and deletes a row that an ON DELETE CASCADE foreign key refers to."""

    code = Code.FAILED_PRECONDITION
    prose = (
        "Cannot write a value for the referenced column `{table}.{column}` and delete it in the "
        "same transaction."
    )
    table: str
    column: str
    key: str
    foreign_key: str


class CheckViolated(SpannerError):
    """A row for which a CHECK constraint is FALSE."""

    code = Code.OUT_OF_RANGE
    prose = "Check constraint `{table}`.`{check}` is violated for key {key}"
    table: str
    check: str
    key: str
