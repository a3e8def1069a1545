"""The catalog of the functions of GoogleSQL for Spanner, by name.

This module alone lists the chapter modules. `CATALOG.scalars` and `CATALOG.aggregates` hold the
implemented functions under each name and alias in upper case. `CATALOG.unsupported` maps the
functions that Spanner has and spanemu does not implement to their chapters, and `CATALOG.foreign`
those that GoogleSQL has and Spanner refuses to their signatures.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import replace
from functools import cache

from spanemu.base.limits import DEFAULT_LIMITS, Limits
from spanemu.sql.functions.chapters import ChapterSearch, Found
from spanemu.sql.functions.registry import Catalog
from spanemu.sql.token_cursor import Bounds

# The modules of `sql.functions` with a table FUNCTIONS, or AGGREGATES, in the order in which a name
# is searched for: those of the most common functions, and those that import little, come first.
CHAPTERS = (
    "comparison_operators",
    "aggregates.aggregate",
    "operators",
    "conditional",
    "array",
    "numbers.bit",
    "time.date",
    "time.interval",
    "time.timestamp",
    "numbers.mathematical",
    "text.string",
    "json.functions",
    "utility",
    "hash",
    "compression",
    "numbers.vector",
    "text.net",
    "aggregates.statistical_aggregate",
    "graph.functions",
    "remote_calls",
    "search.functions",
)

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


_SEARCH = ChapterSearch(CHAPTERS)
CATALOG = Catalog(
    Found(_SEARCH, _SEARCH.functions),
    Found(_SEARCH, _SEARCH.aggregates),
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
