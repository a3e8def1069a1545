"""TXN_STATS_*: read-write transactions by their columns or by their tag.

A transaction's work before its commit is known from its statements and reads. A transaction that
was aborted before its commit is an attempt too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from spanemu.database.statistics.cells import Transactions, as_json, distribution, distribution_json
from spanemu.database.statistics.column_accesses import Touched, fingerprint, named
from spanemu.database.statistics.period import IntervalPeriods, Row, average, costliest
from spanemu.schema.schema import Schema

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
