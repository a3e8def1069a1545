"""Watches one store: streams of inserts, updates, deletes and reads by tree, scans, conflicts.

Nothing is judged here, and nothing is known of the schema: trees are told apart by their ids. A
store that nobody watches has no observer and pays nothing.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice
from typing import Any

from spanemu.stats.contention import Contention, ContentionSummary
from spanemu.stats.scans import Scans, ScanSummary
from spanemu.stats.sources import Source, Sources, source_of
from spanemu.stats.stream import Stream, Summary
from spanemu.stats.thresholds import THRESHOLDS, Thresholds
from spanemu.stats.trace import Commit, Touch, Trace
from spanemu.storage.layout import TreeId
from spanemu.storage.observer import Reading, TreeWrite
from spanemu.storage.store import Store


class Kind(StrEnum):
    """What a request did to a row."""

    INSERT = "insert"
    UPDATE = "update"
    DELETE = "delete"
    READ = "read"  # by its key


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
        self._mutex = threading.Lock()  # Guards the fields below: a report may be made meanwhile.
        self._streams: dict[Kind, dict[TreeId, Stream]] = {kind: {} for kind in Kind}
        self._scans: dict[TreeId, Scans] = {}
        self._conflicts: dict[TreeId, Contention] = {}
        self._sources: dict[TreeId, Sources] = {}
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
                tree, key, row = writes[0]
                self._stream(tree, key, row is None).add(key, at)
                return
            touched: dict[Stream, list[bytes]] = {}
            for tree, key, row in writes:
                touched.setdefault(self._stream(tree, key, row is None), []).append(key)
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

    def _stream(self, tree: TreeId, key: bytes, deleted: bool) -> Stream:
        """The stream that a write belongs to; what was there before tells an insert."""
        if deleted:
            kind = Kind.DELETE
        else:
            head = self._store.head(tree, key)
            older = None if head is None else head[2]
            kind = Kind.INSERT if older is None or older[1] is None else Kind.UPDATE
        sources = self._sources.get(tree)
        if sources is None:
            sources = self._sources[tree] = Sources()
        if sources.is_due():
            self._due.append(sources)
        return self._stream_of(kind, tree)

    def _stream_of(self, kind: Kind, tree: TreeId) -> Stream:
        streams = self._streams[kind]
        found = streams.get(tree)
        if found is None:
            found = streams[tree] = Stream(self._thresholds)
        return found

    # ------------------------------------------------------------------ reads and conflicts

    def got(self, tree: TreeId, key: bytes) -> None:
        """Take in a read of a row by its key."""
        if not self.paused:
            with self._mutex:
                at = self._store.last_commit
                self._stream_of(Kind.READ, tree).add(key, at)
                self._reads.append((at, tree, key))

    def scanning(
        self, tree: TreeId, rows: Iterator[tuple[Any, ...]], reading: Reading, asked: object
    ) -> Iterator[tuple[Any, ...]]:
        """The same rows; how many there were is taken in when they end, or nobody wants more."""
        count = 0
        try:
            for row in rows:
                count += 1
                yield row
        finally:
            if not self.paused:
                self._scanned(tree, count, reading, asked)

    def _scanned(self, tree: TreeId, rows: int, reading: Reading, asked: object) -> None:
        of = self._store.row_count(tree) if rows >= self._thresholds.scan_rows_min else 0
        with self._mutex:
            scans = self._scans.get(tree)
            if scans is None:
                scans = self._scans[tree] = Scans(self._thresholds)
            large = scans.is_large(rows, of)
            scans.add(rows, reading, large=large)
            if large and scans.sources.is_due():
                scans.sources.met(source_of(*self._describe(asked)))

    def contended(self, tree: TreeId, low: bytes, high: bytes | None, seconds: float) -> None:
        """Take in a conflict about a row, or a range up to `high`."""
        if self.paused:
            return
        with self._mutex:
            found = self._conflicts.get(tree)
            if found is None:
                found = self._conflicts[tree] = Contention(self._thresholds)
            found.add(low if high is None else None, seconds)
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
                sources={tree: each.most() for tree, each in self._sources.items()},
            )

    def seen(self) -> Seen:
        """What is known by now."""
        with self._mutex:
            return Seen(
                streams={
                    (tree, kind): stream.summary()
                    for kind, streams in self._streams.items()
                    for tree, stream in streams.items()
                },
                scans={tree: scans.summary() for tree, scans in self._scans.items()},
                conflicts={tree: each.summary() for tree, each in self._conflicts.items()},
                sources={tree: each.most() for tree, each in self._sources.items()},
                trace=_last(self._trace, self._thresholds.trace_judged_max),
            )


def _last(trace: deque[Commit], most: int) -> tuple[Commit, ...]:
    """The newest commits, oldest first."""
    return tuple(islice(reversed(trace), most))[::-1]
