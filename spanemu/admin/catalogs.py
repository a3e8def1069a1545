"""The catalogs of what belongs to instances and databases, each by name.

    Backups              removes expired backups
    BackupSchedules      at most four for a database
    InstancePartitions   at most twenty for an instance
    Policies             access policies, which are stored and returned, never enforced

A backup expires by the emulator's clock: it is invisible from its expire time on, and its content
is released on the next request for backups, or when the clock is moved.

Not here: creating and restoring backups (`backup_administration`), and scheduled backups
(`backup_runs`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

from sortedcontainers import SortedDict

from spanemu.admin import backup as backup_data
from spanemu.admin import backup_schedule, errors, instance_partition
from spanemu.base.clock import Clock
from spanemu.base.paging import Page, PageRequest, newest_first, page, under
from spanemu.base.record import dataclass
from spanemu.base.resource_names import (
    BackupName,
    BackupScheduleName,
    DatabaseName,
    InstanceName,
    InstancePartitionName,
)
from spanemu.database import errors as database_errors
from spanemu.database import filters

SCHEDULES_PER_DATABASE_MAX = 4
PARTITIONS_PER_INSTANCE_MAX = 20
_NEVER = 1 << 63


class Backups:
    """The backups of an emulator; safe to use from several threads. `mutex` is the catalog's."""

    def __init__(self, clock: Clock, mutex: threading.RLock) -> None:
        self._clock = clock
        self._mutex = mutex  # Guards the fields below.
        self._by_name: SortedDict[str, backup_data.Backup] = SortedDict()
        self._next_expiry = _NEVER

    def get(self, name: str) -> backup_data.Backup:
        """Return the backup `name`.

        Raises InvalidName and BackupNotFound.
        """
        BackupName.parse(name)
        with self._mutex:
            self._expire()
            backup = self._by_name.get(name)
        if backup is None:
            raise errors.BackupNotFound(name)
        return backup

    def check_free(self, name: BackupName) -> None:
        """Raise ResourceExists if the name is taken."""
        with self._mutex:
            self._expire()
            if str(name) in self._by_name:
                raise errors.ResourceExists("Backup", str(name))

    def add(self, backup: backup_data.Backup) -> backup_data.Backup:
        """Add a backup.

        Raises ResourceExists.
        """
        with self._mutex:
            self.check_free(BackupName.parse(backup.name))
            return self._put(backup)

    def change(
        self, name: str, change: Callable[[backup_data.Backup], backup_data.Backup]
    ) -> backup_data.Backup:
        """Replace a backup by the result of `change`; raise as `get` does."""
        with self._mutex:
            return self._put(change(self.get(name)))

    def delete(self, name: str) -> None:
        """Delete a backup.

        Raises InvalidName and BackupNotFound.
        """
        with self._mutex:
            self.get(name)
            del self._by_name[name]

    def listed(
        self, instance: InstanceName, filter_: str, paging: PageRequest
    ) -> Page[backup_data.Backup]:
        """Return a page of the backups of an instance, the newest first."""
        is_match = filters.compile_filter(filter_, backup_data.is_backup_field)
        matches = (backup for backup in self.of(instance) if is_match(backup.fields()))
        return newest_first(
            ((backup.create_time, backup.name, backup) for backup in matches), paging
        )

    def of(self, instance: InstanceName) -> list[backup_data.Backup]:
        """Return the backups of an instance, by name."""
        with self._mutex:
            self._expire()
            return [backup for _, backup in under(self._by_name, f"{instance}/backups/")]

    def all(self) -> list[backup_data.Backup]:
        """Return every backup, by name."""
        with self._mutex:
            self._expire()
            return list(self._by_name.values())

    def tails(self, instance: InstanceName) -> dict[str, int]:
        """Return the position of the youngest backup of each chain of an instance, by chain id."""
        chains = [backup.chain for backup in self.of(instance) if backup.chain is not None]
        return {chain.id: chain.place for chain in sorted(chains, key=lambda chain: chain.place)}

    def clear(self) -> None:
        """Delete all backups."""
        with self._mutex:
            self._by_name.clear()

    def _put(self, backup: backup_data.Backup) -> backup_data.Backup:
        self._by_name[backup.name] = backup
        self._next_expiry = min(self._next_expiry, backup.expire_time)
        return backup

    def _expire(self) -> None:
        now = self._clock.peek()
        if now < self._next_expiry:
            return
        for name in [backup.name for backup in self._expired(now)]:
            del self._by_name[name]
        left = (backup.expire_time for backup in self._by_name.values())
        self._next_expiry = min(left, default=_NEVER)

    def _expired(self, now: int) -> Iterator[backup_data.Backup]:
        return (backup for backup in self._by_name.values() if backup.expire_time <= now)


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


