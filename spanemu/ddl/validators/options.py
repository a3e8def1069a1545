"""Options of objects as data: which there are, and what their values may be."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from spanemu.base.errors import SpannerError
from spanemu.ddl.errors.names import ObjectNotFound
from spanemu.ddl.errors.objects import (
    BadObjectOption,
    PlacementKeyInvalid,
    SequenceCounterNotPositive,
    SkipRangeNotPositive,
    SkipRangeReversed,
    UnknownObjectOption,
)
from spanemu.ddl.lookup import find_object
from spanemu.ddl.validators.database_options import retention_nanos
from spanemu.schema.column import Column
from spanemu.schema.objects import DEFAULT
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.sql import ddl_ast
from spanemu.sql.ddl_ast import OptionValue
from spanemu.values.types import STRING


@dataclass(frozen=True, slots=True)
class Rule:
    """What values other than NULL an option takes, and the words for it."""

    accepts: Callable[[OptionValue], bool]
    supported: str


Rules = Mapping[str, Rule]


def is_text(value: OptionValue) -> bool:
    """A string that is not empty."""
    return isinstance(value, str) and value != ""


def is_bool(value: OptionValue) -> bool:
    """TRUE or FALSE."""
    return isinstance(value, bool)


def is_period(least: str, most: str) -> Callable[[OptionValue], bool]:
    """A duration such as '36h' between two others."""
    low, high = retention_nanos(least), retention_nanos(most)
    assert low is not None
    assert high is not None

    def accepts(value: OptionValue) -> bool:
        nanos = retention_nanos(value)
        return nanos is not None and low <= nanos <= high

    return accepts


TRUE_OR_FALSE = Rule(is_bool, "true or false")


def words(*allowed: str) -> Rule:
    """One of some words."""
    return Rule(lambda value: value in allowed, " or ".join(f"'{word}'" for word in allowed))


def whole(least: int, most: int) -> Rule:
    """An integer of a range."""
    return Rule(
        lambda value: type(value) is int and least <= value <= most,
        f"a whole number from {least} to {most}",
    )


def changed_options(
    place: tuple[str, str],
    written: ddl_ast.Options | None,
    rules: Rules,
    before: Mapping[str, Any] | None = None,
) -> Mapping[str, Any]:
    """Options after those written; NULL takes one away. `place` is a kind and a name.

    Raises UnknownObjectOption or BadObjectOption.
    """
    options = dict(before or {})
    for name, value in ddl_ast.options_by_name(written).items():
        rule = rules.get(name)
        if rule is None:
            raise UnknownObjectOption(*place, name, ", ".join(sorted(rules)))
        if value is None:
            options.pop(name, None)
        elif rule.accepts(value):
            options[name] = value
        else:
            raise BadObjectOption(*place, name, str(value), rule.supported)
    return options


def sequence_problems(
    skip_range: tuple[int, int] | None, counter: int | None
) -> Iterator[SpannerError]:
    """What is wrong with the range that a sequence skips, and with its counter."""
    if skip_range is not None:
        low, high = skip_range
        if low > high:
            yield SkipRangeReversed()
        if high < 1:
            yield SkipRangeNotPositive()
    if counter is not None and counter < 1:
        yield SequenceCounterNotPositive()


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
