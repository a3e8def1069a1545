"""QUERY_STATS_* and READ_STATS_*: statements by text or tag ("Query statistics"), and reads.

Figures of a distributed service that a single process does not have are zero: calls to other
servers, waiting for a file system, rows on disk. Memory is not measured, and NULL. The bytes that a
statement wrote are estimated by the mean size of the rows that transactions wrote to its tables.

Running statements follow: ACTIVE_PARTITIONED_DMLS and the tables of active queries.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from spanemu.base.clock import monotonic
from spanemu.database.activity import ActivityLog, Progress, RequestRecord
from spanemu.database.options import StatementRequest
from spanemu.database.statistics.cells import Requests, distribution, distribution_json
from spanemu.database.statistics.column_accesses import Touched, fingerprint, named
from spanemu.database.statistics.period import IntervalPeriods, Period, Row, average, costliest
from spanemu.schema.schema import Schema

TEXT_CHARACTERS_MAX = 64 * 1024
_AGES = (1, 10, 100)

Sizes = Mapping[str, float]  # bytes of a row by table


def query_stats_top(intervals: IntervalPeriods, schema: Schema) -> Iterator[Row]:
    """Yield the rows of QUERY_STATS_TOP, the longest total time first."""
    for end, periods in intervals:
        groups: dict[tuple[str, bool], list[Requests]] = {}
        for cell in _cells(periods):
            key = cell.tag if cell.tag and not cell.is_partitioned_dml else _text(cell)
            groups.setdefault((key, _is_partitioned(cell)), []).append(cell)
        sizes = _row_sizes(periods)
        for (key, partitioned), cells in costliest(groups):
            text = _text(cells[0])
            yield {
                "INTERVAL_END": end,
                "TEXT": text[:TEXT_CHARACTERS_MAX],
                "TEXT_TRUNCATED": len(text) > TEXT_CHARACTERS_MAX,
                "TEXT_FINGERPRINT": fingerprint(key),
                "REQUEST_TAG": cells[0].tag,
                "STATEMENT_COUNT": sum(len(cell.texts) * cell.count for cell in cells),
                "QUERY_TYPE": "PARTITIONED_QUERY" if partitioned else "QUERY",
                **_figures(cells, sizes),
            }


def query_stats_total(intervals: IntervalPeriods, schema: Schema) -> Iterator[Row]:
    """Yield the rows of QUERY_STATS_TOTAL."""
    for end, periods in intervals:
        cells = [cell for period in periods for cell in period.queries.all()]
        if cells:
            yield {"INTERVAL_END": end, **_figures(cells, _row_sizes(periods))}


def _cells(periods: Iterable[Period]) -> Iterator[Requests]:
    for period in periods:
        yield from period.queries.cells.values()


def _text(cell: Requests) -> str:
    """Return the text of a statement, or the texts of a batch without repeated neighbours."""
    return ";".join(text or "" for text, _ in groupby(cell.texts))


def _is_partitioned(cell: Requests) -> bool:
    return cell.partitioned or cell.is_partitioned_dml


def _row_sizes(periods: Iterable[Period]) -> Sizes:
    rows: dict[str, int] = {}
    sizes: dict[str, float] = {}
    for period in periods:
        for cell in period.transactions.all():
            for table, (count, size) in cell.written.items():
                rows[table] = rows.get(table, 0) + count
                sizes[table] = sizes.get(table, 0.0) + size
    return {table: sizes[table] / count for table, count in rows.items() if count}


def _bytes_written(cell: Requests, sizes: Sizes) -> float:
    tables = {table for touched in cell.touched for table, _ in touched.writes} & sizes.keys()
    return cell.written * average(sum(sizes[table] for table in tables), len(tables))


def _figures(cells: Sequence[Requests], sizes: Sizes) -> Row:
    group = Requests.of(cells)
    count = group.count
    histogram = distribution(group)
    return {
        "EXECUTION_COUNT": count,
        "AVG_LATENCY_SECONDS": average(group.seconds, count),
        "AVG_ROWS": average(group.rows, count),
        "AVG_BYTES": average(group.size, count),
        "AVG_ROWS_SCANNED": average(group.scanned, count),
        "AVG_CPU_SECONDS": average(group.seconds, count),
        "ALL_FAILED_EXECUTION_COUNT": group.failed,
        "ALL_FAILED_AVG_LATENCY_SECONDS": average(group.failed_seconds, group.failed),
        "CANCELLED_OR_DISCONNECTED_EXECUTION_COUNT": group.cancelled,
        "TIMED_OUT_EXECUTION_COUNT": group.timed_out,
        "AVG_BYTES_WRITTEN": average(sum(_bytes_written(cell, sizes) for cell in cells), count),
        "AVG_ROWS_WRITTEN": average(group.written, count),
        "RUN_IN_RW_TRANSACTION_EXECUTION_COUNT": group.in_read_write,
        "LATENCY_DISTRIBUTION": histogram,
        "LATENCY_DISTRIBUTION_JSON_STRING": distribution_json(histogram),
        "AVG_QUERY_PLAN_CREATION_TIME_SECS": average(group.planning, count),
        "AVG_FILESYSTEM_DELAY_SECS": 0.0,
        "AVG_REMOTE_SERVER_CALLS": 0.0,
        "AVG_ROWS_SPOOLED": 0.0,
        "AVG_DISK_IO_COST": 0.0,
    }


def read_stats_top(intervals: IntervalPeriods, schema: Schema) -> Iterator[Row]:
    """Yield the rows of READ_STATS_TOP, the longest total time first."""
    for end, periods in intervals:
        groups: dict[tuple[str, bool], list[Requests]] = {}
        for period in periods:
            for cell in period.reads.cells.values():
                key = cell.tag or ",".join(_columns(cell))
                groups.setdefault((key, cell.partitioned), []).append(cell)
        for (key, partitioned), cells in costliest(groups):
            yield {
                "INTERVAL_END": end,
                "READ_COLUMNS": _columns(cells[0]),
                "FPRINT": fingerprint(key),
                "REQUEST_TAG": cells[0].tag,
                "READ_TYPE": "PARTITIONED_READ" if partitioned else "READ",
                **_read_figures(cells),
            }


def read_stats_total(intervals: IntervalPeriods, schema: Schema) -> Iterator[Row]:
    """Yield the rows of READ_STATS_TOTAL."""
    for end, periods in intervals:
        cells = [cell for period in periods for cell in period.reads.all()]
        if cells:
            yield {"INTERVAL_END": end, **_read_figures(cells)}


def _columns(cell: Requests) -> list[str]:
    return named(Touched.joined(cell.touched).reads)


def _read_figures(cells: Sequence[Requests]) -> Row:
    group = Requests.of(cells)
    count = group.count
    return {
        "EXECUTION_COUNT": count,
        "AVG_ROWS": average(group.rows, count),
        "AVG_BYTES": average(group.size, count),
        "AVG_CPU_SECONDS": average(group.seconds - group.waited, count),
        "AVG_LOCKING_DELAY_SECONDS": average(group.waited, count),
        "AVG_CLIENT_WAIT_SECONDS": 0.0,
        "AVG_LEADER_REFRESH_DELAY_SECONDS": 0.0,
        "RUN_IN_RW_TRANSACTION_EXECUTION_COUNT": group.in_read_write,
        "AVG_DISK_IO_COST": 0.0,
    }


def oldest_active_queries(log: ActivityLog) -> Iterator[Row]:
    """Yield the rows of OLDEST_ACTIVE_QUERIES, the oldest first."""
    for record, text, first in _running(log):
        tag, transaction, call = first.request_tag, record.transaction, record.call
        headers = {} if call is None else dict(call.metadata)
        yield {
            "START_TIME": record.at,
            "TEXT_FINGERPRINT": fingerprint(tag or text),
            "TEXT": text[:TEXT_CHARACTERS_MAX],
            "TEXT_TRUNCATED": len(text) > TEXT_CHARACTERS_MAX,
            "SESSION_ID": _last(record.session),
            "QUERY_ID": str(record.number),
            "CLIENT_IP_ADDRESS": (call and call.peer) or None,
            "API_CLIENT_HEADER": headers.get("x-goog-api-client"),
            "USER_AGENT_HEADER": headers.get("user-agent"),
            "PRIORITY": first.priority or "PRIORITY_UNSPECIFIED",
            "TRANSACTION_TYPE": _type(transaction),
        }


def active_queries_summary(log: ActivityLog) -> Iterator[Row]:
    """Yield the row of ACTIVE_QUERIES_SUMMARY."""
    now = monotonic()
    running = [record for record, _, _ in _running(log)]
    ages = [now - record.began for record in running]
    yield {
        "ACTIVE_COUNT": len(running),
        "OLDEST_START_TIME": min((record.at for record in running), default=None),
        **{f"COUNT_OLDER_THAN_{age}S": sum(seconds > age for seconds in ages) for age in _AGES},
    }


def active_partitioned_dmls(log: ActivityLog, progress: dict[bytes, Progress]) -> Iterator[Row]:
    """Yield the rows of ACTIVE_PARTITIONED_DMLS."""
    for record, text, _ in _running(log):
        done = progress.get(getattr(record.transaction, "id", b""))
        if done is None:
            continue
        nontrivial = done.total - done.trivial
        share = (done.complete - done.trivial) / nontrivial if nontrivial else 0.0
        yield {
            "TEXT": text,
            "TEXT_FINGERPRINT": fingerprint(text),
            "SESSION_ID": _last(record.session),
            "NUM_PARTITIONS_TOTAL": done.total,
            "NUM_PARTITIONS_COMPLETE": done.complete,
            "NUM_TRIVIAL_PARTITIONS_COMPLETE": done.trivial,
            "PROGRESS": f"{share:.2%}",
            "ROWS_PROCESSED": done.rows,
            "START_TIMESTAMP": record.at,
            "LAST_UPDATE_TIMESTAMP": done.updated,
        }


def _running(log: ActivityLog) -> Iterator[tuple[RequestRecord, str, StatementRequest]]:
    """Yield (record, text, first statement) of each running query, the oldest first."""
    for record in sorted(log.running.copy().values(), key=lambda record: record.number):
        request = record.request
        requests: Any = request if request.__class__ is tuple else (request,)
        texts = [text for one in requests if (text := getattr(one, "sql", None)) is not None]
        if texts:
            yield record, ";".join(texts), requests[0]


def _last(name: str) -> str:
    return name.rpartition("/")[2]


def _type(transaction: Any) -> str:
    if transaction is None or not transaction.id:
        return "NONE"
    return "READ_ONLY" if transaction.holder is None else "READ_WRITE"
