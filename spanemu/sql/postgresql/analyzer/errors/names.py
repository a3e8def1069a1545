"""Errors for parameters, and for names that are unknown, ambiguous, duplicate or not visible."""

from __future__ import annotations

from spanemu.base.errors import Code
from spanemu.sql.errors import AnalysisError


class RelationNotFound(AnalysisError, code=Code.NOT_FOUND):
    prose = '[ERROR] relation "{name}" does not exist'
    name: str


class UndefinedColumn(AnalysisError):
    """`name` is quoted if it is not qualified: "x", t.x."""

    prose = "[ERROR] column {name} does not exist"
    name: str


class UndefinedUsingColumn(AnalysisError):
    prose = '[ERROR] column "{name}" specified in USING clause does not exist in {side} table'
    name: str
    side: str


class AmbiguousColumn(AnalysisError):
    prose = '[ERROR] column reference "{name}" is ambiguous'
    name: str


class AmbiguousUsingColumn(AnalysisError):
    prose = '[ERROR] common column name "{name}" appears more than once in {side} table'
    name: str
    side: str


class RepeatedUsingColumn(AnalysisError):
    prose = '[ERROR] column name "{name}" appears more than once in USING clause'
    name: str


class AmbiguousTable(AnalysisError):
    prose = '[ERROR] table reference "{name}" is ambiguous'
    name: str


class AmbiguousOutputName(AnalysisError):
    prose = '[ERROR] {clause} "{name}" is ambiguous'
    clause: str
    name: str


class MissingFromEntry(AnalysisError, code=Code.NOT_FOUND):
    prose = '[ERROR] missing FROM-clause entry for table "{name}"'
    name: str


class TableNotVisible(AnalysisError, code=Code.NOT_FOUND):
    """The table is in FROM, but this part of the query cannot refer to it."""

    prose = (
        '[ERROR] invalid reference to FROM-clause entry for table "{name}"\n'
        'Hint: There is an entry for table "{name}", but it cannot be referenced from this part '
        "of the query."
    )
    name: str


class DuplicateTable(AnalysisError):
    prose = '[ERROR] table name "{name}" specified more than once'
    name: str


class DuplicateCommonTable(AnalysisError):
    prose = '[ERROR] WITH query name "{name}" specified more than once'
    name: str


class TooManyColumnAliases(AnalysisError):
    prose = (
        '[ERROR] table "{table}" has {available} columns available but {given} columns specified'
    )
    table: str
    available: int
    given: int


class UndefinedParameter(AnalysisError):
    prose = "[ERROR] there is no parameter ${number}"
    number: int


class ParameterTypesDiffer(AnalysisError):
    prose = "[ERROR] inconsistent types deduced for parameter ${number}: {first} versus {second}"
    number: str
    first: str
    second: str


class ForeignParameterType(AnalysisError, code=Code.UNIMPLEMENTED):
    prose = "Unsupported ZetaSQL Type: {type}"
    type: str


class ProcedureNotFound(AnalysisError, code=Code.NOT_FOUND):
    prose = "[ERROR] procedure {name} with {count} arguments does not exist"
    name: str
    count: int
