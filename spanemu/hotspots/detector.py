"""Watches one store: streams of inserts, updates, deletes and reads by tree, scans, conflicts.

Nothing is judged here, and nothing is known of the schema: trees are told apart by their ids. A
store that nobody watches has no observer and pays nothing.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from operator import itemgetter
from typing import Any

from spanemu.base.clock import monotonic
from spanemu.hotspots.pages import Page, Trail
from spanemu.hotspots.simulation.settings import SplitPolicy
from spanemu.hotspots.sources import Source, caller
from spanemu.hotspots.stream import Summary
from spanemu.hotspots.thresholds import THRESHOLDS, Thresholds
from spanemu.hotspots.trace import Commit, Touch, Trace
from spanemu.hotspots.tree_load import (
    READS,
    ContentionSummary,
    Kind,
    QueryUse,
    ScanSummary,
    TreeLoad,
)
from spanemu.storage.layout import TreeId
from spanemu.storage.observer import Journal, ReadKind
from spanemu.storage.store import Store

SIGNED_EVERY = 128  # commits at least, of trees that are familiar: who makes the next?
READS_MAX = 128  # by key, that are looked at together

_TREE = itemgetter(0)


@dataclass(frozen=True, slots=True)
class Observations:
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

    @property
    def is_idle(self) -> bool:
        """Whether no write, read by key, scan or conflict was seen."""
        return not (self.streams or self.scans or self.conflicts)


Describe = Callable[[object, TreeId], tuple[str, str]]


def _nothing_known(asked: object, tree: TreeId) -> tuple[str, str]:
    return "", ""


class Detector:
    """A `StoreObserver` and a lock table's.

    A commit or a read by key is only put down when it happens, by the store or here, and looked at
    together with others later. `describe` gives the text and the tag of a request, as far as a tree
    is concerned.
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
        self._paused = False
        self.began, self.ended = monotonic(), inf  # when it began to watch, and when it ceased
        # Read by key and not looked at yet; whoever puts one down needs no mutex.
        self._gets: deque[Touch] = deque()
        # Guarded by the store's mutex: trees of which it is known who writes them, for now or
        # altogether, and how many commits were made since one had to tell in spite of that.
        self.attributed_trees: set[TreeId] = set()
        self._known: set[TreeId] = set()
        self._unsigned_commits = 0
        # Guards what is below: a report may be made meanwhile. Reentrant, since a scan that
        # nobody holds any more ends wherever garbage is collected, also in here.
        self._mutex = threading.RLock()
        self._trees: dict[TreeId, TreeLoad] = {}
        self._trail = Trail(thresholds.trace_commits_max)
        self._reads: deque[Touch] = deque(maxlen=thresholds.trace_touches_max)
        self._fights: deque[Touch] = deque(maxlen=thresholds.trace_touches_max)

    # ------------------------------------------------------------------ writes

    def on_writes(self, journal: Journal) -> None:
        """Look at what some commits wrote."""
        if self._paused:
            return
        page = Page(journal)
        self._unsigned_commits += page.commits
        if self._unsigned_commits >= SIGNED_EVERY:
            self._unsigned_commits = 0
            self.attributed_trees.clear()  # The next commit tells who makes it.
        with self._mutex:
            self._trail.append(page)
            for tree, place, ats, keys in page.by_stream():
                self._load(tree).stream(place).take(ats, keys)

    def attribute_commit(self, asked: object, trees: Iterable[TreeId]) -> None:
        """The last commit, of those trees, was made for a request. Told under the store's mutex.

        To be told of a commit unless all of its trees are `attributed_trees`.
        """
        if self._paused:
            return
        site, test = caller()
        with self._mutex:
            for tree in trees:
                statement, tag = self._describe(asked, tree)
                sources = self._load(tree).sources
                sources.met(Source(statement, site, test, tag))
                if sources.is_familiar:
                    self._known.add(tree)
        self.attributed_trees.update(self._known)

    def pause(self, paused: bool) -> bool:
        """Look at what is written from now on, or do not; what was the case before."""
        with self._store.mutex:
            self._store.flush_observers()
            before, self._paused = self._paused, paused
            return before

    def _load(self, tree: TreeId) -> TreeLoad:
        found = self._trees.get(tree)
        if found is None:
            found = self._trees[tree] = TreeLoad(self._thresholds)
        return found

    # ------------------------------------------------------------------ reads and conflicts

    def on_get(self, tree: TreeId, key: bytes) -> None:
        """Take in a read of a row by its key."""
        if not self._paused:
            self._gets.append((self._store.last_commit, tree, key))
            if len(self._gets) >= READS_MAX:
                self._look_at_reads()

    def _look_at_reads(self) -> None:
        """Look at what was read by key."""
        with self._mutex:
            found: dict[TreeId, tuple[list[int], list[bytes]]] = {}
            for _ in range(len(self._gets)):
                read = at, tree, key = self._gets.popleft()
                ats, keys = found.setdefault(tree, ([], []))
                ats.append(at)
                keys.append(key)
                self._reads.append(read)
            for tree, (ats, keys) in found.items():
                self._load(tree).stream(READS).take_single(ats, keys)

    def on_scan(
        self, tree: TreeId, rows: Iterator[tuple[Any, ...]], reading: ReadKind, asked: object
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
            if not self._paused:
                self._scanned(tree, (count, of), reading, asked)

    def _scanned(
        self, tree: TreeId, counts: tuple[int, int], reading: ReadKind, asked: object
    ) -> None:
        rows, of = counts
        with self._mutex:
            scans = self._load(tree).scans
            large = scans.is_large(rows, of)
            scans.add(rows, reading, large=large)
            if large and scans.sources.is_due():
                statement, tag = self._describe(asked, tree)
                scans.sources.met(Source(statement, *caller(), tag))

    def on_conflict(self, tree: TreeId, low: bytes, high: bytes | None, seconds: float) -> None:
        """Take in a conflict about a row, or a range up to `high`."""
        if self._paused:
            return
        with self._mutex:
            self._load(tree).conflicts.add(low if high is None else None, seconds)
            if high is None:
                self._fights.append((self._store.last_commit, tree, low))

    # ------------------------------------------------------------------ what is known

    def _catch_up(self) -> None:
        """Look at everything; not to be called with a mutex of ours."""
        self._store.flush_observers()
        self._look_at_reads()

    def trace(self) -> Trace:
        """What was seen last, oldest first, as much as is kept."""
        self._catch_up()
        with self._mutex:
            return Trace(
                commits=self._trail.newest(self._thresholds.trace_commits_max),
                reads=list(self._reads),
                conflicts=list(self._fights),
                dropped=self._trail.dropped,
                sources={tree: each.sources.most() for tree, each in list(self._trees.items())},
            )

    def seen(self) -> Observations:
        """What is known by now."""
        self._catch_up()
        with self._mutex:
            trees = sorted(self._trees.items(), key=_TREE)
            return Observations(
                streams={
                    (tree, kind): stream.summary()
                    for tree, load in trees
                    for kind, stream in load.streams()
                },
                scans={tree: load.scans.summary() for tree, load in trees},
                conflicts={tree: load.conflicts.summary() for tree, load in trees},
                sources={tree: load.sources.most() for tree, load in trees},
                trace=self._trail.newest(self._thresholds.trace_judged_max),
            )
