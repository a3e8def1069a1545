"""Rows taken many at a time, so that what is done to each is one loop without calls.

Batches grow from one row, so that whoever wants few rows does not have many computed. The
deadline of the request is looked at before each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import TypeVar

from spanemu.base.call import current
from spanemu.sql.executor.reader import Row

BATCH_ROWS_MAX = 256
T = TypeVar("T")  # a row, or a group of them


def batches(rows: Iterable[T], largest: int = BATCH_ROWS_MAX) -> Iterator[list[T]]:
    """`rows` in lists of at most `largest`, none of them empty."""
    check = current().check
    source = iter(rows)
    size = 1
    check()
    while batch := list(islice(source, size)):
        yield batch
        check()
        size = min(size * 2, largest)


def by_batch(
    rows: Iterable[T], change: Callable[[list[T]], Iterable[Row]], largest: int = BATCH_ROWS_MAX
) -> Iterator[Row]:
    """The rows that `change` makes of each batch."""
    return chain.from_iterable(map(change, batches(rows, largest)))
