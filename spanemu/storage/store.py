"""The store of one database: versioned rows, read at any timestamp, changed by whole commits.

    store.get(tree, key, at)             one row as of a timestamp
    store.scan(tree, ranges, at)         rows in key order
    store.apply(writes)                  a commit: all of it becomes visible at once
    store.snapshot() / restore / clone   restore costs as much as was written since

Thread-safety: `mutex` guards all fields. A commit holds it while it is applied. The methods that
read rows are in `reads`.

Invariants, walked by `check`: those of `splits`; no version is newer than `last_commit`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby, repeat
from operator import itemgetter
from typing import Any

from spanemu.base.clock import BEGINNING, Clock
from spanemu.schema.schema import Schema
from spanemu.storage import layers
from spanemu.storage import postings as postings_of
from spanemu.storage.change_log import (
    ChangeListener,
    ChangeLog,
    ChangeOrigin,
    RowChange,
    Serials,
    Watching,
)
from spanemu.storage.garbage_collection import GarbageQueue, Pins, StoreSnapshot, Undo, undo
from spanemu.storage.layout import Boundary, Path, TreeId
from spanemu.storage.observer import (
    ALL_CELLS,
    JOURNAL_MAX,
    CellMasks,
    StoreExplorer,
    StoreObserver,
    TreeWrite,
    replace_observer,
)
from spanemu.storage.reads import StoreReads
from spanemu.storage.split_map import Dropped
from spanemu.storage.versions import Version, push
from spanemu.values.cell_mask import WHOLE_ROW

MANY_WRITES = 16  # at least so many new rows of a tree are inserted together
AGED_ROWS_PER_COMMIT = 16  # rows that a commit collects, besides two for each write


class Store(StoreReads):
    """The rows of one database. Timestamps are nanoseconds, strictly increasing by commit."""

    def __init__(self, clock: Clock, retention_nanos: int) -> None:
        super().__init__(clock)
        self.retention_nanos = retention_nanos
        self.pins = Pins()
        self.sequences: dict[int, int] = {}  # sequence id -> values drawn so far
        self.observer: StoreObserver | None = None
        self.explorer: StoreExplorer | None = None
        self.followers: dict[TreeId, Any] = {}  # `observer.Followers`, until a restore
        self.vector_rows: Any = None  # `vector_rows.VectorRows`, since the first search
        # Of the search indexes that were queried, by tree.
        self.postings: dict[TreeId, postings_of.TreePostings] = {}
        self._journal: list[Any] | None = None  # writes not yet reported to the observer
        self.change_log: ChangeLog | None = None  # None while no change stream exists
        self.change_listener: ChangeListener | None = None  # for readers of change streams
        self._serials = Serials()
        self._garbage = GarbageQueue()
        self._log: list[Undo] = []
        self._forgotten = 0  # changes that no snapshot needs, removed from the front of `_log`
        self._snapshots: OrderedDict[StoreSnapshot, None] = OrderedDict()  # the oldest first

    # ------------------------------------------------------------------ trees and splits

    def create_tree(self, tree: TreeId, hierarchy: TreeId, path: Path = ()) -> None:
        """Add an empty tree for a table or an index.

        `path` lists the trees that it is interleaved in, then itself. It is required below the
        second level.
        """
        with self.mutex:
            short = (tree,) if tree == hierarchy else (hierarchy, tree)
            self._remember(self.split_map.create(tree, path or short))

    def drop_tree(self, tree: TreeId, at: int | None = None) -> None:
        """Drop a table or an index with the boundaries between its rows.

        Rows readable before `at` are kept; without `at`, none are.
        """
        with self.mutex:
            if at is not None:
                self._dropped.add(tree, self.split_map.trees[tree], at)
                self._remember(lambda: self._dropped.remove(tree))
            self.postings.pop(tree, None)
            self._remember(self.split_map.drop(tree))
            if self.vector_rows is not None:
                self.vector_rows.forget(tree)

    def cut(self, boundaries: Iterable[Boundary]) -> list[Boundary]:
        """Add split boundaries; return the new ones."""
        with self.mutex:
            added, undo = self.split_map.cut(boundaries)
            self._remember(undo)
            if added:
                self._follow_splits()
            return added

    def merge(self, boundaries: Iterable[Boundary]) -> bool:
        """Remove boundaries; return whether any of them existed."""
        with self.mutex:
            undo = self.split_map.merge(boundaries)
            self._remember(undo)
            if undo is not None:
                self._follow_splits()
            return undo is not None

    def move(self, hierarchy: TreeId, start: bytes, server: int) -> None:
        """Move the split that begins at a position, b"" for the first, to a server."""
        with self.mutex:
            undo = self.split_map.move(hierarchy, start, server)
            self._remember(undo)
            log = self.change_log
            if undo is not None and log is not None:
                now = self.clock.now()
                moved = log.partitions.moved(hierarchy, start, self.split_map, now)
                self.watch(log.watching._replace(partitions=moved))

    def all_boundaries(self) -> list[Boundary]:
        """Return the boundaries of all hierarchies."""
        with self.mutex:
            return self.split_map.all_boundaries()

    def _remember(self, undo: Callable[[], object] | None) -> None:
        if undo is not None and self._snapshots:
            self._log.append(undo)

    # ------------------------------------------------------------------ writing

    def apply(self, writes: Sequence[TreeWrite], at: int, cells: CellMasks = ALL_CELLS) -> None:
        """Make a commit visible at `at`, which `clock.now` returned meanwhile.

        `cells` holds the masks of the rows of which only some cells are written. The caller holds
        `mutex`.
        """
        if self.postings:
            postings_of.note_writes(self.postings, writes)
        horizon = self.advance_horizon(at)
        split_map, garbage, journal = self.split_map, self._garbage.rows, self._journal
        log = self._log if self._snapshots else None
        for tree_id, key, row in (
            writes if len(writes) < MANY_WRITES else self._insert_new(writes, at)
        ):
            tree = split_map.whole.get(tree_id)
            if tree is None:
                tree = split_map.writable(tree_id, key)
            maps = tree.maps
            older = maps[0].get(key) if len(maps) == 1 else tree.get(key)
            if log is not None:
                log.append((tree_id, key, older))
            if older is None and row is not None:
                version: Version = (at, row, None, 1, None)
                tree.add(key, version)
            else:
                mask = cells.get((tree_id, key), WHOLE_ROW) if cells else WHOLE_ROW
                version = push(older, at, row, horizon, mask)
                tree.put(key, version, older)
                if version[3] == 2 or row is None:
                    garbage.append((at, tree_id, key))
            if journal is not None:
                journal += tree_id, key, version
        self.last_commit = at
        if garbage and garbage[0][0] <= horizon:
            self._forget_versions(horizon, 2 * len(writes) + AGED_ROWS_PER_COMMIT)
        if journal is not None and len(journal) >= JOURNAL_MAX:
            self.flush_observers()

    def _insert_new(self, writes: Sequence[TreeWrite], at: int) -> Sequence[TreeWrite]:
        """Insert the rows of the trees in which all of them are new; return the other writes."""
        others: list[TreeWrite] = []
        others_of: set[TreeId] = set()
        for tree_id, group in groupby(writes, itemgetter(0)):
            rows = list(group)
            if tree_id in others_of or not self._insert_all(tree_id, rows, at):
                others_of.add(tree_id)
                others += rows
        return others

    def _insert_all(self, tree_id: TreeId, writes: Sequence[TreeWrite], at: int) -> bool:
        """Insert rows into a tree; return False, with none inserted, if a row is not new."""
        if len(writes) < MANY_WRITES:
            return False
        tree = self.split_map.writable(tree_id, writes[0][1])
        if tree_id not in self.split_map.whole:
            return False
        versions: dict[bytes, Version] = {
            key: (at, row, None, 1, None) for _, key, row in writes if row is not None
        }
        if len(versions) < len(writes) or not layers.lack(tree.maps, versions):
            return False
        tree.insert_all(versions, at)
        if self._snapshots:
            self._log += zip(repeat(tree_id), versions, repeat(None))
        if self._journal is not None:
            for key, version in versions.items():
                self._journal += tree_id, key, version
        return True

    # ------------------------------------------------------------------ change streams

    def watch(self, watching: Watching | None) -> None:
        """Record the changes of these trees from now on; None ends the recording."""
        with self.mutex:
            before, partitions = self.change_log, watching and watching.partitions
            is_change = before is None or before.partitions is not partitions
            if watching is None:
                self.change_log = None
            elif before is None:
                self.change_log = ChangeLog(self.mutex, watching, self._serials)
            else:
                before.watching = watching
            if is_change and self.change_listener is not None:
                self.change_listener.on_partitions(partitions)

    def record(
        self, at: int, changes: Sequence[RowChange], schema: Schema, origin: ChangeOrigin
    ) -> None:
        """Append the changes of the commit at `at`, which was just applied, to the change log.

        The caller holds `mutex`.
        """
        log = self.change_log
        assert log is not None, "nothing is watched"
        entry = log.append(at, changes, schema, origin)
        if self.change_listener is not None:
            self.change_listener.on_entry(entry, log.partitions)

    def _follow_splits(self) -> None:
        """Replace the partitions of the change streams whose splits have changed."""
        log = self.change_log
        if log is not None:
            partitions = log.partitions.following(self.split_map, self.clock.now())
            self.watch(log.watching._replace(partitions=partitions))

    # ------------------------------------------------------------------ observers and garbage

    def observe(self, new: StoreObserver | None, removed: StoreObserver | None = None) -> None:
        """Add the observer `new`, and remove `removed`; None stands for no observer."""
        with self.mutex:
            self.flush_observers()
            self.observer = replace_observer(self.observer, removed, new)
            self._journal = None if self.observer is None else []

    def flush_observers(self) -> None:
        """Report all writes up to now to the observer."""
        with self.mutex:
            if self._journal and self.observer is not None:
                journal, self._journal = self._journal, []
                self.observer.on_writes(journal)

    def collect_garbage(self) -> int:
        """Discard every version that no reader can see any more; return how many.

        Each commit collects a part of the garbage, in proportion to its writes.
        """
        with self.mutex:
            now = self.clock.peek()
            if self.change_log is not None:
                self.change_log.drop_old(now)
            return self._forget_versions(self.advance_horizon(now), len(self._garbage.rows))

    def advance_horizon(self, now: int) -> int:
        """Return the timestamp up to which versions may be discarded, and advance to it.

        The caller holds `mutex`.
        """
        horizon = now - self.retention_nanos
        if self.pins.held:
            horizon = self.pins.earliest(horizon)
        if horizon > self.oldest_readable:
            self.oldest_readable = horizon
        if self._dropped.order:
            self._dropped.forget(horizon)
        return horizon

    def _forget_versions(self, horizon: int, rows_max: int) -> int:
        log = self._log if self._snapshots else None
        return self._garbage.collect(self.split_map, horizon, rows_max, log)

    def map_sizes(self) -> dict[int, int]:
        """Return the numbers of rows of the dictionaries by their identity: clones share some.

        Takes no lock, because threads with other locks call it: a change meanwhile may be missed.
        """
        hierarchies = list(self.split_map.hierarchies.values())
        splits = [split for hierarchy in hierarchies for split in hierarchy.splits]
        trees = [tree for split in splits for tree in list(split.trees.values())]
        return {id(each): len(each) for tree in trees for each in tree.maps}

    # ------------------------------------------------------------------ snapshots and clones

    def snapshot(self) -> StoreSnapshot:
        """Return the current state, which `restore` can restore any number of times."""
        with self.mutex:
            taken = StoreSnapshot(
                self._forgotten + len(self._log),
                self._garbage.mark(self.last_commit),
                dict(self.sequences),
                self.oldest_readable,
                self._dropped.copy(),
                None if self.change_log is None else self.change_log.mark(),
            )
            self._snapshots[taken] = None
            return taken

    def restore(self, snapshot: StoreSnapshot) -> None:
        """Undo every change since `snapshot`; later snapshots become invalid.

        Costs as much as was written since. Raise ValueError for a snapshot that is not valid.
        """
        with self.mutex:
            if snapshot not in self._snapshots:
                raise ValueError("the snapshot was discarded, or an earlier one was restored since")
            while next(reversed(self._snapshots)) is not snapshot:
                self._snapshots.popitem()
            length = snapshot.log_length - self._forgotten
            undone = self._vectors_since(length)
            touched = {tree: each.touched for tree, each in self.postings.items()}
            undo(self._log, length, self.split_map, self._garbage, touched)
            for tree in self.postings.keys() - self.split_map.trees.keys():
                del self.postings[tree]
            self._garbage.restore(snapshot.garbage)
            self.sequences = dict(snapshot.sequences)
            self.last_commit, self.oldest_readable = snapshot.garbage.at, snapshot.oldest_readable
            if self.vector_rows is not None:
                self.vector_rows.restored(self.last_commit, undone)
            self._dropped = snapshot.dropped.copy()
            self.change_log = None if snapshot.changes is None else snapshot.changes.restore()
            if self.change_listener is not None:
                self.change_listener.on_restore()

    def _vectors_since(self, log_length: int) -> dict[TreeId, set[bytes]]:
        """Return the keys in the end of the undo log, by tree, of trees searched by vectors."""
        trees = frozenset[TreeId]() if self.vector_rows is None else self.vector_rows.trees()
        keys: dict[TreeId, set[bytes]] = {tree: set() for tree in trees}
        if trees:
            for change in self._log[log_length:]:
                if not callable(change) and change[0] in trees:
                    keys[change[0]].add(change[1])
        return keys

    def holds(self, snapshot: StoreSnapshot) -> bool:
        """Return whether a snapshot is valid."""
        return snapshot in self._snapshots

    def forget(self, snapshot: StoreSnapshot) -> None:
        """Discard a snapshot, so that the undo log need not reach back to it."""
        with self.mutex:
            self._snapshots.pop(snapshot, None)
            if not self._snapshots:
                self._log.clear()
                self._forgotten = 0
                return
            needless = next(iter(self._snapshots)).log_length - self._forgotten
            if 2 * needless > len(self._log):  # Each change moves at most twice on average.
                del self._log[:needless]
                self._forgotten += needless

    def forget_history(self) -> bool:
        """Rewrite every row as written at the beginning of time; return whether that was possible.

        Visits every row. Does nothing while snapshots exist, because they hold another history.
        """
        with self.mutex:
            if self._snapshots:
                return False
            self.flush_observers()
            if self.last_commit != BEGINNING:
                self.split_map.forget_history()
            self._garbage, self._dropped = GarbageQueue(), Dropped()
            self.vector_rows = None
            self.last_commit = self.oldest_readable = BEGINNING
            if self.change_log is not None:
                self.change_log.forget()
                if self.change_listener is not None:
                    self.change_listener.on_restore()
            return True

    def clone(self) -> Store:
        """Return a store with the same rows and history, which shares trees until either writes."""
        with self.mutex:
            twin = Store(self.clock, self.retention_nanos)
            twin.last_commit = self.last_commit
            twin.oldest_readable = self.oldest_readable
            twin._dropped = self._dropped.copy()
            twin.sequences = dict(self.sequences)
            twin._garbage = self._garbage.copy()
            twin.split_map = self.split_map.share()
            twin.postings = {tree: each.share() for tree, each in self.postings.items()}
            twin._serials = self._serials.copy()
            if self.vector_rows is not None:
                twin.vector_rows = self.vector_rows.copy(twin)
            if self.change_log is not None:
                twin.change_log = self.change_log.share(twin.mutex, twin._serials)
            return twin

    def as_of(self, at: int, paths: Mapping[TreeId, Path]) -> Store:
        """Return a clone in its state at `at`, with exactly the trees of `paths`.

        The clone has no change log. Visits every row of trees that were written since.
        """
        with self.mutex:
            twin = self.clone()
            twin.change_log, twin.vector_rows, twin.postings = None, None, {}
            for tree in sorted(twin.split_map.trees.keys() - paths.keys(), reverse=True):
                twin.drop_tree(tree)
            for tree in [tree for tree in paths if tree not in twin.split_map.trees]:
                twin.create_tree(tree, paths[tree][0], paths[tree])
                if (dropped := twin._dropped.get(tree)) is not None:
                    twin.split_map.trees[tree].fill(tree, dropped)
            twin._dropped = Dropped()
            if at < self.last_commit:
                twin.split_map.rewind(at)
            return twin

    def documents(
        self,
        tree: TreeId,
        layout: postings_of.DocumentLayout,
        selection: postings_of.Selection,
        at: int,
    ) -> postings_of.View | None:
        """Return the documents of a partition of a search index, with the postings of their tokens.

        None for an index that was dropped, or a layout that it had earlier.
        """
        with self.mutex:
            known = self.postings.get(tree)
            if known is None or known.layout != layout:
                is_earlier = known is not None and at < self.last_commit
                if is_earlier or tree not in self.split_map.trees:
                    return None
                known = self.postings[tree] = postings_of.TreePostings(layout)
        return known.view(self, tree, selection, at)

    def check(self) -> None:
        """Assert every invariant."""
        with self.mutex:
            self.split_map.check(self.last_commit)
            if self.change_log is not None:
                self.change_log.check(self.last_commit)
