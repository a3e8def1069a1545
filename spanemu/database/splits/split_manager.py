"""The splits of a database: their boundaries, their servers, and what changes them.

No code here runs during a read or a write. Splits change

    by size     on a request for splits, partitions, statistics or the physical layout
    by load     when a virtual minute passes: by `pass_minutes`, or because the clock was moved;
                only while `follow_load` is on, for real time depends on the machine
    by users    AddSplitPoints (`split_points`), and tests

`hotspots.split_model`, which also simulates, decides the changes of a minute. A boundary falls
before a row, as the policy says.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from spanemu.base.clock import NANOS_PER_MINUTE, NANOS_PER_SECOND
from spanemu.base.record import dataclass
from spanemu.database.splits import load_recorder, size_cuts, split_forecast
from spanemu.database.splits.warm_splits import WarmSplits
from spanemu.hotspots import positions as positioning
from spanemu.hotspots import split_info, split_model
from spanemu.hotspots import trace as hotspot_trace
from spanemu.schema.indexes import TableOrIndex
from spanemu.schema.schema import Schema
from spanemu.storage.layout import TREE_ID_BYTES, Boundary, Origin, TreeId, tree_of
from spanemu.storage.split_map import SplitLocation, split_bytes
from spanemu.storage.split_settings import SPLIT_SETTINGS, SplitPolicy, SplitSettings
from spanemu.storage.splits import Split
from spanemu.storage.store import Store
from spanemu.values.key import after_prefix

WorkEvent = tuple[bytes, float, bytes]


@dataclass(frozen=True, slots=True)
class SplittingState:
    """Settings that a restore brings back; `follows_load` is True while work is recorded."""

    settings: SplitSettings
    follows_load: bool


class SplitManager:
    """The splits of a store, by size and load. `schema` returns the current schema."""

    def __init__(self, store: Store, schema: Callable[[], Schema]) -> None:
        self.settings = SPLIT_SETTINGS
        self._servers_by_nodes = SPLIT_SETTINGS.servers
        self._store = store
        self._schema = schema
        # The store's mutex guards the fields below, as it does the splits.
        # By position: (smoothed load, quiet minutes).
        self._loads: dict[bytes, tuple[float, int]] = {}
        self._recorder: load_recorder.LoadRecorder | None = None
        self._minute_at = 0  # the time of the last virtual minute (nanoseconds)
        self._warm = WarmSplits()
        self.keeps_commits = False  # true once `last_commit` was requested
        self.last_commit: list[SplitLocation] | None = None

    def configure(self, **changes: Any) -> SplitSettings:
        """Change settings, by the names of `SplitSettings`.

        Raises ValueError and TypeError.
        """
        with self._store.mutex:
            self.settings = replace(self.settings, **changes)
            self._apply_settings()
            if self._recorder is not None:
                self._follow()
            return self.settings

    def follow_nodes(self, nodes: int) -> None:
        """Set the number of servers to the instance's nodes, unless a test set the number.

        An instance with a single node keeps the default number of servers, because a single node is
        the default of tests and no deliberate choice.
        """
        with self._store.mutex:
            before = self._servers_by_nodes
            self._servers_by_nodes = nodes if nodes > 1 else SPLIT_SETTINGS.servers
            if self.settings.servers == before != self._servers_by_nodes:
                self.configure(servers=self._servers_by_nodes)

    def configure_like(self, other: SplitManager) -> None:
        """Copy the settings of another database."""
        self.settings = other.settings

    def splits(self) -> list[split_info.SplitInfo]:
        """Return all splits in key order, after cutting those that are too large."""
        self.fit_sizes()
        with self._store.mutex:
            loads = {location: load for location, (load, _) in self._loads.items()}
            return split_info.describe(self._schema(), self._ranges(), loads, self.settings)

    def split_at(self, location: SplitLocation) -> split_info.SplitInfo:
        """Return the split that begins at `location`."""
        start = positioning.hierarchy_position(location.hierarchy) + location.start
        with self._store.mutex:
            starts = [placed[0] for placed in self._ranges()]
            return self.splits()[starts.index(start)]

    def move(self, location: SplitLocation, server: int) -> None:
        """Move the split that begins at `location` to a server.

        Raises ValueError for an unknown server.
        """
        if not 0 <= server < self.settings.servers:
            raise ValueError(f"there are servers 0 to {self.settings.servers - 1}, not {server}")
        self._store.move(location.hierarchy, location.start, server)

    def text_at(self, split: SplitLocation) -> str | None:
        """Return the start of a split as statistics print it; None if no split begins there."""
        start = positioning.hierarchy_position(split.hierarchy) + split.start
        with self._store.mutex:
            ranges = self._ranges()
            texts = split_info.start_texts(self._schema(), [placed[:2] for placed in ranges])
        pairs = zip(texts, ranges, strict=True)
        return next((text for text, placed in pairs if placed[0] == start), None)

    def boundaries_of(self, source: TableOrIndex, origin: Origin) -> Callable[[bytes], Boundary]:
        """Return a function from encoded keys of a table or index to permitted boundaries."""
        positions = positioning.Positions(self._schema(), self.settings.policy)
        return partial(positions.candidate, tree_of(source), origin=origin)

    # ------------------------------------------------------------------ size

    def fit_sizes(self, *hierarchies: TreeId) -> None:
        """Cut the splits larger than the limit, of all hierarchies or of the given ones."""
        with self._store.mutex:
            known, limit = self._store.split_map.hierarchies, self.settings.split_bytes_max
            positions: positioning.Positions | None = None
            for root in hierarchies or list(known):
                splits = known[root].splits if root in known else ()
                large = [split for split in splits if split_bytes(split) > limit]
                if large:
                    positions = positions or positioning.Positions(
                        self._schema(), self.settings.policy
                    )
                    cuts = size_cuts.SizeCuts(positions, known[root].paths, limit)
                    self._store.cut([at for split in large for at in cuts.of(split)])

    # ------------------------------------------------------------------ load

    @property
    def follows_load(self) -> bool:
        """True while work is recorded."""
        return self._recorder is not None

    def follow_load(self) -> None:
        """Start to record work, so that passing minutes can act on it."""
        with self._store.mutex:
            if self._recorder is None:
                self._follow()

    def stop_following(self) -> None:
        """Stop recording work; splits stay as they are."""
        with self._store.mutex:
            self._store.observe(None, self._recorder)
            self._recorder = None
            self._loads.clear()

    def _follow(self) -> None:
        before = self._recorder
        self._recorder = load_recorder.LoadRecorder(self._schema, self.settings)
        self._store.observe(self._recorder, before)
        self._minute_at = self._store.clock.peek()

    def pass_minutes(self, minutes: int = 1, qps: float | None = None) -> list[split_model.Minute]:
        """Adjust the splits to the work since the last minute, as the load of the first of
        `minutes`.

        The operations represent `qps` a second, or their own rate if `qps` is None. Returns the
        minutes as they were before any split changed; an empty list while load is not followed.
        """
        with self._store.mutex:
            if self._recorder is None:
                return []
            self._minute_at = self._store.clock.peek()
            positions = positioning.Positions(self._schema(), self.settings.policy)
            self._store.flush_observers()
            work, count = self._recorder.take()
            events = self._events(positions, work, count, qps)
            reports = []
            for left in reversed(range(minutes)):
                end = self._minute_at - left * NANOS_PER_MINUTE
                reports.append(self._minute(positions, events, end))
                events = []
            return reports

    def split_stats(self, at: int, interval: str) -> list[split_info.SplitStat]:
        """Return the rows of SPLIT_STATS_TOP_`interval` as of `at`, of the minutes that have
        passed.
        """
        with self._store.mutex:
            return self._warm.rows(at, interval)

    def pass_elapsed_minutes(self) -> None:
        """Pass the whole minutes by which the clock was advanced; all but the first are quiet."""
        if self._recorder is not None:
            passed = self._store.clock.peek() - self._minute_at
            minutes = passed // (self.settings.minute_seconds * NANOS_PER_SECOND)
            if minutes:
                # After this many quiet minutes nothing changes any more.
                self.pass_minutes(min(minutes, 4 * self.settings.quiet_minutes))

    def clock_set(self) -> None:
        """Restart the count of minutes, because the clock was set to another time."""
        with self._store.mutex:
            self._minute_at = self._store.clock.peek()
            self._warm.clear()

    @property
    def state(self) -> SplittingState:
        """The settings for `restored`."""
        return SplittingState(self.settings, self.follows_load)

    def restored(self, state: SplittingState) -> None:
        """Adopt `state` after the store was restored.

        Recorded work is discarded. The restored splits already conform to the restored settings.
        """
        with self._store.mutex:
            changed_settings = self.settings is not state.settings
            self.settings = state.settings
            self._store.split_map.servers = state.settings.servers
            self._loads.clear()
            self.last_commit = None
            self._warm.clear()
            if not state.follows_load:
                if self._recorder is not None:
                    self.stop_following()
            elif self._recorder is None or changed_settings:
                self._follow()
            else:
                self._store.flush_observers()
                self._recorder.take()

    def _events(
        self,
        positions: positioning.Positions,
        work: Sequence[load_recorder.Work],
        count: int,
        qps: float | None,
    ) -> list[WorkEvent]:
        """Return work as (cut position, load as a share of a server's capacity, row)."""
        if not count:
            return []
        rate = count / self.settings.minute_seconds if qps is None else qps
        scale = rate / count / self.settings.server_units_max
        start_of = positioning.hierarchy_position
        return [
            (positions.position(tree, key), units * scale, start_of(tree) + key)
            for tree, key, units in work
            if tree in positions.boundary_finders
        ]

    def _minute(
        self, positions: positioning.Positions, events: Sequence[WorkEvent], end: int
    ) -> split_model.Minute:
        ranges = self._ranges()
        model = self._model(positions, ranges)
        minute = model.pass_minute([(position, load) for position, load, _ in events])
        if events:
            self._record_warm(ranges, events, minute, end)
        self._apply(model, positions, {start: (b, split) for start, b, split in ranges})
        return minute

    def _model(
        self, positions: positioning.Positions, ranges: Sequence[split_info.PlacedSplit]
    ) -> split_model.SplitModel:
        """Return a model that starts from the current splits."""
        rules = split_model.CutRules(positions.levels, lambda row: self._after(positions, row))
        return split_model.SplitModel.of(
            [self._range(*placed) for placed in ranges], rules, self.settings
        )

    def forecast(self, commits: Sequence[hotspot_trace.Commit]) -> split_forecast.SplitForecast:
        """Return the splits after following the commits."""
        with self._store.mutex:
            schema = self._schema()
            positions, ranges = positioning.Positions(schema, self.settings.policy), self._ranges()
            starts = [placed[:2] for placed in ranges]
            return split_forecast.forecast_splits(
                schema, positions, self._model(positions, ranges), starts, commits
            )

    def _record_warm(
        self,
        ranges: Sequence[split_info.PlacedSplit],
        events: Sequence[WorkEvent],
        minute: split_model.Minute,
        end: int,
    ) -> None:
        """Record the warm splits for SPLIT_STATS, before any split changes."""
        starts = [start for start, _, _ in ranges]
        by_split: list[list[WorkEvent]] = [[] for _ in starts]
        for event in events:
            by_split[bisect_right(starts, event[0]) - 1].append(event)
        infos = split_info.describe(self._schema(), ranges, {}, self.settings)
        loads = (load for _, load in minute.splits)
        rows = zip(infos, loads, map(split_forecast.reasons_of, by_split), strict=True)
        self._warm.record_minute(end, rows)

    def _range(self, start: bytes, boundary: Boundary | None, split: Split) -> split_model.Range:
        load, quiet = self._loads.get(start, (0.0, 0))
        pinned = boundary is None or boundary.origin.is_pinned
        return split_model.Range(start, split.server, load, 0.0, quiet, pinned, split_bytes(split))

    def _apply(
        self,
        model: split_model.SplitModel,
        positions: positioning.Positions,
        before: dict[bytes, tuple[Boundary | None, Split]],
    ) -> None:
        """Make the store's splits those of the model; change only what differs."""
        store, targets = (
            self._store,
            {range_.start: range_ for range_ in model.ranges if range_.start},
        )
        store.merge(
            [b for start, (b, _) in before.items() if b is not None and start not in targets]
        )
        store.cut([positions.boundary(start) for start in targets if start not in before])
        self._loads = {}
        for start, _, split in self._ranges():
            target = targets.get(start)
            if target is None:
                continue
            self._loads[start] = (target.load, target.quiet)
            if split.server != target.server:
                hierarchy = split_info.root_of(start)
                store.move(hierarchy, start[TREE_ID_BYTES:], target.server)

    def _after(self, positions: positioning.Positions, row: bytes) -> bytes | None:
        boundary = self._next_row(positions, row)
        return None if boundary is None else positions.register(boundary)

    def _next_row(self, positions: positioning.Positions, row: bytes) -> Boundary | None:
        """Return the boundary of the first row behind a row and the rows interleaved in it."""
        boundary = positions.boundary(row)
        behind = replace(boundary, keys=(*boundary.keys[:-1], after_prefix(boundary.key)))
        hierarchy = self._store.split_map.hierarchies.get(boundary.hierarchy)
        position_of = positioning.position_of
        candidates = []
        for tree, path in () if hierarchy is None else hierarchy.paths.items():
            key = self._store.first_key(tree, behind.cut(path))
            if key is not None and tree in positions.boundary_finders:
                candidates += [b for b in _levels(positions, tree, key) if position_of(b) > row]
        return min(candidates, key=position_of, default=None)

    # ------------------------------------------------------------------ current splits

    def _ranges(self) -> list[split_info.PlacedSplit]:
        """Return every split in key order, with its position and its first boundary."""
        ranges: list[split_info.PlacedSplit] = []
        position_of = positioning.position_of
        for root in sorted(self._store.split_map.hierarchies):
            tiling = self._store.split_map.hierarchies[root].tiling
            ranges.append((positioning.hierarchy_position(root), None, tiling.splits[0]))
            pairs = zip(tiling.boundaries, tiling.splits[1:], strict=True)
            ranges += [(position_of(boundary), boundary, split) for boundary, split in pairs]
        return ranges

    def _apply_settings(self) -> None:
        """Move splits and remove boundaries that the settings do not permit."""
        store, split_map = self._store, self._store.split_map
        split_map.servers = self.settings.servers
        if self.settings.policy is SplitPolicy.ROOT_ONLY:
            store.merge([boundary for boundary in store.all_boundaries() if len(boundary.path) > 1])
        for root, hierarchy in split_map.hierarchies.items():
            starts = [b"", *hierarchy.tiling.positions]
            for start, split in zip(starts, hierarchy.splits, strict=True):
                if split.server >= split_map.servers:
                    store.move(root, start, split.server % split_map.servers)


def _levels(positions: positioning.Positions, tree: TreeId, key: bytes) -> Sequence[Boundary]:
    position = positions.position(tree, key)
    return [positions.boundary(level) for level in positions.levels(position)]
