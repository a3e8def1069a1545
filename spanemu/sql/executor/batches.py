"""Rows taken many at a time, so that what is done to each is one loop without calls.

Batches grow from one row, so that whoever wants few rows does not have many computed; who needs
all rows anyway takes `full_batches`. The deadline of the request is looked at before each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Protocol, TypeVar

from spanemu.base.call import current
from spanemu.base.clock import monotonic
from spanemu.sql.executor.reader import Row

BATCH_ROWS_MAX = 256
PART_MAX = 4_096
_FULL_FIRST = 16
_SLOW_SECONDS = 0.005
_GROWTH = 4
_PART_GROWTH = 8
T = TypeVar("T")  # a row, or a group of them


class Tally(Protocol):
    """Counts rows that were read from a table or an index."""

    scanned: int


def batches(
    rows: Iterable[T], largest: int = BATCH_ROWS_MAX, tally: Tally | None = None
) -> Iterator[list[T]]:
    """`rows` in lists of at most `largest`, none of them empty."""
    return _sized(rows, 1, largest, tally)


def full_batches(rows: Iterable[T]) -> Iterator[list[T]]:
    """The same with more rows in the first ones, for those who will take every row."""
    return _sized(rows, _FULL_FIRST, BATCH_ROWS_MAX)


def gathered(rows: Iterable[T]) -> list[T]:
    """All of `rows`."""
    found: list[T] = []
    for batch in full_batches(rows):
        found += batch
    return found


def _sized(
    rows: Iterable[T], size: int, largest: int, tally: Tally | None = None
) -> Iterator[list[T]]:
    """Batches that grow while they are quick, and shrink when there is a lot to do for a row."""
    check = current().check
    source = iter(rows)
    check()
    began = monotonic()
    while batch := list(islice(source, size)):
        if tally is not None:
            tally.scanned += len(batch)
        yield batch
        check()
        ended = monotonic()
        if ended - began > _SLOW_SECONDS:
            size = max(1, size // _GROWTH)
        elif size < largest:
            size = min(size * _GROWTH, largest)
        began = ended


def parts_of(items: Sequence[T], size: int = PART_MAX) -> Iterator[Sequence[T]]:
    """Parts of a sequence, of `size` at first and growing; the deadline is looked at for each.

    For loops over what is already in memory and may be long.
    """
    check = current().check
    start = 0
    while start < len(items):
        check()
        yield items[start : start + size]
        start += size
        size = min(size * _PART_GROWTH, PART_MAX)


def by_batch(
    rows: Iterable[T],
    change: Callable[[list[T]], Iterable[Row]],
    largest: int = BATCH_ROWS_MAX,
    tally: Tally | None = None,
) -> Iterator[Row]:
    """The rows that `change` makes of each batch."""
    return chain.from_iterable(map(change, batches(rows, largest, tally)))
