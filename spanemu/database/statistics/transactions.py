"""TXN_STATS_* and LOCK_STATS_*: read-write transactions by columns or tag, and waits for locks.

A transaction's work before its commit is known from its statements and reads. A transaction that
was aborted before its commit is an attempt too. The rows of "Lock statistics" say where
transactions waited, and which requests were involved.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from spanemu.database.physical import column_names, locked_key_text
from spanemu.database.statistics.cells import (
    Transactions,
    Waits,
    as_json,
    distribution,
    distribution_json,
)
from spanemu.database.statistics.column_accesses import EXISTS, Touched, fingerprint, named
from spanemu.database.statistics.period import IntervalPeriods, Place, Row, average, costliest
from spanemu.schema.indexes import TableOrIndex
from spanemu.schema.schema import Schema
from spanemu.storage.layout import tree_of
from spanemu.txn.locks.modes import WRITE_TIMESTAMP_RANGE, columns_of, mode_name
from spanemu.txn.locks.waits import LockRequest

_OPERATIONS = ("TABLE_NAME", "INSERT_OR_UPDATE_COUNT", "INSERT_OR_UPDATE_BYTES")


def txn_stats_top(intervals: IntervalPeriods, schema: Schema) -> Iterator[Row]:
    """Yield the rows of TXN_STATS_TOP, the longest total time first."""
    for end, periods in intervals:
        groups: dict[str, list[Transactions]] = {}
        for period in periods:
            for cell in period.transactions.cells.values():
                groups.setdefault(cell.tag or _identifying_text(cell.touched), []).append(cell)
        for key, cells in costliest(groups):
            touched = Touched.joined(cell.touched for cell in cells)
            yield {
                "INTERVAL_END": end,
                "FPRINT": fingerprint(key),
                "TRANSACTION_TAG": cells[0].tag,
                "READ_COLUMNS": named(touched.reads),
                "WRITE_CONSTRUCTIVE_COLUMNS": named(touched.writes),
                "WRITE_DELETE_TABLES": sorted(touched.deletes),
                **_figures(cells),
            }


def txn_stats_total(intervals: IntervalPeriods, schema: Schema) -> Iterator[Row]:
    """Yield the rows of TXN_STATS_TOTAL."""
    for end, periods in intervals:
        cells = [cell for period in periods for cell in period.transactions.all()]
        if cells:
            yield {"INTERVAL_END": end, **_figures(cells)}


def _identifying_text(touched: Touched) -> str:
    """Return the text that identifies transactions without a tag."""
    parts = named(touched.reads), named(touched.writes), sorted(touched.deletes)
    return "\n".join(map(",".join, parts))


def _figures(cells: Sequence[Transactions]) -> dict[str, Any]:
    group = Transactions.of(cells)
    operations = _operations(group)
    histogram = distribution(group)
    return {
        "ATTEMPT_COUNT": group.count,
        "COMMIT_ATTEMPT_COUNT": group.commits,
        "COMMIT_FAILED_PRECONDITION_COUNT": group.refused,
        "COMMIT_ABORT_COUNT": group.aborted,
        "COMMIT_RETRY_COUNT": group.again,
        "AVG_PARTICIPANTS": average(group.participants, group.commits),
        "AVG_TOTAL_LATENCY_SECONDS": average(group.seconds, group.count),
        "AVG_COMMIT_LATENCY_SECONDS": average(group.commit_seconds, group.commits),
        "AVG_BYTES": average(sum(size for _, size in group.written.values()), group.commits),
        "OPERATIONS_BY_TABLE": operations,
        "OPERATIONS_BY_TABLE_JSON_STRING": as_json(operations, _OPERATIONS),
        "TOTAL_LATENCY_DISTRIBUTION": histogram,
        "TOTAL_LATENCY_DISTRIBUTION_JSON_STRING": distribution_json(histogram),
        "SERIALIZABLE_PESSIMISTIC_TXN_COUNT": group.pessimistic,
        "SERIALIZABLE_OPTIMISTIC_TXN_COUNT": group.optimistic,
        "REPEATABLE_READ_OPTIMISTIC_TXN_COUNT": group.repeatable,
    }


def _operations(group: Transactions) -> list[tuple[str, int, int]]:
    """Return (table, rows, bytes) over the whole group, the most rows first."""
    rows = ((table, count, round(size)) for table, (count, size) in group.written.items())
    return sorted(rows, key=lambda row: (-row[1], row[0]))


SAMPLES_MAX = 20
_FIELDS = ("COLUMN", "LOCK_MODE", "TRANSACTION_TAG")


def lock_stats_top(intervals: IntervalPeriods, schema: Schema) -> Iterator[Row]:
    """Yield the rows of LOCK_STATS_TOP, the longest waits first."""
    sources = {tree_of(source): source for source in schema.tables_and_indexes()}
    for end, periods in intervals:
        waits_by_position: dict[Place, list[Waits]] = {}
        for period in periods:
            for position, cell in period.waits.cells.items():
                if position[0] in sources:  # A dropped table or index has no row.
                    waits_by_position.setdefault(position, []).append(cell)
        for (tree, key, is_range), cells in costliest(waits_by_position):
            source, group = sources[tree], Waits.of(cells)
            samples = list(islice(_samples(source, group, is_range=is_range), SAMPLES_MAX))
            yield {
                "INTERVAL_END": end,
                "ROW_RANGE_START_KEY": locked_key_text(source, key, is_range=is_range).encode(),
                "LOCK_WAIT_SECONDS": group.seconds,
                "SAMPLE_LOCK_REQUESTS": samples,
                "SAMPLE_LOCK_REQUESTS_JSON_STRING": as_json(samples, _FIELDS),
            }


def lock_stats_total(intervals: IntervalPeriods, schema: Schema) -> Iterator[Row]:
    """Yield the rows of LOCK_STATS_TOTAL."""
    for end, periods in intervals:
        cells = [cell for period in periods for cell in period.waits.all()]
        if cells:
            yield {
                "INTERVAL_END": end,
                "TOTAL_LOCK_WAIT_SECONDS": sum(cell.seconds for cell in cells),
            }


def _samples(
    source: TableOrIndex, group: Waits, *, is_range: bool
) -> Iterator[tuple[str, str, str]]:
    """Yield the distinct (column, mode, tag) of the requests."""
    seen: set[tuple[str, str, str]] = set()
    for request in group.requests:
        for column, mode in _modes(source, request, is_range=is_range):
            sample = f"{source.name}.{column}", mode, request.tag
            if sample not in seen:
                seen.add(sample)
                yield sample


def _modes(
    source: TableOrIndex, request: LockRequest, *, is_range: bool
) -> Iterator[tuple[str, str]]:
    """Yield each locked column with its lock mode."""
    if is_range and request.lock == WRITE_TIMESTAMP_RANGE:
        yield EXISTS, "WriterSharedTimestamp"
        return
    names = column_names(source)
    reads, writes = (set(columns_of(cells, names)) for cells in request.lock)
    for column in (EXISTS, *names):
        if column and (column in reads or column in writes):
            yield column, mode_name((column in reads, column in writes))
