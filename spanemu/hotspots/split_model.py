"""A model, in virtual minutes, of how splits and servers follow a load.

Spanner publishes no algorithm for this. The model contains what Spanner's pages state: load is
split where it spreads over many keys; a boundary comes some minutes late; a hot row can be isolated
but not divided; ranges that stay quiet are merged; splits move between servers; boundaries that
users add stay.

    minute 1    [-------------------------)    one split, one server
    minute 2    [------------)[-----------)    cut where the load of minute 1 halves
    minute 3    [-----)[-----)[----)[-----)

Keys of this module are positions: bytes in whose order the rows of the whole database lie. The same
model moves the splits of a database (`database.splits`) and the splits of a simulation.

Invariants: `starts` is sorted and begins with b""; every split has a server.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from spanemu.storage.split_settings import SPLIT_SETTINGS, SplitSettings
from spanemu.values.key import after_prefix

ROUNDING = 1e-9  # tolerance for sums of loads: finding half of a sum must not depend on rounding

Event = tuple[bytes, float]  # position, load in parts of a server's capacity


@dataclass(slots=True)
class Range:
    """A split of the model: its start, its server and its load."""

    start: bytes
    server: int = 0
    load: float = 0.0  # smoothed, in parts of a server's capacity
    now: float = 0.0  # in the current minute
    quiet: int = 0  # minutes
    pinned: bool = False  # a boundary of the user
    bytes: int = 0  # approximate
    events: list[Event] = field(default_factory=list)  # of the current minute, in order


@dataclass(frozen=True, slots=True)
class Minute:
    """The loads of one minute, in parts of a server's capacity."""

    servers: tuple[float, ...]
    splits: tuple[tuple[bytes, float], ...]  # (start, load)
    homes: tuple[int, ...] = ()  # the server of each split

    @property
    def peak(self) -> float:
        """The load of the busiest server."""
        return max(self.servers)


@dataclass(frozen=True, slots=True)
class CutRules:
    """The positions at which a split may be cut.

    `levels` maps a row's position to the positions of its ancestors and its own, root first, down
    to the deepest level at which boundaries may lie. `after` returns the position behind a row, if
    any.
    """

    levels: Callable[[bytes], Sequence[bytes]] = lambda index: (index,)
    after: Callable[[bytes], bytes | None] = after_prefix


