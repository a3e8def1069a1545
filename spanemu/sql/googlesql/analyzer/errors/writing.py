"""Errors for DML statements."""

from __future__ import annotations

from spanemu.base.errors import Code
from spanemu.sql.errors import AnalysisError


class WrongRowWidth(AnalysisError):
    """A row of INSERT has too many or too few values."""

    prose = "Inserted row has wrong column count; Has {given}, expected {wanted}"
    given: int
    wanted: int


class DuplicateInsertColumn(AnalysisError):
    """INSERT lists a column twice."""

    prose = "INSERT has columns with duplicate name: {column}"
    column: str


class ValueDoesNotFit(AnalysisError):
    """A value of INSERT does not convert to its column's type.

    `what` is "Value" or "Query column 2".
    """

    prose = "{what} has type {type} which cannot be inserted into column {column}, which has type {wanted}"  # noqa: E501
    what: str
    type: str
    column: str
    wanted: str


class CannotAssignField(AnalysisError):
    """SET assigns a field of a type whose fields cannot be assigned, such as STRUCT."""

    prose = "UPDATE ... SET does not support modifying a field of type {type}"
    type: str


class CannotAssign(AnalysisError):
    """A value of SET does not convert to its column's type."""

    prose = "Value of type {type} cannot be assigned to {column}, which has type {wanted}"
    type: str
    column: str
    wanted: str


class AssignedTwice(AnalysisError):
    """SET names a column twice."""

    prose = "Update item {column} assigned more than once"
    column: str


class AssignmentsOverlap(AnalysisError):
    """SET assigns both a value and a part of the value."""

    prose = "Update item {item} overlaps with {other}"
    item: str
    other: str


class NotWritable(AnalysisError):
    """A statement writes a value to a generated column."""

    prose = "Cannot {operation} value on non-writable column: {column}"
    operation: str  # "INSERT" or "UPDATE"
    column: str


class KeyNotAssignable(AnalysisError):
    """UPDATE assigns a column of the primary key."""

    prose = "Cannot UPDATE value on primary key column: {column}"
    column: str


class BadWrite(AnalysisError):
    """A DML clause is misused; `problem` is the whole sentence."""

    prose = "{problem}"
    problem: str


class PendingCommitTimestampMisplaced(AnalysisError):
    """PENDING_COMMIT_TIMESTAMP() is used as anything but the value of a column."""

    prose = (
        "The PENDING_COMMIT_TIMESTAMP() function may only be used as a value for INSERT or UPDATE "
        "of an appropriately typed column."
    )


class PendingCommitTimestampInSomeRows(AnalysisError):
    """Some rows of VALUES set a column to PENDING_COMMIT_TIMESTAMP(), others do not."""

    prose = (
        "Invalid use of PENDING_COMMIT_TIMESTAMP() in column {column}: it must be used in all "
        "rows or in none."
    )
    column: str


class PendingCommitTimestampReturned(AnalysisError):
    """THEN RETURN uses a column whose value is unknown before the commit."""

    prose = (
        "Invalid use of PENDING_COMMIT_TIMESTAMP(): column {column} is not readable and cannot "
        "be returned by THEN RETURN."
    )
    column: str


class CommitTimestampNotAllowed(AnalysisError):
    """The column does not take commit timestamps."""

    code = Code.FAILED_PRECONDITION
    prose = (
        "Cannot write commit timestamp because the allow_commit_timestamp column option is not "
        "set to true for column {column} in table {table}."
    )
    column: str
    table: str


class NoConflictTarget(AnalysisError):
    """ON CONFLICT names columns that are neither the primary key nor a unique index's key."""

    code = Code.FAILED_PRECONDITION
    prose = "There is no unique constraint matching the ON CONFLICT specification on table {table}."
    table: str
