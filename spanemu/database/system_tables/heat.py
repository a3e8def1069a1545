"""Rows about splits: SPLIT_STATS_TOP and USER_SPLIT_POINTS."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from spanemu.database.system_tables.source import Source


def split_stats_top(source: Source, interval: str) -> Iterator[tuple[Any, ...]]:
    """SPLIT_STATS_TOP_MINUTE and kin: of splits that follow their load, and while somebody watches
    of what was found.
    """
    teller = source.core.heat or source.core.splitting
    for row in teller.split_stats(source.at, interval):
        yield (
            row.interval_end,
            row.split_start,
            row.split_limit,
            list(row.affected_tables),
            row.cpu_usage_score,
            list(row.unsplittable_reasons),
        )


def user_split_points(source: Source) -> Iterator[tuple[Any, ...]]:
    """USER_SPLIT_POINTS: those that have not expired."""
    for point in source.core.split_points.live(source.core.store.clock.peek()):
        yield point.table, point.index, point.initiator, point.text, point.expires
