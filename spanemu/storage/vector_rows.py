"""The rows of a table by their vectors, gathered for a search and kept for the next ones.

    gathered     rows with a vector, in key order, as of the first search
    + stale      keys that may have been written since: their rows are looked up in the tree
    = view       what a search at a timestamp sees: gathered rows, but for the hidden ones, and
                 fresh rows

Commits cost nothing: a search asks the leaves of the tree what was written since the search before
it, and adds these keys to the stale ones. When these become many, the rows are gathered anew.

A clone shares what was gathered. A restore makes the keys stale whose changes it undoes. A search
at an earlier timestamp than that of the rows looks up all keys written after its own.
"""

from __future__ import annotations

from spanemu.base.record import NamedTuple
from spanemu.storage.layout import EVERYTHING, TreeId
from spanemu.storage.reads import StoreReads
from spanemu.values.vector_rows import Gathered, VectorColumn, VectorView

STALE_MIN = 256  # rows are not gathered anew for fewer stale keys
STALE_SHARE = 4  # of the rows: a quarter


class _Entry(NamedTuple):
    """Gathered rows that are those as of `at`, but for the stale keys."""

    gathered: Gathered
    at: int
    stale: frozenset[bytes]


class VectorRows:
    """The gathered rows of one store. The store's mutex guards the entries."""

    def __init__(self, store: StoreReads) -> None:
        self._store = store
        self._entries: dict[VectorColumn, _Entry] = {}

    def copy(self, store: StoreReads) -> VectorRows:
        """Return the gathered rows of a clone, which has the same rows and history."""
        twin = VectorRows(store)
        twin._entries = dict(self._entries)
        return twin

    def forget(self, tree: TreeId) -> None:
        """Forget the rows of a tree that was dropped, because its id may be used again."""
        for column in [column for column in self._entries if column.tree == tree]:
            del self._entries[column]

    def trees(self) -> frozenset[TreeId]:
        """Return the trees whose rows have been gathered."""
        return frozenset([TreeId(column.tree) for column in self._entries])

    def restored(self, at: int, undone: dict[TreeId, set[bytes]]) -> None:
        """Follow a restore of the state at `at` that undid changes of these keys by tree."""
        known = self._store.split_map.trees
        for column, entry in list(self._entries.items()):
            if column.tree not in known:
                del self._entries[column]
            elif keys := undone.get(TreeId(column.tree)):
                self._entries[column] = entry._replace(
                    at=min(entry.at, at), stale=entry.stale | keys
                )

    def view(self, column: VectorColumn, at: int) -> VectorView:
        """Return the rows as of `at`, which can be read."""
        store, tree = self._store, TreeId(column.tree)
        with store.mutex:
            entry = self._entries.get(column)
            written = _written(store, entry, column, at)
        if entry is None or written is None:
            gathered = Gathered(column, list(store.scan_items(tree, None, at)))
            with store.mutex:
                if self._entries.get(column) is entry:
                    self._entries[column] = _Entry(gathered, at, frozenset())
            return VectorView(gathered, frozenset(), ())
        hidden = entry.stale | written
        if written and at > entry.at:
            with store.mutex:
                if self._entries.get(column) is entry:
                    self._entries[column] = entry._replace(at=at, stale=hidden)
        rows = [(key, store.get(tree, key, at)) for key in sorted(hidden)]
        fresh = [(key, row) for key, row in rows if row is not None]
        return VectorView(entry.gathered, hidden, fresh)


def _written(
    store: StoreReads, entry: _Entry | None, column: VectorColumn, at: int
) -> frozenset[bytes] | None:
    """Return the keys that may have other rows than the entry; None if there are too many.

    Rows that were deleted are in the tree until no reader can see them. So the entry must not be
    older than what can be read.
    """
    if entry is None or entry.at < store.oldest_readable:
        return None
    written = frozenset(
        key for key, _ in store.written_items(TreeId(column.tree), EVERYTHING[0], min(entry.at, at))
    )
    gathered = entry.gathered
    rows = len(gathered.keys) + len(gathered.null_keys)
    is_much = len(entry.stale | written) > max(STALE_MIN, rows // STALE_SHARE)
    return None if is_much and at >= entry.at else written
