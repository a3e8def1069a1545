"""Long-running operations on the wire: the metadata and the response of each kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from spanemu.admin.ddl_actions import DdlAction
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
from spanemu.frontend.convert.timestamps import timestamp_to_proto

Encoder = Callable[[Any, Operation], Any]


def operation_to_proto(operation: Operation) -> Any:
    """A google.longrunning.Operation message, with its metadata and outcome."""
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


def _create_instance_metadata(kind: InstanceCreation, operation: Operation) -> Any:
    return _instance_metadata(wire.CreateInstanceMetadata, kind, operation)


def _update_instance_metadata(kind: InstanceUpdate, operation: Operation) -> Any:
    return _instance_metadata(wire.UpdateInstanceMetadata, kind, operation)


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
    begun = [operation.start_time, *committed]
    waiting = len(kind.statements) - len(committed)
    return wire.UpdateDatabaseDdlMetadata(
        database=kind.database,
        statements=kind.statements,
        commit_timestamps=map(timestamp_to_proto, committed),
        # One for each statement, as the message's documentation has it.
        progress=[
            *map(_progress_between, begun, committed),
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


def _create_config_metadata(kind: ConfigCreation, operation: Operation) -> Any:
    return wire.CreateInstanceConfigMetadata(
        instance_config=config_to_proto(kind.config), progress=_instance_progress(operation)
    )


def _update_config_metadata(kind: ConfigUpdate, operation: Operation) -> Any:
    return wire.UpdateInstanceConfigMetadata(
        instance_config=config_to_proto(kind.config), progress=_instance_progress(operation)
    )


def _config_response(kind: ConfigCreation, _operation: Operation) -> Any:
    return config_to_proto(kind.config)


def _create_partition_metadata(kind: PartitionCreation, operation: Operation) -> Any:
    return _partition_metadata(wire.CreateInstancePartitionMetadata, kind, operation)


def _update_partition_metadata(kind: PartitionUpdate, operation: Operation) -> Any:
    return _partition_metadata(wire.UpdateInstancePartitionMetadata, kind, operation)


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


# What an operation's metadata and its response are made by.
_ENCODERS: Mapping[type[OperationKind], tuple[Encoder, Encoder]] = {
    InstanceCreation: (_create_instance_metadata, _instance_response),
    InstanceUpdate: (_update_instance_metadata, _instance_response),
    DatabaseCreation: (_create_database_metadata, _database_response),
    DatabaseUpdate: (_update_database_metadata, _database_response),
    DdlUpdate: (_ddl_metadata, _empty),
    DatabaseRestore: (_restore_metadata, _database_response),
    RestoreOptimization: (_optimize_metadata, _database_response),
    BackupCreation: (_create_backup_metadata, _backup_response),
    BackupCopy: (_copy_backup_metadata, _backup_response),
    InstanceMove: (_move_metadata, _move_response),
    ConfigCreation: (_create_config_metadata, _config_response),
    ConfigUpdate: (_update_config_metadata, _config_response),
    PartitionCreation: (_create_partition_metadata, _partition_response),
    PartitionUpdate: (_update_partition_metadata, _partition_response),
}
