"""Watches one store: streams of inserts, updates, deletes and reads by tree, scans, conflicts.

Nothing is judged here, and nothing is known of the schema: trees are told apart by their ids. A
store that nobody watches has no observer and pays nothing.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, repeat
from math import inf
from operator import itemgetter
from typing import Any

from spanemu.base.clock import monotonic
from spanemu.stats.contention import ContentionSummary
from spanemu.stats.pages import STAMPS, Draft, Page, Trail
from spanemu.stats.queries import QueryUse
from spanemu.stats.scans import ScanSummary
from spanemu.stats.simulation.settings import SplitPolicy
from spanemu.stats.sources import Source, caller
from spanemu.stats.stream import Summary
from spanemu.stats.thresholds import THRESHOLDS, Thresholds
from spanemu.stats.trace import Commit, Touch, Trace
from spanemu.stats.tree_load import READS, Kind, TreeLoad
from spanemu.storage.layout import TreeId
from spanemu.storage.observer import Reading, Replaced, TreeWrite
from spanemu.storage.store import Store

PAGE_ROWS = 256  # written, that are looked at together
SIGNED_EVERY = 128  # commits at least, of trees that are familiar: who made the last of a page?
READS_MAX = 128  # by key, that are looked at together

_PAGE_STAMPS = PAGE_ROWS * STAMPS
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
        self._draft = Draft()  # not looked at yet; guarded by the store's mutex
        self._gets: deque[Touch] = deque()  # the same; whoever puts one down needs no mutex
        self._unsigned_commits = 0  # commits that were put down since it mattered who made one
        self._familiar: set[TreeId] = set()  # trees of which it is known who writes them
        self.unsigned: Sequence[TreeWrite] = ()  # of the last commit, if it matters who made it
        # Guards what is below: a report may be made meanwhile. Reentrant, since a scan that
        # nobody holds any more ends wherever garbage is collected, also in here.
        self._mutex = threading.RLock()
        self._trees: dict[TreeId, TreeLoad] = {}
        self._trail = Trail(thresholds.trace_commits_max)
        self._reads: deque[Touch] = deque(maxlen=thresholds.trace_touches_max)
        self._fights: deque[Touch] = deque(maxlen=thresholds.trace_touches_max)

    # ------------------------------------------------------------------ writes

    def committed(self, writes: Sequence[TreeWrite], replaced: Replaced, at: int) -> None:
        """Take in one commit."""
        if self.paused or not writes:
            return
        draft = self._draft
        if len(writes) == 1:  # as mostly
            draft.rows += writes[0]
            draft.stamps += at, replaced[0]
            is_known = writes[0][0] in self._familiar
        else:
            draft.rows += chain.from_iterable(writes)
            draft.stamps += chain.from_iterable(zip(repeat(at), replaced, strict=False))
            is_known = self._familiar.issuperset(map(_TREE, writes))
        if len(draft.stamps) >= _PAGE_STAMPS:
            self._look_at_page()
            if self._unsigned_commits >= SIGNED_EVERY:
                self._unsigned_commits = 0
                is_known = False
        self.unsigned = () if is_known else writes

    def committed_by(self, asked: object) -> None:
        """The last commit was made for a request; called while there is one that is `unsigned`."""
        site, test = caller()
        with self._mutex:
            for tree in dict.fromkeys(map(_TREE, self.unsigned)):
                statement, tag = self._describe(asked, tree)
                sources = self._load(tree).sources
                sources.met(Source(statement, site, test, tag))
                if sources.is_familiar:
                    self._familiar.add(tree)
        self.unsigned = ()

    def _look_at_page(self) -> None:
        """Look at what was written. The caller has the store's mutex."""
        page, self._draft = Page(self._draft), Draft()
        self._unsigned_commits += page.commits
        with self._mutex:
            if page.commits:
                self._trail.append(page)
            for tree, place, ats, keys in page.by_stream():
                self._load(tree).stream(place).take(ats, keys)

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
                statement, tag = self._describe(asked, tree)
                scans.sources.met(Source(statement, *caller(), tag))

    def contended(self, tree: TreeId, low: bytes, high: bytes | None, seconds: float) -> None:
        """Take in a conflict about a row, or a range up to `high`."""
        if self.paused:
            return
        with self._mutex:
            self._load(tree).conflicts.add(low if high is None else None, seconds)
            if high is None:
                self._fights.append((self._store.last_commit, tree, low))

    # ------------------------------------------------------------------ what is known

    def _catch_up(self) -> None:
        """Look at everything; not to be called with a mutex of ours."""
        with self._store.mutex:
            self._look_at_page()
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

    def seen(self) -> Seen:
        """What is known by now."""
        self._catch_up()
        with self._mutex:
            trees = sorted(self._trees.items(), key=_TREE)
            return Seen(
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
