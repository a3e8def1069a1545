"""IAM policies of instances, databases, backups and backup schedules.

Callers have no identity in the emulator, so every permission is granted that Spanner has.
"""

from __future__ import annotations

from typing import Any

from spanemu.admin.access_rules import (
    Binding,
    check_permissions,
    check_policy,
    check_policy_version,
)
from spanemu.admin.backup_administration import get_backup, get_schedule
from spanemu.admin.catalogs import Policy
from spanemu.admin.instances import Instances
from spanemu.base.resource_names import InstanceName
from spanemu.frontend import wire
from spanemu.frontend.errors import InvalidEtag

_TAG_BYTES = 8
_NEVER_SET = b"\x00 \x01"  # the etag of a policy that was never set, everywhere in Google Cloud


def get_iam_policy(instances: Instances, request: Any) -> Any:
    """Return the policy that was set last, or an empty policy."""
    check_policy_version(request.resource, request.options.requested_policy_version)
    return _to_proto(
        instances.policies.get(request.resource, _created(instances, request.resource))
    )


def set_iam_policy(instances: Instances, request: Any) -> Any:
    """Set a policy; the etag of a policy that was read before must still be current."""
    created = _created(instances, request.resource)
    bindings = [
        Binding(each.role, each.members, each.HasField("condition"))
        for each in request.policy.bindings
    ]
    check_policy(request.resource, request.policy.version, bindings)
    tag = _tag(request.policy.etag) if request.policy.etag else None
    content = request.policy.SerializeToString()
    return _to_proto(instances.policies.set(request.resource, created, content, tag))


def test_iam_permissions(instances: Instances, request: Any) -> Any:
    """Return the requested permissions that the caller has: all of them."""
    _created(instances, request.resource)
    check_permissions(request.resource, request.permissions)
    return wire.TestIamPermissionsResponse(permissions=request.permissions)


def _created(instances: Instances, resource: str) -> int:
    """Return when the resource was created; it must exist."""
    if "/backupSchedules/" in resource:
        return get_schedule(instances, resource).create_time
    if "/backups/" in resource:
        return get_backup(instances, resource).create_time
    if "/databaseRoles/" in resource:
        return _created(instances, resource.partition("/databaseRoles/")[0])
    if "/databases/" in resource:
        return instances.database(resource).create_time
    return instances.instance(str(InstanceName.parse(resource))).create_time


def _to_proto(policy: Policy) -> Any:
    message = wire.Policy.FromString(policy.content)
    message.etag = policy.tag.to_bytes(_TAG_BYTES) if policy.tag else _NEVER_SET
    return message


def _tag(etag: bytes) -> int:
    if etag == _NEVER_SET:
        return 0
    if len(etag) != _TAG_BYTES:
        raise InvalidEtag()
    return int.from_bytes(etag)
