"""What made work for the servers since the last virtual minute: which rows, and how much of it.

Kept only while somebody has the splits of a database follow its load (`splitting`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

from spanemu.hotspots.simulation.settings import SplitSettings
from spanemu.schema.schema import Schema
from spanemu.storage.layout import TreeId, key_reader, tree_of
from spanemu.storage.observer import Journal, ReadKind, journal_columns

Work = tuple[TreeId, bytes, float]  # a row, and the units that were spent on it
Row = tuple[Any, ...]


class LoadRecorder:
    """A `StoreObserver`. Of very many operations it keeps every second, fourth, ... one."""

    def __init__(self, schema: Callable[[], Schema], settings: SplitSettings) -> None:
        self._schema = schema
        self._settings = settings
        self._mutex = threading.Lock()  # Guards the fields below.
        self._keys: dict[TreeId, Callable[[Row], bytes]] = {}  # of trees whose rows were scanned
        self._work: list[Work] = []
        self._stride = 1
        self._count = 0

    def on_writes(self, journal: Journal) -> None:
        """Commits wrote those rows."""
        trees, keys, _ = journal_columns(journal)
        with self._mutex:
            for tree, key in zip(trees, keys, strict=True):
                self._add(tree, key, self._settings.units_per_write)

    def on_get(self, tree: TreeId, key: bytes) -> None:
        """A row was looked up, there or not."""
        with self._mutex:
            self._add(tree, key, self._settings.units_per_read)

    def on_scan(
        self, tree: TreeId, rows: Iterator[Row], reading: ReadKind, asked: object
    ) -> Iterator[Row]:
        """Rows are read one after the other."""
        key_of = self._key_of(tree)
        if key_of is None:
            yield from rows
            return
        for row in rows:
            with self._mutex:
                self._add(tree, key_of(row), self._settings.units_per_read)
            yield row

    def take(self) -> tuple[list[Work], int]:
        """The work since it was last taken, and how many operations that were."""
        with self._mutex:
            found, count = self._work, self._count
            scaled = [(tree, key, units * self._stride) for tree, key, units in found]
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
        """From rows of a tree to their keys; None for a tree of another schema."""
        if tree not in self._keys:
            things = {tree_of(thing): thing for thing in self._schema().tables_and_indexes()}
            if tree not in things:
                return None
            self._keys[tree] = key_reader(things[tree])
        return self._keys[tree]
