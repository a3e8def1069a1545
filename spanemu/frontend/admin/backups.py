"""google.spanner.admin.database.v1: backups and what is restored from them."""

from __future__ import annotations

from typing import Any

from spanemu.admin import backup_administration as administration
from spanemu.admin.backup_administration import NewBackup, Restore
from spanemu.admin.backup_runs import catch_up
from spanemu.admin.instances import Instances
from spanemu.base.names.paths import BackupName, InstanceName
from spanemu.base.paging import PageRequest
from spanemu.frontend.admin import wire
from spanemu.frontend.admin.encryption import encryption_from_proto
from spanemu.frontend.admin.operation_messages import operation_to_proto
from spanemu.frontend.admin.resources import backup_to_proto
from spanemu.frontend.convert.timestamps import timestamp_from_proto


def create_backup(instances: Instances, request: Any) -> Any:
    """Keep what a database holds; the operation is done."""
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
    """Keep a backup elsewhere too; the operation is done."""
    new = NewBackup(
        source=request.source_backup,
        expire_time=_time(request, "expire_time"),
        encryption=encryption_from_proto(request),
    )
    done = administration.copy_backup(instances, request.parent, request.backup_id, new)
    return operation_to_proto(done)


def get_backup(instances: Instances, request: Any) -> Any:
    """One backup."""
    backup = administration.get_backup(instances, request.name)
    return backup_to_proto(backup, instances.backups.tails(BackupName.parse(request.name).parent))


def list_backups(instances: Instances, request: Any) -> Any:
    """The backups of an instance that a filter keeps, the newest first."""
    paging = PageRequest(request.page_size, request.page_token)
    page = administration.list_backups(instances, request.parent, request.filter, paging)
    tails = instances.backups.tails(InstanceName.parse(request.parent))
    return wire.ListBackupsResponse(
        backups=[backup_to_proto(each, tails) for each in page.items],
        next_page_token=page.next_token,
    )


def update_backup(instances: Instances, request: Any) -> Any:
    """Change when a backup expires."""
    backup, paths = request.backup, tuple(request.update_mask.paths)
    expire_time = _time(backup, "expire_time")
    changed = administration.update_backup(instances, backup.name, expire_time, paths)
    return backup_to_proto(changed, instances.backups.tails(BackupName.parse(backup.name).parent))


def delete_backup(instances: Instances, request: Any) -> Any:
    """Let a backup go."""
    administration.delete_backup(instances, request.name)
    return wire.Empty()


def restore_database(instances: Instances, request: Any) -> Any:
    """A new database with what a backup holds; the operation is done."""
    restore = Restore(request.database_id, request.backup, encryption_from_proto(request))
    return operation_to_proto(administration.restore_database(instances, request.parent, restore))


def list_backup_operations(instances: Instances, request: Any) -> Any:
    """What was done about the backups of an instance, the latest first."""
    instance = InstanceName.parse(request.parent)
    instances.instance(request.parent)
    catch_up(instances)
    paging = PageRequest(request.page_size, request.page_token)
    page = instances.operations.of_backups(instance, request.filter, paging)
    return wire.ListBackupOperationsResponse(
        operations=map(operation_to_proto, page.items), next_page_token=page.next_token
    )


def _time(owner: Any, field: str) -> int | None:
    return timestamp_from_proto(getattr(owner, field)) if owner.HasField(field) else None
