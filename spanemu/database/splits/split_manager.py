"""The splits of one database: where they begin, on which servers they are, and what moves them.

Nothing here is on the way of a read or a write. Splits change

    by size     when somebody asks: for splits, partitions, statistics, a drawing
    by load     when a virtual minute passes: by `pass_minutes`, or because the clock was moved;
                only while `follow_load` is on, for real time depends on the machine
    by users    AddSplitPoints (`split_points`), and tests

What a minute changes is decided by `hotspots.simulation.model`, the same that simulates; a boundary
falls where a row is, as the policy says.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from spanemu.base.nanos import NANOS_PER_MINUTE, NANOS_PER_SECOND
from spanemu.database.splits.load_recorder import LoadRecorder, Work
from spanemu.database.splits.size_cuts import SizeCuts
from spanemu.database.splits.split_forecast import SplitForecast, WarmSplits, foreseen, reasons_of
from spanemu.hotspots.positions import Positions, hierarchy_place, place_of
from spanemu.hotspots.simulation.model import CutRules, Minute, Range, SplitModel
from spanemu.hotspots.simulation.settings import SPLIT_SETTINGS, SplitPolicy, SplitSettings
from spanemu.hotspots.split_info import Placed, SplitInfo, SplitStat, describe, root_of, start_texts
from spanemu.hotspots.trace import Commit
from spanemu.schema.index import Index
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.storage.boundary import TREE_ID_BYTES, Boundary, Origin
from spanemu.storage.layout import TreeId, tree_of
from spanemu.storage.sizes import split_bytes
from spanemu.storage.split_map import SplitLocation
from spanemu.storage.splits import Split
from spanemu.storage.store import Store
from spanemu.values.key import after_prefix

WorkEvent = tuple[bytes, float, bytes]


@dataclass(frozen=True, slots=True)
class SplittingState:
    """What tests set: the constants of the model, and whether splits follow load."""

    settings: SplitSettings
    follows_load: bool


class SplitManager:
    """Follows size and load of one store. `schema` gives the present schema."""

    def __init__(self, store: Store, schema: Callable[[], Schema]) -> None:
        self.settings = SPLIT_SETTINGS
        self._servers_by_nodes = SPLIT_SETTINGS.servers
        self._store = store
        self._schema = schema
        # Guarded by the store's mutex, as the splits are:
        self._loads: dict[bytes, tuple[float, int]] = {}  # place -> (smoothed load, quiet minutes)
        self._book: LoadRecorder | None = None
        self._minute_at = 0  # when the last minute passed (nanoseconds)
        self._warm = WarmSplits()
        self.keeps_commits = False  # Whether somebody asked for the last commit's participants.
        self.last_commit: list[SplitLocation] | None = None

    def configure(self, **changes: Any) -> SplitSettings:
        """Change settings, by the names of `SplitSettings`. Raises ValueError, TypeError."""
        with self._store.mutex:
            self.settings = replace(self.settings, **changes)
            self._settle()
            if self._book is not None:
                self._follow()
            return self.settings

    def follow_nodes(self, nodes: int) -> None:
        """Have as many servers as the instance has nodes, unless somebody said how many.

        An instance of one node is what tests have for want of a reason: it says nothing.
        """
        with self._store.mutex:
            before = self._servers_by_nodes
            self._servers_by_nodes = nodes if nodes > 1 else SPLIT_SETTINGS.servers
            if self.settings.servers == before != self._servers_by_nodes:
                self.configure(servers=self._servers_by_nodes)

    def configure_like(self, other: SplitManager) -> None:
        """Take over settings."""
        self.settings = other.settings

    def splits(self) -> list[SplitInfo]:
        """All splits in key order, once those that are too large have been cut."""
        self.fit_sizes()
        with self._store.mutex:
            loads = {place: load for place, (load, _) in self._loads.items()}
            return describe(self._schema(), self._ranges(), loads, self.settings)

    def split_at(self, place: SplitLocation) -> SplitInfo:
        """The split that begins at a place."""
        start = hierarchy_place(place.hierarchy) + place.start
        with self._store.mutex:
            found = [each[0] for each in self._ranges()]
            return self.splits()[found.index(start)]

    def move(self, place: SplitLocation, server: int) -> None:
        """Put the split that begins at a place on a server. Raises ValueError for none."""
        if not 0 <= server < self.settings.servers:
            raise ValueError(f"there are servers 0 to {self.settings.servers - 1}, not {server}")
        self._store.move(place.hierarchy, place.start, server)

    def text_at(self, place: SplitLocation) -> str | None:
        """Where a split begins, as split statistics print it; None when there is none."""
        start = hierarchy_place(place.hierarchy) + place.start
        with self._store.mutex:
            found = self._ranges()
            texts = start_texts(self._schema(), [each[:2] for each in found])
        return next((t for t, each in zip(texts, found, strict=True) if each[0] == start), None)

    def boundaries_of(self, thing: Table | Index, origin: Origin) -> Callable[[bytes], Boundary]:
        """From encoded keys of a table or index to boundaries, where the policy lets them be."""
        places = Positions(self._schema(), self.settings.policy)
        return partial(places.candidate, tree_of(thing), origin=origin)

    # ------------------------------------------------------------------ size

    def fit_sizes(self, *hierarchies: TreeId) -> None:
        """Cut splits that have grown beyond the size of one; of all hierarchies, or of these."""
        with self._store.mutex:
            known, limit = self._store.split_map.hierarchies, self.settings.split_bytes_max
            places: Positions | None = None
            for root in hierarchies or list(known):
                splits = known[root].splits if root in known else ()
                large = [split for split in splits if split_bytes(split) > limit]
                if large:
                    places = places or Positions(self._schema(), self.settings.policy)
                    cuts = SizeCuts(places, known[root].paths, limit)
                    self._store.cut([at for split in large for at in cuts.of(split)])

    # ------------------------------------------------------------------ load

    @property
    def follows_load(self) -> bool:
        """Whether it is written down what makes work."""
        return self._book is not None

    def follow_load(self) -> None:
        """Write down from now on what makes work, so that minutes that pass can act on it."""
        with self._store.mutex:
            if self._book is None:
                self._follow()

    def stop_following(self) -> None:
        """Write down nothing any more; splits stay as they are."""
        with self._store.mutex:
            self._store.observe(None, self._book)
            self._book = None
            self._loads.clear()

    def _follow(self) -> None:
        before, self._book = self._book, LoadRecorder(self._schema, self.settings)
        self._store.observe(self._book, before)
        self._minute_at = self._store.clock.peek()

    def pass_minutes(self, minutes: int = 1, qps: float | None = None) -> list[Minute]:
        """Let the splits follow what was done since the last minute, as the load of the first.

        The operations stand for `qps` a second, without it for themselves. What the minutes
        looked like before anything moved; none while load is not followed.
        """
        with self._store.mutex:
            if self._book is None:
                return []
            self._minute_at = self._store.clock.peek()
            places = Positions(self._schema(), self.settings.policy)
            self._store.flush_observers()
            work, count = self._book.take()
            events = self._events(places, work, count, qps)
            seen = []
            for left in reversed(range(minutes)):
                end = self._minute_at - left * NANOS_PER_MINUTE
                seen.append(self._minute(places, events, end))
                events = []
            return seen

    def split_stats(self, at: int, interval: str) -> list[SplitStat]:
        """What SPLIT_STATS_TOP_`interval` shows as of `at` of the minutes that have passed."""
        with self._store.mutex:
            return self._warm.rows(at, interval)

    def time_jumped(self) -> None:
        """The clock was moved: whole minutes have passed, all but the first of them quiet."""
        if self._book is not None:
            passed = self._store.clock.peek() - self._minute_at
            minutes = passed // (self.settings.minute_seconds * NANOS_PER_SECOND)
            if minutes:
                # From so many quiet minutes on nothing changes any more.
                self.pass_minutes(min(minutes, 4 * self.settings.quiet_minutes))

    def clock_set(self) -> None:
        """The clock was set to another time: minutes are counted from there."""
        with self._store.mutex:
            self._minute_at = self._store.clock.peek()
            self._warm.clear()

    @property
    def state(self) -> SplittingState:
        """What to give back when the database is restored."""
        return SplittingState(self.settings, self.follows_load)

    def restored(self, state: SplittingState) -> None:
        """The store was restored to what it was under `state`.

        What was done before has nothing to say any more. Splits need no look: they are such as
        those settings allow.
        """
        with self._store.mutex:
            changed_settings = self.settings is not state.settings
            self.settings = state.settings
            self._store.split_map.servers = state.settings.servers
            self._loads.clear()
            self.last_commit = None
            self._warm.clear()
            if not state.follows_load:
                if self._book is not None:
                    self.stop_following()
            elif self._book is None or changed_settings:
                self._follow()
            else:
                self._store.flush_observers()
                self._book.take()

    def _events(
        self, places: Positions, work: Sequence[Work], count: int, qps: float | None
    ) -> list[WorkEvent]:
        """Work as (where one may cut, load in parts of what a server takes, row)."""
        if not count:
            return []
        rate = count / self.settings.minute_seconds if qps is None else qps
        scale = rate / count / self.settings.server_units_max
        return [
            (places.place(tree, key), units * scale, hierarchy_place(tree) + key)
            for tree, key, units in work
            if tree in places.boundary_finders
        ]

    def _minute(self, places: Positions, events: Sequence[WorkEvent], end: int) -> Minute:
        found = self._ranges()
        model = self._model(places, found)
        seen = model.pass_minute([(place, load) for place, load, _ in events])
        if events:
            self._note(found, events, seen, end)
        self._apply(model, places, {start: (b, split) for start, b, split in found})
        return seen

    def _model(self, places: Positions, found: Sequence[Placed]) -> SplitModel:
        """A model that goes on from the splits that are there."""
        rules = CutRules(places.levels, lambda row: self._after(places, row))
        return SplitModel.of([self._range(*each) for each in found], rules, self.settings)

    def foreseen(self, commits: Sequence[Commit]) -> SplitForecast:
        """The splits as they would be, had they followed these commits."""
        with self._store.mutex:
            schema = self._schema()
            places, found = Positions(schema, self.settings.policy), self._ranges()
            starts = [each[:2] for each in found]
            return foreseen(schema, places, self._model(places, found), starts, commits)

    def _note(
        self,
        found: Sequence[Placed],
        events: Sequence[WorkEvent],
        seen: Minute,
        end: int,
    ) -> None:
        """Keep for SPLIT_STATS which splits were warm, before anything moves."""
        starts = [start for start, _, _ in found]
        mine: list[list[WorkEvent]] = [[] for _ in starts]
        for event in events:
            mine[bisect_right(starts, event[0]) - 1].append(event)
        infos = describe(self._schema(), found, {}, self.settings)
        rows = zip(infos, (load for _, load in seen.splits), map(reasons_of, mine), strict=True)
        self._warm.note(end, rows)

    def _range(self, start: bytes, boundary: Boundary | None, split: Split) -> Range:
        load, quiet = self._loads.get(start, (0.0, 0))
        pinned = boundary is None or boundary.origin.is_pinned
        return Range(start, split.server, load, 0.0, quiet, pinned, split_bytes(split))

    def _apply(
        self,
        model: SplitModel,
        places: Positions,
        before: dict[bytes, tuple[Boundary | None, Split]],
    ) -> None:
        """Make the store's splits those of the model; only what differs is touched."""
        store, wanted = self._store, {one.start: one for one in model.ranges if one.start}
        gone = [b for start, (b, _) in before.items() if b is not None and start not in wanted]
        store.merge(gone)
        store.cut([places.boundary(start) for start in wanted if start not in before])
        self._loads = {}
        for start, _, split in self._ranges():
            one = wanted.get(start)
            if one is None:
                continue
            self._loads[start] = (one.load, one.quiet)
            if split.server != one.server:
                hierarchy = root_of(start)
                store.move(hierarchy, start[TREE_ID_BYTES:], one.server)

    def _after(self, places: Positions, row: bytes) -> bytes | None:
        found = self._next_row(places, row)
        return None if found is None else places.known(found)

    def _next_row(self, places: Positions, row: bytes) -> Boundary | None:
        """The boundary before the first row after a row with all that is interleaved in it."""
        boundary = places.boundary(row)
        behind = replace(boundary, keys=(*boundary.keys[:-1], after_prefix(boundary.key)))
        hierarchy = self._store.split_map.hierarchies.get(boundary.hierarchy)
        found = []
        for tree, path in () if hierarchy is None else hierarchy.paths.items():
            key = self._store.first_key(tree, behind.cut(path))
            if key is not None and tree in places.boundary_finders:
                found += [b for b in _levels(places, tree, key) if place_of(b) > row]
        return min(found, key=place_of, default=None)

    # ------------------------------------------------------------------ what is there

    def _ranges(self) -> list[Placed]:
        """Every split with its place, in order, and the boundary that it begins at."""
        found: list[Placed] = []
        for root in sorted(self._store.split_map.hierarchies):
            tiling = self._store.split_map.hierarchies[root].tiling
            found.append((hierarchy_place(root), None, tiling.splits[0]))
            pairs = zip(tiling.boundaries, tiling.splits[1:], strict=True)
            found += [(place_of(boundary), boundary, split) for boundary, split in pairs]
        return found

    def _settle(self) -> None:
        """Have no split on a server, and no boundary in a place, that the settings rule out."""
        store, split_map = self._store, self._store.split_map
        split_map.servers = self.settings.servers
        if self.settings.policy is SplitPolicy.ROOT_ONLY:
            store.merge([each for each in store.all_boundaries() if len(each.path) > 1])
        for root, hierarchy in split_map.hierarchies.items():
            starts = [b"", *hierarchy.tiling.positions]
            for start, split in zip(starts, hierarchy.splits, strict=True):
                if split.server >= split_map.servers:
                    store.move(root, start, split.server % split_map.servers)


def _levels(places: Positions, tree: TreeId, key: bytes) -> Sequence[Boundary]:
    place = places.place(tree, key)
    return [places.boundary(level) for level in places.levels(place)]
