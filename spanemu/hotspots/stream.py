"""One stream of writes into one key space: its inserts, its updates or its deletes.

A commit only waits until its keys are in a buffer. A full buffer is processed in one batch, so the
cost of a write does not depend on the length of the stream.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import accumulate

from spanemu.base.record import dataclass
from spanemu.hotspots.samples import (
    FrequentRows,
    Keys,
    Prequential,
    Reservoir,
    Sample,
    Windows,
    halves,
    neighbour_distance,
    rank_correlation,
)
from spanemu.hotspots.thresholds import THRESHOLDS, Thresholds


@dataclass(frozen=True, slots=True)
class Summary:
    """The figures of a stream.

    `share` and `share_error` are None while there are too few windows. `append_part` and
    `prepend_part` are the parts of commits beyond all keys before them.
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
        """Return the part of the commits that wrote the most frequently written row."""
        return self.top_row_count / self.commits if self.commits else 0.0

    @property
    def effective_servers(self) -> float | None:
        """Return how many servers the writes could keep busy; None when that is not known."""
        return None if not self.share else 1 / self.share


class Stream:
    """The commits that made one kind of change in one tree, in order."""

    __slots__ = (
        "_appends", "_bulk", "_bulk_appends", "_frequent", "_full", "_high", "_low",
        "_prepends", "_processed", "_reservoir", "_sets", "_thresholds", "_timestamps", "_windows",
        "commits", "keys", "rows",
    )  # fmt: skip

    def __init__(self, thresholds: Thresholds = THRESHOLDS) -> None:
        self._thresholds = thresholds
        # The buffer: one key and the timestamp of each commit, and for a commit of several rows
        # all its keys, by its index. The first `_processed` commits of it have been processed.
        self.keys: list[bytes] = []
        self._timestamps: list[int] = []
        self._sets: dict[int, Keys] = {}
        self._processed = 0
        self._full = thresholds.windows[-1]
        self._windows = Windows(thresholds.windows, thresholds.buckets, thresholds.windows_min)
        self._reservoir = Reservoir(thresholds.samples_max)
        self._frequent = FrequentRows(thresholds.rows_max)
        self._high = self._low = b""  # the last and the first of all keys so far
        self.commits = self.rows = 0
        self._appends = self._prepends = self._bulk = self._bulk_appends = 0

    def add_rows(self, timestamps: Sequence[int], keys: Sequence[bytes]) -> None:
        """Add the rows of some commits; rows with the same timestamp are adjacent."""
        if len(set(timestamps)) == len(timestamps):
            self.add_single_rows(timestamps, keys)
            return
        start = 0
        for timestamp, size in Counter(timestamps).items():
            self.add_commit(keys[start : start + size], timestamp)
            start += size

    def add_single_rows(self, timestamps: Sequence[int], keys: Sequence[bytes]) -> None:
        """Add commits or reads of one row each."""
        start = 0
        while start < len(keys):
            end = start + self._full - len(self.keys)
            self.keys += keys[start:end]
            self._timestamps += timestamps[start:end]
            if len(self.keys) == self._full:
                self._flush()
            start = end

    def add_commit(self, keys: Sequence[bytes], timestamp: int) -> None:
        """Add one commit."""
        if len(keys) > 1:
            keys = self._sets[len(self.keys)] = tuple(sorted(keys))
        self.add_single_rows((timestamp,), keys[len(keys) // 2 :][:1])

    def _flush(self) -> None:
        self._process()
        self._frequent.trim()
        self._windows.add((self.keys, self._sets))
        self.keys, self._timestamps, self._sets = [], [], {}
        self._processed = 0

    def _process(self) -> None:
        start, end = self._processed, len(self.keys)
        if start == end:
            return
        self._processed = end
        keys = self.keys[start:]
        self._reservoir.offer(self._timestamps[start:], keys)
        if self._sets:
            for index, key in enumerate(keys, start):
                self._count_commit(self._sets.get(index, (key,)))
        else:
            self._count(keys, keys)
            self._frequent.count_keys(keys)
            self.rows += len(keys)

    def _count_commit(self, keys: Keys) -> None:
        """Count the rows of one commit."""
        self.rows += len(keys)
        self._frequent.count_keys(keys)
        if len(keys) >= self._thresholds.bulk_rows_min:
            self._bulk += 1
            self._bulk_appends += self.commits > 0 and keys[0] > self._high
            self._frequent.trim()
        self._count(keys[:1], keys[-1:])

    def _count(self, firsts: Sequence[bytes], lasts: Sequence[bytes]) -> None:
        """Count commits, and commits beyond all before them, by their first and last keys."""
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
        """Return the figures so far."""
        self._process()
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
        """Return the longest window length with enough windows, or halves where they show a spread.

        A window that one row fills is never doubted.
        """
        limits = self._thresholds
        chosen = self._windows.chosen((self.keys, self._sets))
        if chosen is None:
            return None
        if chosen.mean < max(limits.recheck_share_min, 2 * top_count / self.commits):
            return chosen
        if neighbour_distance(keys) <= limits.neighbour_distance_min:
            return chosen
        other = halves(keys, limits.buckets)
        return other if other.mean < min(chosen.mean, limits.confirmed_share_min) else chosen
