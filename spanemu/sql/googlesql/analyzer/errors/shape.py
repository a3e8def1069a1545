"""Queries whose parts do not fit together; hints; limits."""

from __future__ import annotations

from spanemu.base.errors import Code
from spanemu.sql.errors import TOO_MANY, AnalysisError


class BadQuery(AnalysisError):
    """A clause is used wrongly; `problem` is the whole sentence."""

    prose = "{problem}"
    problem: str


class MismatchedColumnCount(AnalysisError):
    """Queries of a set operation differ in width."""

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
    """A column of USING is there twice on one side of the join."""

    prose = "Column {name} in USING clause is ambiguous on {side} side of join"
    name: str
    side: str


class UsingColumnsDiffer(AnalysisError):
    """The columns of USING do not compare."""

    prose = (
        "Column '{name}' in USING has incompatible types that cannot be directly compared using "
        "equality on either side of the join: {left} and {right}"
    )
    name: str
    left: str
    right: str


class UnsupportedHint(AnalysisError):
    """No such hint."""

    prose = "Unsupported hint: {name}."
    name: str


class MisplacedHint(AnalysisError):
    """A hint that exists, in a place where it means nothing."""

    prose = "{name} hint is only supported for {places}."
    name: str
    places: str


class InvalidHintValue(AnalysisError):
    """A hint does not take that value."""

    prose = "Invalid hint value for: {name} hint: {value}."
    name: str
    value: str


class DuplicateHint(AnalysisError):
    """A hint given twice in one place."""

    prose = "Duplicate hint: {name}."
    name: str


class HintIndexNotFound(AnalysisError):
    """FORCE_INDEX names an index that the table does not have."""

    prose = "The table {table} does not have a secondary index called {index}."
    table: str
    index: str


class LimitExceeded(AnalysisError):
    """The statement is larger than Spanner takes."""

    prose = TOO_MANY
    what: str
    limit: int


class NestedTooDeeply(AnalysisError):
    """Expressions inside expressions, beyond what can be followed."""

    prose = "The statement is nested too deeply"


class BadCollation(AnalysisError):
    """COLLATE with a name that is no collation."""

    code = Code.OUT_OF_RANGE
    prose = "COLLATE has invalid collation name '{name}'"
    name: str


class GeneratedColumnCycle(AnalysisError):
    """A generated column that depends on itself; DDL refuses such a table."""

    code = Code.FAILED_PRECONDITION
    prose = "Cycle detected: generated column {table}.{column}"
    table: str
    column: str


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
