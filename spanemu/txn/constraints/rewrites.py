"""Refuses that one write unit both writes and deletes a row which a foreign key may cascade from.

Only what the client asks for counts, and whether the rows exist does not matter: rows written with
a referenced column listed, against keys and ranges deleted. What a cascade takes along is free.
"""

from __future__ import annotations

from collections import defaultdict

from sortedcontainers import SortedDict

from spanemu.storage.layout import TreeId
from spanemu.txn.errors.constraints import WrittenAndDeleted
from spanemu.txn.locks.key_range_sets import RangeUnion
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


def _refusal(rules: TableRules, values: Row) -> WrittenAndDeleted:
    watching = next(each for each in rules.referenced_by if each.foreign_key.cascade).foreign_key
    column = watching.referenced_columns[0]
    return WrittenAndDeleted(rules.table.name, column, rules.key_text(values), watching.name)
