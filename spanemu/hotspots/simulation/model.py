"""How splits and servers might follow a load: a model, in virtual minutes.

Spanner publishes no algorithm for this. The model has what its pages do say: load is split where
it is spread over many keys, a boundary comes some minutes late, a hot row can be set apart but not
cut, ranges that stay quiet are merged, splits move between servers, boundaries of users stay.

    minute 1    [-------------------------)    one split, one server
    minute 2    [------------)[-----------)    cut where the load of minute 1 halves
    minute 3    [-----)[-----)[----)[-----)

Keys here are places: bytes in whose order rows of the whole database lie. The same model moves the
splits of a database (`database.splits`) and those of a simulation.

Invariants: `starts` is sorted and begins with b""; every split has a server.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from spanemu.hotspots.simulation.settings import SPLIT_SETTINGS, SplitSettings
from spanemu.values.key import after_prefix

ROUNDING = 1e-9  # of sums of loads: what is half of them must not depend on it

Event = tuple[bytes, float]  # where, and how much of a server's capacity it takes


@dataclass(slots=True)
class Range:
    """One split: where it starts, who serves it, how busy it has been."""

    start: bytes
    server: int = 0
    load: float = 0.0  # smoothed, in parts of a server's capacity
    now: float = 0.0  # in the present minute
    quiet: int = 0  # minutes
    pinned: bool = False  # a boundary of the user
    bytes: int = 0  # about
    events: list[Event] = field(default_factory=list)  # of the present minute, in order


@dataclass(frozen=True, slots=True)
class Minute:
    """What one minute looked like: loads in parts of a server's capacity."""

    servers: tuple[float, ...]
    splits: tuple[tuple[bytes, float], ...]  # (start, load)
    homes: tuple[int, ...] = ()  # the server of each split

    @property
    def peak(self) -> float:
        """The load of the busiest server."""
        return max(self.servers)


@dataclass(frozen=True, slots=True)
class CutRules:
    """Where one may cut.

    `levels` takes a row's place to the places of the rows above it and its own, root first, as far
    down as boundaries may fall. `after` is the place where what comes after a row begins, if any.
    """

    levels: Callable[[bytes], Sequence[bytes]] = lambda place: (place,)
    after: Callable[[bytes], bytes | None] = after_prefix


