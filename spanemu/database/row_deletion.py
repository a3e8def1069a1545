"""Row deletion policies ("TTL" page): rows that are old enough are deleted, table by table.

A row goes when its timestamp column is as many days ago as its table's policy says; one whose
column is NULL stays. Deleting works as partitioned DML does: cascades and indexes follow, and
what a constraint keeps is left for the next time. A policy is applied on command, and when a test
moves the clock, once a day of that clock.
"""

from __future__ import annotations

from dataclasses import replace

from spanemu.base.errors import SpannerError
from spanemu.base.nanos import NANOS_PER_DAY
from spanemu.database.core import DatabaseCore, Sweep
from spanemu.database.options import ReadOnly, StatementRequest
from spanemu.database.transactions.partitioned_dml import PartitionedDmlTransaction
from spanemu.database.transactions.snapshot import SnapshotTransaction
from spanemu.schema.table import Table
from spanemu.values.timestamp import format_utc
from spanemu.values.types import TIMESTAMP

SWEEP_EVERY_NANOS = NANOS_PER_DAY


class RowDeletion:
    """The deletion of old rows of one database."""

    def __init__(self, core: DatabaseCore) -> None:
        self._core = core
        self._swept_at = core.store.clock.peek()

    def begin(self) -> None:
        """Count the day until the next sweep from now."""
        self._swept_at = self._core.store.clock.peek()

    def is_due(self) -> bool:
        """Whether it has been a day."""
        return self._core.store.clock.peek() >= self._swept_at + SWEEP_EVERY_NANOS

    def sweep(self) -> int:
        """Apply every policy now; how many rows were deleted, cascades aside."""
        now = self._swept_at = self._core.store.clock.peek()
        tables = self._core.generation.schema.tables.values()
        return sum(self._sweep(table, now) for table in list(tables))

    def _sweep(self, table: Table, now: int) -> int:
        if table.row_deletion_policy is None:
            return 0
        column, days = table.row_deletion_policy
        name = ".".join(f"`{part}`" for part in table.name.split("."))
        expired = StatementRequest(
            f"FROM {name} WHERE `{column}` <= @expired",
            parameters={"expired": format_utc(now - days * NANOS_PER_DAY)},
            parameter_types={"expired": TIMESTAMP},
        )
        before = self._core.sweeps.get(table.id, Sweep())
        try:
            deletion = PartitionedDmlTransaction(self._core, b"")
            done = deletion.execute(replace(expired, sql=f"DELETE {expired.sql}"))
        except SpannerError:
            # Its own failure is nobody's business but the policy's, which shows what is left.
            left = replace(expired, sql=f"SELECT COUNT(*), MIN(`{column}`) {expired.sql}")
            snapshot = SnapshotTransaction(self._core, b"", ReadOnly())
            ((count, earliest),) = snapshot.execute(left).rows
            self._core.sweeps[table.id] = Sweep(before.watermark, count, earliest)
            return 0
        self._core.sweeps[table.id] = Sweep(now)
        return done.stats.row_count or 0
