"""TABLE_OPERATIONS_STATS_*, COLUMN_OPERATIONS_STATS_*: how often tables and columns were used.

A request counts once, however many rows it touches: for each table and index that it reads, and for
each table that it writes with the indexes that have to follow.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from spanemu.database.activity import ActivityLog
from spanemu.database.statistics.intervals import Row, by_interval
from spanemu.database.statistics.touched import (
    Touched,
    touched_by,
    touched_by_mutations,
    with_indexes,
)
from spanemu.schema.schema import Schema


@dataclass(frozen=True, slots=True)
class Operation:
    """What one request or commit touched; `is_read` of a read by key."""

    at: int
    touched: Touched
    is_read: bool = False


def table_operations(log: ActivityLog, schema: Schema, interval: str, now: int) -> Iterator[Row]:
    """Rows of TABLE_OPERATIONS_STATS_`interval`."""
    for end, found in by_interval(_operations(log, schema), interval, now):
        reads: Counter[str] = Counter()
        writes: Counter[str] = Counter()
        deletes: Counter[str] = Counter()
        for one in found:
            reads.update({thing for thing, _ in one.touched.reads})
            writes.update(with_indexes(one.touched.writes, schema).keys())
            for name in one.touched.deletes:
                table = schema.table(name)
                indexes = () if table is None else schema.indexes_of(table)
                deletes.update({name, *(index.name for index in indexes)})
        for name in sorted(reads.keys() | writes.keys() | deletes.keys()):
            yield {
                "INTERVAL_END": end,
                "TABLE_NAME": name,
                "READ_QUERY_COUNT": reads[name],
                "WRITE_COUNT": writes[name],
                "DELETE_COUNT": deletes[name],
            }


def column_operations(log: ActivityLog, schema: Schema, interval: str, now: int) -> Iterator[Row]:
    """Rows of COLUMN_OPERATIONS_STATS_`interval`."""
    for end, found in by_interval(_operations(log, schema), interval, now):
        reads: Counter[tuple[str, str]] = Counter()
        queries: Counter[tuple[str, str]] = Counter()
        writes: Counter[tuple[str, str]] = Counter()
        for one in found:
            (reads if one.is_read else queries).update(one.touched.reads)
            for thing, columns in with_indexes(one.touched.writes, schema).items():
                writes.update((thing, column) for column in columns)
        for thing, column in sorted(reads.keys() | queries.keys() | writes.keys()):
            yield {
                "INTERVAL_END": end,
                "TABLE_NAME": thing,
                "COLUMN_NAME": column,
                "READ_COUNT": reads[thing, column],
                "QUERY_COUNT": queries[thing, column],
                "WRITE_COUNT": writes[thing, column],
                "IS_QUERY_CACHE_MEMORY_CAPPED": False,
            }


def _operations(log: ActivityLog, schema: Schema) -> Iterator[Operation]:
    for request in list(log.requests):
        is_read = request.texts[0] is None
        if is_read:
            yield Operation(request.at, touched_by(request.sources), is_read=True)
        else:
            for source in request.sources:  # each statement of a batch
                yield Operation(request.at, touched_by((source,)))
    for attempt in list(log.attempts):
        if attempt.code is None and attempt.mutations:
            yield Operation(attempt.at, touched_by_mutations(attempt.mutations, schema))
