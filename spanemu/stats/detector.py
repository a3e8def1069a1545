"""Watches the commits of one store and keeps, for each tree, streams of inserts, updates, deletes.

Nothing is judged here, and nothing is known of the schema: trees are told apart by their ids. A
store that nobody watches has no observer and pays nothing.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from enum import StrEnum

from spanemu.stats.stream import Stream, Summary
from spanemu.stats.thresholds import THRESHOLDS, Thresholds
from spanemu.stats.trace import Commit
from spanemu.storage.layout import TreeId
from spanemu.storage.observer import TreeWrite
from spanemu.storage.store import Store


class Kind(StrEnum):
    """What a commit did to a row."""

    INSERT = "insert"
    UPDATE = "update"
    DELETE = "delete"


class Detector:
    """A `StoreObserver`. The store calls it under its mutex, one commit after the other."""

    def __init__(self, store: Store, thresholds: Thresholds = THRESHOLDS) -> None:
        self._store = store
        self._thresholds = thresholds
        self._mutex = threading.Lock()  # Guards the streams: a report may be made meanwhile.
        self._inserts: dict[TreeId, Stream] = {}
        self._updates: dict[TreeId, Stream] = {}
        self._deletes: dict[TreeId, Stream] = {}
        self.paused = False
        self._trace: deque[Commit] = deque(maxlen=thresholds.trace_commits_max)

    def committed(self, writes: Sequence[TreeWrite], at: int) -> None:
        """Take in one commit."""
        if self.paused or not writes:
            return
        with self._mutex:
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

    def _stream(self, tree: TreeId, key: bytes, deleted: bool) -> Stream:
        """The stream that a write belongs to; what was there before tells an insert."""
        if deleted:
            streams = self._deletes
        else:
            head = self._store.head(tree, key)
            older = None if head is None else head[2]
            streams = self._inserts if older is None or older[1] is None else self._updates
        found = streams.get(tree)
        if found is None:
            found = streams[tree] = Stream(self._thresholds)
        return found

    def trace(self) -> list[Commit]:
        """The last commits, oldest first, as many as are kept."""
        with self._mutex:
            return list(self._trace)

    def summaries(self) -> dict[tuple[TreeId, Kind], Summary]:
        """What is known of every stream by now."""
        with self._mutex:
            return {
                (tree, kind): stream.summary()
                for kind, streams in (
                    (Kind.INSERT, self._inserts),
                    (Kind.UPDATE, self._updates),
                    (Kind.DELETE, self._deletes),
                )
                for tree, stream in streams.items()
            }