class SplitModel:
    """The splits of a key space, and their distribution over servers."""

    def __init__(
        self,
        servers: int,
        pinned: Iterable[bytes] = (),
        rules: CutRules | None = None,
        settings: SplitSettings = SPLIT_SETTINGS,
    ) -> None:
        self.servers = servers
        self._rules = rules or CutRules()
        self._settings = settings
        boundaries = sorted({b"", *pinned})
        self.ranges = [
            Range(start, index % servers, pinned=bool(start))
            for index, start in enumerate(boundaries)
        ]
        self.starts = boundaries
        self._given = 0

    @classmethod
    def of(cls, ranges: Sequence[Range], rules: CutRules, settings: SplitSettings) -> SplitModel:
        """Return a model that continues from existing splits, given in order.

        Splits that begin a hierarchy are pinned, and do not count towards the number of splits that
        the model may create.
        """
        model = cls(settings.servers, (), rules, settings)
        model.ranges = list(ranges)
        model.starts = [split.start for split in ranges]
        model._given = sum(split.pinned for split in ranges)
        return model

    def minute(self, keys: Iterable[bytes], load: float) -> Minute:
        """Simulate a minute in which these keys were written, each with `load`."""
        return self.pass_minute([(key, load) for key in keys])

    def pass_minute(self, events: Iterable[Event]) -> Minute:
        """Simulate a minute with these events, and return the loads before splits follow them."""
        for split in self.ranges:
            split.now, split.events = 0.0, []
        for event in events:
            split = self.ranges[bisect_right(self.starts, event[0]) - 1]
            split.now += event[1]
            split.events.append(event)
        minute_loads = self._loads()
        settings = self._settings
        for split in self.ranges:
            split.load += settings.smoothing * (split.now - split.load)
            split.quiet = split.quiet + 1 if split.load < settings.quiet else 0
        self._merge()
        for split in [split for split in self.ranges if split.now >= settings.warm]:
            self._cut(split)
        self._place()
        return minute_loads

    def _loads(self) -> Minute:
        loads = [0.0] * self.servers
        for split in self.ranges:
            loads[split.server] += split.now
        return Minute(
            tuple(loads),
            tuple((split.start, split.now) for split in self.ranges),
            tuple(split.server for split in self.ranges),
        )

    # ------------------------------------------------------------------ boundaries

    def cut(self, at: bytes | None) -> bool:
        """Add a boundary at `at`; return False where a boundary exists."""
        if not at:
            return False
        index = bisect_left(self.starts, at)
        if index < len(self.starts) and self.starts[index] == at:
            return False
        below = self.ranges[index - 1]
        upper = [event for event in below.events if event[0] >= at]
        moved = sum(load for _, load in upper)
        part = moved / below.now if below.now else 0.0
        above = Range(at, below.server, below.load * part, moved)
        above.events = upper
        below.events = [event for event in below.events if event[0] < at]
        below.load -= above.load
        below.now -= above.now
        self.ranges.insert(index, above)
        self.starts.insert(index, at)
        return True

    def _cut(self, split: Range) -> None:
        """Isolate a hot row or halve the load, as near to the root as possible."""
        most = self._given + self._settings.splits_per_server_max * self.servers
        if len(self.ranges) + 1 >= most:
            return
        positions = [(self._rules.levels(key), load) for key, load in split.events]
        for level in range(max(len(levels) for levels, _ in positions)):
            rows = sorted((levels[min(level, len(levels) - 1)], load) for levels, load in positions)
            if self._cut_between(split, rows):
                return

    def _cut_between(self, split: Range, rows: list[Event]) -> bool:
        """Cut between rows of a level, given in order; return False where no cut is possible."""
        loads = {
            row: sum(load for _, load in same)
            for row, same in groupby(rows, lambda event: event[0])
        }
        index = bisect_right(self.starts, split.start)
        limit = self.starts[index] if index < len(self.starts) else None

        def cut(at: bytes | None) -> bool:
            return at is not None and (limit is None or at < limit) and self.cut(at)

        hottest = min(loads, key=lambda row: (-loads[row], row))
        if loads[hottest] >= self._settings.one_row_min * split.now * (1 - ROUNDING):
            before = cut(hottest)
            return cut(self._rules.after(hottest)) or before
        middle = _middle(rows, split.now)
        return cut(middle if middle > split.start else self._rules.after(middle))

    def _merge(self) -> None:
        index, minutes = 1, self._settings.quiet_minutes
        while index < len(self.ranges):
            split, before = self.ranges[index], self.ranges[index - 1]
            fits = split.bytes + before.bytes <= self._settings.split_bytes_max
            if fits and not split.pinned and min(split.quiet, before.quiet) >= minutes:
                before.bytes += split.bytes
                before.load += split.load
                before.now += split.now
                before.events += split.events
                del self.ranges[index], self.starts[index]
            else:
                index += 1

    # ------------------------------------------------------------------ servers

    def move(self, start: bytes, server: int) -> None:
        """Assign the split that starts at `start` to a server; placement may move it later."""
        self.ranges[bisect_right(self.starts, start) - 1].server = server

    def _place(self) -> None:
        """Place splits, busiest first: on their own server if it has room, else on the idlest."""
        loads = [0.0] * self.servers
        total = sum(split.load for split in self.ranges)
        room = self._settings.uneven_max * total / self.servers
        for split in sorted(self.ranges, key=lambda split: (-split.load, split.start)):
            if loads[split.server] and loads[split.server] + split.load > room:
                split.server = min(range(self.servers), key=lambda n: (loads[n], n))
            loads[split.server] += split.load

    def check(self) -> None:
        """Assert every invariant."""
        assert self.starts == [split.start for split in self.ranges]
        assert self.starts[0] == b""
        assert self.starts == sorted(set(self.starts))
        assert all(0 <= split.server < self.servers for split in self.ranges)


def _middle(rows: Sequence[Event], total: float) -> bytes:
    """Return the row at which half of the load is reached."""
    passed = 0.0
    for row, load in rows:
        passed += load
        if passed > total / 2 * (1 + ROUNDING):
            return row
    return rows[-1][0]
