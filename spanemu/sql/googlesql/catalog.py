"""The catalog of the functions of GoogleSQL for Spanner, by name.

This module alone lists the chapter modules. `CATALOG.scalars` and `CATALOG.aggregates` hold the
implemented functions under each name and alias in upper case. `CATALOG.unsupported` maps the
functions that Spanner has and spanemu does not implement to their chapters, and `CATALOG.foreign`
those that GoogleSQL has and Spanner refuses to their signatures.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import import_module
from threading import RLock
from typing import TypeVar

from spanemu.base.limits import DEFAULT_LIMITS, Limits
from spanemu.sql.functions.registry import AggregateFunction, Catalog, Function
from spanemu.sql.token_cursor import Bounds

F = TypeVar("F", bound=Function | AggregateFunction)

# The modules of `sql.functions` with a table FUNCTIONS, and those with a table AGGREGATES.
_SCALAR_CHAPTERS = (
    "comparison_operators",  # First, because a name is searched for in chapter after chapter.
    "operators",
    "array",
    "compression",
    "conditional",
    "graph.functions",
    "hash",
    "json.functions",
    "numbers.bit",
    "numbers.mathematical",
    "numbers.vector",
    "text.net",
    "text.string",
    "time.date",
    "time.interval",
    "time.timestamp",
    "utility",
    "remote_calls",
    "search.functions",  # Last, because it is rarely used.
)
_AGGREGATE_CHAPTERS = ("aggregates.aggregate", "aggregates.statistical_aggregate")

_UNSUPPORTED: Mapping[str, str] = {
    "PENDING_COMMIT_TIMESTAMP_INT64": "timestamp",
}  # fmt: skip


# Optional parameters stand in brackets.
_FOREIGN = (
    "APPROX_COUNT_DISTINCT(ANY)",
    "APPROX_QUANTILES(ANY, INT64)",
    "APPROX_TOP_COUNT(ANY, INT64)",
    "APPROX_TOP_SUM(ANY, INT64, INT64)",
    "ASCII(STRING)",
    "CHR(INT64)",
    "CORR(FLOAT64, FLOAT64)",
    "COT(FLOAT64)",
    "COTH(FLOAT64)",
    "COVAR_POP(FLOAT64, FLOAT64)",
    "COVAR_SAMP(FLOAT64, FLOAT64)",
    "CSC(FLOAT64)",
    "CSCH(FLOAT64)",
    "EDIT_DISTANCE(STRING, STRING, [INT64])",
    "ELEMENTWISE_AVG(ARRAY)",
    "ELEMENTWISE_SUM(ARRAY)",
    "GENERATE_TIMESTAMP_ARRAY(TIMESTAMP, TIMESTAMP, INTERVAL INT64 DATE_TIME_PART)",
    "IFERROR(ANY, ANY)",
    "ISERROR(ANY)",
    "JSON_EXTRACT(JSON, STRING)",
    "JSON_EXTRACT_ARRAY(JSON, [STRING])",
    "JSON_EXTRACT_SCALAR(JSON, [STRING])",
    "JSON_EXTRACT_STRING_ARRAY(JSON, [STRING])",
    "LEFT(STRING, INT64)",
    "NULLIFERROR(ANY)",
    "PARSE_NUMERIC(STRING)",
    "PERCENTILE_CONT(FLOAT64, FLOAT64)",
    "PERCENTILE_DISC(ANY, FLOAT64)",
    "RAND()",
    "RANGE_BUCKET(ANY, ARRAY)",
    "REGEXP_INSTR(STRING, STRING, [INT64], [INT64])",
    "RIGHT(STRING, INT64)",
    "SEC(FLOAT64)",
    "SECH(FLOAT64)",
    "SESSION_USER()",
    "STDDEV_POP(FLOAT64)",
    "TIMESTAMP_FROM_UNIX_MICROS(INT64)",
    "TIMESTAMP_FROM_UNIX_MILLIS(INT64)",
    "TIMESTAMP_FROM_UNIX_SECONDS(INT64)",
    "UNICODE(STRING)",
    "VAR_POP(FLOAT64)",
)


class _Chapters(Mapping[str, F]):
    """The functions of some chapters by name and by each alias.

    A lookup imports the chapters in order, up to the chapter of the function.
    """

    def __init__(self, table: str, chapters: Sequence[str]) -> None:
        self._table = table
        self._mutex = RLock()  # Guards the fields below.
        self._chapters = list(chapters)  # not imported yet
        self._functions: dict[str, F] = {}

    def _import_next(self) -> None:
        module = import_module(f"spanemu.sql.functions.{self._chapters[0]}")
        for function in getattr(module, self._table):
            self._functions.update(dict.fromkeys((function.name, *function.aliases), function))
        del self._chapters[0]

    def _all(self) -> dict[str, F]:
        with self._mutex:
            while self._chapters:
                self._import_next()
        return self._functions

    def __getitem__(self, name: str) -> F:
        function = self._functions.get(name)
        if function is None:
            with self._mutex:
                while name not in self._functions and self._chapters:
                    self._import_next()
                function = self._functions[name]
        return function

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())


CATALOG = Catalog(
    _Chapters[Function]("FUNCTIONS", _SCALAR_CHAPTERS),
    _Chapters[AggregateFunction]("AGGREGATES", _AGGREGATE_CHAPTERS),
    _UNSUPPORTED,
    {signature.partition("(")[0]: signature for signature in _FOREIGN},
)


class _CountedNames(Container[str]):
    """The functions whose calls Spanner limits in number.

    PENDING_COMMIT_TIMESTAMP() is the value of a column, so Spanner does not count it.
    """

    def __contains__(self, name: object) -> bool:
        is_known = name in CATALOG.scalars or name in CATALOG.aggregates
        return is_known and name != "PENDING_COMMIT_TIMESTAMP"


COUNTED_NAMES = _CountedNames()


def bounds_of(limits: Limits) -> Bounds:
    """Return the limits that the parser enforces."""
    return Bounds(limits, COUNTED_NAMES)


@cache
def ddl_bounds_of(limits: Limits) -> Bounds:
    """Return the limits that the parser of schema statements enforces.

    The analyzer holds the expressions of a schema to Spanner's limits, not to those of an emulator.
    """
    return bounds_of(replace(DEFAULT_LIMITS, columns_per_table=limits.columns_per_table))
