"""The latest events of an observed database, in order: commits, reads by key and conflicts."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from itertools import chain, compress, islice
from operator import itemgetter

from spanemu.base.record import dataclass
from spanemu.hotspots.tree_load import DELETES, INSERTS, UPDATES, Source
from spanemu.storage.layout import TreeId
from spanemu.storage.observer import Journal, TreeWrite, journal_columns
from spanemu.storage.versions import Row, Version

Commit = tuple[int, Sequence[TreeWrite]]  # commit timestamp, rows written
KeyEvent = tuple[int, TreeId, bytes]  # timestamp of the last commit before a read or a conflict


@dataclass(frozen=True, slots=True)
class Trace:
    """The newest observed events, oldest first; `dropped` counts the older commits left out.

    `sources` are the code locations that wrote each tree.
    """

    commits: Sequence[Commit] = ()
    reads: Sequence[KeyEvent] = ()
    conflicts: Sequence[KeyEvent] = ()
    dropped: int = 0
    sources: Mapping[TreeId, Sequence[Source]] = field(default_factory=dict)


_TIMESTAMP, _ROW, _OLDER = map(itemgetter, range(3))  # of a version


class CommitBatch:
    """The rows of a batch of commits, stored by column. `commits` is the number of commits."""

    __slots__ = ("commits", "keys", "kinds", "timestamps", "trees", "values")

    def __init__(self, journal: Journal) -> None:
        trees, keys, versions = journal_columns(journal)
        self.timestamps: tuple[int, ...] = tuple(map(_TIMESTAMP, versions))
        self.trees: tuple[TreeId, ...] = tuple(trees)
        self.keys: tuple[bytes, ...] = tuple(keys)
        self.values: tuple[Row | None, ...] = tuple(map(_ROW, versions))
        # The kind of each row, or a number when all rows have the same kind, the usual case.
        self.kinds = _kinds(self.values, list(map(_OLDER, versions)))
        self.commits = len(set(self.timestamps))  # Commit timestamps are unique.

    def by_stream(self) -> Iterator[tuple[TreeId, int, Sequence[int], Sequence[bytes]]]:
        """Yield (tree, kind, timestamps, keys) for the rows of each stream."""
        if not isinstance(self.kinds, int):
            yield from self._by_tree_and_kind(self.kinds)
            return
        trees = dict.fromkeys(self.trees)
        if len(trees) == 1:
            yield self.trees[0], self.kinds, self.timestamps, self.keys
            return
        for tree in trees:
            own = list(map(tree.__eq__, self.trees))
            timestamps, keys = compress(self.timestamps, own), compress(self.keys, own)
            yield tree, self.kinds, list(timestamps), list(keys)

    def _by_tree_and_kind(
        self, kinds: bytes
    ) -> Iterator[tuple[TreeId, int, Sequence[int], Sequence[bytes]]]:
        rows_by_stream: defaultdict[tuple[TreeId, int], list[int]] = defaultdict(list)
        for row, stream in enumerate(zip(self.trees, kinds, strict=True)):
            rows_by_stream[stream].append(row)
        for (tree, kind), rows in rows_by_stream.items():
            yield (
                tree,
                kind,
                [self.timestamps[row] for row in rows],
                [self.keys[row] for row in rows],
            )

    def trace(self) -> list[Commit]:
        """Return the commits, oldest first."""
        writes = zip(self.trees, self.keys, self.values, strict=True)
        return [
            (timestamp, tuple(islice(writes, size)))
            for timestamp, size in Counter(self.timestamps).items()
        ]


def _kinds(rows: Sequence[Row | None], older: Sequence[Version | None]) -> int | bytes:
    if None not in rows and not any(older):  # No row existed before.
        return INSERTS
    return bytes(
        [
            DELETES if row is None else INSERTS if not before or before[1] is None else UPDATES
            for row, before in zip(rows, older, strict=True)
        ]
    )


class RecentCommits:
    """The newest commits: as many batches as are needed to hold `most` commits."""

    __slots__ = ("_batches", "_kept", "_most", "_observed")

    def __init__(self, most: int) -> None:
        self._most = most
        self._batches: deque[CommitBatch] = deque()
        self._kept = self._observed = 0  # commits

    @property
    def dropped(self) -> int:
        """Return how many commits came before the oldest one kept."""
        return self._observed - min(self._kept, self._most)

    def append(self, batch: CommitBatch) -> None:
        """Add a batch of commits, and drop batches that are no longer needed."""
        batches = self._batches
        batches.append(batch)
        self._observed += batch.commits
        self._kept += batch.commits
        while self._kept - batches[0].commits >= self._most:
            self._kept -= batches.popleft().commits

    def newest(self, most: int) -> list[Commit]:
        """Return at most `most` of the newest commits, oldest first."""
        most = min(most, self._most)
        batches: list[list[Commit]] = []
        count = 0
        for batch in reversed(self._batches):
            if count >= most:
                break
            batches.append(batch.trace())
            count += batch.commits
        return list(chain.from_iterable(reversed(batches)))[-most:]
