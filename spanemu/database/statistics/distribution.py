"""A histogram of seconds with exponential buckets, as Cloud Monitoring's Distribution.

bucket 0          below SCALE
bucket i          from SCALE * GROWTH ** (i - 1) to SCALE * GROWTH ** i
last bucket       whatever is longer
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

_SCALE = 1e-6
_GROWTH = 1.4
_FINITE = 64
_BOUNDS = [_SCALE * _GROWTH**power for power in range(_FINITE + 1)]
FIELDS = (
    "COUNT", "MEAN", "SUM_OF_SQUARED_DEVIATION", "NUM_FINITE_BUCKETS", "GROWTH_FACTOR", "SCALE",
    "BUCKET_COUNTS",
)  # fmt: skip


def distribution(seconds: Sequence[float]) -> list[tuple[Any, ...]]:
    """The array of one struct that the tables show."""
    counts = [0] * (_FINITE + 2)
    for one in seconds:
        counts[bisect_right(_BOUNDS, one)] += 1
    mean = sum(seconds) / len(seconds) if seconds else 0.0
    spread = sum((one - mean) ** 2 for one in seconds)
    return [(len(seconds), mean, spread, _FINITE, _GROWTH, _SCALE, counts)]


def as_json(array: Sequence[tuple[Any, ...]], fields: Sequence[str]) -> str:
    """An array of structs as JSON text, a single struct as an object."""
    objects = [dict(zip(fields, one, strict=True)) for one in array]
    return json.dumps(objects)


def distribution_json(array: Sequence[tuple[Any, ...]]) -> str:
    """A distribution as JSON text: one object."""
    return json.dumps(dict(zip(FIELDS, array[0], strict=True)))
