"""Rows about what the service does by itself: optimizer versions, deletion of old rows."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any

from spanemu.database.core import Sweep
from spanemu.database.system_tables.source import Source

Rows = Iterator[tuple[Any, ...]]

OPTIMIZER_DEFAULT = 8
OPTIMIZER_RELEASES = (
    (1, date(2019, 6, 18)),
    (2, date(2020, 3, 1)),
    (3, date(2021, 8, 1)),
    (4, date(2022, 3, 1)),
    (5, date(2022, 7, 15)),
    (6, date(2023, 9, 11)),
    (7, date(2024, 5, 22)),
    (8, date(2024, 10, 28)),
)


def supported_optimizer_versions(_: Source) -> Rows:
    """SUPPORTED_OPTIMIZER_VERSIONS."""
    for version, released in OPTIMIZER_RELEASES:
        yield version, released, version == OPTIMIZER_DEFAULT


def row_deletion_policies(source: Source) -> Rows:
    """ROW_DELETION_POLICIES: how far each policy has got."""
    for table in source.schema.tables.values():
        if table.row_deletion_policy is not None:
            sweep = source.core.sweeps.get(table.id, Sweep())
            yield table.name, sweep.watermark, sweep.undeletable, sweep.earliest
