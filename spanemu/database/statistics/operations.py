"""TABLE_OPERATIONS_STATS_*, COLUMN_OPERATIONS_STATS_*: how often tables and columns were used.

A request counts once, however many rows it reads or writes: for each table and index that it reads,
and for each table that it writes, together with the indexes to update.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from spanemu.database.statistics.column_accesses import Touched, with_indexes
from spanemu.database.statistics.period import IntervalPeriods, Period, Row, mutated, requested
from spanemu.schema.schema import Schema


def table_operations(intervals: IntervalPeriods, schema: Schema) -> Iterator[Row]:
    """Yield the rows of TABLE_OPERATIONS_STATS."""
    for end, periods in intervals:
        reads: Counter[str] = Counter()
        writes: Counter[str] = Counter()
        deletes: Counter[str] = Counter()
        for touched, times, _ in _operations(periods):
            reads.update(dict.fromkeys((source for source, _ in touched.reads), times))
            writes.update(dict.fromkeys(with_indexes(touched.writes, schema), times))
            for name in touched.deletes:
                table = schema.table(name)
                indexes = () if table is None else schema.indexes_of(table)
                names = {name, *(index.name for index in indexes)}
                deletes.update(dict.fromkeys(names, times))
        for name in sorted(reads.keys() | writes.keys() | deletes.keys()):
            yield {
                "INTERVAL_END": end,
                "TABLE_NAME": name,
                "READ_QUERY_COUNT": reads[name],
                "WRITE_COUNT": writes[name],
                "DELETE_COUNT": deletes[name],
            }


def column_operations(intervals: IntervalPeriods, schema: Schema) -> Iterator[Row]:
    """Yield the rows of COLUMN_OPERATIONS_STATS."""
    for end, periods in intervals:
        reads: Counter[tuple[str, str]] = Counter()
        queries: Counter[tuple[str, str]] = Counter()
        writes: Counter[tuple[str, str]] = Counter()
        for touched, times, is_read in _operations(periods):
            (reads if is_read else queries).update(dict.fromkeys(touched.reads, times))
            for source, columns in with_indexes(touched.writes, schema).items():
                writes.update({(source, column): times for column in columns})
        for source, column in sorted(reads.keys() | queries.keys() | writes.keys()):
            yield {
                "INTERVAL_END": end,
                "TABLE_NAME": source,
                "COLUMN_NAME": column,
                "READ_COUNT": reads[source, column],
                "QUERY_COUNT": queries[source, column],
                "WRITE_COUNT": writes[source, column],
                "IS_QUERY_CACHE_MEMORY_CAPPED": False,
            }


def _operations(periods: Sequence[Period]) -> Iterator[tuple[Touched, int, bool]]:
    """Yield (columns used, how often, true for a read by key)."""
    for period in periods:
        for family, is_read in ((period.queries, False), (period.reads, True)):
            for cell in family.cells.values():
                for touched, times in requested(cell):
                    yield touched, times, is_read
            for touched, times in family.touched.items():
                yield touched, times, is_read
        for transaction in period.transactions.cells.values():
            for touched, times in mutated(transaction):
                yield touched, times, False
        for touched, times in period.transactions.touched.items():
            yield touched, times, False
