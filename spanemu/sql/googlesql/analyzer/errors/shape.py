"""Errors for misused clauses, grouping, set operations, hints and limits."""

from __future__ import annotations

from spanemu.base.errors import Code
from spanemu.sql.errors import AnalysisError


class BadQuery(AnalysisError):
    prose = "{problem}"
    problem: str


class MismatchedColumnCount(AnalysisError):
    prose = (
        "Queries in {operation} have mismatched column count; "
        "query 1 has {first}, query {number} has {other}"
    )
    operation: str
    number: int
    first: str  # "1 column", "value table with 1 column"
    other: str


class TooManySubqueryColumns(AnalysisError):
    prose = "{problem}"
    problem: str


class UsingColumnMissing(AnalysisError):
    prose = "Column {name} in USING clause not found on {side} side of join"
    name: str
    side: str


class UsingColumnAmbiguous(AnalysisError):
    prose = "Column {name} in USING clause is ambiguous on {side} side of join"
    name: str
    side: str


class UsingColumnsDiffer(AnalysisError):
    prose = (
        "Column '{name}' in USING has incompatible types that cannot be directly compared using "
        "equality on either side of the join: {left} and {right}"
    )
    name: str
    left: str
    right: str


class BadCollation(AnalysisError, code=Code.OUT_OF_RANGE):
    prose = "COLLATE has invalid collation name '{name}'"
    name: str


class NeitherGroupedNorAggregated(AnalysisError):
    prose = "{clause} references {column} which is neither grouped nor aggregated"
    clause: str
    column: str


class NotVisibleAfterDistinct(AnalysisError):
    prose = (
        "ORDER BY clause expression references {column} which is not visible after SELECT DISTINCT"
    )
    column: str


class AggregateNotAllowed(AnalysisError):
    prose = "Aggregate function {function} not allowed in {clause}"
    function: str
    clause: str


class NestedAggregate(AnalysisError):
    prose = "Aggregations of aggregations are not allowed"


class BadGrouping(AnalysisError):
    prose = "{problem}"
    problem: str


class OrdinalOutOfRange(AnalysisError):
    prose = "{clause} is out of SELECT column number range: {number}"
    clause: str
    number: int


class OrdinalTooSmall(AnalysisError):
    prose = (
        "ORDER BY column number item is out of range. Column numbers must be greater than or "
        "equal to one. Found : {number}"
    )
    number: int


class NotGroupable(AnalysisError):
    prose = "{problem}"
    problem: str
    type: str


class NotOrderable(AnalysisError):
    prose = "{clause} does not support expressions of type {type}"
    clause: str
    type: str
