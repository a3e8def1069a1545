"""The handlers of google.spanner.admin.database.v1 for backups, schedules and restores."""

from __future__ import annotations

from typing import Any

from spanemu.admin import backup_administration as administration
from spanemu.admin.backup_administration import NewBackup, Restore
from spanemu.admin.backup_runs import create_due_backups
from spanemu.admin.backup_schedule import BackupSchedule, ScheduleSpec
from spanemu.admin.encryption import check_encryption
from spanemu.admin.instances import Instances
from spanemu.base.clock import NANOS_PER_HOUR, NANOS_PER_SECOND
from spanemu.base.paging import PageRequest
from spanemu.base.resource_names import BackupName, DatabaseName, InstanceName
from spanemu.frontend import wire
from spanemu.frontend.admin.operations import operation_to_proto
from spanemu.frontend.admin.resources import (
    backup_to_proto,
    encryption_from_proto,
    encryption_to_proto,
)
from spanemu.frontend.convert.types import (
    duration_from_proto,
    timestamp_from_proto,
    timestamp_to_proto,
)


def create_backup(instances: Instances, request: Any) -> Any:
    """Back up a database; the operation is done."""
    backup = request.backup
    new = NewBackup(
        source=backup.database,
        expire_time=_time(backup, "expire_time"),
        version_time=_time(backup, "version_time"),
        name=backup.name,
        encryption=encryption_from_proto(request),
    )
    done = administration.create_backup(instances, request.parent, request.backup_id, new)
    return operation_to_proto(done)


def copy_backup(instances: Instances, request: Any) -> Any:
    """Copy a backup; the operation is done."""
    new = NewBackup(
        source=request.source_backup,
        expire_time=_time(request, "expire_time"),
        encryption=encryption_from_proto(request),
    )
    done = administration.copy_backup(instances, request.parent, request.backup_id, new)
    return operation_to_proto(done)


def get_backup(instances: Instances, request: Any) -> Any:
    """Return a backup."""
    backup = administration.get_backup(instances, request.name)
    return backup_to_proto(backup, instances.backups.tails(BackupName.parse(request.name).parent))


def list_backups(instances: Instances, request: Any) -> Any:
    """List the backups of an instance that match a filter, the newest first."""
    paging = PageRequest(request.page_size, request.page_token)
    page = administration.list_backups(instances, request.parent, request.filter, paging)
    tails = instances.backups.tails(InstanceName.parse(request.parent))
    return wire.ListBackupsResponse(
        backups=[backup_to_proto(backup, tails) for backup in page.items],
        next_page_token=page.next_token,
    )


def update_backup(instances: Instances, request: Any) -> Any:
    """Change the expiration of a backup."""
    backup, paths = request.backup, tuple(request.update_mask.paths)
    expire_time = _time(backup, "expire_time")
    changed = administration.update_backup(instances, backup.name, expire_time, paths)
    return backup_to_proto(changed, instances.backups.tails(BackupName.parse(backup.name).parent))


def delete_backup(instances: Instances, request: Any) -> Any:
    """Delete a backup."""
    administration.delete_backup(instances, request.name)
    return wire.Empty()


def restore_database(instances: Instances, request: Any) -> Any:
    """Create a database from a backup; the operation is done."""
    restore = Restore(request.database_id, request.backup, encryption_from_proto(request))
    return operation_to_proto(administration.restore_database(instances, request.parent, restore))


def list_backup_operations(instances: Instances, request: Any) -> Any:
    """List the operations on backups of an instance, the latest first."""
    instance = InstanceName.parse(request.parent)
    instances.instance(request.parent)
    create_due_backups(instances)
    paging = PageRequest(request.page_size, request.page_token)
    page = instances.operations.of_backups(instance, request.filter, paging)
    return wire.ListBackupOperationsResponse(
        operations=map(operation_to_proto, page.items), next_page_token=page.next_token
    )


def _time(owner: Any, field: str) -> int | None:
    return timestamp_from_proto(getattr(owner, field)) if owner.HasField(field) else None


_CREATION_WINDOW_NANOS = 4 * NANOS_PER_HOUR


def create_backup_schedule(instances: Instances, request: Any) -> Any:
    """Create a schedule of backups of a database."""
    schedule = request.backup_schedule
    spec = _spec(schedule, f"{request.parent}/backupSchedules/{request.backup_schedule_id}")
    created = administration.create_schedule(
        instances, request.parent, request.backup_schedule_id, schedule.name, spec
    )
    return schedule_to_proto(created)


def get_backup_schedule(instances: Instances, request: Any) -> Any:
    """Return a schedule."""
    return schedule_to_proto(administration.get_schedule(instances, request.name))


def list_backup_schedules(instances: Instances, request: Any) -> Any:
    """List the schedules of a database."""
    database = DatabaseName.parse(request.parent)
    instances.database(request.parent)
    paging = PageRequest(request.page_size, request.page_token)
    page = instances.schedules.listed(database, paging)
    return wire.ListBackupSchedulesResponse(
        backup_schedules=map(schedule_to_proto, page.items), next_page_token=page.next_token
    )


def update_backup_schedule(instances: Instances, request: Any) -> Any:
    """Change the fields of a schedule that a mask names."""
    schedule = request.backup_schedule
    spec, paths = _spec(schedule, schedule.name), tuple(request.update_mask.paths)
    return schedule_to_proto(administration.update_schedule(instances, schedule.name, spec, paths))


def delete_backup_schedule(instances: Instances, request: Any) -> Any:
    """Delete a schedule; the backups that it created remain."""
    administration.delete_schedule(instances, request.name)
    return wire.Empty()


def schedule_to_proto(schedule: BackupSchedule) -> Any:
    """Return a BackupSchedule message."""
    message = wire.BackupSchedule(
        name=schedule.name,
        spec={
            "cron_spec": {
                "text": schedule.cron.text,
                "time_zone": "UTC",
                "creation_window": {"seconds": _CREATION_WINDOW_NANOS // NANOS_PER_SECOND},
            }
        },
        retention_duration={
            "seconds": schedule.retention_nanos // NANOS_PER_SECOND,
            "nanos": schedule.retention_nanos % NANOS_PER_SECOND,
        },
        update_time=timestamp_to_proto(schedule.update_time),
    )
    if schedule.encryption is not None:
        encryption_to_proto(schedule.encryption, message.encryption_config)
    kind = message.incremental_backup_spec if schedule.incremental else message.full_backup_spec
    kind.SetInParent()
    return message


def _spec(schedule: Any, name: str) -> ScheduleSpec:
    encryption = encryption_from_proto(schedule)
    check_encryption(encryption, name)
    kind = schedule.WhichOneof("backup_type_spec")
    has_cron = schedule.HasField("spec") and schedule.spec.HasField("cron_spec")
    retention = None
    if schedule.HasField("retention_duration"):
        retention = duration_from_proto(schedule.retention_duration)
    return ScheduleSpec(
        cron=schedule.spec.cron_spec.text if has_cron else None,
        retention_nanos=retention,
        incremental=None if kind is None else kind == "incremental_backup_spec",
        encryption=encryption,
    )
