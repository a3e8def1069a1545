"""Database roles and their privileges."""

from __future__ import annotations

from spanemu.base.record import dataclass

PUBLIC = "public"  # every role is a member of it
INFO_READER = "spanner_info_reader"
SYS_READER = "spanner_sys_reader"
SYSTEM_ROLES = (PUBLIC, INFO_READER, SYS_READER)


@dataclass(frozen=True, slots=True)
class Grant:
    """One privilege on one object: SELECT on the TABLE Singers, limited to `columns` if any.

    `kind` is TABLE, VIEW, CHANGE STREAM, SEQUENCE, TABLE FUNCTION, FUNCTION, MODEL or SCHEMA.
    """

    privilege: str
    kind: str
    name: str
    columns: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Role:
    """A role, its grants in order of creation, and the roles of which it is a member."""

    name: str
    grants: tuple[Grant, ...] = ()
    member_of: tuple[str, ...] = ()
