"""Roles, grants, and what may not be granted."""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError


class RoleNameReserved(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Role name not valid: {role}. It is reserved."
    role: str


class RoleExists(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Duplicate name in schema: role {role}."
    role: str


class RoleInUse(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Cannot drop role {role}: it has privileges on {objects}. Revoke them first."
    role: str
    objects: str


class SystemRoleFixed(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Role {role} is a system role: {reason}."
    role: str
    reason: str


class RoleCycle(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "Cannot grant role {role} to role {member}: {member} would be a member of itself."
    role: str
    member: str


class PrivilegeNotForKind(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Privilege {privilege} cannot be granted on {kind} {name}: {reason}."
    privilege: str
    kind: str
    name: str
    reason: str


class PrivilegesDepend(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = (
        "Cannot drop {kind} `{name}`: the roles {roles} have privileges on it. Revoke them first."
    )
    kind: str
    name: str
    roles: str
