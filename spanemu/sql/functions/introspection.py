"""SPANNER_SYS.DISTRIBUTION_PERCENTILE, for the histograms of Spanner's statistics tables.

A distribution is a struct (COUNT, MEAN, SUM_OF_SQUARED_DEVIATION, NUM_FINITE_BUCKETS,
GROWTH_FACTOR, SCALE, BUCKET_COUNTS), or the same as JSON text. Bucket 0 ends at SCALE, each that
follows is GROWTH_FACTOR times as far; the last one has no end.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from spanemu.sql.functions.errors import BadArgument
from spanemu.sql.functions.notation import chapter, overload

_FIELDS = ("COUNT", "NUM_FINITE_BUCKETS", "GROWTH_FACTOR", "SCALE", "BUCKET_COUNTS")
_FIELDS_COUNT = 7


def distribution_percentile(distribution: Any, percentile: float) -> float | None:
    """The value below which `percentile` in a hundred lie, estimated; NULL if there are none."""
    if not 0 <= percentile <= 100:
        raise BadArgument(f"DISTRIBUTION_PERCENTILE: {percentile} is not between 0 and 100")
    count, finite, growth, scale, buckets = _read(distribution)
    if not count:
        return None
    wanted = count * percentile / 100
    below = 0
    for place, number in enumerate(buckets):
        if number and below + number >= wanted:
            low = scale * growth ** (place - 1) if place else 0.0
            high = scale * growth ** min(place, finite)
            return float(low + (high - low) * (wanted - below) / number)
        below += number
    return float(scale * growth**finite)


def _read(distribution: Any) -> tuple[int, int, float, float, Sequence[int]]:
    if isinstance(distribution, str):
        try:
            found = json.loads(distribution)
            count, finite, growth, scale, buckets = (found[name] for name in _FIELDS)
        except (ValueError, KeyError, TypeError):
            raise BadArgument("DISTRIBUTION_PERCENTILE: the text is no distribution") from None
        return count, finite, growth, scale, buckets
    if len(distribution) != _FIELDS_COUNT:
        raise BadArgument("DISTRIBUTION_PERCENTILE: the struct is no distribution")
    count, _, _, finite, growth, scale, buckets = distribution
    return count, finite, growth, scale, buckets


FUNCTIONS = chapter(
    "introspection",
    {
        "SPANNER_SYS.DISTRIBUTION_PERCENTILE": (
            overload("(T{STRUCT|STRING}, FLOAT64) -> FLOAT64", distribution_percentile),
        ),
    },
)
