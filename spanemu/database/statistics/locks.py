"""LOCK_STATS_*: where transactions waited for locks, and which requests were involved ("Lock
statistics").
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from spanemu.database.physical import column_names, locked_key_text
from spanemu.database.statistics.cells import Waits, as_json
from spanemu.database.statistics.column_accesses import EXISTS
from spanemu.database.statistics.period import IntervalPeriods, Place, Row, costliest
from spanemu.schema.index import Index
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.storage.layout import tree_of
from spanemu.txn.locks.modes import WRITE_TIMESTAMP_RANGE, columns_of, mode_name
from spanemu.txn.locks.waits import LockRequest

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
    source: Table | Index, group: Waits, *, is_range: bool
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
    source: Table | Index, request: LockRequest, *, is_range: bool
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
