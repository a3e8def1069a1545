"""The leaves of a tree: neighbouring keys, and what scans need of their newest versions."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Container, Sequence
from threading import Lock

from spanemu.base.clock import BEGINNING
from spanemu.storage import locality
from spanemu.storage.versions import Row, Version

LEAF_KEYS_MAX = 2048
LEAF_KEYS_MIN = 64  # A smaller leaf is joined with its neighbour, if both fit into one.
UPDATE_COST = 16  # of a pending key in its leaf, in lookups of a row's newest version
FEW_KEYS = 8  # that arrived are inserted one by one, because sorting the leaf would take longer
# Returns the newest versions of keys.
Find = Callable[[Sequence[bytes]], list[Version]]
# Returns the newest rows of a piece of a leaf.
FindRows = Callable[["Piece"], list[Row | None]]
_sorting = Lock()  # Guards the keys that arrived in leaves which several stores share.


class Leaf:
    """Neighbouring keys with the rows of their newest versions, None for deleted rows.

    `rows` is None until a scan needs it, and again after many updates without a scan. `live` counts
    the rows that are not deleted. `newest` is not earlier than the versions. Only the tree of the
    same `owner` may modify the leaf; but any scan may make the rows of a leaf that has none.

    New keys are only appended to `arrived`, if the leaf has no rows; `keys` sorts them in. A search
    for the place of each key would compare it with keys all over the memory, which in a large table
    takes longer than to write the row.
    """

    __slots__ = ("_keys", "arrived", "live", "newest", "owner", "rows", "scans")

    def __init__(self, keys: list[bytes], newest: int, live: int, owner: object) -> None:
        self._keys = keys
        self.arrived: list[bytes] = []
        self.rows: list[Row | None] | None = None
        self.scans = 0  # of these rows, up to `tree.SCANS_APART`
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

    def copy(self, owner: object) -> Leaf:
        """Return a leaf with the same content that another tree may modify."""
        twin = Leaf(self.keys.copy(), self.newest, self.live, owner)
        twin.rows = None if self.rows is None else self.rows.copy()
        twin.scans = self.scans
        return twin

    def moved(self) -> Leaf:
        """Return a leaf of the same owner with the same content, in other memory.

        Its numbers are copied as well: those of each leaf were made at another time of a load.
        """
        twin = Leaf(locality.copied_keys(self.keys), self.newest + 0, self.live + 0, self.owner)
        twin.rows = None if self.rows is None else self.rows.copy()
        twin.scans = self.scans
        return twin

    def join(self, upper: Leaf) -> None:
        """Add the keys of the leaf after this one."""
        keys = self.keys
        keys += upper.keys
        self.rows = None
        self.live += upper.live
        self.newest = max(self.newest, upper.newest)

    def divide(self, keys_max: int, find: Find, last: bytes) -> list[Leaf]:
        """Return further leaves, which take over upper keys so that none has more than `keys_max`.

        Keys that are written in order fill their leaves; others are spread evenly. `last` is the
        greatest of the keys that were inserted together.
        """
        keys = self.keys
        in_order = keys[-1] == last
        all_live = self.live == len(keys)
        leaves = -(-len(keys) // keys_max)
        size = keys_max if in_order else -(-len(keys) // leaves)
        parts = [keys[start : start + size] for start in range(size, len(keys), size)]
        del keys[size:]
        self.rows = None
        lives = [len(part) if all_live else live_rows(find(part)) for part in parts]
        self.live -= sum(lives)
        return [
            Leaf(part, self.newest, live, self.owner)
            for part, live in zip(parts, lives, strict=True)
        ]

    def update(self, keys: Sequence[bytes], latest: int, find: Find) -> None:
        """Write rows that have newer versions, or drop all rows if to make them again costs less.

        `find` returns the newest versions of keys, of which none is later than `latest`.
        """
        self.newest = max(self.newest, latest)
        if UPDATE_COST * len(keys) > len(self.keys):
            self.rows = None
        elif self.rows is not None:
            for key, version in zip(keys, find(keys), strict=True):
                self.rows[bisect_left(self.keys, key)] = version[1]

    def insert_all(self, keys: Sequence[bytes], newest: int, find: Find) -> int:
        """Insert new keys of rows that are not deleted; return the number of all keys.

        `find` returns the newest versions of keys. All rows are dropped if to make them again costs
        less than to insert some.
        """
        if self.rows is None or UPDATE_COST * len(keys) > len(self._keys):
            self.rows = None
            if newest > self.newest:
                self.newest = newest
            self.live += len(keys)
            self.arrived += keys
        else:
            for key, version in zip(keys, find(keys), strict=True):
                self.insert(key, version)
        return len(self._keys) + len(self.arrived)

    def insert(self, key: bytes, version: Version) -> int:
        """Insert a new key with the newest version of its row; return the number of keys."""
        if version[0] > self.newest:
            self.newest = version[0]
        if version[1] is not None:
            self.live += 1
        keys = self.keys
        position = bisect_left(keys, key)
        keys.insert(position, key)
        if self.rows is not None:
            self.rows.insert(position, version[1])
        return len(keys)

    def delete_or_restore(self, key: bytes, version: Version) -> None:
        """Note that a row is deleted, or that a deleted row is back."""
        self.live += -1 if version[1] is None else 1
        if version[0] > self.newest:
            self.newest = version[0]
        if self.rows is not None:
            self.rows[bisect_left(self.keys, key)] = version[1]

    def from_first_live(
        self, first: int, end: int, descending: bool, find_rows: FindRows
    ) -> tuple[int, int]:
        """Return a range of positions without the deleted rows at which a scan would begin.

        `find_rows` returns the newest rows at a range of positions of a leaf.
        """
        if not self.live:
            return end, end
        if self.live == len(self.keys):
            return first, end
        rows = find_rows((self, first, end))
        in_order = reversed(rows) if descending else rows
        deleted = next((n for n, row in enumerate(in_order) if row is not None), len(rows))
        return (first, end - deleted) if descending else (first + deleted, end)

    @staticmethod
    def runs(firsts: Sequence[bytes], keys: list[bytes]) -> list[tuple[int, list[bytes]]]:
        """Return the numbers of the leaves to which some keys belong, with the sorted keys of each.

        The last leaf is the first, so that it may be divided while the others keep their numbers.
        `firsts` are the first keys of the leaves.
        """
        keys.sort()
        runs: list[tuple[int, list[bytes]]] = []
        end = len(keys)
        while end:
            number = bisect_right(firsts, keys[end - 1]) - 1
            start = bisect_left(keys, firsts[number], 0, end)
            runs.append((number, keys[start:end]))
            end = start
        return runs

    def check(self, versions: Sequence[Version], pending: Container[bytes], floor: int) -> None:
        """Assert the invariants of a leaf whose rows have these newest versions."""
        rows = [version[1] for version in versions]
        assert self.live == live_rows(versions)
        for key, version, row in zip(self.keys, versions, self.rows or rows, strict=True):
            assert key in pending or row is version[1]
            assert key in pending or version[0] <= max(self.newest, floor)


Piece = tuple[Leaf, int, int]  # a leaf with the first position in a range, and the end


def leaf_of(keys: list[bytes], versions: Sequence[Version], owner: object) -> Leaf:
    """Return a leaf of keys, whose rows have these newest versions."""
    newest = max([version[0] for version in versions], default=BEGINNING)
    return Leaf(keys, newest, live_rows(versions), owner)


def live_rows(versions: Sequence[Version]) -> int:
    """Return how many versions are not deletions."""
    return len(versions) - [version[1] for version in versions].count(None)
