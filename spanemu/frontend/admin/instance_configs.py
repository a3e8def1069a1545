"""google.spanner.admin.instance.v1: the configurations that users make."""

from __future__ import annotations

from typing import Any

from spanemu.admin import instance_administration as administration
from spanemu.admin.instance_config import ConfigSpec
from spanemu.admin.instances import Instances
from spanemu.admin.replica_topology import Replica
from spanemu.base.names.paths import ProjectName
from spanemu.base.paging import PageRequest
from spanemu.frontend.admin import wire
from spanemu.frontend.admin.operation_messages import operation_to_proto
from spanemu.frontend.admin.resources import config_to_proto, version_of


def list_instance_configs(instances: Instances, request: Any) -> Any:
    """The places where an instance can be created."""
    paging = PageRequest(request.page_size, request.page_token)
    page = instances.configs.listed(request.parent, paging)
    return wire.ListInstanceConfigsResponse(
        instance_configs=map(config_to_proto, page.items), next_page_token=page.next_token
    )


def get_instance_config(instances: Instances, request: Any) -> Any:
    """One of those places."""
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
    """What was done about the configurations of a project, the latest first."""
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
            Replica(each.location, each.type_, each.default_leader_location)
            for each in message.replicas
        ),
        labels=dict(message.labels),
        leader_options=tuple(message.leader_options),
        expected=version_of(message.etag),
    )
