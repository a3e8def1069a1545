"""The partitions of all change streams of a database, which follow its splits and its schema.

The partitions that a stream should have are cut at each boundary of the splits of its watched
tables: a stream of tables without such boundaries has one partition, as at Google's emulator, and a
transaction that writes to several tables one part. Tests add cuts of their own, and remove others
(`with_cut`, `without_cut`). Whatever changes, the difference between the current partitions and
these cuts decides which partitions end (`partitions`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import cast

from spanemu.base.clock import BEGINNING
from spanemu.base.record import dataclass
from spanemu.change_streams.partitions import Bound, Partition, PartitionHistory
from spanemu.change_streams.watching import StreamRules, stream_rules, watched_cells
from spanemu.schema.schema import Schema
from spanemu.storage.change_log import ChangeEntry, Watching
from spanemu.storage.layout import Path, TreeId, path_of
from spanemu.storage.split_map import SplitMap
from spanemu.storage.store import Store

NewToken = Callable[[], str]

# Ended partitions are known for this many retention periods, so that a reader which comes too late
# with a token gets the right error.
RETENTIONS_KEPT = 2


@dataclass(frozen=True, slots=True)
class TrackedStream:
    """A change stream: what it watches, its partitions, and the cuts made for tests.

    `hierarchies` are those of the watched tables, by id. Changes before `readable_from` became
    unavailable when the retention period was shortened.
    """

    rules: StreamRules
    paths: Mapping[TreeId, Path]
    hierarchies: tuple[TreeId, ...]
    history: PartitionHistory
    added: frozenset[Bound] = frozenset()
    removed: frozenset[Bound] = frozenset()
    readable_from: int = BEGINNING

    @classmethod
    def new(
        cls, schema: Schema, rules: StreamRules, split_map: SplitMap, at: int, new_token: NewToken
    ) -> TrackedStream:
        """Return a stream that is created at `at`."""
        paths = _paths(schema, rules)
        hierarchies = _hierarchies(paths)
        bounds = _natural_bounds(hierarchies, split_map)
        history = PartitionHistory.new(rules.name, bounds, paths, at, new_token)
        return cls(rules, paths, hierarchies, history)

    def with_rules(self, schema: Schema, rules: StreamRules, at: int) -> TrackedStream:
        """Return the stream as a new schema declares it from `at` on."""
        if rules is self.rules:
            return self
        paths, readable_from = _paths(schema, rules), self.readable_from
        if rules.retention_nanos < self.rules.retention_nanos:
            readable_from = max(readable_from, at - rules.retention_nanos)
        return replace(
            self,
            rules=rules,
            paths=paths,
            hierarchies=_hierarchies(paths),
            readable_from=readable_from,
        )

    def earliest(self, now: int) -> int:
        """Return the earliest time whose changes can be read."""
        return max(now - self.rules.retention_nanos, self.history.created, self.readable_from)

    def following(
        self, split_map: SplitMap, at: int, new_token: NewToken, renewed: Iterable[str] = ()
    ) -> TrackedStream:
        """Return the stream with the partitions that it should have from `at` on.

        The partitions with the tokens `renewed` are replaced in any case.
        """
        natural = set(_natural_bounds(self.hierarchies, split_map))
        known = set(self.hierarchies)
        added = frozenset(bound for bound in self.added if bound.hierarchy in known)
        removed = self.removed & (natural | added)
        history = self.history.changed(
            sorted((natural | added) - removed), self.paths, at, new_token, renewed
        )
        if history is not self.history:
            history = history.forgetting(at - RETENTIONS_KEPT * self.rules.retention_nanos)
        elif (added, removed) == (self.added, self.removed):
            return self
        return replace(self, history=history, added=added, removed=removed)

    def with_cut(self, bound: Bound) -> TrackedStream:
        """Return the stream with its own additional cut."""
        return replace(self, added=self.added | {bound}, removed=self.removed - {bound})

    def without_cut(self, bound: Bound) -> TrackedStream:
        """Return the stream without one of its own cuts or of those of the splits."""
        return replace(self, added=self.added - {bound}, removed=self.removed | {bound})

    def owner_of(self, bound: Bound) -> Partition | None:
        """Return the open partition with the keys from `bound` on, if they are watched."""
        if bound.hierarchy not in self.hierarchies:
            return None
        partitions = self.history.current.partitions
        lows = [each.low for each in partitions if each.low is not None]
        return partitions[bisect_right(lows, bound)]


@dataclass(frozen=True, slots=True)
class TrackedStreams:
    """The change streams of a schema, by folded name, with their partitions. Immutable."""

    streams: Mapping[str, TrackedStream]
    new_token: NewToken

    @property
    def latest(self) -> int:
        """The time of the last change of any partition."""
        return max(stream.history.current.since for stream in self.streams.values())

    def following(self, split_map: SplitMap, at: int) -> TrackedStreams:
        """Return the partitions from `at` on, for the current splits."""
        return self._with(
            (name, stream.following(split_map, at, self.new_token))
            for name, stream in self.streams.items()
        )

    def moved(
        self, hierarchy: TreeId, start: bytes, split_map: SplitMap, at: int
    ) -> TrackedStreams:
        """Return the partitions after the split that begins at `start` has moved.

        The partition that the split lies in is replaced by a single child.
        """
        bound = Bound(hierarchy, start)
        owners = [(*item, item[1].owner_of(bound)) for item in self.streams.items()]
        return self._with(
            (name, stream.following(split_map, at, self.new_token, [owner.token]))
            for name, stream, owner in owners
            if owner is not None
        )

    def restarted(self) -> TrackedStreams:
        """Return the open partitions as if they had existed from the beginning of time."""
        return self._with(
            (name, replace(stream, history=stream.history.restarted()))
            for name, stream in self.streams.items()
        )

    def changed(
        self,
        name: str,
        stream: TrackedStream,
        split_map: SplitMap,
        at: int,
        renewed: Iterable[str] = (),
    ) -> TrackedStreams:
        """Return the partitions after a test has changed the cuts of a stream.

        The partitions with the tokens `renewed` are replaced in any case.
        """
        return self._with([(name, stream.following(split_map, at, self.new_token, renewed))])

    def declared(self, schema: Schema, split_map: SplitMap, at: int) -> TrackedStreams:
        """Return the streams of a schema that is current from `at` on."""
        streams: dict[str, TrackedStream] = {}
        for name, rules in stream_rules(schema).items():
            known = self.streams.get(name)
            streams[name] = (
                TrackedStream.new(schema, rules, split_map, at, self.new_token)
                if known is None
                else known.with_rules(schema, rules, at).following(split_map, at, self.new_token)
            )
        return replace(self, streams=streams)

    def touched(self, entry: ChangeEntry, names: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Yield (stream, token) of the open partitions of some streams that own changed rows."""
        for name in names:
            stream = self.streams.get(name)
            if stream is not None:
                era = stream.history.current
                rows = ((row.tree, row.key) for row in entry.changes if row.tree in era.paths)
                for index in {era.index_of(*row) for row in rows}:
                    yield name, era.partitions[index].token

    def _with(self, changed: Iterable[tuple[str, TrackedStream]]) -> TrackedStreams:
        changed = [(name, stream) for name, stream in changed if stream is not self.streams[name]]
        if not changed:
            return self
        return replace(self, streams={**self.streams, **dict(changed)})


