"""The editions of instances, and the features of a schema that need a certain edition.

From the pages "Spanner editions overview" and "Spanner queues overview". An instance whose edition
is unspecified has every feature.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import IntEnum
from typing import Any

from spanemu.base.record import NamedTuple
from spanemu.schema.schema import Schema
from spanemu.values.types import TypeCode


class Edition(IntEnum):
    """The edition of an instance, by the number of the API's enumeration."""

    UNSPECIFIED = 0
    STANDARD = 1
    ENTERPRISE = 2
    ENTERPRISE_PLUS = 3

    def has(self, least: Edition) -> bool:
        """Return whether an instance of this edition has the features of the edition `least`."""
        return self is Edition.UNSPECIFIED or self >= least


class Feature(NamedTuple):
    """A feature, and the least edition that has the feature.

    A feature that `stays` does not keep an instance from a lower edition.
    """

    name: str
    least: Edition
    stays: bool = False


COLUMNAR_ENGINE = Feature("Columnar engine", Edition.ENTERPRISE)
FULL_TEXT_SEARCH = Feature("Full-text search", Edition.ENTERPRISE)
GEO_PARTITIONING = Feature("Geo-partitioning", Edition.ENTERPRISE_PLUS)
INCREMENTAL_BACKUPS = Feature("Incremental backups", Edition.ENTERPRISE)
LOCALITY_GROUPS = Feature("Locality groups", Edition.ENTERPRISE)
MANAGED_AUTOSCALER = Feature("Managed autoscaler", Edition.ENTERPRISE)
QUEUES = Feature("Queues", Edition.ENTERPRISE)
SPANNER_GRAPH = Feature("Spanner Graph", Edition.ENTERPRISE)
# To leave full-text search, it is enough to drop the search indexes.
TOKENIZATION = Feature("Full-text search", Edition.ENTERPRISE, stays=True)
VECTOR_SEARCH = Feature("Vector search", Edition.ENTERPRISE)

DISTANCE_FUNCTIONS = frozenset({"cosine_distance", "euclidean_distance", "dot_product"})
_CALL = rf"\b(approx_)?({'|'.join(sorted(DISTANCE_FUNCTIONS))})\s*\("


def may_compute_distances(sql: str) -> bool:
    """Return whether a text contains the name of a distance function."""
    lowered = sql.lower()
    return any(name in lowered for name in DISTANCE_FUNCTIONS)


def features_of(schema: Schema) -> Iterator[Feature]:
    """Yield each feature in use that some edition lacks."""
    if schema.search_indexes:
        yield FULL_TEXT_SEARCH
    if schema.vector_indexes or any(map(_computes_distance, _expressions(schema))):
        yield VECTOR_SEARCH
    if schema.graphs:
        yield SPANNER_GRAPH
    if schema.locality_groups:
        yield LOCALITY_GROUPS
    if any(table.is_queue for table in schema.tables.values()):
        yield QUEUES
    columns = [column for table in schema.tables.values() for column in table.columns]
    if any(column.type.code is TypeCode.TOKENLIST for column in columns):
        yield TOKENIZATION
    if schema.placements or any(column.placement_key for column in columns):
        yield GEO_PARTITIONING
    if any("columnar_policy" in options for options in _options(schema)):
        yield COLUMNAR_ENGINE


def _computes_distance(expression: str) -> bool:
    return may_compute_distances(expression) and bool(re.search(_CALL, expression, re.IGNORECASE))


def _expressions(schema: Schema) -> Iterator[str]:
    """Yield the text of each view, function, generated column, default and check."""
    yield from (view.query for view in schema.views.values())
    yield from (function.body or "" for function in schema.functions.values())
    for table in schema.tables.values():
        yield from (check.expression for check in table.checks)
        for column in table.columns:
            yield column.generated or column.default or ""


def _options(schema: Schema) -> Iterator[Mapping[str, Any]]:
    """Yield the options of the database, and of each table, column and index."""
    yield schema.options
    for table in schema.tables.values():
        yield table.options
        yield from (column.options for column in table.columns)
    yield from (index.options for index in schema.all_indexes())
