"""Long work on lists in memory, done in steps between which the deadline is looked at.

Nothing can interrupt Python while it sorts or runs through a list, so much is done in parts.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from spanemu.base.call import current
from spanemu.sql.executor.batches import parts_of
from spanemu.sql.executor.reader import Row
from spanemu.sql.executor.relation import Each
from spanemu.sql.executor.run import Run

_RUN = 1 << 15  # how many keys are sorted at once

T = TypeVar("T")


def of_each(values_of: Each, rows: Sequence[Row], run: Run) -> list[Any]:
    """`values_of(rows, run)`."""
    return [value for part in parts_of(rows) for value in values_of(part, run)]


def at_places(items: Sequence[T], places: Sequence[int]) -> list[T]:
    """The items at `places`."""
    found: list[T] = []
    for part in parts_of(places):
        found.extend(map(items.__getitem__, part))
    return found


def sorted_places(keys: Sequence[Any], *, descending: bool) -> list[int]:
    """The places of `keys` in order, equal ones in the order in which they are."""
    key = keys.__getitem__
    if len(keys) <= _RUN:
        return sorted(range(len(keys)), key=key, reverse=descending)
    # Backwards there and back, equal keys stay in their order.
    places = range(len(keys) - 1, -1, -1) if descending else range(len(keys))
    runs = [sorted(part, key=key) for part in _cut(places)]
    while len(runs) > 1:
        pairs = [runs[place : place + 2] for place in range(0, len(runs), 2)]
        runs = [_merged(pair[0], pair[1], key) if len(pair) == 2 else pair[0] for pair in pairs]
    if descending:
        runs[0].reverse()
    return runs[0]


def _cut(places: Sequence[int]) -> Iterator[Sequence[int]]:
    check = current().check
    for start in range(0, len(places), _RUN):
        check()
        yield places[start : start + _RUN]


def _merged(first: list[int], second: list[int], key: Callable[[int], Any]) -> list[int]:
    """Two sorted runs as one, of equal keys those of the first run first.

    Both are cut at the same key until they are short; Python's sort is good at merging those.
    """
    check = current().check
    merged: list[int] = []
    pending = [(first, second)]
    while pending:
        check()
        left, right = pending.pop()
        if not left or not right:
            merged += left or right
        elif len(left) + len(right) <= _RUN:
            merged += sorted(left + right, key=key)
        elif len(left) >= len(right):
            middle = len(left) // 2
            cut = bisect_left(right, key(left[middle]), key=key)
            pending.append((left[middle:], right[cut:]))
            pending.append((left[:middle], right[:cut]))
        else:
            middle = len(right) // 2
            cut = bisect_right(left, key(right[middle]), key=key)
            pending.append((left[cut:], right[middle:]))
            pending.append((left[:cut], right[:middle]))
    return merged
