"""How splits and servers might follow a load: a model, in virtual minutes.

Spanner publishes no algorithm for this. The model has what its pages do say: load is split where
it is spread over many keys, a boundary comes some minutes late, a hot row can be set apart but not
cut, ranges that stay quiet are merged, splits move between servers, boundaries of users stay.

    minute 1    [-------------------------)    one split, one server
    minute 2    [------------)[-----------)    cut where the load of minute 1 halves
    minute 3    [-----)[-----)[----)[-----)

Invariants: `starts` is sorted and begins with b""; every split has a server.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from spanemu.values.key import after_prefix

WARM = 0.5  # of a server's capacity: a split above it is cut
SMOOTHING = 0.5  # weight of the last minute in what placement goes by
QUIET = 0.05  # of a server's capacity
QUIET_MINUTES = 10  # before a boundary is merged away
SPLITS_PER_SERVER_MAX = 10
UNEVEN_MAX = 1.1  # of the mean load: a split stays where it is up to that
ONE_ROW_MIN = 0.5  # of a split's load on one key: it is set apart


@dataclass(slots=True)
class Range:
    """One split: where it starts, who serves it, how busy it has been."""

    start: bytes
    server: int = 0
    load: float = 0.0  # smoothed, in parts of a server's capacity
    now: float = 0.0  # in the present minute
    quiet: int = 0  # minutes
    pinned: bool = False  # a boundary of the user
    keys: list[bytes] = field(default_factory=list)  # written in the present minute, in order


@dataclass(frozen=True, slots=True)
class Minute:
    """What one minute looked like: loads in parts of a server's capacity."""

    servers: tuple[float, ...]
    splits: tuple[tuple[bytes, float], ...]  # (start, load)

    @property
    def peak(self) -> float:
        """The load of the busiest server."""
        return max(self.servers)


class SplitModel:
    """Splits over servers. `root_of` takes a key to the key of its root row, where one may cut."""

    def __init__(
        self,
        servers: int,
        pinned: Iterable[bytes] = (),
        root_of: Callable[[bytes], bytes] = lambda key: key,
    ) -> None:
        self._servers = servers
        self._root_of = root_of
        boundaries = sorted({b"", *pinned})
        self.ranges = [
            Range(start, place % servers, pinned=bool(start))
            for place, start in enumerate(boundaries)
        ]
        self.starts = boundaries

    def minute(self, keys: Sequence[bytes], load: float) -> Minute:
        """One minute in which these keys were written, with `load` for each of them."""
        for one in self.ranges:
            one.now, one.keys = 0.0, []
        for key in keys:
            one = self.ranges[bisect_right(self.starts, key) - 1]
            one.now += load
            one.keys.append(key)
        seen = self._seen()
        for one in self.ranges:
            one.load += SMOOTHING * (one.now - one.load)
            one.quiet = one.quiet + 1 if one.load < QUIET else 0
        self._merge()
        for one in [each for each in self.ranges if each.now >= WARM]:
            self._cut(one)
        self._place()
        return seen

    def _seen(self) -> Minute:
        loads = [0.0] * self._servers
        for one in self.ranges:
            loads[one.server] += one.now
        return Minute(tuple(loads), tuple((one.start, one.now) for one in self.ranges))

    # ------------------------------------------------------------------ boundaries

    def cut(self, at: bytes, *, pinned: bool = False) -> bool:
        """Put a boundary at `at`; False when there is one."""
        place = bisect_left(self.starts, at)
        if not at or (place < len(self.starts) and self.starts[place] == at):
            return False
        below = self.ranges[place - 1]
        split = bisect_left(sorted(below.keys), at)
        part = 1 - split / len(below.keys) if below.keys else 0.0
        above = Range(at, below.server, below.load * part, below.now * part, pinned=pinned)
        above.keys, below.keys = sorted(below.keys)[split:], sorted(below.keys)[:split]
        below.load -= above.load
        below.now -= above.now
        self.ranges.insert(place, above)
        self.starts.insert(place, at)
        return True

    def _cut(self, one: Range) -> None:
        """Set a hot row apart, or halve the load; nothing where there is only one root row."""
        if len(self.ranges) + 1 >= SPLITS_PER_SERVER_MAX * self._servers:
            return
        roots = sorted(map(self._root_of, one.keys))
        (row, count), *_ = Counter(roots).most_common(1)
        if count >= ONE_ROW_MIN * len(roots):
            self.cut(row)
            self.cut(after_prefix(row))
            return
        middle = roots[len(roots) // 2]
        self.cut(middle if middle > one.start else after_prefix(middle))

    def _merge(self) -> None:
        place = 1
        while place < len(self.ranges):
            one, before = self.ranges[place], self.ranges[place - 1]
            if not one.pinned and min(one.quiet, before.quiet) >= QUIET_MINUTES:
                before.load += one.load
                del self.ranges[place], self.starts[place]
            else:
                place += 1

    # ------------------------------------------------------------------ servers

    def move(self, start: bytes, server: int) -> None:
        """Put the split that starts there on a server; placement may move it on later."""
        self.ranges[bisect_right(self.starts, start) - 1].server = server

    def _place(self) -> None:
        """The busiest first, each to the least loaded server unless its own has room for it."""
        loads = [0.0] * self._servers
        room = UNEVEN_MAX * sum(one.load for one in self.ranges) / self._servers
        for one in sorted(self.ranges, key=lambda each: (-each.load, each.start)):
            if loads[one.server] and loads[one.server] + one.load > room:
                one.server = min(range(self._servers), key=lambda n: (loads[n], n))
            loads[one.server] += one.load

    def check(self) -> None:
        """Assert every invariant."""
        assert self.starts == [one.start for one in self.ranges]
        assert self.starts[0] == b""
        assert self.starts == sorted(set(self.starts))
        assert all(0 <= one.server < self._servers for one in self.ranges)
