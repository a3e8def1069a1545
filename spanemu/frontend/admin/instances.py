"""The handlers of google.spanner.admin.instance.v1: instances, configurations, partitions."""

from __future__ import annotations

from typing import Any

from spanemu.admin import instance_administration as administration
from spanemu.admin.errors import InvalidFieldMask
from spanemu.admin.instance_administration import create_instance as create
from spanemu.admin.instance_administration import move_instance as move
from spanemu.admin.instance_administration import update_instance as update
from spanemu.admin.instance_config import ConfigSpec
from spanemu.admin.instance_partition import InstancePartition, PartitionSpec
from spanemu.admin.instances import Instances
from spanemu.admin.published_configs import Replica
from spanemu.base.paging import PageRequest
from spanemu.base.resource_names import InstanceName, ProjectName
from spanemu.frontend import wire
from spanemu.frontend.admin.operations import operation_to_proto
from spanemu.frontend.admin.resources import (
    autoscaling_from_proto,
    config_to_proto,
    instance_to_proto,
    partition_to_proto,
    spec_from_proto,
    version_of,
)


def list_instances(instances: Instances, request: Any) -> Any:
    """List the instances of a project that match a filter."""
    paging = PageRequest(request.page_size, request.page_token)
    page = instances.instances(request.parent, request.filter, paging)
    return wire.ListInstancesResponse(
        instances=map(instance_to_proto, page.items), next_page_token=page.next_token
    )


def get_instance(instances: Instances, request: Any) -> Any:
    """Return an instance, or the fields of it that a mask names."""
    whole = instance_to_proto(instances.instance(request.name))
    paths = request.field_mask.paths
    return _masked(whole, request.field_mask) if paths else whole


def create_instance(instances: Instances, request: Any) -> Any:
    """Create an instance; the operation is done."""
    spec = spec_from_proto(request.instance)
    return operation_to_proto(create(instances, request.parent, request.instance_id, spec))


def update_instance(instances: Instances, request: Any) -> Any:
    """Change the fields that a mask names; the operation is done."""
    spec = spec_from_proto(request.instance)
    paths = tuple(request.field_mask.paths)
    return operation_to_proto(update(instances, spec, paths))


def move_instance(instances: Instances, request: Any) -> Any:
    """Move an instance to another configuration; the operation is done."""
    return operation_to_proto(move(instances, request.name, request.target_config))


def delete_instance(instances: Instances, request: Any) -> Any:
    """Drop an instance and all its databases."""
    instances.delete_instance(request.name)
    return wire.Empty()


def _masked(whole: Any, mask: Any) -> Any:
    for path in mask.paths:
        if path.partition(".")[0] not in wire.Instance.DESCRIPTOR.fields_by_name:
            raise InvalidFieldMask(whole.name, path)
    part = wire.Instance()
    mask.MergeMessage(whole, part)
    return part


def list_instance_configs(instances: Instances, request: Any) -> Any:
    """List the configurations with which an instance can be created."""
    paging = PageRequest(request.page_size, request.page_token)
    page = instances.configs.listed(request.parent, paging)
    return wire.ListInstanceConfigsResponse(
        instance_configs=map(config_to_proto, page.items), next_page_token=page.next_token
    )


def get_instance_config(instances: Instances, request: Any) -> Any:
    """Return a configuration."""
    return config_to_proto(instances.configs.get(request.name))


def create_instance_config(instances: Instances, request: Any) -> Any:
    """Create a configuration with more replicas than another; the operation is done."""
    done = administration.create_config(
        instances,
        request.parent,
        request.instance_config_id,
        _spec(request.instance_config),
        validate_only=request.validate_only,
    )
    return operation_to_proto(done)


def update_instance_config(instances: Instances, request: Any) -> Any:
    """Change the fields of a configuration that a mask names; the operation is done."""
    done = administration.update_config(
        instances,
        _spec(request.instance_config),
        tuple(request.update_mask.paths),
        validate_only=request.validate_only,
    )
    return operation_to_proto(done)


def delete_instance_config(instances: Instances, request: Any) -> Any:
    """Delete a configuration that no instance uses."""
    expected = version_of(request.etag)
    administration.delete_config(
        instances, request.name, expected, validate_only=request.validate_only
    )
    return wire.Empty()


def list_instance_config_operations(instances: Instances, request: Any) -> Any:
    """List the operations on configurations of a project, the latest first."""
    project = ProjectName.parse(request.parent)
    paging = PageRequest(request.page_size, request.page_token)
    page = instances.operations.of_configs(project, request.filter, paging)
    return wire.ListInstanceConfigOperationsResponse(
        operations=map(operation_to_proto, page.items), next_page_token=page.next_token
    )


def _spec(message: Any) -> ConfigSpec:
    return ConfigSpec(
        name=message.name,
        display_name=message.display_name,
        base=message.base_config,
        replicas=tuple(
            Replica(item.location, item.type_, item.default_leader_location)
            for item in message.replicas
        ),
        labels=dict(message.labels),
        leader_options=tuple(message.leader_options),
        expected=version_of(message.etag),
    )


def list_instance_partitions(instances: Instances, request: Any) -> Any:
    """List the partitions of an instance."""
    paging = PageRequest(request.page_size, request.page_token)
    page = administration.list_partitions(instances, request.parent, paging)
    return wire.ListInstancePartitionsResponse(
        instance_partitions=[_message(instances, item) for item in page.items],
        next_page_token=page.next_token,
    )


def get_instance_partition(instances: Instances, request: Any) -> Any:
    """Return a partition."""
    return _message(instances, administration.get_partition(instances, request.name))


def create_instance_partition(instances: Instances, request: Any) -> Any:
    """Create a partition; the operation is done."""
    spec = _partition_spec(request.instance_partition)
    return operation_to_proto(
        administration.create_partition(
            instances, request.parent, request.instance_partition_id, spec
        )
    )


def update_instance_partition(instances: Instances, request: Any) -> Any:
    """Change the fields of a partition that a mask names; the operation is done."""
    spec, paths = _partition_spec(request.instance_partition), tuple(request.field_mask.paths)
    return operation_to_proto(administration.update_partition(instances, spec, paths))


def delete_instance_partition(instances: Instances, request: Any) -> Any:
    """Delete a partition without databases."""
    administration.delete_partition(instances, request.name, version_of(request.etag))
    return wire.Empty()


def list_instance_partition_operations(instances: Instances, request: Any) -> Any:
    """List the operations on partitions of an instance, the latest first."""
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


def _partition_spec(message: Any) -> PartitionSpec:
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
