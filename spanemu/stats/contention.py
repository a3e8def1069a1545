"""Rows that transactions wait for each other on.

Conflicts are counted, not seconds: which transaction waits, and which is aborted because an older
one wants its lock, is settled by their ages, but how long it takes is not.
"""

from __future__ import annotations

from dataclasses import dataclass

from spanemu.stats.samples import FrequentRows
from spanemu.stats.thresholds import THRESHOLDS, Thresholds


@dataclass(frozen=True, slots=True)
class ContentionSummary:
    """What is known of a tree's conflicts; of them `top_row_count` were about `top_row`.

    `seconds` is how long transactions waited, all together.
    """

    conflicts: int
    seconds: float
    top_row: bytes | None
    top_row_count: int

    @property
    def top_row_share(self) -> float:
        """Of the conflicts, how many were about one row."""
        return self.top_row_count / self.conflicts if self.conflicts else 0.0


class Contention:
    """The conflicts about rows of one tree."""

    __slots__ = ("_conflicts", "_frequent", "_seconds")

    def __init__(self, limits: Thresholds = THRESHOLDS) -> None:
        self._conflicts = 0
        self._seconds = 0.0
        self._frequent = FrequentRows(limits.rows_max)

    def add(self, key: bytes | None, seconds: float) -> None:
        """Count one conflict; a range has no key."""
        self._conflicts += 1
        self._seconds += seconds
        if key is not None:
            self._frequent.see((key,))
            self._frequent.trim()

    def summary(self) -> ContentionSummary:
        """What is known by now."""
        row, count = self._frequent.top() or (None, 0)
        return ContentionSummary(self._conflicts, self._seconds, row, count)
