"""LOCK_STATS_*: where transactions waited for locks, and who was involved ("Lock statistics")."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from spanemu.database.lock_text import column_names, place_text
from spanemu.database.statistics.distribution import as_json
from spanemu.database.statistics.intervals import Row, by_interval
from spanemu.database.statistics.touched import EXISTS
from spanemu.schema.index import Index
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.storage.layout import TreeId, tree_of
from spanemu.txn.lock_log import LockRequest, LockWait
from spanemu.txn.lock_modes import LAND_IN_RANGE, columns_of, mode_name

SAMPLES_MAX = 20
_FIELDS = ("COLUMN", "LOCK_MODE", "TRANSACTION_TAG")

Place = tuple[TreeId, bytes, bool]


def lock_stats_top(
    waits: Iterable[LockWait], schema: Schema, interval: str, now: int
) -> Iterator[Row]:
    """Rows of LOCK_STATS_TOP_`interval`: the longest waits first."""
    things = {tree_of(thing): thing for thing in schema.sorted_things()}
    for end, found in by_interval(waits, interval, now):
        places: dict[Place, list[LockWait]] = {}
        for wait in found:
            if wait.tree in things:  # and has not been dropped meanwhile
                places.setdefault((wait.tree, wait.key, wait.is_range), []).append(wait)
        for (tree, key, is_range), group in sorted(
            places.items(), key=lambda item: -sum(wait.seconds for wait in item[1])
        ):
            thing = things[tree]
            samples = list(islice(_samples(thing, group), SAMPLES_MAX))
            yield {
                "INTERVAL_END": end,
                "ROW_RANGE_START_KEY": place_text(thing, key, is_range=is_range).encode(),
                "LOCK_WAIT_SECONDS": sum(wait.seconds for wait in group),
                "SAMPLE_LOCK_REQUESTS": samples,
                "SAMPLE_LOCK_REQUESTS_JSON_STRING": as_json(samples, _FIELDS),
            }


def lock_stats_total(waits: Iterable[LockWait], interval: str, now: int) -> Iterator[Row]:
    """Rows of LOCK_STATS_TOTAL_`interval`."""
    for end, found in by_interval(waits, interval, now):
        yield {
            "INTERVAL_END": end,
            "TOTAL_LOCK_WAIT_SECONDS": sum(wait.seconds for wait in found),
        }


def _samples(thing: Table | Index, group: Iterable[LockWait]) -> Iterator[tuple[str, str, str]]:
    """(column, mode, tag) of the requests, each once."""
    seen: set[tuple[str, str, str]] = set()
    for wait in group:
        for request in wait.requests:
            for column, mode in _modes(thing, wait, request):
                sample = f"{thing.name}.{column}", mode, request.tag
                if sample not in seen:
                    seen.add(sample)
                    yield sample


def _modes(thing: Table | Index, wait: LockWait, request: LockRequest) -> Iterator[tuple[str, str]]:
    """Each column that is locked, and how."""
    if wait.is_range and request.lock == LAND_IN_RANGE:
        yield EXISTS, "WriterSharedTimestamp"
        return
    names = column_names(thing)
    reads, writes = (set(columns_of(cells, names)) for cells in request.lock)
    for column in (EXISTS, *names):
        if column and (column in reads or column in writes):
            yield column, mode_name((column in reads, column in writes))
