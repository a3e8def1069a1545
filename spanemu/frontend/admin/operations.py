"""Long-running operations: their handlers, and the metadata and response of each kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from spanemu.admin.backup_administration import get_backup
from spanemu.admin.ddl_actions import DdlAction
from spanemu.admin.instance_administration import get_partition
from spanemu.admin.instances import Instances
from spanemu.admin.operation_kinds import (
    BackupCopy,
    BackupCreation,
    ConfigCreation,
    ConfigUpdate,
    DatabaseCreation,
    DatabaseRestore,
    DatabaseUpdate,
    DdlUpdate,
    InstanceCreation,
    InstanceMove,
    InstanceUpdate,
    OperationKind,
    PartitionCreation,
    PartitionUpdate,
    RestoreOptimization,
)
from spanemu.admin.operations import Operation
from spanemu.base.call import current
from spanemu.base.clock import NANOS_PER_SECOND
from spanemu.base.limits import REQUEST_SECONDS_MAX
from spanemu.base.paging import PageRequest
from spanemu.base.resource_names import (
    BackupName,
    DatabaseName,
    InstanceConfigName,
    InstanceName,
    InstancePartitionName,
    operations_collection,
)
from spanemu.frontend.admin import wire
from spanemu.frontend.admin.resources import (
    backup_info,
    backup_to_proto,
    config_to_proto,
    database_to_proto,
    instance_to_proto,
    partition_to_proto,
)
from spanemu.frontend.boundary import status_to_proto
from spanemu.frontend.convert.timestamps import duration_from_proto, timestamp_to_proto

Encoder = Callable[[Any, Operation], Any]


def operation_to_proto(operation: Operation) -> Any:
    """Return a google.longrunning.Operation message with its metadata and outcome."""
    message = wire.Operation(name=str(operation.name), done=operation.done)
    metadata, response = _ENCODERS[type(operation.kind)]
    message.metadata.Pack(metadata(operation.kind, operation))
    if not operation.done:
        return message
    if operation.failure is None:
        message.response.Pack(response(operation.kind, operation))
    else:
        message.error.CopyFrom(status_to_proto(operation.failure))
    return message


def _instance_metadata(message: Any, kind: InstanceCreation, operation: Operation) -> Any:
    return message(
        instance=instance_to_proto(kind.instance),
        start_time=timestamp_to_proto(operation.start_time),
        end_time=timestamp_to_proto(operation.ended_at),
    )


def _instance_response(kind: InstanceCreation, _operation: Operation) -> Any:
    return instance_to_proto(kind.instance)


_OfDatabase = DatabaseCreation | DatabaseUpdate | DatabaseRestore | RestoreOptimization


def _create_database_metadata(kind: DatabaseCreation, _operation: Operation) -> Any:
    return wire.CreateDatabaseMetadata(database=kind.database.name)


def _update_database_metadata(kind: DatabaseUpdate, operation: Operation) -> Any:
    database = wire.Database(
        name=kind.database.name, enable_drop_protection=kind.enable_drop_protection
    )
    request = wire.UpdateDatabaseRequest(
        database=database, update_mask=wire.FieldMask(paths=kind.paths)
    )
    return wire.UpdateDatabaseMetadata(request=request, progress=_progress(operation))


def _database_response(kind: _OfDatabase, _operation: Operation) -> Any:
    return database_to_proto(kind.database)


def _ddl_metadata(kind: DdlUpdate, operation: Operation) -> Any:
    committed = list(kind.commit_timestamps)
    start_times = [operation.start_time, *committed]
    waiting = len(kind.statements) - len(committed)
    return wire.UpdateDatabaseDdlMetadata(
        database=kind.database,
        statements=kind.statements,
        commit_timestamps=map(timestamp_to_proto, committed),
        # One entry for each statement, as documented for the message.
        progress=[
            *map(_progress_between, start_times, committed),
            *(wire.OperationProgress() for _ in range(waiting)),
        ],
        actions=map(_action, kind.actions),
    )


def _action(action: DdlAction) -> Any:
    return wire.DdlStatementActionInfo(
        action=action.action, entity_type=action.entity_type, entity_names=action.entity_names
    )


def _progress(operation: Operation) -> Any:
    return _progress_between(operation.start_time, operation.end_time)


def _progress_between(start: int, end: int | None) -> Any:
    progress = wire.OperationProgress(start_time=timestamp_to_proto(start))
    if end is not None:
        progress.progress_percent = 100
        progress.end_time.CopyFrom(timestamp_to_proto(end))
    return progress


def _restore_metadata(kind: DatabaseRestore, operation: Operation) -> Any:
    return wire.RestoreDatabaseMetadata(
        name=kind.database.name,
        source_type=wire.BACKUP,
        backup_info=backup_info(kind.backup.source),
        progress=_progress(operation),
        optimize_database_operation_name=kind.optimization,
    )


def _optimize_metadata(kind: RestoreOptimization, operation: Operation) -> Any:
    return wire.OptimizeRestoredDatabaseMetadata(
        name=kind.database.name, progress=_progress(operation)
    )


def _create_backup_metadata(kind: BackupCreation, operation: Operation) -> Any:
    return wire.CreateBackupMetadata(
        name=kind.backup.name, database=kind.backup.database, progress=_progress(operation)
    )


def _copy_backup_metadata(kind: BackupCopy, operation: Operation) -> Any:
    return wire.CopyBackupMetadata(
        name=kind.backup.name, source_backup=kind.source, progress=_progress(operation)
    )


def _backup_response(kind: BackupCreation | BackupCopy, _operation: Operation) -> Any:
    return backup_to_proto(kind.backup)


def _move_metadata(kind: InstanceMove, operation: Operation) -> Any:
    return wire.MoveInstanceMetadata(
        target_config=kind.instance.config, progress=_instance_progress(operation)
    )


def _move_response(_kind: InstanceMove, _operation: Operation) -> Any:
    return wire.MoveInstanceResponse()


def _config_metadata(message: Any, kind: ConfigCreation, operation: Operation) -> Any:
    return message(
        instance_config=config_to_proto(kind.config), progress=_instance_progress(operation)
    )


def _config_response(kind: ConfigCreation, _operation: Operation) -> Any:
    return config_to_proto(kind.config)


def _partition_metadata(message: Any, kind: PartitionCreation, operation: Operation) -> Any:
    return message(
        instance_partition=partition_to_proto(kind.partition),
        start_time=timestamp_to_proto(operation.start_time),
        end_time=timestamp_to_proto(operation.ended_at),
    )


def _partition_response(kind: PartitionCreation, _operation: Operation) -> Any:
    return partition_to_proto(kind.partition)


def _instance_progress(operation: Operation) -> Any:
    return wire.InstanceOperationProgress(
        progress_percent=100,
        start_time=timestamp_to_proto(operation.start_time),
        end_time=timestamp_to_proto(operation.ended_at),
    )


def _empty(_kind: OperationKind, _operation: Operation) -> Any:
    return wire.Empty()


# The encoders of an operation's metadata and of its response.
_ENCODERS: Mapping[type[OperationKind], tuple[Encoder, Encoder]] = {
    InstanceCreation: (
        partial(_instance_metadata, wire.CreateInstanceMetadata),
        _instance_response,
    ),
    InstanceUpdate: (partial(_instance_metadata, wire.UpdateInstanceMetadata), _instance_response),
    DatabaseCreation: (_create_database_metadata, _database_response),
    DatabaseUpdate: (_update_database_metadata, _database_response),
    DdlUpdate: (_ddl_metadata, _empty),
    DatabaseRestore: (_restore_metadata, _database_response),
    RestoreOptimization: (_optimize_metadata, _database_response),
    BackupCreation: (_create_backup_metadata, _backup_response),
    BackupCopy: (_copy_backup_metadata, _backup_response),
    InstanceMove: (_move_metadata, _move_response),
    ConfigCreation: (
        partial(_config_metadata, wire.CreateInstanceConfigMetadata),
        _config_response,
    ),
    ConfigUpdate: (partial(_config_metadata, wire.UpdateInstanceConfigMetadata), _config_response),
    PartitionCreation: (
        partial(_partition_metadata, wire.CreateInstancePartitionMetadata),
        _partition_response,
    ),
    PartitionUpdate: (
        partial(_partition_metadata, wire.UpdateInstancePartitionMetadata),
        _partition_response,
    ),
}


def get_operation(instances: Instances, request: Any) -> Any:
    """Return an operation."""
    return operation_to_proto(instances.operations.get(request.name))


def list_operations(instances: Instances, request: Any) -> Any:
    """List the operations of an instance, database, backup, partition or configuration."""
    resource = operations_collection(request.name)
    _FINDERS[type(resource)](instances, str(resource))
    page = instances.operations.of_resource(resource, request.filter, _paging(request))
    return wire.ListOperationsResponse(
        operations=map(operation_to_proto, page.items), next_page_token=page.next_token
    )


def list_database_operations(instances: Instances, request: Any) -> Any:
    """List the operations on databases of an instance."""
    instance = InstanceName.parse(request.parent)
    instances.instance(request.parent)
    page = instances.operations.of_databases(instance, request.filter, _paging(request))
    return wire.ListDatabaseOperationsResponse(
        operations=map(operation_to_proto, page.items), next_page_token=page.next_token
    )


def delete_operation(instances: Instances, request: Any) -> Any:
    """Delete the record of an operation; its effects remain."""
    instances.operations.delete(request.name)
    return wire.Empty()


def cancel_operation(instances: Instances, request: Any) -> Any:
    """Cancel an operation: a running schema update stops before its next statement."""
    instances.operations.cancel(request.name)
    return wire.Empty()


def wait_operation(instances: Instances, request: Any) -> Any:
    """Return the operation when it is done or the given time has passed."""
    seconds = None
    if request.HasField("timeout"):
        seconds = min(duration_from_proto(request.timeout) / NANOS_PER_SECOND, REQUEST_SECONDS_MAX)
    left = current().seconds_left()
    limits = [limit for limit in (seconds, left) if limit is not None]
    return operation_to_proto(instances.operations.wait(request.name, min(limits, default=0.0)))


def _paging(request: Any) -> PageRequest:
    return PageRequest(request.page_size, request.page_token)


# Raises NOT_FOUND for a resource with operations that does not exist, by kind of resource.
_FINDERS: Mapping[type, Callable[[Instances, str], object]] = {
    InstanceName: Instances.instance,
    DatabaseName: Instances.database,
    BackupName: get_backup,
    InstancePartitionName: get_partition,
    InstanceConfigName: lambda instances, name: instances.configs.get(name),
}
