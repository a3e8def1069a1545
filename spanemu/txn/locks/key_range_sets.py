"""Sets of keys and of key ranges that one transaction has locked, built for many elements.

A bulk load locks a key and a range for each of its rows, so no operation here may visit all
elements in turn.
"""

from __future__ import annotations

from sortedcontainers import SortedDict, SortedList


class KeySet(list[bytes]):
    """Keys in the order of insertion, each once; sorted only when a range is queried."""

    _sorted: SortedList[bytes] | None = None
    _sorted_count = 0  # how many of the first keys `_sorted` holds

    def meets(self, low: bytes, high: bytes) -> bool:
        """Return whether a key lies in [low, high)."""
        ordered = self._ordered()
        return next(ordered.irange(low, high, inclusive=(True, False)), None) is not None

    def _ordered(self) -> SortedList[bytes]:
        if self._sorted is None:
            self._sorted = SortedList()
        if self._sorted_count < len(self):
            self._sorted.update(self[self._sorted_count :])
            self._sorted_count = len(self)
        return self._sorted


class RangeUnion:
    """A union of byte ranges. Each operation takes amortized logarithmic time."""

    __slots__ = ("_ends",)

    def __init__(self) -> None:
        self._ends: SortedDict[bytes, bytes] = SortedDict()  # by start; disjoint, not touching

    def add(self, low: bytes, high: bytes) -> None:
        """Add [low, high) to the union."""
        if low >= high:
            return
        ends = self._ends
        before = ends.bisect_right(low) - 1
        if before >= 0:
            start, end = ends.peekitem(before)
            if end >= low:
                low, high = start, max(high, end)
        for start in list(ends.irange(low, high)):
            high = max(high, ends.pop(start))
        ends[low] = high

    def covers(self, key: bytes) -> bool:
        """Return whether a range contains `key`."""
        before = self._ends.bisect_right(key) - 1
        return before >= 0 and key < self._ends.peekitem(before)[1]

    def meets(self, low: bytes, high: bytes) -> bool:
        """Return whether a range overlaps [low, high)."""
        before = self._ends.bisect_left(high) - 1
        return before >= 0 and low < self._ends.peekitem(before)[1]
