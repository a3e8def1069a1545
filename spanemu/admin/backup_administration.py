"""The admin calls for backups and their schedules.

    create_backup  copy_backup  restore_database      each records a completed operation
    update_backup  delete_backup
    create_schedule  update_schedule

Every call first creates the scheduled backups that are due (`backup_runs`), so that no caller
misses a due backup.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from spanemu.admin.backup import (
    RETENTION_MAX_NANOS,
    Backup,
    check_expire_time,
    check_version_time,
)
from spanemu.admin.backup_runs import create_due_backups
from spanemu.admin.backup_schedule import BackupSchedule, ScheduleSpec, new_schedule, updated
from spanemu.admin.edition_checks import check_feature, check_schema
from spanemu.admin.encryption import EncryptionConfig, check_encryption, keys_of
from spanemu.admin.errors import (
    BackupNeedsPartition,
    BackupSpansPartitions,
    DatabaseElsewhere,
    IncrementalBackupSpansPartitions,
    InvalidUpdateMask,
    MismatchingName,
    MissingField,
    RestoreElsewhere,
)
from spanemu.admin.instances import Instances
from spanemu.admin.offers import CatalogOffer
from spanemu.admin.operation_kinds import (
    BackupCopy,
    BackupCreation,
    DatabaseRestore,
    RestoreOptimization,
)
from spanemu.admin.operations import Operation, finished
from spanemu.base.paging import Page, PageRequest
from spanemu.base.resource_names import (
    BackupName,
    BackupScheduleName,
    DatabaseName,
    InstanceName,
    check_backup_id,
    check_backup_schedule_id,
    check_database_id,
)
from spanemu.database.database import Database
from spanemu.schema.editions import INCREMENTAL_BACKUPS


@dataclass(frozen=True, slots=True)
class NewBackup:
    """The properties of a backup to create: times in nanoseconds, None by default.

    `source` is a database, or the backup to copy; without `encryption` the backup is encrypted as
    its source.
    """

    source: str
    expire_time: int | None
    version_time: int | None = None
    name: str = ""
    encryption: EncryptionConfig | None = None


def create_backup(instances: Instances, parent: str, backup_id: str, new: NewBackup) -> Operation:
    """Create a backup of a database, as of now or as of a readable time."""
    instance, name = _new_name(instances, parent, backup_id, new)
    if not new.source:
        raise MissingField("CreateBackup", "backup.database")
    if DatabaseName.parse(new.source).parent != instance:
        raise DatabaseElsewhere(new.source, parent)
    database = instances.database(new.source)
    now = instances.clock.now()
    latest = now + RETENTION_MAX_NANOS
    expire_time = check_expire_time(new.expire_time, str(name), now, latest)
    version_time = check_version_time(new.version_time, str(name), database, now)
    backup = Backup(
        name=str(name),
        database=new.source,
        content=database.content(version_time),
        create_time=now,
        version_time=version_time,
        expire_time=expire_time,
        max_expire_time=latest,
        partitions=database.partitions,
        encryption_keys=keys_of(new.encryption, database.encryption_keys),
    )
    instances.backups.add(backup)
    return finished(instances.operations, name, BackupCreation(backup), now)


def copy_backup(instances: Instances, parent: str, backup_id: str, new: NewBackup) -> Operation:
    """Copy a backup to another instance or name, optionally with a later expire time."""
    _, name = _new_name(instances, parent, backup_id, new)
    if not new.source:
        raise MissingField("CopyBackup", "source_backup")
    source = get_backup(instances, new.source)
    if source.partitions:
        raise BackupSpansPartitions(source.name)
    now = instances.clock.now()
    expire_time = check_expire_time(new.expire_time, str(name), now, source.max_expire_time)
    copied = replace(
        source,
        name=str(name),
        create_time=now,
        expire_time=expire_time,
        schedules=(),
        encryption_keys=keys_of(new.encryption, source.encryption_keys),
    )
    instances.backups.add(copied)
    return finished(instances.operations, name, BackupCopy(copied, source.name), now)


def get_backup(instances: Instances, name: str) -> Backup:
    """Return a backup.

    Raises InvalidName, InstanceNotFound and BackupNotFound.
    """
    instances.instance(str(BackupName.parse(name).parent))
    create_due_backups(instances)
    return instances.backups.get(name)


def list_backups(
    instances: Instances, parent: str, filter_: str, paging: PageRequest
) -> Page[Backup]:
    """Return a page of the backups of an instance, the newest first."""
    instances.instance(parent)
    create_due_backups(instances)
    return instances.backups.listed(InstanceName.parse(parent), filter_, paging)


def update_backup(
    instances: Instances, name: str, expire_time: int | None, paths: Sequence[str]
) -> Backup:
    """Change the expire time of a backup, its only mutable field."""
    get_backup(instances, name)
    if not paths:
        raise MissingField("UpdateBackup", "update_mask")
    for path in paths:
        if path != "expire_time":
            raise InvalidUpdateMask(name, path)
    now = instances.clock.peek()

    def change(backup: Backup) -> Backup:
        at = check_expire_time(expire_time, name, now, backup.max_expire_time)
        return replace(backup, expire_time=at)

    return instances.backups.change(name, change)


def delete_backup(instances: Instances, name: str) -> None:
    """Delete a backup; databases restored from it do not need it."""
    get_backup(instances, name)
    instances.backups.delete(name)


@dataclass(frozen=True, slots=True)
class Restore:
    """The properties of a restore."""

    database_id: str
    backup: str
    encryption: EncryptionConfig | None = None


def restore_database(instances: Instances, parent: str, restore: Restore) -> Operation:
    """Create a database from a backup, in an instance with the backup's configuration."""
    instance = InstanceName.parse(parent)
    target = instances.instance(parent)
    check_database_id(restore.database_id)
    name = instance.database(restore.database_id)
    check_encryption(restore.encryption, str(name))
    if not restore.backup:
        raise MissingField("RestoreDatabase", "backup")
    backup = get_backup(instances, restore.backup)
    home = BackupName.parse(backup.name).parent
    if home.project != instance.project:
        raise RestoreElsewhere(backup.name, parent, "it is in another project")
    configs = instances.configs
    kept_in = instances.instance(str(home)).config
    if configs.name_of(kept_in, home.project) != configs.name_of(target.config, home.project):
        raise RestoreElsewhere(backup.name, parent, "it has another instance config")
    check_schema(instances, parent, backup.content.generation.schema)
    offer = CatalogOffer(instances, str(name))
    for partition in backup.partitions:
        if offer.partition(partition) is None:
            raise BackupNeedsPartition(backup.name, parent, partition)
    instances.check_room(name)
    start = instances.clock.now()
    database = Database.restored(str(name), backup.content, backup.source)
    database.encryption_keys = keys_of(restore.encryption, backup.encryption_keys)
    try:
        instances.add_database(database)
    except BaseException:
        database.close()
        raise
    optimization = instances.operations.reserve(name)
    kind = DatabaseRestore(database, backup, str(optimization))
    done = finished(instances.operations, name, kind, start)
    now = instances.clock.now()
    instances.operations.record(Operation(optimization, RestoreOptimization(database), now, now))
    return done


