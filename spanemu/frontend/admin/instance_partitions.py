"""google.spanner.admin.instance.v1: instance partitions."""

from __future__ import annotations

from typing import Any

from spanemu.admin import instance_administration as administration
from spanemu.admin.instance_partition import InstancePartition, PartitionSpec
from spanemu.admin.instances import Instances
from spanemu.base.names.paths import InstanceName
from spanemu.base.paging import PageRequest
from spanemu.frontend.admin import wire
from spanemu.frontend.admin.operation_messages import operation_to_proto
from spanemu.frontend.admin.resources import (
    autoscaling_from_proto,
    partition_to_proto,
    version_of,
)


def list_instance_partitions(instances: Instances, request: Any) -> Any:
    """The partitions of an instance."""
    paging = PageRequest(request.page_size, request.page_token)
    page = administration.list_partitions(instances, request.parent, paging)
    return wire.ListInstancePartitionsResponse(
        instance_partitions=[_message(instances, each) for each in page.items],
        next_page_token=page.next_token,
    )


def get_instance_partition(instances: Instances, request: Any) -> Any:
    """One partition."""
    return _message(instances, administration.get_partition(instances, request.name))


def create_instance_partition(instances: Instances, request: Any) -> Any:
    """Create a partition; the operation is done."""
    spec = _spec(request.instance_partition)
    return operation_to_proto(
        administration.create_partition(
            instances, request.parent, request.instance_partition_id, spec
        )
    )


def update_instance_partition(instances: Instances, request: Any) -> Any:
    """Change the fields of a partition that a mask names; the operation is done."""
    spec, paths = _spec(request.instance_partition), tuple(request.field_mask.paths)
    return operation_to_proto(administration.update_partition(instances, spec, paths))


def delete_instance_partition(instances: Instances, request: Any) -> Any:
    """Delete a partition that nobody uses."""
    administration.delete_partition(instances, request.name, version_of(request.etag))
    return wire.Empty()


def list_instance_partition_operations(instances: Instances, request: Any) -> Any:
    """What was done about the partitions of an instance, the latest first."""
    instance = InstanceName.parse(request.parent)
    instances.instance(request.parent)
    paging = PageRequest(request.page_size, request.page_token)
    page = instances.operations.of_partitions(instance, request.filter, paging)
    return wire.ListInstancePartitionOperationsResponse(
        operations=map(operation_to_proto, page.items), next_page_token=page.next_token
    )


def _message(instances: Instances, partition: InstancePartition) -> Any:
    users = administration.databases_in(instances, partition.name)
    return partition_to_proto(partition, users)


def _spec(message: Any) -> PartitionSpec:
    capacity = message.WhichOneof("compute_capacity")
    return PartitionSpec(
        name=message.name,
        config=message.config,
        display_name=message.display_name,
        node_count=message.node_count if capacity == "node_count" else None,
        processing_units=message.processing_units if capacity == "processing_units" else None,
        autoscaling=autoscaling_from_proto(message),
        expected=version_of(message.etag),
    )
