"""What was written, as it is kept: pages of rows, and of those the newest.

Pages hold plain values in columns: an object for each row or commit would be walked through by
every garbage collection, and a version would keep all that are older.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Sequence
from itertools import chain, compress, islice
from operator import itemgetter

from spanemu.hotspots.trace import Commit
from spanemu.hotspots.tree_load import DELETES, INSERTS, UPDATES
from spanemu.storage.layout import TreeId
from spanemu.storage.observer import Journal, journal_columns
from spanemu.storage.versions import Row, Version

_AT, _ROW, _OLDER = map(itemgetter, range(3))  # of a version


class Page:
    """The rows that some commits wrote, column by column. `commits` is how many those are."""

    __slots__ = ("ats", "commits", "keys", "places", "trees", "values")

    def __init__(self, journal: Journal) -> None:
        trees, keys, versions = journal_columns(journal)
        self.ats: tuple[int, ...] = tuple(map(_AT, versions))
        self.trees: tuple[TreeId, ...] = tuple(trees)
        self.keys: tuple[bytes, ...] = tuple(keys)
        self.values: tuple[Row | None, ...] = tuple(map(_ROW, versions))
        # Of the streams that the rows belong to; all the same, as mostly, if that is a number.
        self.places = _places(self.values, list(map(_OLDER, versions)))
        self.commits = len(set(self.ats))  # No two have a timestamp in common.

    def by_stream(self) -> Iterator[tuple[TreeId, int, Sequence[int], Sequence[bytes]]]:
        """(tree, place of a stream, times, keys) of the rows of each stream."""
        if not isinstance(self.places, int):
            yield from self._by_tree_and_place(self.places)
            return
        trees = dict.fromkeys(self.trees)
        if len(trees) == 1:
            yield self.trees[0], self.places, self.ats, self.keys
            return
        for tree in trees:
            own = list(map(tree.__eq__, self.trees))
            ats, keys = compress(self.ats, own), compress(self.keys, own)
            yield tree, self.places, list(ats), list(keys)

    def _by_tree_and_place(
        self, places: bytes
    ) -> Iterator[tuple[TreeId, int, Sequence[int], Sequence[bytes]]]:
        found: defaultdict[tuple[TreeId, int], list[int]] = defaultdict(list)
        for row, stream in enumerate(zip(self.trees, places, strict=True)):
            found[stream].append(row)
        for (tree, place), rows in found.items():
            yield tree, place, [self.ats[row] for row in rows], [self.keys[row] for row in rows]

    def trace(self) -> list[Commit]:
        """The commits, oldest first."""
        writes = zip(self.trees, self.keys, self.values, strict=True)
        return [(at, tuple(islice(writes, size))) for at, size in Counter(self.ats).items()]


def _places(rows: Sequence[Row | None], older: Sequence[Version | None]) -> int | bytes:
    if None not in rows and not any(older):  # Rows that were never there.
        return INSERTS
    return bytes(
        [
            DELETES if row is None else INSERTS if not before or before[1] is None else UPDATES
            for row, before in zip(rows, older, strict=True)
        ]
    )


class Trail:
    """The newest commits: as many pages as have `most` of them."""

    __slots__ = ("_kept", "_most", "_pages", "_seen")

    def __init__(self, most: int) -> None:
        self._most = most
        self._pages: deque[Page] = deque()
        self._kept = self._seen = 0  # commits

    @property
    def dropped(self) -> int:
        """How many commits came before those that are known."""
        return self._seen - min(self._kept, self._most)

    def append(self, page: Page) -> None:
        """Keep some more commits."""
        pages = self._pages
        pages.append(page)
        self._seen += page.commits
        self._kept += page.commits
        while self._kept - pages[0].commits >= self._most:
            self._kept -= pages.popleft().commits

    def newest(self, most: int) -> list[Commit]:
        """The newest commits that are known, oldest first."""
        most = min(most, self._most)
        found: list[list[Commit]] = []
        count = 0
        for page in reversed(self._pages):
            if count >= most:
                break
            found.append(page.trace())
            count += page.commits
        return list(chain.from_iterable(reversed(found)))[-most:]
