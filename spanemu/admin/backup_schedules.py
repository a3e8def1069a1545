"""The catalog of backup schedules."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from sortedcontainers import SortedDict

from spanemu.base.deferred import deferred
from spanemu.base.paging import Page, PageRequest, page, under
from spanemu.base.resource_names import BackupScheduleName, DatabaseName

if TYPE_CHECKING:
    from spanemu.admin import backup_schedule, errors
else:
    errors = deferred("spanemu.admin.errors")
    backup_schedule = deferred("spanemu.admin.backup_schedule")

SCHEDULES_PER_DATABASE_MAX = 4


class BackupSchedules:
    """The schedules of an emulator; safe to use from several threads."""

    def __init__(self, mutex: threading.RLock) -> None:
        self._mutex = mutex  # Guards the field below.
        self._by_name: SortedDict[str, backup_schedule.BackupSchedule] = SortedDict()

    def get(self, name: str) -> backup_schedule.BackupSchedule:
        """Return the schedule `name`.

        Raises InvalidName and BackupScheduleNotFound.
        """
        BackupScheduleName.parse(name)
        schedule = self._by_name.get(name)
        if schedule is None:
            raise errors.BackupScheduleNotFound(name)
        return schedule

    def add(self, schedule: backup_schedule.BackupSchedule) -> backup_schedule.BackupSchedule:
        """Add a schedule.

        Raises ResourceExists and TooManyResources.
        """
        with self._mutex:
            if schedule.name in self._by_name:
                raise errors.ResourceExists("Backup schedule", schedule.name)
            neighbours = list(under(self._by_name, f"{schedule.database}/backupSchedules/"))
            if len(neighbours) >= SCHEDULES_PER_DATABASE_MAX:
                raise errors.TooManyResources(
                    "backup schedules", schedule.database, SCHEDULES_PER_DATABASE_MAX
                )
            self._by_name[schedule.name] = schedule
            return schedule

    def change(
        self,
        name: str,
        change: Callable[[backup_schedule.BackupSchedule], backup_schedule.BackupSchedule],
    ) -> backup_schedule.BackupSchedule:
        """Replace a schedule by the result of `change`; raise as `get` does."""
        with self._mutex:
            changed = self._by_name[name] = change(self.get(name))
            return changed

    def delete(self, name: str) -> None:
        """Delete a schedule; its backups stay. Raise as `get` does."""
        with self._mutex:
            self.get(name)
            del self._by_name[name]

    def listed(
        self, database: DatabaseName, paging: PageRequest
    ) -> Page[backup_schedule.BackupSchedule]:
        """Return a page of the schedules of a database, by name."""
        start = paging.start()
        with self._mutex:
            schedules = under(self._by_name, f"{database}/backupSchedules/", start)
            return page(schedules, paging.limit)

    def all(self) -> list[backup_schedule.BackupSchedule]:
        """Return every schedule, by name."""
        with self._mutex:
            return list(self._by_name.values())

    def drop_under(self, resource: str) -> None:
        """Delete the schedules of a database, or of every database of an instance."""
        with self._mutex:
            for name, _ in list(under(self._by_name, f"{resource}/")):
                del self._by_name[name]
