"""Watches one store: streams of inserts, updates, deletes and reads by tree, scans, conflicts.

Nothing is judged here, and nothing is known of the schema: trees are told apart by their ids. A
store that nobody watches has no observer and pays nothing.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from spanemu.stats.contention import ContentionSummary
from spanemu.stats.scans import ScanSummary
from spanemu.stats.sources import Source, Sources, source_of
from spanemu.stats.stream import Stream, Summary
from spanemu.stats.thresholds import THRESHOLDS, Thresholds
from spanemu.stats.trace import Commit, Touch, Trace
from spanemu.stats.tree_load import Kind, TreeLoad
from spanemu.storage.layout import TreeId
from spanemu.storage.observer import Reading, TreeWrite
from spanemu.storage.store import Store


@dataclass(frozen=True, slots=True)
class Seen:
    """All that a detector knows by now, by tree. Of the commits, `trace` has the last ones."""

    streams: Mapping[tuple[TreeId, Kind], Summary] = field(default_factory=dict)
    scans: Mapping[TreeId, ScanSummary] = field(default_factory=dict)
    conflicts: Mapping[TreeId, ContentionSummary] = field(default_factory=dict)
    sources: Mapping[TreeId, tuple[Source, ...]] = field(default_factory=dict)
    trace: Sequence[Commit] = ()


Describe = Callable[[object], tuple[str, str]]


def _nothing_known(asked: object) -> tuple[str, str]:
    return "", ""


class Detector:
    """A `StoreObserver` and a lock table's. The store calls it under its mutex with each commit.

    `describe` gives the text and the tag of a request.
    """

    def __init__(
        self,
        store: Store,
        thresholds: Thresholds = THRESHOLDS,
        describe: Describe = _nothing_known,
    ) -> None:
        self._store = store
        self._thresholds = thresholds
        self._describe = describe
        # Guards the fields below: a report may be made meanwhile. Reentrant, since a scan that
        # nobody holds any more ends wherever garbage is collected, also in here.
        self._mutex = threading.RLock()
        self._trees: dict[TreeId, TreeLoad] = {}
        self._due: list[Sources] = []  # who wants to know who made the last commit
        self._trace: deque[Commit] = deque(maxlen=thresholds.trace_commits_max)
        self._reads: deque[Touch] = deque(maxlen=thresholds.trace_touches_max)
        self._fights: deque[Touch] = deque(maxlen=thresholds.trace_touches_max)
        self._commits = 0
        self.paused = False

    # ------------------------------------------------------------------ writes

    def committed(self, writes: Sequence[TreeWrite], at: int) -> None:
        """Take in one commit."""
        if self.paused or not writes:
            return
        with self._mutex:
            if self._due:
                self._due.clear()
            self._commits += 1
            self._trace.append((at, tuple(writes)))
            if len(writes) == 1:
                self._stream(writes[0]).add(writes[0][1], at)
                return
            touched: dict[Stream, list[bytes]] = {}
            for write in writes:
                touched.setdefault(self._stream(write), []).append(write[1])
            for stream, keys in touched.items():
                stream.add(keys[0] if len(keys) == 1 else tuple(sorted(keys)), at)

    def committed_by(self, asked: object) -> None:
        """The last commit was made for a request; called before there is another one."""
        if not self._due:
            return
        source = source_of(*self._describe(asked))
        with self._mutex:
            for sources in self._due:
                sources.met(source)
            self._due.clear()

    def _stream(self, write: TreeWrite) -> Stream:
        """The stream that a write belongs to; what was there before tells an insert."""
        tree, key, row = write
        load = self._trees.get(tree)
        if load is None:
            load = self._load(tree)
        sources = load.sources
        if sources.is_due():
            self._due.append(sources)
        if row is None:
            return load.deletes
        head = self._store.head(tree, key)
        older = None if head is None else head[2]
        return load.inserts if older is None or older[1] is None else load.updates

    def _load(self, tree: TreeId) -> TreeLoad:
        found = self._trees.get(tree)
        if found is None:
            found = self._trees[tree] = TreeLoad(self._thresholds)
        return found

    # ------------------------------------------------------------------ reads and conflicts

    def got(self, tree: TreeId, key: bytes) -> None:
        """Take in a read of a row by its key."""
        if not self.paused:
            with self._mutex:
                at = self._store.last_commit
                self._load(tree).reads.add(key, at)
                self._reads.append((at, tree, key))

    def scanning(
        self, tree: TreeId, rows: Iterator[tuple[Any, ...]], reading: Reading, asked: object
    ) -> Iterator[tuple[Any, ...]]:
        """The same rows; how many there were is taken in when they end, or nobody wants more."""
        count = of = 0
        least = self._thresholds.scan_rows_min
        try:
            for row in rows:
                count += 1
                if count == least:  # Not at the end, which garbage collection may bring about:
                    of = self._store.row_count(tree)  # this one waits for the store.
                yield row
        finally:
            if not self.paused:
                self._scanned(tree, (count, of), reading, asked)

    def _scanned(
        self, tree: TreeId, counts: tuple[int, int], reading: Reading, asked: object
    ) -> None:
        rows, of = counts
        with self._mutex:
            scans = self._load(tree).scans
            large = scans.is_large(rows, of)
            scans.add(rows, reading, large=large)
            if large and scans.sources.is_due():
                scans.sources.met(source_of(*self._describe(asked)))

    def contended(self, tree: TreeId, low: bytes, high: bytes | None, seconds: float) -> None:
        """Take in a conflict about a row, or a range up to `high`."""
        if self.paused:
            return
        with self._mutex:
            self._load(tree).conflicts.add(low if high is None else None, seconds)
            if high is None:
                self._fights.append((self._store.last_commit, tree, low))

    # ------------------------------------------------------------------ what is known

    def trace(self) -> Trace:
        """What was seen last, oldest first, as much as is kept."""
        with self._mutex:
            return Trace(
                commits=list(self._trace),
                reads=list(self._reads),
                conflicts=list(self._fights),
                dropped=self._commits - len(self._trace),
                sources={tree: each.sources.most() for tree, each in list(self._trees.items())},
            )

    def seen(self) -> Seen:
        """What is known by now."""
        with self._mutex:
            trees = list(self._trees.items())
            return Seen(
                streams={
                    (tree, kind): stream.summary()
                    for tree, load in trees
                    for kind, stream in load.streams()
                },
                scans={tree: load.scans.summary() for tree, load in trees},
                conflicts={tree: load.conflicts.summary() for tree, load in trees},
                sources={tree: load.sources.most() for tree, load in trees},
                trace=_last(self._trace, self._thresholds.trace_judged_max),
            )


def _last(trace: deque[Commit], most: int) -> tuple[Commit, ...]:
    """The newest commits, oldest first."""
    return tuple(islice(reversed(trace), most))[::-1]
