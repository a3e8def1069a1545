"""The recorder of the servers' work in the current virtual minute: rows, and work for each.

Work is recorded only while the splits of a database follow its load (`split_manager`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

from spanemu.schema.schema import Schema
from spanemu.storage.layout import TreeId, key_reader, tree_of
from spanemu.storage.observer import Journal, ReadKind, journal_columns
from spanemu.storage.split_settings import SplitSettings

Work = tuple[TreeId, bytes, float]  # a row, and the units of work for it
Row = tuple[Any, ...]


class LoadRecorder:
    """A `StoreObserver` that samples: of very many operations every second, fourth, ... is kept."""

    def __init__(self, schema: Callable[[], Schema], settings: SplitSettings) -> None:
        self._schema = schema
        self._settings = settings
        self._mutex = threading.Lock()  # Guards the fields below.
        self._keys: dict[TreeId, Callable[[Row], bytes]] = {}  # of trees whose rows were scanned
        self._work: list[Work] = []
        self._stride = 1
        self._count = 0

    def on_writes(self, journal: Journal) -> None:
        """Record the rows that commits wrote."""
        trees, keys, _ = journal_columns(journal)
        with self._mutex:
            for tree, key in zip(trees, keys, strict=True):
                self._add(tree, key, self._settings.units_per_write)

    def on_get(self, tree: TreeId, key: bytes) -> None:
        """Record the lookup of a row, which need not exist."""
        with self._mutex:
            self._add(tree, key, self._settings.units_per_read)

    def on_scan(
        self, tree: TreeId, rows: Iterator[Row], reading: ReadKind, request: object
    ) -> Iterator[Row]:
        """Record the rows of a scan as they are read."""
        key_of = self._key_of(tree)
        if key_of is None:
            yield from rows
            return
        for row in rows:
            with self._mutex:
                self._add(tree, key_of(row), self._settings.units_per_read)
            yield row

    def take(self) -> tuple[list[Work], int]:
        """Remove and return the work recorded since the last call, and the number of operations."""
        with self._mutex:
            count = self._count
            scaled = [(tree, key, units * self._stride) for tree, key, units in self._work]
            self._work, self._stride, self._count = [], 1, 0
            return scaled, count

    def _add(self, tree: TreeId, key: bytes, units: float) -> None:
        if self._count % self._stride == 0:
            self._work.append((tree, key, units))
            if len(self._work) > self._settings.events_max:
                self._work = self._work[::2]
                self._stride *= 2
        self._count += 1

    def _key_of(self, tree: TreeId) -> Callable[[Row], bytes] | None:
        """Return a function from rows of a tree to keys; None for a tree of another schema."""
        if tree not in self._keys:
            sources = {tree_of(source): source for source in self._schema().tables_and_indexes()}
            if tree not in sources:
                return None
            self._keys[tree] = key_reader(sources[tree])
        return self._keys[tree]
