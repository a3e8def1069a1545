"""Errors for DML statements."""

from __future__ import annotations

from spanemu.base.errors import Code
from spanemu.sql.errors import AnalysisError


class ColumnOfRelation(AnalysisError):
    prose = '[ERROR] column "{column}" of relation "{table}" does not exist'
    column: str
    table: str


class ColumnTwice(AnalysisError):
    prose = '[ERROR] column "{column}" specified more than once'
    column: str


class AssignedTwice(AnalysisError):
    prose = '[ERROR] multiple assignments to same column "{column}"'
    column: str


class MoreValues(AnalysisError):
    prose = "[ERROR] INSERT has more expressions than target columns"


class MoreColumns(AnalysisError):
    prose = "[ERROR] INSERT has more target columns than expressions"


class UnequalLists(AnalysisError):
    prose = "[ERROR] VALUES lists must all be the same length"


class ValueDoesNotFit(AnalysisError):
    prose = (
        '[ERROR] column "{column}" is of type {wanted} but expression is of type {type}\n'
        "Hint: You will need to rewrite or cast the expression."
    )
    column: str
    wanted: str
    type: str


class NotADefault(AnalysisError):
    prose = '[ERROR] cannot insert a non-DEFAULT value into column "{column}"'
    column: str


class OnlyDefault(AnalysisError):
    prose = '[ERROR] column "{column}" can only be updated to DEFAULT'
    column: str


class KeyNotAssignable(AnalysisError):
    prose = "Cannot modify a primary key column with UPDATE: {column}"
    column: str


class ReadOnlyRelation(AnalysisError):
    prose = 'Table "{name}" is read-only: it cannot be written by DML.'
    name: str


class ArrayElementAssigned(AnalysisError):
    prose = "Assignment to array elements is not supported"


class ConflictWithoutTarget(AnalysisError):
    prose = "ON CONFLICT target must list all key columns"


class ConflictRefused(AnalysisError, code=Code.UNIMPLEMENTED):
    """ON CONFLICT is written in a way that Spanner does not implement."""

    prose = "{problem}"
    problem: str
