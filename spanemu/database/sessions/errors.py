"""Errors of sessions and of their database roles."""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError
from spanemu.database.errors import ResourceNotFound

_TYPE_URL = "type.googleapis.com/google.spanner"


class SessionNotFound(ResourceNotFound):
    """A request to a session that was never created, has expired or was deleted."""

    kind = "Session"
    resource_type = f"{_TYPE_URL}.v1.Session"


class MultiplexedSessionDeleted(SpannerError):
    """A request to delete a multiplexed session; such sessions end only by expiry."""

    code = Code.INVALID_ARGUMENT
    prose = "Multiplexed sessions may not be deleted: {name}"
    name: str


class PartitionNeedsReadOnlyTransaction(SpannerError):
    """A partition request outside of a read-only transaction."""

    code = Code.INVALID_ARGUMENT
    prose = "Partitioned reads and queries can only be performed in a read-only transaction."


class RoleNotFound(SpannerError):
    """A session to be created with a role that the database does not have."""

    code = Code.PERMISSION_DENIED
    prose = "Role not found: {role}."
    role: str


class PrivilegeMissing(SpannerError):
    """A request that needs a privilege that the session's role does not have."""

    code = Code.PERMISSION_DENIED
    prose = "Role {role} does not have required privileges on {kind} {name}. It needs {privilege}."
    role: str
    privilege: str
    kind: str
    name: str
