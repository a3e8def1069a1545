"""Ranges and counters of sequences."""

from __future__ import annotations

from collections.abc import Iterator

from spanemu.base.errors import SpannerError
from spanemu.ddl.errors.objects import (
    SequenceCounterNotPositive,
    SkipRangeNotPositive,
    SkipRangeReversed,
)


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
