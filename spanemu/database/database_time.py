"""The time of a database: the emulator's clock, or a clock ahead of it.

All databases follow the emulator's clock. When the clock is set to another time, a database follows
it as long as the database has no later timestamp. A database with later timestamps, which no
snapshot restore has removed, continues on its own clock ahead of the emulator's.
"""

from __future__ import annotations

from contextlib import AbstractContextManager

from spanemu.base.clock import NANOS_PER_MICRO, Clock, ShiftedClock
from spanemu.database.core import DatabaseCore
from spanemu.database.row_deletion import RowDeletion
from spanemu.database.sessions.registry import Sessions

CLOCK_SET = "The clock was set to another time."


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
