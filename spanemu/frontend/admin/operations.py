"""Long-running operations: their handlers, and the metadata and response of each kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial, reduce
from typing import Any

from spanemu.admin.backup_administration import get_backup
from spanemu.admin.instance_administration import get_partition
from spanemu.admin.instances import Instances
from spanemu.admin.operation_kinds import (
    ConfigCreation,
    ConfigUpdate,
    DatabaseCreation,
    DatabaseRestore,
    DatabaseUpdate,
    DdlAction,
    DdlUpdate,
    InstanceCreation,
    InstanceUpdate,
    OperationKind,
    PartitionCreation,
    PartitionUpdate,
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
from spanemu.frontend import wire
from spanemu.frontend.admin.resources import (
    backup_info,
    backup_to_proto,
    config_to_proto,
    database_to_proto,
    instance_to_proto,
    partition_to_proto,
)
from spanemu.frontend.boundary import status_to_proto
from spanemu.frontend.convert.types import duration_from_proto, timestamp_to_proto

Encoder = Callable[[Any, Operation], Any]


def operation_to_proto(operation: Operation) -> Any:
    """Return a google.longrunning.Operation message with its metadata and outcome."""
    kind = operation.kind
    message = wire.Operation(name=str(operation.name), done=operation.done)
    encode: Encoder = _METADATA.get(type(kind), _plain_metadata)
    message.metadata.Pack(encode(kind, operation))
    if not operation.done:
        return message
    if operation.failure is None:
        message.response.Pack(_response(kind))
    else:
        message.error.CopyFrom(status_to_proto(operation.failure))
    return message


def _response(kind: OperationKind) -> Any:
    """Return the resource that an operation made, or the empty message of its response type."""
    name = _message_name(kind.response_type)
    return _RESOURCES[name](getattr(kind, kind.made)) if kind.made else getattr(wire, name)()


def _message_name(type_url: str) -> str:
    return type_url.rpartition(".")[2]


def _plain_metadata(kind: OperationKind, operation: Operation) -> Any:
    """Return the message of the kind's metadata type, from the kind's fields and the times."""
    metadata = getattr(wire, _message_name(kind.metadata_type))()
    for path, value in kind.fields():
        *parents, field = path.split(".")
        setattr(reduce(getattr, parents, metadata), field, value)
    times = metadata
    if kind.times == OperationKind.times:
        times = metadata.progress
        times.progress_percent = 100
    times.start_time.CopyFrom(timestamp_to_proto(operation.start_time))
    times.end_time.CopyFrom(timestamp_to_proto(operation.ended_at))
    return metadata


def _instance_metadata(message: Any, kind: InstanceCreation, operation: Operation) -> Any:
    return message(
        instance=instance_to_proto(kind.instance),
        start_time=timestamp_to_proto(operation.start_time),
        end_time=timestamp_to_proto(operation.ended_at),
    )


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


def _config_metadata(message: Any, kind: ConfigCreation, operation: Operation) -> Any:
    return message(
        instance_config=config_to_proto(kind.config), progress=_instance_progress(operation)
    )


def _partition_metadata(message: Any, kind: PartitionCreation, operation: Operation) -> Any:
    return message(
        instance_partition=partition_to_proto(kind.partition),
        start_time=timestamp_to_proto(operation.start_time),
        end_time=timestamp_to_proto(operation.ended_at),
    )


def _instance_progress(operation: Operation) -> Any:
    return wire.InstanceOperationProgress(
        progress_percent=100,
        start_time=timestamp_to_proto(operation.start_time),
        end_time=timestamp_to_proto(operation.ended_at),
    )


# Metadata that is more than the fields of the kind and the times (see `_plain_metadata`).
_METADATA: Mapping[type[OperationKind], Encoder] = {
    InstanceCreation: partial(_instance_metadata, wire.CreateInstanceMetadata),
    InstanceUpdate: partial(_instance_metadata, wire.UpdateInstanceMetadata),
    DatabaseCreation: _create_database_metadata,
    DatabaseUpdate: _update_database_metadata,
    DdlUpdate: _ddl_metadata,
    DatabaseRestore: _restore_metadata,
    ConfigCreation: partial(_config_metadata, wire.CreateInstanceConfigMetadata),
    ConfigUpdate: partial(_config_metadata, wire.UpdateInstanceConfigMetadata),
    PartitionCreation: partial(_partition_metadata, wire.CreateInstancePartitionMetadata),
    PartitionUpdate: partial(_partition_metadata, wire.UpdateInstancePartitionMetadata),
}
# The messages of resources that are responses, by name.
_RESOURCES: Mapping[str, Callable[[Any], Any]] = {
    "Backup": backup_to_proto,
    "Database": database_to_proto,
    "Instance": instance_to_proto,
    "InstanceConfig": config_to_proto,
    "InstancePartition": partition_to_proto,
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
