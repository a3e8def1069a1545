"""The catalog of the functions of GoogleSQL for Spanner, by name.

This module alone lists the chapter modules. `CATALOG.scalars` and `CATALOG.aggregates` hold the
implemented functions under each name and alias in upper case. `CATALOG.unsupported` maps the
functions that Spanner has and spanemu does not implement to their chapters.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from typing import TypeVar

from spanemu.base.limits import DEFAULT_LIMITS, Limits
from spanemu.sql.functions import (
    array,
    compression,
    conditional,
    introspection,
    operators,
    utility,
)
from spanemu.sql.functions import hash as hashes
from spanemu.sql.functions.aggregates import aggregate, statistical_aggregate
from spanemu.sql.functions.json import functions as json
from spanemu.sql.functions.numbers import bit, mathematical, vector
from spanemu.sql.functions.registry import AggregateFunction, Catalog, Function
from spanemu.sql.functions.text import net, search, string
from spanemu.sql.functions.time import date, interval, timestamp
from spanemu.sql.googlesql.syntax.bounds import Bounds

F = TypeVar("F", bound=Function | AggregateFunction)

_SCALARS: tuple[tuple[Function, ...], ...] = (
    array.FUNCTIONS,
    bit.FUNCTIONS,
    compression.FUNCTIONS,
    conditional.FUNCTIONS,
    date.FUNCTIONS,
    hashes.FUNCTIONS,
    interval.FUNCTIONS,
    introspection.FUNCTIONS,
    json.FUNCTIONS,
    mathematical.FUNCTIONS,
    net.FUNCTIONS,
    operators.FUNCTIONS,
    search.FUNCTIONS,
    string.FUNCTIONS,
    timestamp.FUNCTIONS,
    utility.FUNCTIONS,
    vector.FUNCTIONS,
)
_AGGREGATES: tuple[tuple[AggregateFunction, ...], ...] = (
    aggregate.AGGREGATES,
    statistical_aggregate.AGGREGATES,
)

_UNSUPPORTED: Mapping[str, str] = {
    "PENDING_COMMIT_TIMESTAMP_INT64": "timestamp",
    **dict.fromkeys(
        ("APPROX_COSINE_DISTANCE", "APPROX_DOT_PRODUCT", "APPROX_EUCLIDEAN_DISTANCE"), "vector"
    ),
    **dict.fromkeys(
        (
            "DEBUG_TOKENLIST", "SCORE", "SCORE_NGRAMS", "SEARCH", "SEARCH_NGRAMS",
            "SEARCH_SUBSTRING", "SNIPPET",
        ),
        "search",
    ),
    **dict.fromkeys(
        (
            "DESTINATION_NODE_ID", "EDGES", "ELEMENT_DEFINITION_NAME", "ELEMENT_ID", "IS_ACYCLIC",
            "IS_FIRST", "IS_SIMPLE", "IS_TRAIL", "LABELS", "NODES", "PATH", "PATH_FIRST",
            "PATH_LAST", "PATH_LENGTH", "PROPERTY_NAMES", "SOURCE_NODE_ID",
        ),
        "graph",
    ),
    **dict.fromkeys(("AI.CLASSIFY", "AI.IF", "AI.SCORE", "ML.PREDICT"), "machine learning"),
}  # fmt: skip


def by_name(tables: Iterable[Iterable[F]]) -> dict[str, F]:
    """Return the functions of `tables` keyed by name and by each alias."""
    functions: dict[str, F] = {}
    for table in tables:
        for function in table:
            functions |= dict.fromkeys((function.name, *function.aliases), function)
    return functions


CATALOG = Catalog(by_name(_SCALARS), by_name(_AGGREGATES), _UNSUPPORTED)

# The functions whose calls Spanner limits in number. PENDING_COMMIT_TIMESTAMP() is the value of a
# column, so Spanner does not count it.
COUNTED_NAMES = (CATALOG.scalars.keys() | CATALOG.aggregates.keys()) - {"PENDING_COMMIT_TIMESTAMP"}


def bounds_of(limits: Limits) -> Bounds:
    """Return the limits that the parser enforces."""
    return Bounds(limits, COUNTED_NAMES)


@cache
def ddl_bounds_of(limits: Limits) -> Bounds:
    """Return the limits that the parser of schema statements enforces.

    The analyzer holds the expressions of a schema to Spanner's limits, not to those of an emulator.
    """
    return bounds_of(replace(DEFAULT_LIMITS, columns_per_table=limits.columns_per_table))
