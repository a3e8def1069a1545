"""google.longrunning.Operations, and the lists of operations that the admin APIs have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from spanemu.admin.backup_administration import get_backup
from spanemu.admin.instance_administration import get_partition
from spanemu.admin.instances import Instances
from spanemu.base.call import current
from spanemu.base.limits import REQUEST_SECONDS_MAX
from spanemu.base.names.operations import operations_collection
from spanemu.base.names.paths import (
    BackupName,
    DatabaseName,
    InstanceConfigName,
    InstanceName,
    InstancePartitionName,
)
from spanemu.base.nanos import NANOS_PER_SECOND
from spanemu.base.paging import PageRequest
from spanemu.frontend.admin import wire
from spanemu.frontend.admin.operation_messages import operation_to_proto
from spanemu.frontend.convert.timestamps import duration_from_proto


def get_operation(instances: Instances, request: Any) -> Any:
    """One operation."""
    return operation_to_proto(instances.operations.get(request.name))


def list_operations(instances: Instances, request: Any) -> Any:
    """The operations of one instance, database, backup, partition or configuration."""
    resource = operations_collection(request.name)
    _FINDERS[type(resource)](instances, str(resource))
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
    """Ask an operation to stop: a schema update that runs does, before its next statement."""
    instances.operations.cancel(request.name)
    return wire.Empty()


def wait_operation(instances: Instances, request: Any) -> Any:
    """The operation, when it is done or the time given is up."""
    seconds = None
    if request.HasField("timeout"):
        seconds = min(duration_from_proto(request.timeout) / NANOS_PER_SECOND, REQUEST_SECONDS_MAX)
    left = current().seconds_left()
    waits = [each for each in (seconds, left) if each is not None]
    return operation_to_proto(instances.operations.wait(request.name, min(waits, default=0.0)))


def _paging(request: Any) -> PageRequest:
    return PageRequest(request.page_size, request.page_token)


# How each kind of resource that has operations is found.
_FINDERS: Mapping[type, Callable[[Instances, str], object]] = {
    InstanceName: Instances.instance,
    DatabaseName: Instances.database,
    BackupName: get_backup,
    InstancePartitionName: get_partition,
    InstanceConfigName: lambda instances, name: instances.configs.get(name),
}
