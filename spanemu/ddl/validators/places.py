"""Options of tables, columns and index entries: where they are kept, and for how long."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from spanemu.base.errors import SpannerError
from spanemu.ddl.errors.names import ObjectNotFound
from spanemu.ddl.errors.placements import PlacementKeyInvalid
from spanemu.ddl.lookup import find_object
from spanemu.ddl.validators.options import (
    TRUE_OR_FALSE,
    Rule,
    Rules,
    is_period,
    is_text,
    whole,
    words,
)
from spanemu.schema.column import Column
from spanemu.schema.placement import DEFAULT
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.values.types import STRING

LOCALITY_GROUP = Rule(is_text, "the name of a locality group")
COLUMNAR_POLICY = words("enabled", "disabled")
TABLE_RULES: Rules = {
    "cassandra_default_ttl": whole(0, 2**31 - 1),  # seconds
    "cassandra_ttl_mode": words("row", "none"),
    "columnar_policy": COLUMNAR_POLICY,
    "fulltext_dictionary_staleness": Rule(is_period("0s", "365d"), "a duration such as '5s'"),
    "fulltext_dictionary_table": TRUE_OR_FALSE,
    "locality_group": LOCALITY_GROUP,
}
INDEX_RULES: Rules = {"columnar_policy": COLUMNAR_POLICY, "locality_group": LOCALITY_GROUP}


def locality_group_problems(options: Mapping[str, Any], schema: Schema) -> Iterator[SpannerError]:
    """The locality group that something asks for must exist."""
    name = options.get("locality_group")
    if name is None or name == DEFAULT:
        return
    if find_object(schema, "locality_groups", name) is None:
        yield ObjectNotFound("Locality group", name)


def placement_key_problems(table: Table) -> Iterator[SpannerError]:
    """What is wrong with the column that says where a row is kept."""
    keys = [column for column in table.columns if column.placement_key]
    for column in keys:
        yield from _column_problems(table.name, column)
    for column in keys[1:]:
        yield PlacementKeyInvalid(table.name, column.name, "the table has another one")
    if keys and table.parent is not None:
        reason = "only a table at the top of its hierarchy has one"
        yield PlacementKeyInvalid(table.name, keys[0].name, reason)


def _column_problems(table: str, column: Column) -> Iterator[SpannerError]:
    if column.type != STRING:
        yield PlacementKeyInvalid(table, column.name, f"its type is {column.type}, not STRING")
    if not column.not_null:
        yield PlacementKeyInvalid(table, column.name, "it is not NOT NULL")