class InstancePartitions:
    """The instance partitions of an emulator; safe to use from several threads."""

    def __init__(self, mutex: threading.RLock) -> None:
        self._mutex = mutex  # Guards the field below.
        self._by_name: SortedDict[str, instance_partition.InstancePartition] = SortedDict()

    def get(self, name: str) -> instance_partition.InstancePartition:
        """Return the partition `name`.

        Raises InvalidName and InstancePartitionNotFound.
        """
        InstancePartitionName.parse(name)
        partition = self._by_name.get(name)
        if partition is None:
            raise database_errors.InstancePartitionNotFound(name)
        return partition

    def add(
        self, partition: instance_partition.InstancePartition
    ) -> instance_partition.InstancePartition:
        """Add a partition.

        Raises ResourceExists and TooManyResources.
        """
        parent = InstancePartitionName.parse(partition.name).parent
        with self._mutex:
            if partition.name in self._by_name:
                raise errors.ResourceExists("Instance partition", partition.name)
            if len(self.of(parent)) >= PARTITIONS_PER_INSTANCE_MAX:
                raise errors.TooManyResources(
                    "instance partitions", str(parent), PARTITIONS_PER_INSTANCE_MAX
                )
            self._by_name[partition.name] = partition
            return partition

    def change(
        self,
        name: str,
        change: Callable[
            [instance_partition.InstancePartition], instance_partition.InstancePartition
        ],
    ) -> instance_partition.InstancePartition:
        """Replace a partition by the result of `change`; raise as `get` does."""
        with self._mutex:
            changed = self._by_name[name] = change(self.get(name))
            return changed

    def delete(self, name: str, expected: int | None) -> None:
        """Delete a partition; the caller has checked that it is unused."""
        with self._mutex:
            if expected is not None and expected != self.get(name).version:
                raise errors.ResourceChanged(name)
            del self._by_name[name]

    def of(self, instance: InstanceName) -> list[instance_partition.InstancePartition]:
        """Return the partitions of an instance, by name."""
        with self._mutex:
            found = under(self._by_name, f"{instance}/instancePartitions/")
            return [partition for _, partition in found]

    def all(self) -> list[instance_partition.InstancePartition]:
        """Return every partition, by name."""
        with self._mutex:
            return [*self._by_name.values()]

    def listed(
        self, instance: InstanceName, paging: PageRequest
    ) -> Page[instance_partition.InstancePartition]:
        """Return a page of the partitions of an instance, or of a whole project for the instance
        `-`.
        """
        start = paging.start()
        prefix = f"{instance}/instancePartitions/"
        if instance.instance == "-":
            prefix = prefix.partition("-/")[0]
        with self._mutex:
            return page(under(self._by_name, prefix, start), paging.limit)

    def drop_under(self, resource: str) -> None:
        """Delete the partitions of an instance."""
        with self._mutex:
            for name, _ in list(under(self._by_name, f"{resource}/")):
                del self._by_name[name]


@dataclass(frozen=True, slots=True)
class Policy:
    """A policy as its setter sent it (`content` is opaque), and a tag that changes with it."""

    content: bytes = b""
    tag: int = 0


class Policies:
    """Policies by resource. `created` distinguishes a resource from an earlier one of its name."""

    def __init__(self) -> None:
        self._mutex = threading.Lock()  # Guards the map.
        self._by_resource: dict[str, tuple[int, Policy]] = {}

    def get(self, resource: str, created: int) -> Policy:
        """Return the policy of a resource; an empty policy if none was set."""
        stored = self._by_resource.get(resource)
        return Policy() if stored is None or stored[0] != created else stored[1]

    def all(self) -> list[tuple[str, int, Policy]]:
        """Return (resource, creation time, policy) of every policy."""
        with self._mutex:
            return [(name, *stored) for name, stored in sorted(self._by_resource.items())]

    def restore(self, resource: str, created: int, policy: Policy) -> None:
        """Add a policy that was saved."""
        with self._mutex:
            self._by_resource[resource] = created, policy

    def set(self, resource: str, created: int, content: bytes, expected: int | None) -> Policy:
        """Set a policy.

        Raises PolicyChanged if `expected` is not the current tag.
        """
        with self._mutex:
            before = self.get(resource, created)
            if expected is not None and expected != before.tag:
                raise errors.PolicyChanged(resource)
            policy = Policy(content, before.tag + 1)
            self._by_resource[resource] = created, policy
            return policy
