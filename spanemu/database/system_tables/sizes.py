"""TABLE_SIZES_STATS_*: how much room the rows of each table and index take.

The rows are weighed when the table is read, as they are then; the interval is the last full hour.
Where a table lies is what its locality group, or the database's default one, says.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from spanemu.base.call import current
from spanemu.base.nanos import NANOS_PER_HOUR
from spanemu.database.statistics.weight import row_weigher
from spanemu.database.system_tables.source import Source
from spanemu.schema.index import Index
from spanemu.schema.placement import DEFAULT
from spanemu.schema.table import Table
from spanemu.storage.layout import tree_of

Rows = Iterator[tuple[Any, ...]]

_CHECKED_EVERY = 0xFF  # a mask: the deadline is looked at every 256 rows


def table_sizes(source: Source) -> Rows:
    """TABLE_SIZES_STATS_1HOUR: a row for each table and index."""
    end = source.at - source.at % NANOS_PER_HOUR
    for thing in source.schema.sorted_things():
        size = float(_size(source, thing))
        on_ssd, on_hdd = _placed(source, thing, size)
        yield end, thing.name, size, on_ssd, on_hdd


def table_sizes_by_group(source: Source) -> Rows:
    """TABLE_SIZES_STATS_PER_LOCALITY_GROUP_1HOUR: the same by locality group."""
    end = source.at - source.at % NANOS_PER_HOUR
    for thing in source.schema.sorted_things():
        on_ssd, on_hdd = _placed(source, thing, float(_size(source, thing)))
        yield end, thing.name, _group(thing), on_ssd, on_hdd


def _group(thing: Table | Index) -> str:
    return str(dict(thing.options).get("locality_group") or DEFAULT)


def _placed(source: Source, thing: Table | Index, size: float) -> tuple[float, float]:
    """Bytes on solid state and on hard disks."""
    group = source.schema.locality_groups.get(_group(thing).lower())
    storage = "ssd" if group is None else str(group.options.get("storage") or "ssd")
    return (0.0, size) if storage == "hdd" else (size, 0.0)


def _size(source: Source, thing: Table | Index) -> int:
    check = current().check
    weigh = row_weigher(thing)
    total = 0
    for number, row in enumerate(source.core.store.scan(tree_of(thing), at=source.at)):
        if not number & _CHECKED_EVERY:
            check()
        total += weigh(row)
    return total
