"""The time of a database: the emulator's clock, or a clock ahead of it; and the rows that expire.

All databases follow the emulator's clock. When the clock is set to another time, a database follows
it as long as the database has no later timestamp. A database with later timestamps, which no
snapshot restore has removed, continues on its own clock ahead of the emulator's.

As time passes, row deletion policies ("TTL" page) delete expired rows, table by table.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import replace

from spanemu.base.clock import NANOS_PER_DAY, NANOS_PER_MICRO, Clock, ShiftedClock
from spanemu.base.errors import SpannerError
from spanemu.database.core import DatabaseCore, Sweep
from spanemu.database.options import ReadOnly, StatementRequest
from spanemu.database.sessions.registry import Sessions
from spanemu.database.transactions import partitioned_dml
from spanemu.database.transactions import snapshot as snapshots
from spanemu.schema.table import Table
from spanemu.sql.dialects import dialect_of
from spanemu.storage.change_log import ChangeOrigin
from spanemu.values.timestamp import format_utc
from spanemu.values.types import TIMESTAMP

CLOCK_SET = "The clock was set to another time."
SWEEP_EVERY_NANOS = NANOS_PER_DAY
_ORIGIN = ChangeOrigin(is_system=True, is_ttl=True)


class DatabaseTime:
    """The time of a database. `create_time` is never later than the current time."""

    def __init__(self, core: DatabaseCore, sessions: Sessions, row_deletion: RowDeletion) -> None:
        self._core = core
        self._sessions = sessions
        self._row_deletion = row_deletion
        self._created = self.create_time = core.store.clock.now()

    def was_created(self, at: int) -> None:
        """Set the creation time of a database that was loaded from a file."""
        self._created = self.create_time = at

    @property
    def clock(self) -> Clock:
        """The clock of the database."""
        return self._core.store.clock

    @property
    def latest(self) -> int:
        """The latest timestamp of a visible row, schema or partition of a change stream."""
        store = self._core.store
        log = store.change_log
        latest = max(store.last_commit, self._core.history.latest)
        return latest if log is None else max(latest, log.partitions.latest)

    @property
    def is_ahead(self) -> bool:
        """True if the database runs ahead of the emulator's clock."""
        return self._core.store.clock is not self._core.environment.clock

    def held(self) -> AbstractContextManager[object]:
        """Return a context in which nothing commits and no read timestamp is assigned."""
        return self._core.store.mutex

    def follow(self) -> None:
        """Follow the emulator's clock, which was set to a time after `latest`.

        No time has passed for the rows, so no row has expired. Open transactions, which may have
        read at a later time, are aborted.
        """
        core, store = self._core, self._core.store
        with store.mutex:
            store.clock = core.environment.clock
            store.oldest_readable = min(store.oldest_readable, store.last_commit)
            self.create_time = min(self._created, store.clock.peek())
            core.sweeps.clear()
            self._row_deletion.begin()
            self._sessions.abort_all(CLOCK_SET)
            self._sessions.restart_lifetimes()
            core.locks.wound_all(CLOCK_SET)
            core.splitting.clock_set()
            core.readers.wake()

    def forget_statistics(self) -> None:
        """Delete the statistics, which may have later times. Must not be called while commits are
        held.
        """
        self._core.aggregator.forget()

    def continue_from(self, present: int) -> None:
        """Continue from the database's time `present`, ahead of the emulator's clock."""
        core = self._core
        clock = core.environment.clock
        with core.store.mutex:
            ahead = present - clock.peek() + NANOS_PER_MICRO
            core.store.clock = ShiftedClock(clock, ahead)
            self._sessions.restart_lifetimes()

    def follow_if_passed(self) -> None:
        """Follow the emulator's clock again if it has passed `latest`."""
        if self.is_ahead and self.latest < self._core.environment.clock.peek():
            self.follow()

    def forget_versions(self) -> int:
        """Delete the versions that cannot be read any more; return how many."""
        return self._core.store.collect_garbage()

    def clock_advanced(self) -> None:
        """Do what a server does as time passes, because the clock was advanced."""
        self._sessions.restart_lifetimes()
        if self._row_deletion.is_due():
            self._row_deletion.sweep()
        self.forget_versions()
        self._core.splitting.pass_elapsed_minutes()


class RowDeletion:
    """The deletion of expired rows in a database, as the row deletion policies of tables say.

    A row expires when its timestamp column is older than the number of days in its table's policy;
    a row with a NULL column never expires. Rows are deleted as by partitioned DML: cascades and
    indexes follow, and rows that a constraint protects are left for the next sweep. Policies are
    applied on command, and once a day of the clock when a test moves the clock.
    """

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
