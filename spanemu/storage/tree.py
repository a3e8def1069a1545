"""The rows of one table or index in one split: versions by key, and leaves in key order.

    maps     heads    {key: newest version}   the versions written by this tree
             layers   {key: newest version}   the versions of earlier owners, never changed
    leaves   [keys | rows] [keys | rows]      some hundred neighbouring keys, and rows if scanned

A row is looked up in the heads, then in the layers, by readers that hold no lock. A scan takes
slices of a leaf's rows, and looks at versions only in leaves that were written after its timestamp.

An update of a row does not search for its leaf. While no leaf has rows, it only moves `_floor`, the
time of the latest such update; later it adds the key to `_pending`, and the next scan of more than
a few rows updates the leaves. After many updates without a scan, all leaves drop their rows. A
deletion is written into its leaf at once, so that scans skip leaves without any live row.

A commit only collects its new keys. Leaves get some thousands at a time, or when a scan or a
deletion needs them: to visit a leaf for each key reads memory that is in no cache.

A copy shares the dictionaries and the leaves, and copies a leaf when it first modifies it: its
cost does not depend on the number of rows. The copied tree must not be modified any more.

Invariants, walked by `check`: the leaves hold exactly the keys of the dictionaries, sorted, but for
those that are only collected, of which none is deleted; `firsts[n]` lies after all keys of the
leaves before `n`, and not after those of leaf `n`; but for pending keys, a leaf's rows are those of
the newest versions, and no version is later than both the leaf's `newest` and the floor; `live` is
the number of rows not deleted; a tree that is not tracked has no rows in leaves, nothing pending,
and shares no leaf with the tree that it was copied from; a tree without layers contains no `GONE`.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, cycle
from threading import RLock

from spanemu.base.clock import BEGINNING
from spanemu.base.collector import heap
from spanemu.storage import layers, locality
from spanemu.storage.leaf import LEAF_KEYS_MAX, LEAF_KEYS_MIN, UPDATE_COST, Leaf, Piece, leaf_of
from spanemu.storage.versions import Row, Version, visible

# After so many updates without a scan, or an eighth of the keys, leaves have no rows.
PENDING_MIN = 16
PENDING_MAX = 32_768
# So many new keys are collected. Trees begin with different numbers, so that those of one table do
# not all update their leaves in the same commit.
ARRIVED_MAX = 8192
SCANS_APART = 4  # scans of rows that lie apart in memory, before they are copied
GATHERED_MAX = 1 << 20  # rows of a tree that is copied: for a while, old rows and new exist
_first_arrived_max = cycle(ARRIVED_MAX * quarter // 4 for quarter in (4, 3, 2, 1))
UNKNOWN = 1 << 63  # the newest version may be later than any timestamp
# Guards the arrived and pending keys of trees that several stores share.
_updating = RLock()


class Tree:
    """A sorted mapping from encoded keys to newest versions."""

    def __init__(self, items: Iterable[tuple[bytes, Version]] = ()) -> None:
        """Create a tree from keys in order, with their newest versions."""
        self._owner = object()
        heads = layers.Map(items)
        # The heads and the layers, in one attribute: readers without a lock see both or neither.
        self.maps: layers.Maps = (heads,)
        self._count = len(heads)  # of keys in leaves
        self._fold_at = 0  # so many heads are folded with the layers, if there are layers
        self._floor = BEGINNING
        self._tracked = False  # whether a leaf may have rows
        self._pending: list[bytes] = []  # keys whose updates are not in the leaves yet
        self._latest = BEGINNING  # not earlier than the versions of these keys
        self._pending_max = PENDING_MIN
        self._arrived: list[bytes] = []  # new keys that are in no leaf yet
        self._arrived_at = BEGINNING  # not earlier than their versions
        self._arrived_max = next(_first_arrived_max)
        self.is_owned = False  # whether no clone reads the tree, as its split knows
        self._replaced = locality.Replaced()
        self._ends: list[int] | None = None  # for each leaf the number of keys up to its end
        self._lives: tuple[list[int], int] | None = None  # see `_live_counts`
        keys = list(heads)
        parts = [keys[at : at + LEAF_KEYS_MAX] for at in range(0, len(keys), LEAF_KEYS_MAX)]
        self._leaves = [leaf_of(each, self.versions(each), self._owner) for each in parts or [[]]]
        self._firsts = [b"", *(part[0] for part in parts[1:])]
        if len(parts) > 1:
            heap.note_rows(len(keys))

    # ------------------------------------------------------------------ sharing

    def copy(self) -> Tree:
        """Return a tree with the same rows; this tree must not be modified any more."""
        self._insert_arrived()
        twin = Tree()
        self._tracked = True  # because the twin may make rows of leaves
        twin._tracked, twin._floor = True, self._floor
        # Another store may be updating the leaves of this tree: the twin updates its own.
        twin._pending, twin._latest = self._pending.copy(), self._latest
        twin._leaves = self._leaves.copy()
        twin._firsts = self._firsts.copy()
        twin._count = self._count
        twin.maps = layers.shared(self.maps)
        twin._fold_at = layers.fold_at(twin.maps)
        return twin

    def _own(self, number: int) -> Leaf:
        """Return a leaf that may be modified: a copy takes the place of a shared one."""
        leaf = self._leaves[number]
        if leaf.owner is not self._owner:
            leaf = self._leaves[number] = leaf.copy(self._owner)
        return leaf

    # ------------------------------------------------------------------ rows by key

    def get(self, key: bytes) -> Version | None:
        """Return the newest version of a row."""
        maps = self.maps
        version = maps[0].get(key)
        if version is None and len(maps) > 1:
            version = layers.find(maps, key)
        return None if version is layers.GONE else version

    def __getitem__(self, key: bytes) -> Version:
        version = self.get(key)
        if version is None:
            raise KeyError(key)
        return version

    def __contains__(self, key: bytes) -> bool:
        return self.get(key) is not None

    def __setitem__(self, key: bytes, version: Version) -> None:
        self.put(key, version, self.get(key))

    def add(self, key: bytes, version: Version) -> None:
        """Write the first version of a row, which is not deleted."""
        self.maps[0][key] = version
        arrived = self._arrived
        arrived.append(key)
        if version[0] > self._arrived_at:
            self._arrived_at = version[0]
        if len(arrived) > self._arrived_max:
            self._insert_arrived()
            self._arrived_max = ARRIVED_MAX
        if self._fold_at:
            self._limit_heads()

    def put(self, key: bytes, version: Version, older: Version | None) -> None:
        """Write the newest version of a row; `older` is what `get` returns for the key."""
        if older is None and version[1] is not None:
            self.add(key, version)
            return
        maps = self.maps
        if older is None or (version[1] is None) is not (older[1] is None):
            self._insert_arrived()  # first, because no collected key may be deleted
            maps[0][key] = version
            self._delete_or_restore(key, version, is_new=older is None)
        else:
            maps[0][key] = version
            if not self._tracked:
                if version[0] > self._floor:
                    self._floor = version[0]
            else:
                if version[0] > self._latest:
                    self._latest = version[0]
                pending = self._pending
                pending.append(key)
                if len(pending) > self._pending_max:
                    self._limit_pending()
        if self._fold_at:
            self._limit_heads()

    def insert_all(self, versions: Mapping[bytes, Version], at: int) -> None:
        """Insert new keys with the versions of rows that are written at a timestamp."""
        self.maps[0].update(versions)
        heap.note_rows(len(versions))
        self._arrived += sorted(versions)
        self._arrived_at = max(self._arrived_at, at)
        if len(self._arrived) > self._arrived_max:
            self._insert_arrived()
            self._arrived_max = ARRIVED_MAX
        if self._fold_at:
            self._limit_heads()

    def _limit_heads(self) -> None:
        maps = self.maps
        if len(maps[0]) > self._fold_at:
            self.maps, self._fold_at = layers.folded(maps, len(self)), 0

    # ------------------------------------------------------------------ deferred updates

    def _insert_arrived(self) -> None:
        """Insert the collected keys into their leaves, even if several stores share the tree."""
        if self._arrived:
            with _updating:
                for number, keys in Leaf.runs(self._firsts, self._arrived):
                    leaf = self._own(number)
                    if leaf.insert_all(keys, self._arrived_at, self.versions) > LEAF_KEYS_MAX:
                        self._divide(number, keys[-1])
                self._count += len(self._arrived)
                self._ends = self._lives = None
                self._arrived = []

    def _delete_or_restore(self, key: bytes, version: Version, *, is_new: bool) -> None:
        """Note in its leaf that a row is deleted or back; the key may be new."""
        self._ends = self._lives = None
        number = bisect_right(self._firsts, key) - 1
        if is_new:
            self._count += 1
            if self._own(number).insert(key, version) > LEAF_KEYS_MAX:
                self._divide(number, key)
        else:
            self._own(number).delete_or_restore(key, version)

    def _update_leaves(self) -> None:
        """Write the pending keys' rows into the leaves, even if several stores share the tree."""
        self._insert_arrived()
        if self._pending:
            with _updating:
                for number, keys in Leaf.runs(self._firsts, self._pending):
                    self._own(number).update(keys, self._latest, self.versions)
                self._pending = []

    def _limit_pending(self) -> None:
        """Stop tracking updates if there were many since the last scan."""
        self._pending_max = min(PENDING_MAX, max(PENDING_MIN, len(self) // 8))
        if len(self._pending) > self._pending_max:
            self._floor = max(self._floor, self._latest)
            for number in range(len(self._leaves)):
                self._own(number).rows = None
            self._pending, self._tracked = [], False

    def discard(self, key: bytes) -> None:
        """Remove a key, if the tree contains it."""
        if (version := self.get(key)) is not None:
            self.remove(key, version)

    def remove(self, key: bytes, version: Version) -> None:
        """Remove the row with a key that the tree contains; `version` is its current version."""
        self._update_leaves()
        number = bisect_right(self._firsts, key) - 1
        leaf = self._own(number)
        leaf.live -= version[1] is not None
        position = bisect_left(leaf.keys, key)
        del leaf.keys[position]
        if leaf.rows is not None:
            del leaf.rows[position]
        self._count -= 1
        self._ends = self._lives = None
        layers.remove(self.maps, key)
        if len(leaf.keys) < LEAF_KEYS_MIN and len(self._leaves) > 1:
            self._join(max(number, 1))

    def _divide(self, number: int, last: bytes) -> None:
        """Divide a leaf that is too large, after the key `last` and lower keys were inserted."""
        leaves = self._leaves[number].divide(LEAF_KEYS_MAX, self.versions, last)
        self._leaves[number + 1 : number + 1] = leaves
        self._firsts[number + 1 : number + 1] = [leaf.keys[0] for leaf in leaves]
        heap.note_rows(LEAF_KEYS_MAX * len(leaves))

    def _join(self, number: int) -> None:
        """Join a leaf with the leaf before it, if both fit into one."""
        lower, upper = self._leaves[number - 1 : number + 1]
        if len(lower.keys) + len(upper.keys) <= LEAF_KEYS_MAX:
            self._own(number - 1).join(upper)
            del self._leaves[number], self._firsts[number]

    # ------------------------------------------------------------------ rows in order

    def pieces(
        self, low: bytes, high: bytes, descending: bool = False, at: int = -1
    ) -> Iterator[Piece]:
        """Yield the parts of leaves with the keys in [low, high), which is not empty, in order.

        No part begins with a row that is deleted as of `at`, unless its leaf was written later.
        """
        self._insert_arrived()
        begin = bisect_right(self._firsts, low) - 1
        last = bisect_left(self._firsts, high) - 1
        if self._pending and begin == last:
            keys = self._leaves[begin].keys
            some = keys[bisect_left(keys, low) : bisect_left(keys, high)]
            if len(some) < UPDATE_COST * len(self._pending):
                if some:
                    yield Leaf(some, UNKNOWN, len(some), self._owner), 0, len(some)
                return
        self._update_leaves()
        numbers = range(begin, last + 1)
        for number in reversed(numbers) if descending else numbers:
            leaf = self._leaves[number]
            keys = leaf.keys
            first = bisect_left(keys, low) if number == begin else 0
            end = bisect_left(keys, high) if number == last else len(keys)
            if leaf.newest <= at and self._floor <= at:
                first, end = leaf.from_first_live(first, end, descending, self._newest_rows)
            if first < end:
                yield leaf, first, end
        if self._replaced.count:
            self._free_replaced()

    def count_rows(
        self, low: bytes, high: bytes, at: int, looks_max: int
    ) -> tuple[int, bytes | None]:
        """Return how many rows with keys in [low, high) exist as of a timestamp, and the key at
        which to go on, None at the end.

        A leaf that was not written later knows how many of its rows exist. In other leaves about
        `looks_max` versions are looked at. Updates that are pending change no count.
        """
        self._insert_arrived()
        lives, newest = self._lives or self._live_counts()
        begin = bisect_right(self._firsts, low) - 1
        last = bisect_left(self._firsts, high) - 1
        # The leaves of which all rows count are counted together, unless they were written later.
        apart: Iterable[int] = range(begin, last + 1)
        count = looks = 0
        if newest <= at and last - begin > 1:
            apart, count = (begin, last), lives[last - 1] - lives[begin]
        for number in apart:
            leaf = self._leaves[number]
            keys = leaf.keys
            first = bisect_left(keys, low) if number == begin else 0
            end = bisect_left(keys, high) if number == last else len(keys)
            if leaf.newest <= at and (end - first == len(keys) or leaf.live in (0, len(keys))):
                count += min(leaf.live, end - first)
            elif first < end and looks >= looks_max:
                return count, keys[first]
            else:
                looks += end - first
                versions = self.versions(keys[first:end])
                count += len(versions) - [visible(each, at) for each in versions].count(None)
        return count, None

    def _live_counts(self) -> tuple[list[int], int]:
        """Return for each leaf the number of rows that exist up to its end, and a timestamp.

        No row was inserted, deleted or restored after the timestamp.
        """
        newest = max([leaf.newest for leaf in self._leaves])
        self._lives = list(accumulate([leaf.live for leaf in self._leaves])), newest
        return self._lives

    def rows(self, piece: Piece, at: int) -> list[Row]:
        """Return the rows of a piece as of a timestamp."""
        leaf, first, end = piece
        if leaf.newest > at or self._floor > at:
            return [
                row
                for version in self.versions(leaf.keys[first:end])
                if (row := version[1] if version[0] <= at else visible(version[2], at)) is not None
            ]
        newest = self._newest_rows(piece)
        is_whole = leaf.live == len(leaf.keys)
        return newest if is_whole else [row for row in newest if row is not None]  # type: ignore[return-value]

    def row_items(self, piece: Piece, at: int) -> list[tuple[bytes, Row]]:
        """Return the keys and rows of a piece as of a timestamp."""
        leaf, first, end = piece
        keys = leaf.keys[first:end]
        if leaf.newest > at or self._floor > at:
            rows = [visible(version, at) for version in self.versions(keys)]
        else:
            rows = self._newest_rows(piece)
        return [(key, row) for key, row in zip(keys, rows, strict=True) if row is not None]

    def _newest_rows(self, piece: Piece) -> list[Row | None]:
        leaf, first, end = piece
        if leaf.rows is not None and not first and leaf.scans <= SCANS_APART:
            leaf.scans += 1
            if leaf.scans > SCANS_APART:
                self._gather(leaf)
        rows = leaf.rows
        if rows is None:
            if 3 * (end - first) < len(leaf.keys):
                return [version[1] for version in self.versions(leaf.keys[first:end])]
            # Stores that share a leaf may do this at once: they find the same rows.
            self._tracked = True
            leaf.scans = 0
            rows = leaf.rows = [version[1] for version in self.versions(leaf.keys)]
        return rows[first:end]

    def _gather(self, leaf: Leaf) -> None:
        """Copy the rows of a leaf that is scanned again and again, if they lie far apart.

        The rows of a tree that others share stay where they are.
        """
        is_own = self.is_owned and leaf.owner is self._owner and len(self.maps) == 1
        if leaf.rows is None or self._pending or not is_own or self._count > GATHERED_MAX:
            return
        if not locality.are_scattered(leaf.rows):
            return
        rows, leaf.rows = leaf.rows, None
        rows.clear()  # Nothing else may refer to rows that are copied.
        versions = self.versions(leaf.keys)
        copies = locality.copies_of(versions)
        if copies is not None:
            self.maps[0].update(zip(leaf.keys, copies, strict=True))
            if self._replaced.count > self._count:
                self._replaced.free()  # All scans since then have ended early.
            self._replaced.add(versions, rows)
            versions = copies
        leaf.rows = [version[1] for version in versions]

    def _free_replaced(self) -> None:
        """Free the rows that copies have replaced, and copy the keys if most rows were copied."""
        replaced, self._replaced = self._replaced, locality.Replaced()
        is_whole = len(self.maps) == 1 and not self._arrived  # The leaves have all keys.
        if self.is_owned and is_whole and 2 * replaced.count > self._count:
            heads = layers.Map()
            replaced.keep(self._leaves)
            self._leaves = [leaf.moved() for leaf in self._leaves]
            self._firsts = locality.copied_keys(self._firsts)
            self._ends = self._lives = None
            for leaf in self._leaves:
                heads.update(zip(leaf.keys, self.versions(leaf.keys), strict=True))
            self.maps = (heads,)
        replaced.free()

    def written_after(self, piece: Piece, at: int) -> list[Version]:
        """Return the newest versions of the rows of a piece that were written after `at`."""
        leaf, first, end = piece
        if leaf.newest <= at and self._floor <= at:
            return []
        return [version for version in self.versions(leaf.keys[first:end]) if version[0] > at]

    def items_after(self, piece: Piece, at: int) -> list[tuple[bytes, Version]]:
        """Return the keys of `written_after` with the newest versions of their rows."""
        leaf, first, end = piece
        if leaf.newest <= at and self._floor <= at:
            return []
        keys = leaf.keys[first:end]
        pairs = zip(keys, self.versions(keys), strict=True)
        return [(key, version) for key, version in pairs if version[0] > at]

    def is_written_after(self, at: int) -> bool:
        """Return whether a row was written after `at`."""
        self._update_leaves()
        return any(self.written_after((leaf, 0, len(leaf.keys)), at) for leaf in self._leaves)

    def versions(self, keys: Sequence[bytes]) -> list[Version]:
        """Return the newest versions of rows of this tree."""
        return layers.find_all(self.maps, keys)

    # ------------------------------------------------------------------ a sorted mapping

    def __iter__(self) -> Iterator[bytes]:
        self._insert_arrived()
        for leaf in self._leaves:
            yield from leaf.keys

    def __len__(self) -> int:
        self._insert_arrived()
        return self._count

    def values(self) -> Iterator[Version]:
        """Yield the newest versions of all rows, in key order."""
        self._insert_arrived()
        for leaf in self._leaves:
            yield from self.versions(leaf.keys)

    def items(self) -> Iterator[tuple[bytes, Version]]:
        """Yield the keys and newest versions of all rows, in key order."""
        self._insert_arrived()
        for leaf in self._leaves:
            yield from zip(leaf.keys, self.versions(leaf.keys), strict=True)

    def key_at(self, position: int) -> bytes:
        """Return the key at a position in key order."""
        ends = self._key_counts()
        number = bisect_right(ends, position)
        return self._leaves[number].keys[position - (ends[number - 1] if number else 0)]

    def bisect_left(self, key: bytes) -> int:
        """Return the number of keys below a key."""
        ends = self._key_counts()
        number = bisect_right(self._firsts, key) - 1
        before = ends[number - 1] if number else 0
        return before + bisect_left(self._leaves[number].keys, key)

    def _key_counts(self) -> list[int]:
        self._insert_arrived()
        ends = self._ends
        if ends is None:
            ends = self._ends = list(accumulate(len(leaf.keys) for leaf in self._leaves))
        return ends

    def check(self) -> None:
        """Assert every invariant."""
        keys = list(self)
        known = {key for each in self.maps for key in each}
        assert keys == sorted(key for key in known if key in self)
        assert len(self) == len(keys)
        assert self._tracked or not self._pending
        assert len(self.maps) > 1 or layers.GONE not in self.maps[0].values()
        assert len(self._leaves) == len(self._firsts)
        assert self._firsts[0] == b""
        pending = set(self._pending)
        for number, leaf in enumerate(self._leaves, start=1):
            assert all(bisect_right(self._firsts, key) == number for key in leaf.keys)
            assert len(leaf.keys) <= LEAF_KEYS_MAX
            assert self._tracked or (leaf.rows is None and leaf.owner is self._owner)
            leaf.check(self.versions(leaf.keys), pending, self._floor)