class SplitModel:
    """Splits over servers."""

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
            Range(start, place % servers, pinned=bool(start))
            for place, start in enumerate(boundaries)
        ]
        self.starts = boundaries
        self._given = 0

    @classmethod
    def of(cls, ranges: Sequence[Range], rules: CutRules, settings: SplitSettings) -> SplitModel:
        """A model that goes on from splits that are there, in order.

        Those that begin a hierarchy are pinned, and do not count as splits of the model's making.
        """
        model = cls(settings.servers, (), rules, settings)
        model.ranges = list(ranges)
        model.starts = [one.start for one in ranges]
        model._given = sum(one.pinned for one in ranges)
        return model

    def minute(self, keys: Iterable[bytes], load: float) -> Minute:
        """One minute in which these keys were written, with `load` for each of them."""
        return self.pass_minute([(key, load) for key in keys])

    def pass_minute(self, events: Iterable[Event]) -> Minute:
        """One minute with that load: what it looked like before the splits follow it."""
        for one in self.ranges:
            one.now, one.events = 0.0, []
        for event in events:
            one = self.ranges[bisect_right(self.starts, event[0]) - 1]
            one.now += event[1]
            one.events.append(event)
        seen = self._seen()
        settings = self._settings
        for one in self.ranges:
            one.load += settings.smoothing * (one.now - one.load)
            one.quiet = one.quiet + 1 if one.load < settings.quiet else 0
        self._merge()
        for one in [each for each in self.ranges if each.now >= settings.warm]:
            self._cut(one)
        self._place()
        return seen

    def _seen(self) -> Minute:
        loads = [0.0] * self.servers
        for one in self.ranges:
            loads[one.server] += one.now
        return Minute(
            tuple(loads),
            tuple((one.start, one.now) for one in self.ranges),
            tuple(one.server for one in self.ranges),
        )

    # ------------------------------------------------------------------ boundaries

    def cut(self, at: bytes | None) -> bool:
        """Put a boundary at `at`; False when there is one."""
        if not at:
            return False
        place = bisect_left(self.starts, at)
        if place < len(self.starts) and self.starts[place] == at:
            return False
        below = self.ranges[place - 1]
        upper = [event for event in below.events if event[0] >= at]
        moved = sum(load for _, load in upper)
        part = moved / below.now if below.now else 0.0
        above = Range(at, below.server, below.load * part, moved)
        above.events = upper
        below.events = [event for event in below.events if event[0] < at]
        below.load -= above.load
        below.now -= above.now
        self.ranges.insert(place, above)
        self.starts.insert(place, at)
        return True

    def _cut(self, one: Range) -> None:
        """Set a hot row apart, or halve the load; as near to the root as that can be done."""
        most = self._given + self._settings.splits_per_server_max * self.servers
        if len(self.ranges) + 1 >= most:
            return
        found = [(self._rules.levels(key), load) for key, load in one.events]
        for level in range(max(len(levels) for levels, _ in found)):
            rows = sorted((levels[min(level, len(levels) - 1)], load) for levels, load in found)
            if self._cut_between(one, rows):
                return

    def _cut_between(self, one: Range, rows: list[Event]) -> bool:
        """Cut between rows of a level, given in order; False where nothing is left to cut."""
        loads = {
            row: sum(load for _, load in same)
            for row, same in groupby(rows, lambda event: event[0])
        }
        place = bisect_right(self.starts, one.start)
        limit = self.starts[place] if place < len(self.starts) else None

        def cut(at: bytes | None) -> bool:
            return at is not None and (limit is None or at < limit) and self.cut(at)

        hottest = min(loads, key=lambda row: (-loads[row], row))
        if loads[hottest] >= self._settings.one_row_min * one.now * (1 - ROUNDING):
            before = cut(hottest)
            return cut(self._rules.after(hottest)) or before
        middle = _middle(rows, one.now)
        return cut(middle if middle > one.start else self._rules.after(middle))

    def _merge(self) -> None:
        place, minutes = 1, self._settings.quiet_minutes
        while place < len(self.ranges):
            one, before = self.ranges[place], self.ranges[place - 1]
            fits = one.bytes + before.bytes <= self._settings.split_bytes_max
            if fits and not one.pinned and min(one.quiet, before.quiet) >= minutes:
                before.bytes += one.bytes
                before.load += one.load
                before.now += one.now
                before.events += one.events
                del self.ranges[place], self.starts[place]
            else:
                place += 1

    # ------------------------------------------------------------------ servers

    def move(self, start: bytes, server: int) -> None:
        """Put the split that starts there on a server; placement may move it on later."""
        self.ranges[bisect_right(self.starts, start) - 1].server = server

    def _place(self) -> None:
        """The busiest first, each to the least loaded server unless its own has room for it."""
        loads = [0.0] * self.servers
        total = sum(one.load for one in self.ranges)
        room = self._settings.uneven_max * total / self.servers
        for one in sorted(self.ranges, key=lambda each: (-each.load, each.start)):
            if loads[one.server] and loads[one.server] + one.load > room:
                one.server = min(range(self.servers), key=lambda n: (loads[n], n))
            loads[one.server] += one.load

    def check(self) -> None:
        """Assert every invariant."""
        assert self.starts == [one.start for one in self.ranges]
        assert self.starts[0] == b""
        assert self.starts == sorted(set(self.starts))
        assert all(0 <= one.server < self.servers for one in self.ranges)


def _middle(rows: Sequence[Event], total: float) -> bytes:
    """The row at which half of the load is reached."""
    passed = 0.0
    for row, load in rows:
        passed += load
        if passed > total / 2 * (1 + ROUNDING):
            return row
    return rows[-1][0]
