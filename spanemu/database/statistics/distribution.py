"""A histogram of seconds with exponential buckets, as Cloud Monitoring's Distribution.

bucket 0          below SCALE
bucket i          from SCALE * GROWTH ** (i - 1) to SCALE * GROWTH ** i
last bucket       whatever is longer
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

_SCALE = 1e-6
_GROWTH = 1.4
_FINITE = 64
BOUNDS = [_SCALE * _GROWTH**power for power in range(_FINITE + 1)]
FIELDS = (
    "COUNT", "MEAN", "SUM_OF_SQUARED_DEVIATION", "NUM_FINITE_BUCKETS", "GROWTH_FACTOR", "SCALE",
    "BUCKET_COUNTS",
)  # fmt: skip


class Latencies(Protocol):
    """Sums over seconds, and how many of them fell into each bucket."""

    count: int
    seconds: float
    squares: float

    @property
    def buckets(self) -> Mapping[int, int]: ...


def distribution(cell: Latencies) -> list[tuple[Any, ...]]:
    """The array of one struct that the tables show of what is alike."""
    counts = [cell.buckets.get(bucket, 0) for bucket in range(_FINITE + 2)]
    mean = cell.seconds / cell.count if cell.count else 0.0
    spread = max(0.0, cell.squares - cell.seconds * mean)
    return [(cell.count, mean, spread, _FINITE, _GROWTH, _SCALE, counts)]


def as_json(array: Sequence[tuple[Any, ...]], fields: Sequence[str]) -> str:
    """An array of structs as JSON text, a single struct as an object."""
    objects = [dict(zip(fields, one, strict=True)) for one in array]
    return json.dumps(objects)


def distribution_json(array: Sequence[tuple[Any, ...]]) -> str:
    """A distribution as JSON text: one object."""
    return json.dumps(dict(zip(FIELDS, array[0], strict=True)))