def tracked_streams(store: Store) -> Mapping[str, TrackedStream]:
    """Return the change streams of a store, by folded name."""
    log = store.change_log
    return {} if log is None else cast("TrackedStreams", log.partitions).streams


def histories_of(store: Store) -> Mapping[str, PartitionHistory]:
    """Return the partitions of the change streams of a store, by folded name of the stream."""
    return {name: stream.history for name, stream in tracked_streams(store).items()}


def watch_streams(store: Store, schema: Schema, at: int, new_token: NewToken) -> None:
    """Record what the streams of a schema watch, as `following.follow_schema` requests."""
    log = store.change_log
    before = (
        TrackedStreams({}, new_token) if log is None else cast("TrackedStreams", log.partitions)
    )
    streams = before.declared(schema, store.split_map, at)
    retention = max(stream.rules.retention_nanos for stream in streams.streams.values())
    store.watch(Watching(watched_cells(schema), retention, streams))


def _paths(schema: Schema, rules: StreamRules) -> Mapping[TreeId, Path]:
    return {tree: path_of(schema, watched.table) for tree, watched in rules.tables.items()}


def _hierarchies(paths: Mapping[TreeId, Path]) -> tuple[TreeId, ...]:
    return tuple(sorted({path[0] for path in paths.values()}))


def _natural_bounds(hierarchies: Sequence[TreeId], split_map: SplitMap) -> Iterable[Bound]:
    """Return the cuts at the boundaries of splits."""
    return sorted(
        Bound.at(boundary)
        for hierarchy in hierarchies
        for boundary in split_map.boundaries(hierarchy)
    )
