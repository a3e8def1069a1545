"""The rules for access policies: principals, roles, versions, and the names of permissions.

From the pages "IAM overview for Spanner" and "Package google.iam.v1". Policies are stored and never
enforced, because callers have no identity here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from spanemu.admin import errors
from spanemu.base.errors import SpannerError
from spanemu.base.record import NamedTuple

POLICY_VERSIONS = (0, 1, 3)
CONDITIONAL_VERSION = 3  # of policies with conditions
PRINCIPALS_MAX = 1_500
GROUPS_MAX = 250

_FORMS = (
    "user:EMAIL, serviceAccount:EMAIL, group:EMAIL, domain:NAME, principal://..., "
    "principalSet://..., allUsers or allAuthenticatedUsers"
)
_EMAIL = r"[^@\s:?]+@[^@\s:?]+"
_POOL = (
    r"principal(Set)?://iam\.googleapis\.com/(projects/[^/\s]+/)?locations/[^/\s]+/"
    r"(workforce|workloadIdentity)Pools/[^/\s]+/\S+"
)
_PRINCIPAL = re.compile(
    rf"(user|group|serviceAccount):{_EMAIL}"
    r"|serviceAccount:[^\s\[\]:]+\.svc\.id\.goog\[[^/\s\]]+/[^/\s\]]+\]"
    r"|domain:[^@\s:]+\.[^@\s:]+"
    r"|project(Owner|Editor|Viewer):[^\s:]+"
    r"|allUsers|allAuthenticatedUsers"
    rf"|{_POOL}"
    rf"|deleted:(user|group|serviceAccount):{_EMAIL}\?uid=\d+"
    rf"|deleted:{_POOL}"
)
_ROLE = re.compile(
    r"roles/(owner|editor|viewer|browser|[a-z][A-Za-z0-9]*(\.[A-Za-z0-9]+)+)"
    r"|(projects|organizations)/[^/\s]+/roles/[A-Za-z0-9_.]{3,64}"
)
_SPANNER_ROLES = (
    "admin backupAdmin backupWriter databaseAdmin databaseReader databaseReaderWithDataBoost "
    "databaseRoleUser databaseUser fineGrainedAccessUser graphIntelligenceUser restoreAdmin "
    "serviceAgent viewer"
)
_PERMISSIONS = {
    "backupOperations": "cancel get list",
    "backupSchedules": "create delete get getIamPolicy list setIamPolicy update",
    "backups": "copy create delete get getIamPolicy list restoreDatabase setIamPolicy update",
    "databaseOperations": "cancel delete get list",
    "databaseRoles": "list use",
    "databases": (
        "adapt addSplitPoints beginOrRollbackReadWriteTransaction beginPartitionedDmlTransaction "
        "beginReadOnlyTransaction changequorum create createBackup createTagBinding "
        "deleteTagBinding drop get getDdl getIamPolicy list listEffectiveTags listTagBindings "
        "partitionQuery partitionRead read runGraphAlgorithms select setIamPolicy update updateDdl "
        "updateTag useDataBoost useRoleBasedAccess write"
    ),
    "instanceConfigOperations": "cancel delete get list",
    "instanceConfigs": "create delete get list update",
    "instanceOperations": "cancel delete get list",
    "instancePartitionOperations": "cancel delete get list",
    "instancePartitions": "create delete get list update",
    "instances": (
        "create createTagBinding delete deleteTagBinding get getIamPolicy list listEffectiveTags "
        "listTagBindings setIamPolicy update updateTag"
    ),
    "sessions": "create delete get list",
}


class Binding(NamedTuple):
    """The principals to which a policy gives a role, on a condition or always."""

    role: str
    principals: Sequence[str]
    is_conditional: bool


def check_policy(resource: str, version: int, bindings: Sequence[Binding]) -> None:
    """Raise the first error of a policy for a resource."""
    check_policy_version(resource, version)
    for problem in _problems(resource, version, bindings):
        raise problem


def check_policy_version(resource: str, version: int) -> None:
    """Raise InvalidPolicy unless policies can have a version."""
    if version not in POLICY_VERSIONS:
        raise errors.InvalidPolicy(resource, f"there is no version {version}; use 0, 1 or 3")


def check_permissions(resource: str, permissions: Iterable[str]) -> None:
    """Raise PermissionWildcard or UnknownPermission unless each is a permission of Spanner."""
    for permission in permissions:
        if "*" in permission:
            raise errors.PermissionWildcard(permission, resource)
        if permission not in _known_permissions():
            raise errors.UnknownPermission(permission, resource)


@cache
def _known_permissions() -> frozenset[str]:
    return frozenset(
        f"spanner.{collection}.{verb}"
        for collection, verbs in _PERMISSIONS.items()
        for verb in verbs.split()
    )


def _is_role(text: str) -> bool:
    service, _, name = text.partition(".")
    if service == "roles/spanner":
        return name in _SPANNER_ROLES.split()
    return _ROLE.fullmatch(text) is not None


def _problems(resource: str, version: int, bindings: Sequence[Binding]) -> Iterator[SpannerError]:
    principals = [principal for binding in bindings for principal in binding.principals]
    groups = sum(principal.startswith("group:") for principal in principals)
    for what, count, limit in (
        ("principals", len(principals), PRINCIPALS_MAX),
        ("groups", groups, GROUPS_MAX),
    ):
        if count > limit:
            yield errors.InvalidPolicy(resource, f"it has {count} {what}, more than {limit}")
    for binding in bindings:
        if not _is_role(binding.role):
            reason = f'role "{binding.role}" is not supported for this resource'
            yield errors.InvalidPolicy(resource, reason)
        if not binding.principals:
            yield errors.InvalidPolicy(resource, f"no member has the role {binding.role}")
        for principal in binding.principals:
            if not _PRINCIPAL.fullmatch(principal):
                reason = f'member "{principal}" is not {_FORMS}'
                yield errors.InvalidPolicy(resource, reason)
        if binding.is_conditional and version != CONDITIONAL_VERSION:
            yield errors.InvalidPolicy(
                resource, f"a policy with conditions has the version {CONDITIONAL_VERSION}"
            )
