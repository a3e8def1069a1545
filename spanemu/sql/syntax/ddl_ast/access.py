"""Roles, GRANT and REVOKE."""

from __future__ import annotations

from spanemu.base.record import record
from spanemu.sql.syntax.ast import Identifier, Node, Path
from spanemu.sql.syntax.ddl_ast.parts import DdlStatement, Drop


@record
class CreateRole(DdlStatement):
    """CREATE ROLE name."""

    name: Identifier
    if_not_exists: bool = False


@record
class DropRole(Drop):
    """DROP ROLE."""


@record
class Privilege(Node):
    """SELECT, INSERT, UPDATE, DELETE, EXECUTE or USAGE, with the columns it is limited to."""

    name: str
    columns: tuple[Identifier, ...] = ()


@record
class GrantTarget(Node):
    """What privileges are on.

    `kind` is TABLE, VIEW, CHANGE STREAM, SEQUENCE, TABLE FUNCTION, FUNCTION, MODEL or SCHEMA.
    With `all_in_schema` (ON ALL TABLES IN SCHEMA s, ...) the names are those of schemas.
    """

    kind: str
    names: tuple[Path, ...]
    all_in_schema: bool = False


@record
class Grant(DdlStatement):
    """GRANT privileges ON target TO ROLE roles, or GRANT ROLE granted_roles TO ROLE roles."""

    roles: tuple[Identifier, ...]
    privileges: tuple[Privilege, ...] = ()
    target: GrantTarget | None = None
    granted_roles: tuple[Identifier, ...] = ()


@record
class Revoke(DdlStatement):
    """REVOKE ... FROM ROLE roles: the same two forms."""

    roles: tuple[Identifier, ...]
    privileges: tuple[Privilege, ...] = ()
    target: GrantTarget | None = None
    granted_roles: tuple[Identifier, ...] = ()
