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
from math import inf
from operator import itemgetter
from typing import Any

from spanemu.base.clock import monotonic
from spanemu.stats.contention import ContentionSummary
from spanemu.stats.queries import QueryUse
from spanemu.stats.scans import ScanSummary
from spanemu.stats.simulation.settings import SplitPolicy
from spanemu.stats.sources import Source, source_of
from spanemu.stats.stream import Stream, Summary
from spanemu.stats.thresholds import THRESHOLDS, Thresholds
from spanemu.stats.trace import Commit, Touch, Trace
from spanemu.stats.tree_load import Kind, TreeLoad
from spanemu.storage.layout import TreeId
from spanemu.storage.observer import Reading, Replaced, TreeWrite
from spanemu.storage.store import Store
from spanemu.storage.versions import Version

PUT_DOWN_MAX = 128  # commits, or reads by key, that are looked at together; who made the last?

_TREE = itemgetter(0)


@dataclass(frozen=True, slots=True)
class Seen:
    """All that a detector knows by now, by tree. Of the commits, `trace` has the last ones.

    Others add the `queries` that ran meanwhile, what the trees that are gone were called, and
    where boundaries may lie.
    """

    streams: Mapping[tuple[TreeId, Kind], Summary] = field(default_factory=dict)
    scans: Mapping[TreeId, ScanSummary] = field(default_factory=dict)
    conflicts: Mapping[TreeId, ContentionSummary] = field(default_factory=dict)
    sources: Mapping[TreeId, tuple[Source, ...]] = field(default_factory=dict)
    trace: Sequence[Commit] = ()
    queries: Sequence[QueryUse] = ()
    former: Mapping[TreeId, str] = field(default_factory=dict)
    policy: SplitPolicy = SplitPolicy.ROOT_ONLY


Describe = Callable[[object, TreeId], tuple[str, str]]


def _nothing_known(asked: object, tree: TreeId) -> tuple[str, str]:
    return "", ""


class Detector:
    """A `StoreObserver` and a lock table's. The store calls it under its mutex with each commit.

    A commit or a read by key is only put down when it happens, and looked at together with others
    later. `describe` gives the text and the tag of a request, as far as a tree is concerned.
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
        self.paused = False
        self.began, self.ended = monotonic(), inf  # when it began to watch, and when it ceased
        # Not looked at yet. Whoever puts something down needs no mutex for it.
        self._commits: deque[tuple[int, Sequence[TreeWrite], Replaced]] = deque()
        self._gets: deque[Touch] = deque()
        self._familiar: set[TreeId] = set()  # trees of which it is known who writes them
        self.unsigned: Sequence[TreeWrite] = ()  # of the last commit, if it matters who made it
        # Guards what is below: a report may be made meanwhile. Reentrant, since a scan that
        # nobody holds any more ends wherever garbage is collected, also in here.
        self._mutex = threading.RLock()
        self._looked_at = 0  # commits
        self._trees: dict[TreeId, TreeLoad] = {}
        self._trace: deque[Commit] = deque(maxlen=thresholds.trace_commits_max)
        self._reads: deque[Touch] = deque(maxlen=thresholds.trace_touches_max)
        self._fights: deque[Touch] = deque(maxlen=thresholds.trace_touches_max)

    # ------------------------------------------------------------------ writes

    def committed(self, writes: Sequence[TreeWrite], replaced: Replaced, at: int) -> None:
        """Take in one commit."""
        if self.paused or not writes:
            return
        commits, familiar = self._commits, self._familiar
        commits.append((at, writes, replaced))
        if len(writes) == 1:
            is_known = writes[0][0] in familiar
        else:
            is_known = familiar.issuperset(map(_TREE, writes))
        if len(commits) < PUT_DOWN_MAX:
            self.unsigned = () if is_known else writes
        else:
            self.unsigned = writes
            self._work_off()

    def committed_by(self, asked: object) -> None:
        """The last commit was made for a request; called while there is one that is `unsigned`."""
        with self._mutex:
            for tree in dict.fromkeys(map(_TREE, self.unsigned)):
                sources = self._load(tree).sources
                sources.met(source_of(*self._describe(asked, tree)))
                if sources.is_familiar:
                    self._familiar.add(tree)
        self.unsigned = ()

    def _work_off(self) -> None:
        """Look at what was put down."""
        with self._mutex:
            commits, gets, trace, stream = self._commits, self._gets, self._trace, self._stream
            count = len(commits)
            self._looked_at += count
            for _ in range(count):
                at, writes, replaced = commits.popleft()
                trace.append((at, writes))
                if len(writes) == 1:  # as mostly
                    stream(writes[0], replaced[0]).add(writes[0][1], at)
                elif len(set(map(_TREE, writes))) == len(writes):
                    for write, before in zip(writes, replaced, strict=True):
                        stream(write, before).add(write[1], at)
                else:
                    self._add_rows(writes, replaced, at)
            for _ in range(len(gets)):
                read = at, tree, key = gets.popleft()
                self._load(tree).reads.add(key, at)
                self._reads.append(read)

    def _add_rows(self, writes: Sequence[TreeWrite], replaced: Replaced, at: int) -> None:
        """Take in a commit with several rows of one tree."""
        touched: dict[Stream, list[bytes]] = {}
        for write, before in zip(writes, replaced, strict=True):
            touched.setdefault(self._stream(write, before), []).append(write[1])
        for stream, keys in touched.items():
            if len(keys) == 1:
                stream.add(keys[0], at)
            else:
                stream.add_rows(tuple(sorted(keys)), at)

    def _stream(self, write: TreeWrite, before: Version | None) -> Stream:
        """The stream that a write belongs to; what was there before tells an insert."""
        tree, _, row = write
        load = self._trees.get(tree) or self._load(tree)
        if row is None:
            return load.deletes
        return load.inserts if before is None or before[1] is None else load.updates

    def _load(self, tree: TreeId) -> TreeLoad:
        found = self._trees.get(tree)
        if found is None:
            found = self._trees[tree] = TreeLoad(self._thresholds)
        return found

    # ------------------------------------------------------------------ reads and conflicts

    def got(self, tree: TreeId, key: bytes) -> None:
        """Take in a read of a row by its key."""
        if not self.paused:
            self._gets.append((self._store.last_commit, tree, key))
            if len(self._gets) >= PUT_DOWN_MAX:
                self._work_off()

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
                scans.sources.met(source_of(*self._describe(asked, tree)))

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
            self._work_off()
            return Trace(
                commits=list(self._trace),
                reads=list(self._reads),
                conflicts=list(self._fights),
                dropped=self._looked_at - len(self._trace),
                sources={tree: each.sources.most() for tree, each in list(self._trees.items())},
            )

    def seen(self) -> Seen:
        """What is known by now."""
        with self._mutex:
            self._work_off()
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
