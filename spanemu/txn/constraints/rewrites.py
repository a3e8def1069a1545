"""Refuses that one write unit both writes and deletes a row which a foreign key may cascade from.

Only what the client asks for counts, and whether the rows exist does not matter: rows written with
a referenced column listed, against keys and ranges deleted. What a cascade takes along is free.
"""

from __future__ import annotations

from collections import defaultdict

from sortedcontainers import SortedDict

from spanemu.storage.layout import TreeId
from spanemu.txn.errors import WrittenAndDeleted
from spanemu.txn.rules import Row, TableRules


class Rewrites:
    """Written rows and deleted ranges of one unit, by table; for tables with `watched` columns."""

    def __init__(self) -> None:
        self._written: dict[TreeId, SortedDict[bytes, Row]] = defaultdict(SortedDict)
        self._deleted: dict[TreeId, RangeUnion] = defaultdict(RangeUnion)

    def write(self, rules: TableRules, key: bytes, values: Row) -> None:
        """A row is written, and a referenced column is listed."""
        if self._deleted[rules.tree].covers(key):
            raise _refusal(rules, values)
        self._written[rules.tree][key] = values

    def delete(self, rules: TableRules, low: bytes, high: bytes) -> None:
        """Keys in [low, high) are deleted, whether there are rows or not."""
        written = self._written[rules.tree]
        for key in written.irange(low, high, inclusive=(True, False)):
            raise _refusal(rules, written[key])
        self._deleted[rules.tree].add(low, high)


class RangeUnion:
    """A union of ranges of bytes. Each operation takes logarithmic time, amortized."""

    def __init__(self) -> None:
        self._ends: SortedDict[bytes, bytes] = SortedDict()  # by start; disjoint, not touching

    def add(self, low: bytes, high: bytes) -> None:
        """Take in [low, high)."""
        ends = self._ends
        before = ends.bisect_right(low) - 1
        if before >= 0:
            start, end = ends.peekitem(before)
            if end >= low:
                low = start
        for start in list(ends.irange(low, high)):
            high = max(high, ends.pop(start))
        ends[low] = high

    def covers(self, key: bytes) -> bool:
        """Whether a range holds `key`."""
        before = self._ends.bisect_right(key) - 1
        return before >= 0 and key < self._ends.peekitem(before)[1]


def _refusal(rules: TableRules, values: Row) -> WrittenAndDeleted:
    watching = next(each for each in rules.referenced_by if each.foreign_key.cascade)
    return WrittenAndDeleted(rules.table.name, rules.key_text(values), watching.foreign_key.name)
