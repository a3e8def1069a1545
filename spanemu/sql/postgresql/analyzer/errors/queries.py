"""Errors for misused clauses, grouping, set operations and tables of FROM."""

from __future__ import annotations

from spanemu.base.errors import Code
from spanemu.sql.errors import AnalysisError


class BadQuery(AnalysisError):
    """A clause is misused in a way that PostgreSQL calls an error."""

    prose = "[ERROR] {problem}"
    problem: str


class RefusedQuery(AnalysisError):
    """Spanner refuses the query as invalid, although it is valid in PostgreSQL."""

    prose = "{problem}"
    problem: str


class UnsupportedQuery(AnalysisError, code=Code.UNIMPLEMENTED):
    """Spanner does not implement a feature of PostgreSQL."""

    prose = "{feature} not supported"
    feature: str  # "WITH expressions in subqueries are"


class NotGrouped(AnalysisError):
    prose = (
        '[ERROR] column "{column}" must appear in the GROUP BY clause or be used in an aggregate '
        "function"
    )
    column: str


class OrdinalOutOfRange(AnalysisError):
    prose = "[ERROR] {clause} position {number} is not in select list"
    clause: str
    number: int


class NotAnOrdinal(AnalysisError):
    prose = "[ERROR] non-integer constant in {clause}"
    clause: str


class UnsupportedKeyType(AnalysisError, code=Code.UNIMPLEMENTED):
    prose = "Queries containing a {clause} clause on column with Type {type} are not supported"
    clause: str
    type: str


class UnsupportedDistinctType(AnalysisError, code=Code.UNIMPLEMENTED):
    prose = "Column {column} of type {type} cannot be used in SELECT DISTINCT"
    column: str
    type: str


class NotInSelectList(AnalysisError):
    prose = "[ERROR] for SELECT DISTINCT, ORDER BY expressions must appear in select list"


class SetOperationWidths(AnalysisError):
    prose = "[ERROR] each {operation} query must have the same number of columns"
    operation: str


class SetOperationTypes(AnalysisError, code=Code.UNIMPLEMENTED):
    prose = "Set operations with mismatched input types are not supported"


class OrderOfSetOperation(AnalysisError, code=Code.UNIMPLEMENTED):
    prose = (
        "[ERROR] invalid UNION/INTERSECT/EXCEPT ORDER BY clause\n"
        "Detail: Only result column names can be used, not expressions or functions.\n"
        "Hint: Add the expression/function to every SELECT, or move the UNION into a FROM clause."
    )


class SubqueryWithoutAlias(AnalysisError):
    prose = (
        "[ERROR] subquery in FROM must have an alias\n"
        "Hint: For example, FROM (SELECT ...) [AS] foo."
    )


class NotLateral(AnalysisError):
    prose = (
        '[ERROR] invalid reference to FROM-clause entry for table "{name}"\n'
        "Detail: The combining JOIN type must be INNER or LEFT for a LATERAL reference."
    )
    name: str


class NoOutputColumns(AnalysisError):
    prose = "Statement must produce at least one output column"


class WrongExpressionType(AnalysisError):
    """A default, a generated column or a check has a type that does not convert to its column's."""

    prose = "Expected type {wanted}; found {type}"
    type: str
    wanted: str
