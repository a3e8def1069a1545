"""LOCK_STATS_*: where transactions waited for locks, and who was involved ("Lock statistics")."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from spanemu.database.physical import column_names, place_text
from spanemu.database.statistics.cells import Waits, as_json
from spanemu.database.statistics.column_accesses import EXISTS
from spanemu.database.statistics.period import Found, Place, Row, costliest
from spanemu.schema.index import Index
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.storage.layout import tree_of
from spanemu.txn.locks.modes import WRITE_TIMESTAMP_RANGE, columns_of, mode_name
from spanemu.txn.locks.waits import LockRequest

SAMPLES_MAX = 20
_FIELDS = ("COLUMN", "LOCK_MODE", "TRANSACTION_TAG")


def lock_stats_top(found: Found, schema: Schema) -> Iterator[Row]:
    """Rows of LOCK_STATS_TOP: the longest waits first."""
    things = {tree_of(thing): thing for thing in schema.tables_and_indexes()}
    for end, periods in found:
        places: dict[Place, list[Waits]] = {}
        for period in periods:
            for place, cell in period.waits.cells.items():
                if place[0] in things:  # and has not been dropped meanwhile
                    places.setdefault(place, []).append(cell)
        for (tree, key, is_range), cells in costliest(places):
            thing, group = things[tree], Waits.of(cells)
            samples = list(islice(_samples(thing, group, is_range=is_range), SAMPLES_MAX))
            yield {
                "INTERVAL_END": end,
                "ROW_RANGE_START_KEY": place_text(thing, key, is_range=is_range).encode(),
                "LOCK_WAIT_SECONDS": group.seconds,
                "SAMPLE_LOCK_REQUESTS": samples,
                "SAMPLE_LOCK_REQUESTS_JSON_STRING": as_json(samples, _FIELDS),
            }


def lock_stats_total(found: Found, schema: Schema) -> Iterator[Row]:
    """Rows of LOCK_STATS_TOTAL."""
    for end, periods in found:
        cells = [cell for period in periods for cell in period.waits.all()]
        if cells:
            yield {
                "INTERVAL_END": end,
                "TOTAL_LOCK_WAIT_SECONDS": sum(cell.seconds for cell in cells),
            }


def _samples(
    thing: Table | Index, group: Waits, *, is_range: bool
) -> Iterator[tuple[str, str, str]]:
    """(column, mode, tag) of the requests, each once."""
    seen: set[tuple[str, str, str]] = set()
    for request in group.requests:
        for column, mode in _modes(thing, request, is_range=is_range):
            sample = f"{thing.name}.{column}", mode, request.tag
            if sample not in seen:
                seen.add(sample)
                yield sample


def _modes(
    thing: Table | Index, request: LockRequest, *, is_range: bool
) -> Iterator[tuple[str, str]]:
    """Each column that is locked, and how."""
    if is_range and request.lock == WRITE_TIMESTAMP_RANGE:
        yield EXISTS, "WriterSharedTimestamp"
        return
    names = column_names(thing)
    reads, writes = (set(columns_of(cells, names)) for cells in request.lock)
    for column in (EXISTS, *names):
        if column and (column in reads or column in writes):
            yield column, mode_name((column in reads, column in writes))
