"""READ_STATS_*: reads by key, by the columns they read or by their tag (page "Read statistics")."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from spanemu.database.statistics.cells import Requests
from spanemu.database.statistics.intervals import Row, average
from spanemu.database.statistics.period import Found, costliest
from spanemu.database.statistics.touched import Touched, fingerprint, named
from spanemu.schema.schema import Schema


def read_stats_top(found: Found, schema: Schema) -> Iterator[Row]:
    """Rows of READ_STATS_TOP: those first that took the most time in all."""
    for end, periods in found:
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
                **_figures(cells),
            }


def read_stats_total(found: Found, schema: Schema) -> Iterator[Row]:
    """Rows of READ_STATS_TOTAL."""
    for end, periods in found:
        cells = [cell for period in periods for cell in period.reads.all()]
        if cells:
            yield {"INTERVAL_END": end, **_figures(cells)}


def _columns(cell: Requests) -> list[str]:
    return named(Touched.joined(cell.touched).reads)


def _figures(cells: Sequence[Requests]) -> Row:
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
