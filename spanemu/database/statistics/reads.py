"""READ_STATS_*: reads by key, by the columns they read or by their tag (page "Read statistics")."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from spanemu.database.activity import Meter
from spanemu.database.statistics.intervals import Row, average, by_interval
from spanemu.database.statistics.touched import fingerprint, named, touched_by
from spanemu.txn.lock_log import LockWait


def read_stats_top(
    requests: Iterable[Meter], waits: Sequence[LockWait], interval: str, now: int
) -> Iterator[Row]:
    """Rows of READ_STATS_TOP_`interval`."""
    for end, found in by_interval(_reads(requests), interval, now):
        groups: dict[tuple[str, bool], list[Meter]] = {}
        for one in found:
            key = one.tag or ",".join(_columns(one))
            groups.setdefault((key, one.partitioned), []).append(one)
        costly = sorted(groups.items(), key=lambda item: -sum(one.seconds for one in item[1]))
        for (key, partitioned), group in costly:
            yield {
                "INTERVAL_END": end,
                "READ_COLUMNS": _columns(group[0]),
                "FPRINT": fingerprint(key),
                "REQUEST_TAG": group[0].tag,
                "READ_TYPE": "PARTITIONED_READ" if partitioned else "READ",
                **_figures(group, waits),
            }


def read_stats_total(
    requests: Iterable[Meter], waits: Sequence[LockWait], interval: str, now: int
) -> Iterator[Row]:
    """Rows of READ_STATS_TOTAL_`interval`."""
    for end, found in by_interval(_reads(requests), interval, now):
        yield {"INTERVAL_END": end, **_figures(found, waits)}


def _reads(requests: Iterable[Meter]) -> Iterator[Meter]:
    """Reads that found their table; what others would have read is not known."""
    return (one for one in requests if one.texts[0] is None and one.sources)


def _columns(one: Meter) -> list[str]:
    return named(touched_by(one.sources).reads)


def _figures(group: Sequence[Meter], waits: Sequence[LockWait]) -> Row:
    count = len(group)
    delays = [_waited(one, waits) for one in group]
    return {
        "EXECUTION_COUNT": count,
        "AVG_ROWS": average((one.rows for one in group), count),
        "AVG_BYTES": average((one.size for one in group), count),
        "AVG_CPU_SECONDS": average((one.seconds for one in group), count) - average(delays, count),
        "AVG_LOCKING_DELAY_SECONDS": average(delays, count),
        "AVG_CLIENT_WAIT_SECONDS": 0.0,
        "AVG_LEADER_REFRESH_DELAY_SECONDS": 0.0,
        "RUN_IN_RW_TRANSACTION_EXECUTION_COUNT": sum(one.age is not None for one in group),
        "AVG_DISK_IO_COST": 0.0,
    }


def _waited(one: Meter, waits: Sequence[LockWait]) -> float:
    """Seconds that a request waited for locks."""
    if one.age is None:
        return 0.0
    over = one.began + one.seconds
    return sum(
        wait.seconds for wait in waits if wait.age == one.age and one.began <= wait.ended <= over
    )
