"""The catalog of backups: by name, and gone when their time has come.

A backup expires by the emulator's clock: nobody sees it any more from its expire time on, and
what it holds is let go the next time that somebody asks for backups, or the clock is moved.

Not here: what makes and restores backups (`backup_administration`), what makes them on time
(`backup_runs`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

from sortedcontainers import SortedDict

from spanemu.admin.backup import Backup, is_backup_field
from spanemu.admin.errors.backups import BackupNotFound
from spanemu.admin.errors.requests import ResourceExists
from spanemu.admin.named import under
from spanemu.base.clock import Clock
from spanemu.base.paging import Page, PageRequest, newest_first
from spanemu.base.resource_names import BackupName, InstanceName
from spanemu.database.filters import compile_filter

_NEVER = 1 << 63


class Backups:
    """Every backup of an emulator; safe to use from several threads. `mutex` is the catalog's."""

    def __init__(self, clock: Clock, mutex: threading.RLock) -> None:
        self._clock = clock
        self._mutex = mutex  # Guards the fields below.
        self._by_name: SortedDict[str, Backup] = SortedDict()
        self._next_expiry = _NEVER

    def get(self, name: str) -> Backup:
        """The backup of that name. Raises InvalidName or BackupNotFound."""
        BackupName.parse(name)
        with self._mutex:
            self._expire()
            found = self._by_name.get(name)
        if found is None:
            raise BackupNotFound(name)
        return found

    def check_free(self, name: BackupName) -> None:
        """Raise when the name is taken."""
        with self._mutex:
            self._expire()
            if str(name) in self._by_name:
                raise ResourceExists("Backup", str(name))

    def add(self, backup: Backup) -> Backup:
        """Make a backup known. Raises ResourceExists."""
        with self._mutex:
            self.check_free(BackupName.parse(backup.name))
            return self._put(backup)

    def change(self, name: str, change: Callable[[Backup], Backup]) -> Backup:
        """Replace a backup by what `change` makes of it. Raises as `get` does."""
        with self._mutex:
            return self._put(change(self.get(name)))

    def delete(self, name: str) -> None:
        """Forget a backup. Raises InvalidName or BackupNotFound."""
        with self._mutex:
            self.get(name)
            del self._by_name[name]

    def listed(self, instance: InstanceName, filter_: str, paging: PageRequest) -> Page[Backup]:
        """The backups of an instance, the newest first."""
        wanted = compile_filter(filter_, is_backup_field)
        found = (each for each in self.of(instance) if wanted(each.fields()))
        return newest_first(((each.create_time, each.name, each) for each in found), paging)

    def of(self, instance: InstanceName) -> list[Backup]:
        """The backups of an instance, by name."""
        with self._mutex:
            self._expire()
            return [backup for _, backup in under(self._by_name, f"{instance}/backups/")]

    def tails(self, instance: InstanceName) -> dict[str, int]:
        """By the id of each chain of an instance, the place of its youngest backup."""
        chains = [backup.chain for backup in self.of(instance) if backup.chain is not None]
        return {chain.id: chain.place for chain in sorted(chains, key=lambda chain: chain.place)}

    def clear(self) -> None:
        """Forget everything."""
        with self._mutex:
            self._by_name.clear()

    def _put(self, backup: Backup) -> Backup:
        self._by_name[backup.name] = backup
        self._next_expiry = min(self._next_expiry, backup.expire_time)
        return backup

    def _expire(self) -> None:
        now = self._clock.peek()
        if now < self._next_expiry:
            return
        for name in [each.name for each in self._expired(now)]:
            del self._by_name[name]
        left = (each.expire_time for each in self._by_name.values())
        self._next_expiry = min(left, default=_NEVER)

    def _expired(self, now: int) -> Iterator[Backup]:
        return (each for each in self._by_name.values() if each.expire_time <= now)
