"""Row deletion policies ("TTL" page): expired rows are deleted, table by table.

A row expires when its timestamp column is older than the number of days in its table's policy; a
row with a NULL column never expires. Rows are deleted as by partitioned DML: cascades and indexes
follow, and rows that a constraint protects are left for the next sweep. Policies are applied on
command, and once a day of the clock when a test moves the clock.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from spanemu.base.clock import NANOS_PER_DAY
from spanemu.base.deferred import deferred
from spanemu.base.errors import SpannerError
from spanemu.database.core import DatabaseCore, Sweep
from spanemu.database.options import ReadOnly, StatementRequest
from spanemu.schema.table import Table
from spanemu.sql.dialects import dialect_of
from spanemu.storage.change_log import ChangeOrigin
from spanemu.values.timestamp import format_utc
from spanemu.values.types import TIMESTAMP

if TYPE_CHECKING:
    from spanemu.database.transactions import partitioned_dml
    from spanemu.database.transactions import snapshot as snapshots
else:
    partitioned_dml = deferred("spanemu.database.transactions.partitioned_dml")
    snapshots = deferred("spanemu.database.transactions.snapshot")

SWEEP_EVERY_NANOS = NANOS_PER_DAY
_ORIGIN = ChangeOrigin(is_system=True, is_ttl=True)


class RowDeletion:
    """The deletion of expired rows in a database."""

    def __init__(self, core: DatabaseCore) -> None:
        self._core = core
        self._swept_at = core.store.clock.peek()

    def begin(self) -> None:
        """Restart the day until the next sweep."""
        self._swept_at = self._core.store.clock.peek()

    def is_due(self) -> bool:
        """Return whether a day has passed since the last sweep."""
        return self._core.store.clock.peek() >= self._swept_at + SWEEP_EVERY_NANOS

    def sweep(self) -> int:
        """Apply every policy now; return how many rows were deleted, cascades aside."""
        now = self._swept_at = self._core.store.clock.peek()
        tables = self._core.generation.schema.tables.values()
        return sum(self._sweep(table, now) for table in list(tables))

    def _sweep(self, table: Table, now: int) -> int:
        if table.row_deletion_policy is None:
            return 0
        name, days = table.row_deletion_policy
        dialect = dialect_of(self._core.generation.schema.dialect)
        column = dialect.quoted(name)
        expired = StatementRequest(
            f"FROM {dialect.quoted_path(table.name)} WHERE {column} <= {dialect.parameter(1)}",
            parameters={"p1": format_utc(now - days * NANOS_PER_DAY)},
            parameter_types={"p1": TIMESTAMP},
        )
        before = self._core.sweeps.get(table.id, Sweep())
        try:
            deletion = partitioned_dml.PartitionedDmlTransaction(self._core, b"", _ORIGIN)
            done = deletion.execute(replace(expired, sql=f"DELETE {expired.sql}"))
        except SpannerError:
            # A failure is not raised: the policy's row in SPANNER_SYS shows the rows that remain.
            left = replace(expired, sql=f"SELECT COUNT(*), MIN({column}) {expired.sql}")
            snapshot = snapshots.SnapshotTransaction(self._core, b"", ReadOnly())
            ((count, earliest),) = snapshot.execute(left).rows
            self._core.sweeps[table.id] = Sweep(before.watermark, count, earliest)
            return 0
        self._core.sweeps[table.id] = Sweep(now)
        return done.stats.row_count or 0
