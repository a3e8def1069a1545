"""google.spanner.admin.instance.v1: instances."""

from __future__ import annotations

from typing import Any

from spanemu.admin.errors.requests import InvalidFieldMask
from spanemu.admin.instance_administration import create_instance as create
from spanemu.admin.instance_administration import move_instance as move
from spanemu.admin.instance_administration import update_instance as update
from spanemu.admin.instances import Instances
from spanemu.base.paging import PageRequest
from spanemu.frontend.admin import wire
from spanemu.frontend.admin.operation_messages import operation_to_proto
from spanemu.frontend.admin.resources import instance_to_proto, spec_from_proto


def list_instances(instances: Instances, request: Any) -> Any:
    """The instances of a project that a filter keeps."""
    paging = PageRequest(request.page_size, request.page_token)
    page = instances.instances(request.parent, request.filter, paging)
    return wire.ListInstancesResponse(
        instances=map(instance_to_proto, page.items), next_page_token=page.next_token
    )


def get_instance(instances: Instances, request: Any) -> Any:
    """One instance, or those of its fields that a mask names."""
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
