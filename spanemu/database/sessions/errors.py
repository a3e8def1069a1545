"""Errors of sessions and of their database roles."""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError
from spanemu.database.errors import ResourceNotFound

_TYPE_URL = "type.googleapis.com/google.spanner"


class SessionNotFound(ResourceNotFound):
    """A request to a session that was never created, has expired or was deleted."""

    kind = "Session"
    resource_type = f"{_TYPE_URL}.v1.Session"


class MultiplexedSessionDeleted(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Multiplexed sessions may not be deleted: {name}"
    name: str


class PartitionNeedsReadOnlyTransaction(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Partitioned reads and queries can only be performed in a read-only transaction."


class RoleNotFound(SpannerError, code=Code.PERMISSION_DENIED):
    prose = "Role not found: {role}."
    role: str


class PrivilegeMissing(SpannerError, code=Code.PERMISSION_DENIED):
    prose = "Role {role} does not have required privileges on {kind} {name}. It needs {privilege}."
    role: str
    privilege: str
    kind: str
    name: str
