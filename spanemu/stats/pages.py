"""What was written, as it is kept: pages of rows, and of those the newest.

What a commit tells is put down one thing behind the other, and pages hold plain values in columns:
an object for each commit would be walked through by every garbage collection.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Any

from spanemu.stats.trace import Commit
from spanemu.stats.tree_load import DELETES, INSERTS, UPDATES
from spanemu.storage.layout import TreeId
from spanemu.storage.observer import Replaced
from spanemu.storage.versions import Row

FIELDS = 3  # of a row: tree, key, values
STAMPS = 2  # of a row: timestamp, and the version that was there before


class Draft:
    """The rows of a page that is not full yet: for each its fields, and for each its stamps."""

    __slots__ = ("rows", "stamps")

    def __init__(self) -> None:
        self.rows: list[Any] = []
        self.stamps: list[Any] = []


class Page:
    """The rows that some commits wrote, column by column. `commits` is how many those are."""

    __slots__ = ("ats", "commits", "keys", "places", "trees", "values")

    def __init__(self, draft: Draft) -> None:
        trees, keys, values = (tuple(draft.rows[n::FIELDS]) for n in range(FIELDS))
        ats, replaced = (draft.stamps[n::STAMPS] for n in range(STAMPS))
        self.ats: tuple[int, ...] = tuple(ats)
        self.trees: tuple[TreeId, ...] = trees
        self.keys: tuple[bytes, ...] = keys
        self.values: tuple[Row | None, ...] = values
        self.places = _places(values, replaced)  # of the streams that the rows belong to
        self.commits = len(set(ats))  # No two have a timestamp in common.

    def by_stream(self) -> Iterator[tuple[TreeId, int, Sequence[int], Sequence[bytes]]]:
        """(tree, place of a stream, times, keys) of the rows of each stream."""
        streams = set(zip(self.trees, self.places, strict=True))
        if len(streams) == 1:  # as mostly
            ((tree, place),) = streams
            yield tree, place, self.ats, self.keys
            return
        found: defaultdict[tuple[TreeId, int], list[int]] = defaultdict(list)
        for row, stream in enumerate(zip(self.trees, self.places, strict=True)):
            found[stream].append(row)
        for (tree, place), rows in found.items():
            yield tree, place, [self.ats[row] for row in rows], [self.keys[row] for row in rows]

    def trace(self) -> list[Commit]:
        """The commits, oldest first."""
        writes = zip(self.trees, self.keys, self.values, strict=True)
        return [(at, tuple(islice(writes, size))) for at, size in Counter(self.ats).items()]


def _places(values: Sequence[Row | None], replaced: Replaced) -> bytes:
    if all(values) and not any(replaced):  # Rows that were never there: as mostly.
        return bytes((INSERTS,)) * len(values)
    return bytes(
        [
            DELETES if row is None else INSERTS if not before or before[1] is None else UPDATES
            for row, before in zip(values, replaced, strict=True)
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
