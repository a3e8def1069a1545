"""Rows of the statistics tables, from the sums of `database.statistics`, in column order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from spanemu.database.statistics.aggregator import Table
from spanemu.database.statistics.locks import lock_stats_top, lock_stats_total
from spanemu.database.statistics.operations import column_operations, table_operations
from spanemu.database.statistics.period import Row
from spanemu.database.statistics.queries import (
    query_stats_top,
    query_stats_total,
    read_stats_top,
    read_stats_total,
)
from spanemu.database.statistics.running import (
    active_partitioned_dmls,
    active_queries_summary,
    oldest_active_queries,
)
from spanemu.database.statistics.transactions import txn_stats_top, txn_stats_total
from spanemu.database.system_tables.declaration import Source, column_name

Rows = Iterable[Row]

# The row functions of the tables.
_TABLES: Mapping[str, Table] = {
    "COLUMN_OPERATIONS_STATS": column_operations,
    "LOCK_STATS_TOP": lock_stats_top,
    "LOCK_STATS_TOTAL": lock_stats_total,
    "QUERY_STATS_TOP": query_stats_top,
    "QUERY_STATS_TOTAL": query_stats_total,
    "READ_STATS_TOP": read_stats_top,
    "READ_STATS_TOTAL": read_stats_total,
    "TABLE_OPERATIONS_STATS": table_operations,
    "TXN_STATS_TOP": txn_stats_top,
    "TXN_STATS_TOTAL": txn_stats_total,
}


def by_interval(name: str) -> Callable[[Source, str], Rows] | None:
    """Return the row function of a table by interval, or None for an unknown table."""
    table = _TABLES.get(name)
    if table is None:
        return None
    return lambda source, interval: source.core.ledger.look(table, interval, source.at)


AT_THE_MOMENT: Mapping[str, Callable[[Source], Rows]] = {
    "ACTIVE_PARTITIONED_DMLS": lambda source: active_partitioned_dmls(
        source.core.activity, source.core.partitioned_dml
    ),
    "ACTIVE_QUERIES_SUMMARY": lambda source: active_queries_summary(source.core.activity),
    "OLDEST_ACTIVE_QUERIES": lambda source: oldest_active_queries(source.core.activity),
}


def in_order(rows: Rows, notation: str) -> Iterator[tuple[Any, ...]]:
    """Yield rows as tuples over the columns of a declaration; columns missing from a row are
    NULL.
    """
    names = [column_name(word) for word in notation.split()]
    for row in rows:
        yield tuple(map(row.get, names))
