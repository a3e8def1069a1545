"""Roles, GRANT and REVOKE."""

from __future__ import annotations

from typing import NamedTuple

from spanemu.sql.syntax import ddl_ast
from spanemu.sql.syntax.ast import Identifier
from spanemu.sql.syntax.ddl.parts import DdlPartParser

_PRIVILEGES = ("SELECT", "INSERT", "UPDATE", "DELETE", "EXECUTE", "USAGE")
# Words that name a kind of object, longest first, and their plural in ON ALL ... IN SCHEMA.
_KINDS = (
    (("TABLE", "FUNCTION"), ("TABLE", "FUNCTIONS")),
    (("CHANGE", "STREAM"), ("CHANGE", "STREAMS")),
    (("LOCALITY", "GROUP"), ("LOCALITY", "GROUPS")),
    (("TABLE",), ("TABLES",)),
    (("VIEW",), ("VIEWS",)),
    (("SEQUENCE",), ("SEQUENCES",)),
    (("FUNCTION",), ("FUNCTIONS",)),
    (("MODEL",), ("MODELS",)),
    (("SCHEMA",), ("SCHEMAS",)),
)


class _Terms(NamedTuple):
    """Everything of a GRANT or REVOKE but its verb."""

    roles: tuple[Identifier, ...]
    privileges: tuple[ddl_ast.Privilege, ...] = ()
    target: ddl_ast.GrantTarget | None = None
    granted_roles: tuple[Identifier, ...] = ()


class DdlAccessParser(DdlPartParser):
    """The chapter on access control."""

    def create_role(self, start: int) -> ddl_ast.CreateRole:
        """CREATE ROLE name: the verb has been read."""
        self.expect("ROLE")
        if_not_exists = self.if_not_exists()
        return ddl_ast.CreateRole(self.identifier(), if_not_exists, at=start, end=self.end)

    def grant(self, start: int) -> ddl_ast.Grant:
        """GRANT ... TO ROLE ...: the verb has been read."""
        return ddl_ast.Grant(*self._terms("TO"), at=start, end=self.end)

    def revoke(self, start: int) -> ddl_ast.Revoke:
        """REVOKE ... FROM ROLE ...: the verb has been read."""
        return ddl_ast.Revoke(*self._terms("FROM"), at=start, end=self.end)

    def _terms(self, preposition: str) -> _Terms:
        granted: tuple[Identifier, ...] = ()
        privileges: tuple[ddl_ast.Privilege, ...] = ()
        target = None
        if self.accept("ROLE"):
            granted = self.comma_separated(self.identifier)
        else:
            privileges = self.comma_separated(self._privilege)
            self.expect("ON")
            target = self._target()
        self.expect_all(preposition, "ROLE")
        roles = self.comma_separated(self.identifier)
        return _Terms(roles, privileges, target, granted)

    def _privilege(self) -> ddl_ast.Privilege:
        if self.token.symbol not in _PRIVILEGES:
            raise self.unexpected(*_PRIVILEGES)
        word = self.advance()
        columns: tuple[Identifier, ...] = ()
        if self.token.symbol == "(":
            columns = self.identifiers_in_parentheses()
        return ddl_ast.Privilege(word.symbol, columns, at=word.at, end=self.end)

    def _target(self) -> ddl_ast.GrantTarget:
        """Kind and names; or ALL kinds IN SCHEMA names."""
        start = self.token.at
        of_schemas = self.accept("ALL")
        for one, many in _KINDS:
            if self.accept_all(*(many if of_schemas else one)):
                kind = " ".join(one)
                break
        else:
            raise self.unexpected()
        if of_schemas:
            self.expect_all("IN", "SCHEMA")
        names = self.comma_separated(self.path_or_default)
        return ddl_ast.GrantTarget(kind, names, of_schemas, at=start, end=self.end)
