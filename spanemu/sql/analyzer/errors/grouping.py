"""Aggregates, and columns beside them, in places where they mean nothing."""

from __future__ import annotations

from spanemu.sql.analyzer.errors.base import AnalysisError


class NeitherGroupedNorAggregated(AnalysisError):
    """A column of the input is used after grouping."""

    prose = "{clause} references {column} which is neither grouped nor aggregated"
    clause: str
    column: str


class NotVisibleAfterDistinct(AnalysisError):
    """ORDER BY uses a column that SELECT DISTINCT has dropped."""

    prose = (
        "ORDER BY clause expression references {column} which is not visible after SELECT DISTINCT"
    )
    column: str


class AggregateNotAllowed(AnalysisError):
    """An aggregate function where there is nothing to aggregate."""

    prose = "Aggregate function {function} not allowed in {clause}"
    function: str
    clause: str


class NestedAggregate(AnalysisError):
    """An aggregate of an aggregate."""

    prose = "Aggregations of aggregations are not allowed"


class BadGrouping(AnalysisError):
    """GROUP BY or HAVING is used wrongly; `problem` is the whole sentence."""

    prose = "{problem}"
    problem: str


class OrdinalOutOfRange(AnalysisError):
    """GROUP BY or ORDER BY a column number that the select list does not have."""

    prose = "{clause} is out of SELECT column number range: {number}"
    clause: str
    number: int


class OrdinalTooSmall(AnalysisError):
    """ORDER BY a column number below one."""

    prose = (
        "ORDER BY column number item is out of range. Column numbers must be greater than or "
        "equal to one. Found : {number}"
    )
    number: int


class NotGroupable(AnalysisError):
    """A type that GROUP BY, DISTINCT or a set operation cannot compare."""

    prose = "{problem}"
    problem: str
    type: str


class NotOrderable(AnalysisError):
    """A type that ORDER BY cannot sort."""

    prose = "{clause} does not support expressions of type {type}"
    clause: str
    type: str
