"""Rows of the statistics tables, from what `database.statistics` adds up, in the columns' order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from spanemu.database.statistics.intervals import Row
from spanemu.database.statistics.locks import lock_stats_top, lock_stats_total
from spanemu.database.statistics.operations import column_operations, table_operations
from spanemu.database.statistics.queries import query_stats_top, query_stats_total
from spanemu.database.statistics.reads import read_stats_top, read_stats_total
from spanemu.database.statistics.running import (
    active_partitioned_dmls,
    active_queries_summary,
    oldest_active_queries,
)
from spanemu.database.statistics.transactions import txn_stats_top, txn_stats_total
from spanemu.database.system_tables.declaration import column_name
from spanemu.database.system_tables.source import Source

Rows = Iterable[Row]

# What yields the rows of such a table, given the interval.
BY_INTERVAL: Mapping[str, Callable[[Source, str], Rows]] = {
    "COLUMN_OPERATIONS_STATS": lambda source, interval: column_operations(
        source.core.activity, source.schema, interval, source.at
    ),
    "LOCK_STATS_TOP": lambda source, interval: lock_stats_top(
        source.core.locks.log.waits(), source.schema, interval, source.at
    ),
    "LOCK_STATS_TOTAL": lambda source, interval: lock_stats_total(
        source.core.locks.log.waits(), interval, source.at
    ),
    "QUERY_STATS_TOP": lambda source, interval: query_stats_top(
        source.core.activity, source.schema, interval, source.at
    ),
    "QUERY_STATS_TOTAL": lambda source, interval: query_stats_total(
        source.core.activity, source.schema, interval, source.at
    ),
    "READ_STATS_TOP": lambda source, interval: read_stats_top(
        list(source.core.activity.requests), source.core.locks.log.waits(), interval, source.at
    ),
    "READ_STATS_TOTAL": lambda source, interval: read_stats_total(
        list(source.core.activity.requests), source.core.locks.log.waits(), interval, source.at
    ),
    "TABLE_OPERATIONS_STATS": lambda source, interval: table_operations(
        source.core.activity, source.schema, interval, source.at
    ),
    "TXN_STATS_TOP": lambda source, interval: txn_stats_top(
        source.core.activity, source.schema, interval, source.at
    ),
    "TXN_STATS_TOTAL": lambda source, interval: txn_stats_total(
        source.core.activity, source.schema, interval, source.at
    ),
}

AT_THE_MOMENT: Mapping[str, Callable[[Source], Rows]] = {
    "ACTIVE_PARTITIONED_DMLS": lambda source: active_partitioned_dmls(
        source.core.activity, source.core.partitioned_dml
    ),
    "ACTIVE_QUERIES_SUMMARY": lambda source: active_queries_summary(source.core.activity),
    "OLDEST_ACTIVE_QUERIES": lambda source: oldest_active_queries(source.core.activity),
}


def in_order(rows: Rows, notation: str) -> Iterator[tuple[Any, ...]]:
    """Rows as tuples over the columns of a declaration; what a row does not name is NULL."""
    names = [column_name(word) for word in notation.split()]
    for row in rows:
        yield tuple(map(row.get, names))
