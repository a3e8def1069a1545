"""The observer of one store: streams of writes and reads by tree, scans and lock conflicts.

The detector draws no conclusions and knows no schema: it identifies trees by their ids. A store
without a detector has no observer, and observation costs nothing there.
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
from spanemu.hotspots.stream import Summary
from spanemu.hotspots.thresholds import THRESHOLDS, Thresholds
from spanemu.hotspots.trace import Commit, CommitBatch, KeyEvent, RecentCommits, Trace
from spanemu.hotspots.tree_load import (
    READS,
    ContentionSummary,
    Kind,
    QueryUse,
    ScanSummary,
    Source,
    TreeLoad,
    caller,
)
from spanemu.storage.layout import TreeId
from spanemu.storage.observer import Journal, ReadKind
from spanemu.storage.split_settings import SplitPolicy
from spanemu.storage.store import Store

ATTRIBUTION_COMMITS_MAX = 128  # commits of well-sampled trees, after which one is attributed again
READS_MAX = 128  # reads by key that are processed as one batch

_TREE = itemgetter(0)


@dataclass(frozen=True, slots=True)
class Observations:
    """Everything a detector has observed, by tree; `trace` holds only the last commits.

    The database adds the `queries` that ran meanwhile, the names of dropped trees (`former`), and
    the `policy` that says where boundaries may lie.
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
        """Return whether no write, read by key, scan or conflict was observed."""
        return not (self.streams or self.scans or self.conflicts)


Describe = Callable[[object, TreeId], tuple[str, str]]


def _no_description(request: object, tree: TreeId) -> tuple[str, str]:
    return "", ""


