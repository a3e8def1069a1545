"""SPANNER_SYS.DISTRIBUTION_PERCENTILE, for the histograms of Spanner's statistics tables.

A distribution is a struct (COUNT, MEAN, SUM_OF_SQUARED_DEVIATION, NUM_FINITE_BUCKETS,
GROWTH_FACTOR, SCALE, BUCKET_COUNTS), or an object with these members as JSON text. Bucket 0 ends
at SCALE. Each following bucket ends GROWTH_FACTOR times as far, and the last bucket has no end.
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
    """Return `SPANNER_SYS.DISTRIBUTION_PERCENTILE(distribution, percentile)`.

    The result estimates the value below which `percentile` percent of the values lie; it is NULL
    for a distribution without values. Raise BadArgument for a percentile outside 0 to 100 and for
    an argument that is not a distribution.
    """
    if not 0 <= percentile <= 100:
        raise BadArgument(f"DISTRIBUTION_PERCENTILE: {percentile} is not between 0 and 100")
    count, finite, growth, scale, buckets = _read(distribution)
    if not count:
        return None
    rank = count * percentile / 100
    below = 0
    for bucket, number in enumerate(buckets):
        if number and below + number >= rank:
            low = scale * growth ** (bucket - 1) if bucket else 0.0
            high = scale * growth ** min(bucket, finite)
            return float(low + (high - low) * (rank - below) / number)
        below += number
    return float(scale * growth**finite)


def _read(distribution: Any) -> tuple[int, int, float, float, Sequence[int]]:
    if isinstance(distribution, str):
        try:
            document = json.loads(distribution)
            count, finite, growth, scale, buckets = (document[name] for name in _FIELDS)
        except (ValueError, KeyError, TypeError):
            raise BadArgument("DISTRIBUTION_PERCENTILE: the text is not a distribution") from None
        return count, finite, growth, scale, buckets
    if len(distribution) != _FIELDS_COUNT:
        raise BadArgument("DISTRIBUTION_PERCENTILE: the struct is not a distribution")
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
