"""Options of a database, and the values they may have."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from spanemu.base.errors import SpannerError
from spanemu.base.limits import RETENTION_MAX_NANOS, RETENTION_MIN_NANOS
from spanemu.base.nanos import (
    NANOS_PER_DAY,
    NANOS_PER_HOUR,
    NANOS_PER_MINUTE,
    NANOS_PER_SECOND,
)
from spanemu.ddl.errors.objects import (
    BadDatabaseOption,
    BadRetentionPeriod,
    DatabaseHasTables,
    DefaultSequenceKindUnset,
    UnknownDatabaseOption,
)
from spanemu.schema.schema import Schema
from spanemu.sql.ddl_ast import OptionValue
from spanemu.values.errors import BadValue
from spanemu.values.zone import zone_named

OPTIMIZER_VERSION_MAX = 9

_PERIOD = re.compile(r"(\d{1,9})([smhd])")
_UNITS = {
    "s": NANOS_PER_SECOND,
    "m": NANOS_PER_MINUTE,
    "h": NANOS_PER_HOUR,
    "d": NANOS_PER_DAY,
}


def retention_nanos(period: OptionValue) -> int | None:
    """`7d` as nanoseconds; None for what is no period."""
    match = _PERIOD.fullmatch(period) if isinstance(period, str) else None
    return None if match is None else int(match[1]) * _UNITS[match[2]]


def _is_retention(value: OptionValue) -> bool:
    nanos = retention_nanos(value)
    return nanos is not None and RETENTION_MIN_NANOS <= nanos <= RETENTION_MAX_NANOS


def _is_text(value: OptionValue) -> bool:
    return isinstance(value, str) and value != ""


def _is_bool(value: OptionValue) -> bool:
    return isinstance(value, bool)


def _is_columnar_policy(value: OptionValue) -> bool:
    return value in ("enabled", "disabled")


def _is_protection(value: OptionValue) -> bool:
    nanos = retention_nanos(value)
    return nanos is not None and nanos <= RETENTION_MAX_NANOS


def _is_zone(value: OptionValue) -> bool:
    try:
        return isinstance(value, str) and zone_named(value) is not None
    except BadValue:
        return False


def _is_optimizer_version(value: OptionValue) -> bool:
    return type(value) is int and 1 <= value <= OPTIMIZER_VERSION_MAX


def _is_count(value: OptionValue) -> bool:
    return type(value) is int and value >= 0


# What a value other than NULL must be, and the words for it.
OPTIONS: Mapping[str, tuple[Callable[[OptionValue], bool], str]] = {
    "columnar_policy": (_is_columnar_policy, "It must be 'enabled' or 'disabled'."),
    "default_leader": (_is_text, "It must be the name of a region."),
    "default_sequence_kind": (
        lambda value: value == "bit_reversed_positive",
        "The only supported sequence kind is bit_reversed_positive.",
    ),
    "default_time_zone": (_is_zone, "It must be the name of a time zone."),
    "enable_key_visualizer": (_is_bool, "It must be true or false."),
    "optimizer_statistics_package": (_is_text, "It must be the name of a package."),
    "optimizer_version": (
        _is_optimizer_version,
        f"It must be a number from 1 to {OPTIMIZER_VERSION_MAX}.",
    ),
    "per_placement_routing_metadata": (_is_bool, "It must be true or false."),
    "read_lease_regions": (_is_text, "It must be a list of regions."),
    "schema_drop_protection_inactivity_period": (_is_protection, "It must be from '0s' to '7d'."),
    "schema_drop_protection_usage_lowerbound": (
        _is_count,
        "It must be a number of reads per hour.",
    ),
    "use_unenforced_foreign_key_for_query_optimization": (
        _is_bool,
        "It must be true or false.",
    ),
    "version_retention_period": (_is_retention, "It must be from '1h' to '7d'."),
    "witness_location": (_is_text, "It must be the name of a region."),
}


def option_problems(name: str, value: OptionValue, schema: Schema) -> Iterator[SpannerError]:
    """What is wrong with setting an option; NULL takes it back."""
    known = OPTIONS.get(name)
    if known is None:
        yield UnknownDatabaseOption(name)
        return
    accepts, supported = known
    if value is not None and not accepts(value):
        is_retention = name == "version_retention_period"
        refusal = BadRetentionPeriod if is_retention else BadDatabaseOption
        yield refusal(name, str(value), supported)
    if name == "default_sequence_kind" and value is None and schema.options.get(name):
        yield DefaultSequenceKindUnset()
    if name == "default_time_zone" and schema.tables:
        yield DatabaseHasTables(name)
