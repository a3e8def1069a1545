"""Errors for DML statements."""

from __future__ import annotations

from spanemu.base.errors import Code
from spanemu.sql.errors import AnalysisError


class WrongRowWidth(AnalysisError):
    prose = "Inserted row has wrong column count; Has {given}, expected {wanted}"
    given: int
    wanted: int


class DuplicateInsertColumn(AnalysisError):
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
    prose = "UPDATE ... SET does not support modifying a field of type {type}"
    type: str


class CannotAssign(AnalysisError):
    prose = "Value of type {type} cannot be assigned to {column}, which has type {wanted}"
    type: str
    column: str
    wanted: str


class AssignedTwice(AnalysisError):
    prose = "Update item {column} assigned more than once"
    column: str


class AssignmentsOverlap(AnalysisError):
    prose = "Update item {item} overlaps with {other}"
    item: str
    other: str


class NotWritable(AnalysisError):
    prose = "Cannot {operation} value on non-writable column: {column}"
    operation: str  # "INSERT" or "UPDATE"
    column: str


class KeyNotAssignable(AnalysisError):
    prose = "Cannot UPDATE value on primary key column: {column}"
    column: str


class BadWrite(AnalysisError):
    prose = "{problem}"
    problem: str


class PendingCommitTimestampMisplaced(AnalysisError):
    prose = (
        "The PENDING_COMMIT_TIMESTAMP() function may only be used as a value for INSERT or UPDATE "
        "of an appropriately typed column."
    )


class NoConflictTarget(AnalysisError, code=Code.FAILED_PRECONDITION):
    prose = "There is no unique constraint matching the ON CONFLICT specification on table {table}."
    table: str
