"""What was written, as it is kept: pages of rows, and of those the newest.

Fields of rows lie one behind the other. An object for each commit would have to be found again in
memory when it is looked at, and would be walked through by every garbage collection; a tuple of
plain values it leaves alone.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Sequence
from itertools import chain, islice, repeat
from typing import Any

from spanemu.stats.trace import Commit
from spanemu.stats.tree_load import DELETES, INSERTS, UPDATES
from spanemu.storage.layout import TreeId
from spanemu.storage.observer import Replaced
from spanemu.storage.versions import Row, Version

FIELDS = 3  # of a row: tree, key, values


class Draft:
    """The rows of a page that is not full yet, put down by the detector itself: calls cost most."""

    __slots__ = ("ats", "fields", "replaced", "sizes")

    def __init__(self) -> None:
        self.ats: list[int] = []  # of each commit
        self.sizes: list[int] = []  # rows of each commit
        self.fields: list[Any] = []  # of each row
        self.replaced: list[Version | None] = []  # by each row

    def page(self) -> Page:
        """What was put down."""
        ats = chain.from_iterable(map(repeat, self.ats, self.sizes))
        return Page(tuple(ats), self.fields, self.replaced)


class Page:
    """The rows that some commits wrote, column by column. `commits` is how many those are."""

    __slots__ = ("ats", "commits", "keys", "places", "trees", "values")

    def __init__(self, ats: tuple[int, ...], fields: Sequence[Any], replaced: Replaced) -> None:
        """The time of each row, its fields, and what was there before; commit by commit."""
        trees, keys, values = (tuple(fields[n::FIELDS]) for n in range(FIELDS))
        self.ats = ats
        self.trees: tuple[TreeId, ...] = trees
        self.keys: tuple[bytes, ...] = keys
        self.values: tuple[Row | None, ...] = values
        self.places = bytes(
            [  # of the streams that the rows belong to
                DELETES if row is None else INSERTS if not before or before[1] is None else UPDATES
                for row, before in zip(values, replaced, strict=True)
            ]
        )
        self.commits = len(set(ats))  # No two have a timestamp in common.

    def by_stream(self) -> dict[tuple[TreeId, int], list[int]]:
        """The rows of each tree and place of a stream, by number."""
        found: defaultdict[tuple[TreeId, int], list[int]] = defaultdict(list)
        for row, stream in enumerate(zip(self.trees, self.places, strict=True)):
            found[stream].append(row)
        return found

    def trace(self) -> list[Commit]:
        """The commits, oldest first."""
        writes = zip(self.trees, self.keys, self.values, strict=True)
        return [(at, tuple(islice(writes, size))) for at, size in Counter(self.ats).items()]


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
