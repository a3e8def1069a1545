"""The time of one database: that of the emulator's clock, or ahead of it.

All databases go by one clock. It may be set to another time, which a database follows as long as
nothing in it has a later timestamp. A database that has later timestamps, because nobody has taken
it back to a snapshot, goes on in a time of its own, ahead of the clock.
"""

from __future__ import annotations

from contextlib import AbstractContextManager

from spanemu.base.clock import Clock, ShiftedClock
from spanemu.base.nanos import NANOS_PER_MICRO
from spanemu.database.core import DatabaseCore
from spanemu.database.row_deletion import RowDeletion
from spanemu.database.sessions.registry import Sessions

CLOCK_SET = "The clock was set to another time."


class OwnTime:
    """The time of one database. `create_time` is never later than the present."""

    def __init__(self, core: DatabaseCore, sessions: Sessions, row_deletion: RowDeletion) -> None:
        self._core = core
        self._sessions = sessions
        self._row_deletion = row_deletion
        self._created = self.create_time = core.store.clock.now()

    @property
    def clock(self) -> Clock:
        """The clock that it goes by."""
        return self._core.store.clock

    @property
    def latest(self) -> int:
        """The latest timestamp of a row or a schema that can be seen in it."""
        return max(self._core.store.last_commit, self._core.history.latest)

    @property
    def is_ahead(self) -> bool:
        """Whether it is in a time of its own."""
        return self._core.store.clock is not self._core.environment.clock

    def held(self) -> AbstractContextManager[object]:
        """Let nothing commit, and nobody get a timestamp to read at, while the block runs."""
        return self._core.store.mutex

    def follow(self) -> None:
        """Go by the emulator's clock, which was set to a time after `latest`.

        No time has passed: no row has expired. Open transactions, which may have read at a later
        time, are aborted.
        """
        core, store = self._core, self._core.store
        with store.mutex:
            store.clock = core.environment.clock
            store.oldest_readable = min(store.oldest_readable, store.last_commit)
            self.create_time = min(self._created, store.clock.peek())
            core.sweeps.clear()
            self._row_deletion.begin()
            self._sessions.abort_all(CLOCK_SET)
            self._sessions.stay_young()
            core.locks.wound_all(CLOCK_SET)
            core.splitting.clock_set()

    def forget_statistics(self) -> None:
        """Forget what ran, which may have been at a later time. Not while commits are held."""
        self._core.ledger.forget()

    def go_on_from(self, present: int) -> None:
        """Go on from its present time, whatever the emulator's clock was set to."""
        core = self._core
        clock = core.environment.clock
        with core.store.mutex:
            ahead = present - clock.peek() + NANOS_PER_MICRO
            core.store.clock = ShiftedClock(clock, ahead)
            self._sessions.stay_young()

    def rejoin(self) -> None:
        """Go by the emulator's clock again, if its time is after `latest` by now."""
        if self.is_ahead and self.latest < self._core.environment.clock.peek():
            self.follow()

    def forget_versions(self) -> int:
        """Forget the versions that can no longer be read; return how many those were."""
        return self._core.store.collect_garbage()

    def jumped(self) -> None:
        """The clock was moved on: do what a server does as time goes by."""
        self._sessions.stay_young()
        if self._row_deletion.is_due():
            self._row_deletion.sweep()
        self.forget_versions()
        self._core.splitting.time_jumped()