class Detector:
    """A `StoreObserver`, and the observer of a lock table.

    A commit or a read by key is only recorded when it happens, by the store or here, and processed
    later in a batch. `describe` returns the text and the tag of a request with respect to a tree.
    """

    def __init__(
        self,
        store: Store,
        thresholds: Thresholds = THRESHOLDS,
        describe: Describe = _no_description,
    ) -> None:
        self._store = store
        self._thresholds = thresholds
        self._describe = describe
        self._paused = False
        self.began, self.ended = monotonic(), inf  # the time span of the observation
        # Reads by key that are not processed yet. Appending to a deque needs no mutex.
        self._pending_reads: deque[KeyEvent] = deque()
        # Guarded by the store's mutex: the trees whose commits need no attribution for now; the
        # trees with enough known sources; and the number of commits since the last attribution.
        self.attributed_trees: set[TreeId] = set()
        self._well_sampled_trees: set[TreeId] = set()
        self._unattributed_commits = 0
        # Guards the fields below, because a report may be built concurrently. Reentrant, because
        # garbage collection may end an abandoned scan anywhere, also while this lock is held.
        self._mutex = threading.RLock()
        self._trees: dict[TreeId, TreeLoad] = {}
        # Not in the loads of the trees yet: it waits for the next batch or a report, because most
        # tests write a single batch and ask for no report.
        self._last_batch: CommitBatch | None = None
        self._recent_commits = RecentCommits(thresholds.trace_commits_max)
        self._reads: deque[KeyEvent] = deque(maxlen=thresholds.trace_events_max)
        self._conflicts: deque[KeyEvent] = deque(maxlen=thresholds.trace_events_max)

    # ------------------------------------------------------------------ writes

    def on_writes(self, journal: Journal) -> None:
        """Record what some commits wrote."""
        if self._paused:
            return
        batch = CommitBatch(journal)
        self._unattributed_commits += batch.commits
        if self._unattributed_commits >= ATTRIBUTION_COMMITS_MAX:
            self._unattributed_commits = 0
            self.attributed_trees.clear()  # The next commit is attributed.
        with self._mutex:
            self._process_writes()
            self._recent_commits.append(batch)
            self._last_batch = batch

    def _process_writes(self) -> None:
        """Add the last batch of commits to the loads of its trees.

        The caller holds this detector's mutex.
        """
        batch, self._last_batch = self._last_batch, None
        if batch is not None:
            for tree, kind, timestamps, keys in batch.by_stream():
                self._tree_load(tree).stream(kind).add_rows(timestamps, keys)

    def attribute_commit(self, request: object, trees: Iterable[TreeId]) -> None:
        """Attribute the last commit, which wrote `trees`, to a request.

        The caller holds the store's mutex. A transaction calls this for its commit, unless all
        written trees are in `attributed_trees`.
        """
        if self._paused:
            return
        site, test = caller()
        with self._mutex:
            for tree in trees:
                statement, tag = self._describe(request, tree)
                sources = self._tree_load(tree).sources
                sources.add(Source(statement, site, test, tag))
                if sources.has_enough:
                    self._well_sampled_trees.add(tree)
        self.attributed_trees.update(self._well_sampled_trees)

    def pause(self, paused: bool) -> bool:
        """Pause or resume the observation, and return whether it was paused before."""
        with self._store.mutex:
            self._store.flush_observers()
            before, self._paused = self._paused, paused
            return before

    def _tree_load(self, tree: TreeId) -> TreeLoad:
        load = self._trees.get(tree)
        if load is None:
            load = self._trees[tree] = TreeLoad(self._thresholds)
        return load

    # ------------------------------------------------------------------ reads and conflicts

    def on_get(self, tree: TreeId, key: bytes) -> None:
        """Record a read of a row by its key."""
        if not self._paused:
            self._pending_reads.append((self._store.last_commit, tree, key))
            if len(self._pending_reads) >= READS_MAX:
                self._process_reads()

    def _process_reads(self) -> None:
        """Process the recorded reads by key."""
        with self._mutex:
            reads_by_tree: dict[TreeId, tuple[list[int], list[bytes]]] = {}
            for _ in range(len(self._pending_reads)):
                read = timestamp, tree, key = self._pending_reads.popleft()
                timestamps, keys = reads_by_tree.setdefault(tree, ([], []))
                timestamps.append(timestamp)
                keys.append(key)
                self._reads.append(read)
            for tree, (timestamps, keys) in reads_by_tree.items():
                self._tree_load(tree).stream(READS).add_single_rows(timestamps, keys)

    def on_scan(
        self, tree: TreeId, rows: Iterator[tuple[Any, ...]], read_kind: ReadKind, request: object
    ) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a scan; record their number when it ends or its consumer stops."""
        count = of = 0
        least = self._thresholds.scan_rows_min
        try:
            for row in rows:
                count += 1
                # Counted here because garbage collection may run the `finally` block, which must
                # not wait for the store.
                if count == least:
                    of = self._store.row_count(tree)
                yield row
        finally:
            if not self._paused:
                self._record_scan(tree, (count, of), read_kind, request)

    def _record_scan(
        self, tree: TreeId, counts: tuple[int, int], read_kind: ReadKind, request: object
    ) -> None:
        rows, of = counts
        with self._mutex:
            scans = self._tree_load(tree).scans
            large = scans.is_large(rows, of)
            scans.add(rows, read_kind, large=large)
            if large and scans.sources.should_sample():
                statement, tag = self._describe(request, tree)
                scans.sources.add(Source(statement, *caller(), tag))

    def on_conflict(self, tree: TreeId, low: bytes, high: bytes | None, seconds: float) -> None:
        """Record a conflict about a row, or about a range up to `high`."""
        if self._paused:
            return
        with self._mutex:
            self._tree_load(tree).conflicts.add(low if high is None else None, seconds)
            if high is None:
                self._conflicts.append((self._store.last_commit, tree, low))

    # ------------------------------------------------------------------ results

    def _flush(self) -> None:
        """Process everything that is recorded. The caller must not hold this detector's mutex."""
        self._store.flush_observers()
        with self._mutex:
            self._process_writes()
        self._process_reads()

    def trace(self) -> Trace:
        """Return the newest observed events, oldest first, as many as are kept."""
        self._flush()
        with self._mutex:
            return Trace(
                commits=self._recent_commits.newest(self._thresholds.trace_commits_max),
                reads=list(self._reads),
                conflicts=list(self._conflicts),
                dropped=self._recent_commits.dropped,
                sources={
                    tree: load.sources.most_frequent() for tree, load in list(self._trees.items())
                },
            )

    def observations(self) -> Observations:
        """Return all observations so far."""
        self._flush()
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
                sources={tree: load.sources.most_frequent() for tree, load in trees},
                trace=self._recent_commits.newest(self._thresholds.participants_commits_max),
            )
