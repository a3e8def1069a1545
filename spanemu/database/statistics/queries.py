"""QUERY_STATS_*: statements by their text, or by their tag (page "Query statistics").

What a service of many machines would measure and one process does not have is zero: calls to other
servers, waiting for a file system, rows on disk. What is not measured is NULL: memory.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby

from spanemu.base.errors import Code
from spanemu.database.activity import ActivityLog, Meter
from spanemu.database.statistics.distribution import distribution, distribution_json
from spanemu.database.statistics.intervals import Row, average, by_interval
from spanemu.database.statistics.touched import fingerprint
from spanemu.database.statistics.written import bytes_written
from spanemu.schema.schema import Schema

TEXT_CHARACTERS_MAX = 64 * 1024


def query_stats_top(log: ActivityLog, schema: Schema, interval: str, now: int) -> Iterator[Row]:
    """Rows of QUERY_STATS_TOP_`interval`: those first that took the most time in all."""
    sizes = bytes_written(log, schema)
    for end, found in by_interval(_statements(log), interval, now):
        groups: dict[tuple[str, bool], list[Meter]] = {}
        for one in found:
            key = one.tag if one.tag and not one.is_partitioned_dml else text_of(one)
            groups.setdefault((key, _is_partitioned(one)), []).append(one)
        costly = sorted(groups.items(), key=lambda item: -sum(one.seconds for one in item[1]))
        for (key, partitioned), group in costly:
            text = text_of(group[0])
            yield {
                "INTERVAL_END": end,
                "TEXT": text[:TEXT_CHARACTERS_MAX],
                "TEXT_TRUNCATED": len(text) > TEXT_CHARACTERS_MAX,
                "TEXT_FINGERPRINT": fingerprint(key),
                "REQUEST_TAG": group[0].tag,
                "STATEMENT_COUNT": sum(len(one.texts) for one in group),
                "QUERY_TYPE": "PARTITIONED_QUERY" if partitioned else "QUERY",
                **_figures(group, sizes),
            }


def query_stats_total(log: ActivityLog, schema: Schema, interval: str, now: int) -> Iterator[Row]:
    """Rows of QUERY_STATS_TOTAL_`interval`."""
    sizes = bytes_written(log, schema)
    for end, found in by_interval(_statements(log), interval, now):
        yield {"INTERVAL_END": end, **_figures(found, sizes)}


def text_of(one: Meter) -> str:
    """The text of a statement; of a batch, all of them, equal neighbours only once."""
    return ";".join(text or "" for text, _ in groupby(one.texts))


def _statements(log: ActivityLog) -> Iterator[Meter]:
    """Those that are no reads. Of partitioned DML, failures are not tracked."""
    for one in list(log.requests):
        if one.texts[0] is not None and not (one.is_partitioned_dml and one.code):
            yield one


def _is_partitioned(one: Meter) -> bool:
    return one.partitioned or one.is_partitioned_dml


def _figures(group: Sequence[Meter], sizes: Callable[[Meter], float]) -> Row:
    count = len(group)
    failed = [one for one in group if one.code is not None]
    latencies = [one.seconds for one in group]
    histogram = distribution(latencies)
    return {
        "EXECUTION_COUNT": count,
        "AVG_LATENCY_SECONDS": average(latencies, count),
        "AVG_ROWS": average((one.rows for one in group), count),
        "AVG_BYTES": average((one.size for one in group), count),
        "AVG_ROWS_SCANNED": average((one.scanned for one in group), count),
        "AVG_CPU_SECONDS": average(latencies, count),
        "ALL_FAILED_EXECUTION_COUNT": len(failed),
        "ALL_FAILED_AVG_LATENCY_SECONDS": average((one.seconds for one in failed), len(failed)),
        "CANCELLED_OR_DISCONNECTED_EXECUTION_COUNT": _failed_with(Code.CANCELLED, failed),
        "TIMED_OUT_EXECUTION_COUNT": _failed_with(Code.DEADLINE_EXCEEDED, failed),
        "AVG_BYTES_WRITTEN": average(map(sizes, group), count),
        "AVG_ROWS_WRITTEN": average((one.written for one in group), count),
        "RUN_IN_RW_TRANSACTION_EXECUTION_COUNT": sum(one.age is not None for one in group),
        "LATENCY_DISTRIBUTION": histogram,
        "LATENCY_DISTRIBUTION_JSON_STRING": distribution_json(histogram),
        "AVG_QUERY_PLAN_CREATION_TIME_SECS": average(map(_planning, group), count),
        "AVG_FILESYSTEM_DELAY_SECS": 0.0,
        "AVG_REMOTE_SERVER_CALLS": 0.0,
        "AVG_ROWS_SPOOLED": 0.0,
        "AVG_DISK_IO_COST": 0.0,
    }


def _failed_with(code: Code, failed: Iterable[Meter]) -> int:
    return sum(one.code is code for one in failed)


def _planning(one: Meter) -> float:
    """Seconds spent on plans that were made for this very request."""
    return math.fsum(
        source.prepared_in
        for source in one.sources
        if source is not None and source.prepared_at >= one.began
    )
