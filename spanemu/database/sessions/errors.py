"""What can be wrong with a session, and with what its role asks for."""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError
from spanemu.database.errors import ResourceNotFound

_TYPE_URL = "type.googleapis.com/google.spanner"


class SessionNotFound(ResourceNotFound):
    """No session of that name: never created, expired, or deleted."""

    kind = "Session"
    resource_type = f"{_TYPE_URL}.v1.Session"


class MultiplexedSessionDeleted(SpannerError):
    """Multiplexed sessions live out their time."""

    code = Code.INVALID_ARGUMENT
    prose = "Multiplexed sessions may not be deleted: {name}"
    name: str


class PartitionNeedsReadOnlyTransaction(SpannerError):
    """Partitioning outside of a read-only transaction."""

    code = Code.INVALID_ARGUMENT
    prose = "Partitioned reads and queries can only be performed in a read-only transaction."


class RoleNotFound(SpannerError):
    """A session is to carry a role that the database does not have."""

    code = Code.PERMISSION_DENIED
    prose = "Role not found: {role}."
    role: str


class PrivilegeMissing(SpannerError):
    """A session's role may not do what a request asks for."""

    code = Code.PERMISSION_DENIED
    prose = "Role {role} does not have required privileges on {kind} {name}. It needs {privilege}."
    role: str
    privilege: str
    kind: str
    name: str
