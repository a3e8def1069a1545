"""The leaves of a tree: neighbouring keys, and what scans need of their newest versions."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence

from spanemu.storage.versions import Row, Version

LEAF_KEYS_MAX = 512
LEAF_KEYS_MIN = 64  # A smaller leaf is joined with its neighbour, if both fit into one.
UPDATE_COST = 16  # of a pending key in its leaf, in look-ups of a row's newest version
FEW_KEYS = 4  # are inserted into a leaf one by one


class Leaf:
    """Neighbouring keys with the rows of their newest versions, None for deleted rows.

    `rows` is None until a scan needs it, and again after many updates without a scan. `deleted`
    counts the deleted rows. `newest` is not earlier than the versions. Only the tree of the same
    `owner` may modify the leaf; but any scan may make the rows of a leaf that has none.
    """

    __slots__ = ("deleted", "keys", "newest", "owner", "rows")

    def __init__(self, keys: list[bytes], newest: int, deleted: int, owner: object) -> None:
        self.keys = keys
        self.rows: list[Row | None] | None = None
        self.newest = newest
        self.deleted = deleted
        self.owner = owner

    def copy(self, owner: object) -> Leaf:
        """Return a leaf with the same content that another tree may modify."""
        twin = Leaf(self.keys.copy(), self.newest, self.deleted, owner)
        twin.rows = None if self.rows is None else self.rows.copy()
        return twin

    def join(self, upper: Leaf) -> None:
        """Add the keys of the leaf after this one."""
        self.keys += upper.keys
        self.rows = None
        self.deleted += upper.deleted
        self.newest = max(self.newest, upper.newest)

    def update(
        self, keys: Sequence[bytes], latest: int, find: Callable[[Sequence[bytes]], list[Version]]
    ) -> None:
        """Write rows that have newer versions, or drop all rows if to make them again costs less.

        `find` returns the newest versions of keys, of which none is later than `latest`.
        """
        self.newest = max(self.newest, latest)
        if UPDATE_COST * len(keys) > len(self.keys):
            self.rows = None
        elif self.rows is not None:
            for key, version in zip(keys, find(keys), strict=True):
                self.rows[bisect_left(self.keys, key)] = version[1]

    def insert(self, keys: Sequence[bytes], versions: Mapping[bytes, Version]) -> None:
        """Insert new keys, in order, with the rows of their versions."""
        present, rows = self.keys, self.rows
        if len(keys) > FEW_KEYS:
            present += keys
            present.sort()
            self.rows = None
            return
        for key in keys:
            position = bisect_left(present, key)
            present.insert(position, key)
            if rows is not None:
                rows.insert(position, versions[key][1])


def cuts(count: int, keys_max: int, *, in_order: bool) -> range:
    """Return the ends of the leaves, but for the last, that `count` keys are divided into.

    Keys that are written in order fill their leaves.
    """
    leaves = -(-count // keys_max)
    size = keys_max if in_order else -(-count // leaves)
    return range(size, count, size)
