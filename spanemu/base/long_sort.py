"""Sorting long lists in steps, between which the deadline of the request is looked at.

Nothing can interrupt Python while it sorts, so runs are sorted and then merged. They are as long
as can be sorted soon: that depends on how fast the keys compare.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from spanemu.base.call import current
from spanemu.base.clock import monotonic
from spanemu.base.pace import parts_of

_RUN = 1 << 12  # how many keys are sorted at once, at first
_RUN_MAX = 1 << 15
_QUICK_SECONDS = 0.005

T = TypeVar("T")


def put_in_order(items: list[Any]) -> list[Any]:
    """The items sorted, in place if they are few."""
    if len(items) <= _RUN:
        items.sort()
        return items
    return at_places(items, sorted_places(items, descending=False))


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
    runs = _sorted_runs(places, key)
    at_once = max(_RUN, len(runs[-2]))
    while len(runs) > 1:
        pairs = [runs[place : place + 2] for place in range(0, len(runs), 2)]
        runs = [
            _merged(pair[0], pair[1], key, at_once) if len(pair) == 2 else pair[0] for pair in pairs
        ]
    if descending:
        runs[0].reverse()
    return runs[0]


def _sorted_runs(places: Sequence[int], key: Callable[[int], Any]) -> list[list[int]]:
    """At least two of them; they get longer while they are quick."""
    check = current().check
    runs: list[list[int]] = []
    start, size = 0, _RUN
    while start < len(places):
        check()
        began = monotonic()
        runs.append(sorted(places[start : start + size], key=key))
        start += size
        if monotonic() - began < _QUICK_SECONDS:
            size = min(2 * size, _RUN_MAX)
    return runs


def _merged(
    first: list[int], second: list[int], key: Callable[[int], Any], at_once: int
) -> list[int]:
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
        elif len(left) + len(right) <= at_once:
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
