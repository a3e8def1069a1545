"""Clock intervals: a minute, ten minutes, an hour, each ending on the clock.

An interval can be seen when it has ended: at 11:59:30 the last minute is the one that ended at
11:59:00, the last ten minutes those that ended at 11:50:00.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol, TypeVar

from spanemu.base.clock import NANOS_PER_SECOND
from spanemu.stats.split_stats import INTERVALS

Row = Mapping[str, Any]

_HOUR = 3600
# For how many seconds intervals are kept.
_KEPT: Mapping[str, int] = {"MINUTE": 6 * _HOUR, "10MINUTE": 96 * _HOUR, "HOUR": 720 * _HOUR}


class Timed(Protocol):
    """Something that happened."""

    @property
    def at(self) -> int:
        """When, in nanoseconds."""
        ...


T = TypeVar("T", bound=Timed)


def by_interval(happened: Iterable[T], interval: str, now: int) -> Iterator[tuple[int, list[T]]]:
    """(end in nanoseconds, what happened) of each interval that has ended, the latest first."""
    length = INTERVALS[interval] * NANOS_PER_SECOND
    last = now - now % length
    first = last - _KEPT[interval] * NANOS_PER_SECOND
    found: dict[int, list[T]] = {}
    for one in happened:
        if first <= one.at < last:
            found.setdefault(one.at - one.at % length + length, []).append(one)
    yield from sorted(found.items(), reverse=True)


def average(amounts: Iterable[float], count: int) -> float:
    """The mean of amounts of which those that are not there are zero."""
    return float(sum(amounts)) / count if count else 0.0
