"""google.longrunning.Operations, and the lists of operations that the admin APIs have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from spanemu.base.names import InstanceName, operations_collection
from spanemu.base.paging import PageRequest
from spanemu.database.ddl_actions import DdlAction
from spanemu.database.instances import Instances
from spanemu.database.operations import (
    DatabaseCreation,
    DatabaseUpdate,
    DdlUpdate,
    InstanceCreation,
    InstanceUpdate,
    Operation,
    OperationKind,
)
from spanemu.frontend.admin import wire
from spanemu.frontend.admin.resources import database_to_proto, instance_to_proto
from spanemu.frontend.boundary import status_to_proto
from spanemu.frontend.convert.timestamps import timestamp_to_proto

Encoder = Callable[[Any, Operation], Any]


def get_operation(instances: Instances, request: Any) -> Any:
    """One operation."""
    return operation_to_proto(instances.operations.get(request.name))


def list_operations(instances: Instances, request: Any) -> Any:
    """The operations of one instance or of one database."""
    resource = operations_collection(request.name)
    if isinstance(resource, InstanceName):
        instances.instance(str(resource))
    else:
        instances.database(str(resource))
    page = instances.operations.of_resource(resource, request.filter, _paging(request))
    return wire.ListOperationsResponse(
        operations=map(operation_to_proto, page.items), next_page_token=page.next_token
    )


def list_database_operations(instances: Instances, request: Any) -> Any:
    """The operations on databases of an instance."""
    instance = InstanceName.parse(request.parent)
    instances.instance(request.parent)
    page = instances.operations.of_databases(instance, request.filter, _paging(request))
    return wire.ListDatabaseOperationsResponse(
        operations=map(operation_to_proto, page.items), next_page_token=page.next_token
    )


def delete_operation(instances: Instances, request: Any) -> Any:
    """Forget an operation; what it did stays done."""
    instances.operations.delete(request.name)
    return wire.Empty()


def cancel_operation(instances: Instances, request: Any) -> Any:
    """Nothing is left to cancel, which is what "best effort" allows."""
    instances.operations.get(request.name)
    return wire.Empty()


def wait_operation(instances: Instances, request: Any) -> Any:
    """The operation, which is done."""
    return operation_to_proto(instances.operations.get(request.name))


def operation_to_proto(operation: Operation) -> Any:
    """A google.longrunning.Operation message, with its metadata and outcome."""
    message = wire.Operation(name=str(operation.name), done=True)
    metadata, response = _ENCODERS[type(operation.kind)]
    message.metadata.Pack(metadata(operation.kind, operation))
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
        end_time=timestamp_to_proto(operation.end_time),
    )


def _instance_response(kind: InstanceCreation, _operation: Operation) -> Any:
    return instance_to_proto(kind.instance)


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


def _database_response(kind: DatabaseCreation | DatabaseUpdate, _operation: Operation) -> Any:
    return database_to_proto(kind.database)


def _ddl_metadata(kind: DdlUpdate, operation: Operation) -> Any:
    finished = len(kind.commit_timestamps)
    return wire.UpdateDatabaseDdlMetadata(
        database=kind.database,
        statements=kind.statements,
        commit_timestamps=map(timestamp_to_proto, kind.commit_timestamps),
        progress=[_progress(operation)] * finished,
        actions=map(_action, kind.actions),
    )


def _action(action: DdlAction) -> Any:
    return wire.DdlStatementActionInfo(
        action=action.action, entity_type=action.entity_type, entity_names=action.entity_names
    )


def _progress(operation: Operation) -> Any:
    return wire.OperationProgress(
        progress_percent=100,
        start_time=timestamp_to_proto(operation.start_time),
        end_time=timestamp_to_proto(operation.end_time),
    )


def _empty(_kind: OperationKind, _operation: Operation) -> Any:
    return wire.Empty()


def _paging(request: Any) -> PageRequest:
    return PageRequest(request.page_size, request.page_token)


# What an operation's metadata and its response are made by.
_ENCODERS: Mapping[type[OperationKind], tuple[Encoder, Encoder]] = {
    InstanceCreation: (_create_instance_metadata, _instance_response),
    InstanceUpdate: (_update_instance_metadata, _instance_response),
    DatabaseCreation: (_create_database_metadata, _database_response),
    DatabaseUpdate: (_update_database_metadata, _database_response),
    DdlUpdate: (_ddl_metadata, _empty),
}
