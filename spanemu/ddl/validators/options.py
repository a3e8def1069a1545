"""Options of databases and other objects as data: names, and the rules for values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from spanemu.base.clock import period_nanos
from spanemu.base.errors import SpannerError
from spanemu.base.record import dataclass
from spanemu.ddl.errors import objects as name_errors
from spanemu.ddl.errors import objects as object_errors
from spanemu.ddl.naming import find_object
from spanemu.schema import option_text
from spanemu.schema.objects import DEFAULT
from spanemu.schema.schema import Schema
from spanemu.schema.table import Column, Table
from spanemu.sql import ddl_ast
from spanemu.sql.ddl_ast import OptionValue
from spanemu.sql.dialect import OPTIMIZER_LATEST
from spanemu.values.timestamp import zone_named
from spanemu.values.types import STRING, BadValue


@dataclass(frozen=True, slots=True)
class Rule:
    """The values other than NULL that an option accepts, and their description for messages."""

    accepts: Callable[[OptionValue], bool]
    supported: str
    sentence: str = ""  # instead of "It must be ..."


Rules = Mapping[str, Rule]


def is_text(value: OptionValue) -> bool:
    """Return whether a value is a string that is not empty."""
    return isinstance(value, str) and value != ""


def is_bool(value: OptionValue) -> bool:
    """Return whether a value is TRUE or FALSE."""
    return isinstance(value, bool)


def is_period(least: str, most: str) -> Callable[[OptionValue], bool]:
    """Return the test for a duration between two durations such as '36h'."""
    low, high = period_nanos(least), period_nanos(most)
    assert low is not None
    assert high is not None

    def accepts(value: OptionValue) -> bool:
        nanos = period_nanos(value)
        return nanos is not None and low <= nanos <= high

    return accepts


TRUE_OR_FALSE = Rule(is_bool, "true or false")


def words(*allowed: str, any_case: bool = False) -> Rule:
    """Return the rule for one of several words, which are upper case if `any_case`."""
    supported = " or ".join(f"'{word}'" for word in allowed)
    if any_case:
        return Rule(lambda value: isinstance(value, str) and value.upper() in allowed, supported)
    return Rule(lambda value: value in allowed, supported)


def whole(least: int, most: int) -> Rule:
    """Return the rule for an integer of a range."""
    return Rule(
        lambda value: type(value) is int and least <= value <= most,
        f"a whole number from {least} to {most}",
    )


COLUMNAR_POLICY = words("enabled", "disabled")


def changed_options(
    owner: tuple[str, str],
    written: ddl_ast.Options | None,
    rules: Rules,
    before: Mapping[str, Any] | None = None,
) -> Mapping[str, Any]:
    """Return the options after those written; NULL removes an option.

    `owner` is a kind and a name. Raises OptionTwice, UnknownObjectOption or BadObjectOption.
    """
    options = dict(before or {})
    for name, value in distinct_options(written).items():
        rule = rules.get(name)
        if rule is None:
            raise object_errors.UnknownObjectOption(*owner, name, ", ".join(sorted(rules)))
        if value is None:
            options.pop(name, None)
        elif rule.accepts(value):
            options[name] = value
        else:
            raise object_errors.BadObjectOption(
                *owner, name, option_text.shown_value(value), rule.supported
            )
    return options


def distinct_options(written: ddl_ast.Options | None) -> Mapping[str, OptionValue]:
    """Return options by name; raise OptionTwice for a repeated name."""
    options: dict[str, OptionValue] = {}
    for option in written or ():
        if option.name in options:
            raise object_errors.OptionTwice(option.name)
        options[option.name] = option.value
    return options


def sequence_problems(
    skip_range: tuple[int, int] | None, counter: int | None
) -> Iterator[SpannerError]:
    """Yield the problems with the skip range and the counter of a sequence."""
    if skip_range is not None:
        low, high = skip_range
        if low > high:
            yield object_errors.SkipRangeReversed()
        if high < 1:
            yield object_errors.SkipRangeNotPositive()
    if counter is not None and counter < 1:
        yield object_errors.SequenceCounterNotPositive()


LOCALITY_GROUP = Rule(is_text, "the name of a locality group")
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
    """Yield the error for a locality group that does not exist."""
    name = options.get("locality_group")
    if name is None or name == DEFAULT:
        return
    if find_object(schema, "locality_groups", name) is None:
        yield name_errors.ObjectNotFound("Locality group", name)


def is_placed(table: Table, schema: Schema) -> bool:
    """Return whether the rows of a table are in the placements that they, or their roots, name."""
    return schema.fold(schema.root(table).name) in schema.placed_tables


def placement_key_problems(table: Table, schema: Schema) -> Iterator[SpannerError]:
    """Yield the problems with the placement key columns of a table or of the root above it."""
    if table.parent is not None:
        root = schema.root(schema.tables[schema.fold(table.parent)])
        if is_placed(root, schema) and "." in table.name:
            yield object_errors.PlacedTableInNamedSchema(table.name)
    keys = [column for column in table.columns if column.placement_key]
    for column in keys:
        yield from _column_problems(table.name, column)
    for column in keys[1:]:
        yield object_errors.PlacementKeyInvalid(
            table.name, column.name, "the table has another one"
        )
    if keys and "." in table.name:
        yield object_errors.PlacedTableInNamedSchema(table.name)
    for stream in schema.change_streams.values():
        if keys and stream.watches_all:
            reason = f"change stream {stream.name} watches all tables, but no partitioned data"
            yield object_errors.PlacementKeyInvalid(table.name, keys[0].name, reason)
    if keys and table.parent is not None:
        reason = "only a table at the top of its hierarchy has one"
        yield object_errors.PlacementKeyInvalid(table.name, keys[0].name, reason)


def _column_problems(table: str, column: Column) -> Iterator[SpannerError]:
    if column.type != STRING:
        yield object_errors.PlacementKeyInvalid(
            table, column.name, f"its type is {column.type}, not STRING"
        )
    if not column.not_null:
        yield object_errors.PlacementKeyInvalid(table, column.name, "it is not NOT NULL")


# ---------------------------------------------------------------------------- databases


def _is_zone(value: OptionValue) -> bool:
    try:
        return isinstance(value, str) and zone_named(value) is not None
    except BadValue:
        return False


_REGION = Rule(is_text, "the name of a region")
OPTIONS: Rules = {
    "columnar_policy": COLUMNAR_POLICY,
    "default_leader": _REGION,
    "default_sequence_kind": Rule(
        lambda value: value == "bit_reversed_positive",
        "bit_reversed_positive",
        "The only supported sequence kind is bit_reversed_positive.",
    ),
    "default_time_zone": Rule(_is_zone, "the name of a time zone"),
    "enable_key_visualizer": TRUE_OR_FALSE,
    "optimizer_statistics_package": Rule(is_text, "the name of a package"),
    "optimizer_version": Rule(
        whole(1, OPTIMIZER_LATEST).accepts, f"a number from 1 to {OPTIMIZER_LATEST}"
    ),
    "per_placement_routing_metadata": TRUE_OR_FALSE,
    "read_lease_regions": Rule(is_text, "a list of regions"),
    "schema_drop_protection_inactivity_period": Rule(is_period("0s", "7d"), "from '0s' to '7d'"),
    "schema_drop_protection_usage_lowerbound": Rule(
        lambda value: type(value) is int and value >= 0, "a number of reads per hour"
    ),
    "use_unenforced_foreign_key_for_query_optimization": TRUE_OR_FALSE,
    "version_retention_period": Rule(is_period("1h", "7d"), "from '1h' to '7d'"),
    "witness_location": _REGION,
}


def option_problems(name: str, value: OptionValue, schema: Schema) -> Iterator[SpannerError]:
    """Yield the problems with a value for a database option; NULL unsets the option."""
    rule = OPTIONS.get(name)
    if rule is None:
        yield object_errors.UnknownDatabaseOption(name)
        return
    if value is not None and not rule.accepts(value):
        is_retention = name == "version_retention_period"
        refusal = (
            object_errors.BadRetentionPeriod if is_retention else object_errors.BadDatabaseOption
        )
        yield refusal(
            name, option_text.shown_value(value), rule.sentence or f"It must be {rule.supported}."
        )
    if name == "default_sequence_kind" and value is None and schema.options.get(name):
        yield object_errors.DefaultSequenceKindUnset()
    if name == "per_placement_routing_metadata" and schema.placements:
        yield object_errors.DatabaseHasPlacements(name)
    if name == "default_time_zone" and schema.tables:
        yield object_errors.DatabaseHasTables(name)