# ---------------------------------------------------------------------------- schedules


def create_schedule(
    instances: Instances, parent: str, schedule_id: str, name: str, spec: ScheduleSpec
) -> BackupSchedule:
    """Create a backup schedule of a database; `name` must be empty or match `schedule_id`."""
    check_backup_schedule_id(schedule_id)
    expected = DatabaseName.parse(parent).schedule(schedule_id)
    instances.database(parent)
    if name not in ("", str(expected)):
        raise MismatchingName("backup schedule", name, str(expected))
    create_due_backups(instances)
    _check_kind(instances, str(expected), incremental=bool(spec.incremental))
    schedule = new_schedule(str(expected), spec, instances.clock.now())
    return instances.schedules.add(schedule)


def get_schedule(instances: Instances, name: str) -> BackupSchedule:
    """Return a backup schedule.

    Raises InvalidName, DatabaseNotFound and BackupScheduleNotFound.
    """
    instances.database(str(BackupScheduleName.parse(name).parent))
    return instances.schedules.get(name)


def update_schedule(
    instances: Instances, name: str, spec: ScheduleSpec, paths: Sequence[str]
) -> BackupSchedule:
    """Change the schedule fields that `paths` name; backups due before use the old fields."""
    get_schedule(instances, name)
    create_due_backups(instances)
    now = instances.clock.now()

    def change(schedule: BackupSchedule) -> BackupSchedule:
        changed = updated(schedule, spec, tuple(paths))
        _check_kind(instances, name, incremental=changed.incremental)
        return replace(changed, update_time=now, done_until=now, last_backup="")

    return instances.schedules.change(name, change)


def _check_kind(instances: Instances, name: str, *, incremental: bool) -> None:
    """Raise if the database of a schedule has full backups only."""
    if incremental:
        database = BackupScheduleName.parse(name).parent
        check_feature(instances, str(database.parent), INCREMENTAL_BACKUPS)
        if instances.database(str(database)).partitions:
            raise IncrementalBackupSpansPartitions(str(database))


def delete_schedule(instances: Instances, name: str) -> None:
    """Delete a schedule after creating its due backups, which stay."""
    get_schedule(instances, name)
    create_due_backups(instances)
    instances.schedules.delete(name)


def _new_name(
    instances: Instances, parent: str, backup_id: str, new: NewBackup
) -> tuple[InstanceName, BackupName]:
    instance = InstanceName.parse(parent)
    check_backup_id(backup_id)
    name = instance.backup(backup_id)
    if new.name not in ("", str(name)):
        raise MismatchingName("backup", new.name, str(name))
    check_encryption(new.encryption, str(name))
    instances.instance(parent)
    create_due_backups(instances)
    instances.backups.check_free(name)
    return instance, name
