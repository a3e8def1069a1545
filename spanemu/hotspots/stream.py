"""One stream of writes into one key space: its inserts, its updates or its deletes.

What a commit wrote is put into a buffer, which is the only work that a commit waits for; a full
buffer is worked off in one go, so that a write costs the same however long the stream is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from spanemu.hotspots.samples import (
    FrequentRows,
    Reservoir,
    Sample,
    neighbour_distance,
    rank_correlation,
)
from spanemu.hotspots.thresholds import THRESHOLDS, Thresholds
from spanemu.hotspots.windows import Keys, Prequential, Windows, halves


@dataclass(frozen=True, slots=True)
class Summary:
    """What is known of a stream. `share` and `share_error` are None before there are enough
    windows. `append_part` and `prepend_part` are of commits beyond all keys before them.
    """

    commits: int
    rows: int
    share: float | None
    share_error: float
    windows: int
    width: int
    rho: float
    append_part: float
    prepend_part: float
    top_row: bytes | None
    top_row_count: int
    bulk_commits: int
    bulk_appends: int
    samples: tuple[Sample, ...]
    last: bytes

    @property
    def top_row_share(self) -> float:
        """Of the commits, how many wrote the row that was written most often."""
        return self.top_row_count / self.commits if self.commits else 0.0

    @property
    def effective_servers(self) -> float | None:
        """How many servers the writes could keep busy; None when that is not known."""
        return None if not self.share else 1 / self.share


class Stream:
    """The commits that wrote one kind of change into one tree, in order."""

    __slots__ = (
        "_appends", "_ats", "_bulk", "_bulk_appends", "_frequent", "_full", "_high", "_low",
        "_prepends", "_reservoir", "_seen", "_sets", "_thresholds", "_windows", "commits", "keys",
        "rows",
    )  # fmt: skip

    def __init__(self, thresholds: Thresholds = THRESHOLDS) -> None:
        self._thresholds = thresholds
        # The buffer: for each commit a key, its time, and of several rows all of their keys by
        # its place. The first `_seen` commits of it are worked off.
        self.keys: list[bytes] = []
        self._ats: list[int] = []
        self._sets: dict[int, Keys] = {}
        self._seen = 0
        self._full = thresholds.windows[-1]
        self._windows = Windows(thresholds.windows, thresholds.buckets, thresholds.windows_min)
        self._reservoir = Reservoir(thresholds.samples_max)
        self._frequent = FrequentRows(thresholds.rows_max)
        self._high = self._low = b""  # the last and the first of all keys so far
        self.commits = self.rows = 0
        self._appends = self._prepends = self._bulk = self._bulk_appends = 0

    def take(self, ats: Sequence[int], keys: Sequence[bytes]) -> None:
        """Take in the rows of some commits: one beside the other what has a time in common."""
        if len(set(ats)) == len(ats):
            self.take_single(ats, keys)
            return
        start = 0
        for at, size in Counter(ats).items():
            self.add(keys[start : start + size], at)
            start += size

    def take_single(self, ats: Sequence[int], keys: Sequence[bytes]) -> None:
        """Take in commits, or reads, of one row each."""
        start = 0
        while start < len(keys):
            end = start + self._full - len(self.keys)
            self.keys += keys[start:end]
            self._ats += ats[start:end]
            if len(self.keys) == self._full:
                self._empty()
            start = end

    def add(self, keys: Sequence[bytes], at: int) -> None:
        """Take in a commit."""
        if len(keys) > 1:
            keys = self._sets[len(self.keys)] = tuple(sorted(keys))
        self.take_single((at,), keys[len(keys) // 2 :][:1])

    def _empty(self) -> None:
        self._work_off()
        self._frequent.trim()
        self._windows.take((self.keys, self._sets))
        self.keys, self._ats, self._sets = [], [], {}
        self._seen = 0

    def _work_off(self) -> None:
        start, end = self._seen, len(self.keys)
        if start == end:
            return
        self._seen = end
        keys = self.keys[start:]
        self._reservoir.offer(self._ats[start:], keys)
        if self._sets:
            for place, key in enumerate(keys, start):
                self._see(self._sets.get(place, (key,)))
        else:
            self._count(keys, keys)
            self._frequent.see(keys)
            self.rows += len(keys)

    def _see(self, keys: Keys) -> None:
        """Look at the rows of one commit."""
        self.rows += len(keys)
        self._frequent.see(keys)
        if len(keys) >= self._thresholds.bulk_rows_min:
            self._bulk += 1
            self._bulk_appends += self.commits > 0 and keys[0] > self._high
            self._frequent.trim()
        self._count(keys[:1], keys[-1:])

    def _count(self, firsts: Sequence[bytes], lasts: Sequence[bytes]) -> None:
        """Count commits, and those beyond all before them, by their first and last keys."""
        if not self.commits:
            self._low, self._high = firsts[0], lasts[0]
        high, low = max(lasts), min(firsts)
        if high > self._high:
            self._appends += len(set(accumulate(lasts, max, initial=self._high))) - 1
            self._high = high
        if low < self._low:
            self._prepends += len(set(accumulate(firsts, min, initial=self._low))) - 1
            self._low = low
        self.commits += len(firsts)

    def summary(self) -> Summary:
        """What is known by now."""
        self._work_off()
        samples = self._reservoir.in_order()
        keys = [key for _, _, key in samples]
        top = self._frequent.top()
        chosen = self._chosen(keys, 0 if top is None else top[1])
        steps = max(1, self.commits - 1)
        return Summary(
            commits=self.commits,
            rows=self.rows,
            share=None if chosen is None else chosen.mean,
            share_error=0.0 if chosen is None else chosen.error,
            windows=0 if chosen is None else chosen.count,
            width=0 if chosen is None else chosen.width,
            rho=rank_correlation(keys),
            append_part=self._appends / steps,
            prepend_part=self._prepends / steps,
            top_row=None if top is None else top[0],
            top_row_count=0 if top is None else top[1],
            bulk_commits=self._bulk,
            bulk_appends=self._bulk_appends,
            samples=tuple(samples),
            last=b"" if not samples else samples[-1][2],
        )

    def _chosen(self, keys: Sequence[bytes], top_count: int) -> Prequential | None:
        """The largest window of which there are enough, or halves that say that commits spread.

        Nobody doubts a window that one row fills.
        """
        limits = self._thresholds
        chosen = self._windows.chosen((self.keys, self._sets))
        if chosen is None:
            return None
        if chosen.mean < max(limits.doubted_share_min, 2 * top_count / self.commits):
            return chosen
        if neighbour_distance(keys) <= limits.apart_min:
            return chosen
        other = halves(keys, limits.buckets)
        return other if other.mean < min(chosen.mean, limits.undoubted_share_min) else chosen
