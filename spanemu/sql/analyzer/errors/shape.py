"""Queries whose parts do not fit together; hints; limits."""

from __future__ import annotations

from dataclasses import dataclass

from spanemu.sql.analyzer.errors.base import AnalysisError


@dataclass(eq=False)
class BadQuery(AnalysisError):
    """A clause is used wrongly; `problem` is the whole sentence."""

    prose = "{problem}"
    problem: str


@dataclass(eq=False)
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


@dataclass(eq=False)
class TooManySubqueryColumns(AnalysisError):
    """A subquery used as a value has more than one column."""

    prose = "{problem}"
    problem: str


@dataclass(eq=False)
class UsingColumnMissing(AnalysisError):
    """A column of USING is missing on one side of the join."""

    prose = "Column {name} in USING clause not found on {side} side of join"
    name: str
    side: str


@dataclass(eq=False)
class UsingColumnAmbiguous(AnalysisError):
    """A column of USING is there twice on one side of the join."""

    prose = "Column {name} in USING clause is ambiguous on {side} side of join"
    name: str
    side: str


@dataclass(eq=False)
class UsingColumnsDiffer(AnalysisError):
    """The columns of USING do not compare."""

    prose = (
        "Column '{name}' in USING has incompatible types that cannot be directly compared using "
        "equality on either side of the join: {left} and {right}"
    )
    name: str
    left: str
    right: str


@dataclass(eq=False)
class UnsupportedHint(AnalysisError):
    """No such hint."""

    prose = "Unsupported hint: {name}."
    name: str


@dataclass(eq=False)
class MisplacedHint(AnalysisError):
    """A hint that exists, in a place where it means nothing."""

    prose = "{name} hint is only supported for {places}."
    name: str
    places: str


@dataclass(eq=False)
class InvalidHintValue(AnalysisError):
    """A hint does not take that value."""

    prose = "Invalid hint value for: {name} hint: {value}."
    name: str
    value: str


@dataclass(eq=False)
class DuplicateHint(AnalysisError):
    """A hint given twice in one place."""

    prose = "Duplicate hint: {name}."
    name: str


@dataclass(eq=False)
class HintIndexNotFound(AnalysisError):
    """FORCE_INDEX names an index that the table does not have."""

    prose = "The table {table} does not have a secondary index called {index}."
    table: str
    index: str


@dataclass(eq=False)
class LimitExceeded(AnalysisError):
    """The statement is larger than Spanner takes."""

    prose = "Number of {what} exceeds the maximum allowed limit of {limit}."
    what: str
    limit: int


@dataclass(eq=False)
class NestedTooDeeply(AnalysisError):
    """Expressions inside expressions, beyond what can be followed."""

    prose = "The statement is nested too deeply"
