"""The leaves of a tree: neighbouring keys, and what scans need of their newest versions."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Sequence
from threading import Lock

from spanemu.storage.versions import Row, Version

LEAF_KEYS_MAX = 512
LEAF_KEYS_MIN = 64  # A smaller leaf is joined with its neighbour, if both fit into one.
UPDATE_COST = 16  # of a pending key in its leaf, in look-ups of a row's newest version
FEW_KEYS = 8  # that arrived are inserted one by one, because sorting the leaf would take longer
_sorting = Lock()  # Guards the keys that arrived in leaves which several stores share.


class Leaf:
    """Neighbouring keys with the rows of their newest versions, None for deleted rows.

    `rows` is None until a scan needs it, and again after many updates without a scan. `live` counts
    the rows that are not deleted. `newest` is not earlier than the versions. Only the tree of the
    same `owner` may modify the leaf; but any scan may make the rows of a leaf that has none.

    Keys of large commits are only appended to `arrived`, if the leaf has no rows; `keys` sorts them
    in. A search for the place of each key would compare it with keys all over the memory, which in
    a large table takes longer than to write the row.
    """

    __slots__ = ("_keys", "arrived", "live", "newest", "owner", "rows")

    def __init__(self, keys: list[bytes], newest: int, live: int, owner: object) -> None:
        self._keys = keys
        self.arrived: list[bytes] = []
        self.rows: list[Row | None] | None = None
        self.newest = newest
        self.live = live
        self.owner = owner

    @property
    def keys(self) -> list[bytes]:
        """All keys, sorted."""
        if self.arrived:
            with _sorting:
                self._sort()
        return self._keys

    def _sort(self) -> None:
        arrived = self.arrived  # Empty, if another thread was faster.
        if len(arrived) <= FEW_KEYS:
            for key in arrived:
                insort(self._keys, key)
        else:
            self._keys += arrived
            self._keys.sort()
        self.arrived = []

    def overflows(self, keys_max: int) -> bool:
        """Return whether the leaf has more than `keys_max` keys."""
        return len(self._keys) + len(self.arrived) > keys_max

    def copy(self, owner: object) -> Leaf:
        """Return a leaf with the same content that another tree may modify."""
        twin = Leaf(self.keys.copy(), self.newest, self.live, owner)
        twin.rows = None if self.rows is None else self.rows.copy()
        return twin

    def join(self, upper: Leaf) -> None:
        """Add the keys of the leaf after this one."""
        keys = self.keys
        keys += upper.keys
        self.rows = None
        self.live += upper.live
        self.newest = max(self.newest, upper.newest)

    def cut(self, keys_max: int, *, in_order: bool) -> list[list[bytes]]:
        """Return the keys that further leaves are to hold, and remove them from this leaf.

        Keys that are written in order fill their leaves.
        """
        keys = self.keys
        leaves = -(-len(keys) // keys_max)
        size = keys_max if in_order else -(-len(keys) // leaves)
        parts = [keys[start : start + size] for start in range(size, len(keys), size)]
        del keys[size:]
        self.rows = None
        return parts

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

    def insert_all(
        self, keys: Sequence[bytes], newest: int, find: Callable[[Sequence[bytes]], list[Version]]
    ) -> None:
        """Insert new keys of rows that are not deleted; `find` returns their newest versions."""
        self.newest = max(self.newest, newest)
        self.live += len(keys)
        if self.rows is None:
            self.arrived += keys
        else:
            for key, version in zip(keys, find(keys), strict=True):
                self.insert(key, version[1])

    def insert(self, key: bytes, row: Row | None) -> None:
        """Insert a new key with its row."""
        keys = self.keys
        position = bisect_left(keys, key)
        keys.insert(position, key)
        if self.rows is not None:
            self.rows.insert(position, row)
