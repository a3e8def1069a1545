"""What the rows that are there, or not there, refuse."""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError


class RowAlreadyExists(SpannerError):
    """An insert meets a row with its key."""

    code = Code.ALREADY_EXISTS
    prose = "Table {table}: Row {key} already exists."
    table: str
    key: str


class RowInsertedTwice(SpannerError):
    """One DML statement inserts the same key twice."""

    code = Code.INVALID_ARGUMENT
    prose = "Table {table}: Row {key} is inserted twice in the same transaction."
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
