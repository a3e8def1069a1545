"""Errors for misused clauses, grouping, set operations, hints and limits."""

from __future__ import annotations

from spanemu.base.errors import Code
from spanemu.sql.errors import TOO_MANY, AnalysisError


class BadQuery(AnalysisError):
    """A clause is misused; `problem` is the whole sentence."""

    prose = "{problem}"
    problem: str


class MismatchedColumnCount(AnalysisError):
    """The queries of a set operation differ in the number of columns."""

    prose = (
        "Queries in {operation} have mismatched column count; "
        "query 1 has {first}, query {number} has {other}"
    )
    operation: str
    number: int
    first: str  # "1 column", "value table with 1 column"
    other: str


class TooManySubqueryColumns(AnalysisError):
    """A subquery used as a value has more than one column."""

    prose = "{problem}"
    problem: str


class UsingColumnMissing(AnalysisError):
    """A column of USING is missing on one side of the join."""

    prose = "Column {name} in USING clause not found on {side} side of join"
    name: str
    side: str


class UsingColumnAmbiguous(AnalysisError):
    """A column of USING is ambiguous on one side of the join."""

    prose = "Column {name} in USING clause is ambiguous on {side} side of join"
    name: str
    side: str


class UsingColumnsDiffer(AnalysisError):
    """The two columns of a USING name have types that cannot be compared."""

    prose = (
        "Column '{name}' in USING has incompatible types that cannot be directly compared using "
        "equality on either side of the join: {left} and {right}"
    )
    name: str
    left: str
    right: str


class UnsupportedHint(AnalysisError):
    """A hint is unknown."""

    prose = "Unsupported hint: {name}."
    name: str


class MisplacedHint(AnalysisError):
    """A known hint is used on a target that it does not apply to."""

    prose = "{name} hint is only supported for {places}."
    name: str
    places: str


class InvalidHintValue(AnalysisError):
    """The value of a hint is invalid."""

    prose = "Invalid hint value for: {name} hint: {value}."
    name: str
    value: str


class DuplicateHint(AnalysisError):
    """A hint is repeated on one target."""

    prose = "Duplicate hint: {name}."
    name: str


class HintIndexNotFound(AnalysisError):
    """FORCE_INDEX names an index that the table does not have."""

    prose = "The table {table} does not have a secondary index called {index}."
    table: str
    index: str


class LimitExceeded(AnalysisError):
    """The statement exceeds one of Spanner's limits."""

    prose = TOO_MANY
    what: str
    limit: int


class NestedTooDeeply(AnalysisError):
    """Expressions are nested more deeply than the analyzer can recurse."""

    prose = "The statement is nested too deeply"


class BadCollation(AnalysisError):
    """COLLATE names an unknown collation."""

    code = Code.OUT_OF_RANGE
    prose = "COLLATE has invalid collation name '{name}'"
    name: str


class GeneratedColumnCycle(AnalysisError):
    """A generated column depends on itself; DDL refuses such a table."""

    code = Code.FAILED_PRECONDITION
    prose = "Cycle detected: generated column {table}.{column}"
    table: str
    column: str


class NeitherGroupedNorAggregated(AnalysisError):
    """An expression after GROUP BY uses a column that is not a grouping key."""

    prose = "{clause} references {column} which is neither grouped nor aggregated"
    clause: str
    column: str


class NotVisibleAfterDistinct(AnalysisError):
    """ORDER BY uses a column that SELECT DISTINCT does not output."""

    prose = (
        "ORDER BY clause expression references {column} which is not visible after SELECT DISTINCT"
    )
    column: str


class AggregateNotAllowed(AnalysisError):
    """An aggregate function is used in a clause that allows none."""

    prose = "Aggregate function {function} not allowed in {clause}"
    function: str
    clause: str


class NestedAggregate(AnalysisError):
    """An argument of an aggregate function contains another aggregate."""

    prose = "Aggregations of aggregations are not allowed"


class BadGrouping(AnalysisError):
    """GROUP BY or HAVING is misused; `problem` is the whole sentence."""

    prose = "{problem}"
    problem: str


class OrdinalOutOfRange(AnalysisError):
    """GROUP BY or ORDER BY uses a column number that the select list does not have."""

    prose = "{clause} is out of SELECT column number range: {number}"
    clause: str
    number: int


class OrdinalTooSmall(AnalysisError):
    """ORDER BY uses a column number below one."""

    prose = (
        "ORDER BY column number item is out of range. Column numbers must be greater than or "
        "equal to one. Found : {number}"
    )
    number: int


class NotGroupable(AnalysisError):
    """GROUP BY, DISTINCT or a set operation cannot compare values of the type."""

    prose = "{problem}"
    problem: str
    type: str


class NotOrderable(AnalysisError):
    """ORDER BY cannot sort values of the type."""

    prose = "{clause} does not support expressions of type {type}"
    clause: str
    type: str
