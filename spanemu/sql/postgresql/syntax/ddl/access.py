"""Roles, GRANT and REVOKE."""

from __future__ import annotations

from collections.abc import Mapping

from spanemu.base.record import NamedTuple
from spanemu.sql import ddl_ast
from spanemu.sql.postgresql.syntax.ddl.parts import PUBLIC, DdlPartParser
from spanemu.sql.syntax_tree import Identifier, Path

_SPANNER = "spanner"
# The kinds of objects that Spanner grants privileges on, by the words in front of their names.
_KINDS: Mapping[tuple[str, ...], str] = {
    ("CHANGE", "STREAM"): "CHANGE STREAM",
    ("QUEUE",): "QUEUE",
    ("SCHEMA",): "SCHEMA",
    ("SEQUENCE",): "SEQUENCE",
    ("TABLE",): "RELATION",
}
_ALL_KINDS: Mapping[tuple[str, ...], str] = {
    ("CHANGE", "STREAMS"): "CHANGE STREAM",
    ("FUNCTIONS",): "TABLE FUNCTION",
    ("SEQUENCES",): "SEQUENCE",
    ("TABLES",): "TABLE",
}
_OTHER_KINDS = frozenset(
    {"DATABASE", "DOMAIN", "FOREIGN", "LANGUAGE", "LARGE", "PARAMETER", "TABLESPACE", "TYPE"}
)
_OTHER_PLURALS = ("PROCEDURES", "ROUTINES")


class _Terms(NamedTuple):
    """The clauses of a GRANT or REVOKE behind its verb."""

    roles: tuple[Identifier, ...]
    privileges: tuple[ddl_ast.Privilege, ...] = ()
    target: ddl_ast.GrantTarget | None = None
    granted_roles: tuple[Identifier, ...] = ()


class DdlAccessParser(DdlPartParser):
    """The grammar of roles and privileges."""

    # ------------------------------------------------------------------------ roles

    def create_role(self, start: int) -> ddl_ast.DdlStatement:
        """Parse CREATE ROLE name; the caller has read the verb."""
        self.expect("ROLE")
        name = self._role()
        if name.name == PUBLIC:
            raise self.failure('role name "public" is reserved', name.at)
        if name.name.startswith("pg_"):
            self.reject_later("'pg_' is not supported as a prefix for a role name.", name.at)
        elif name.name == "postgres":
            self.reject_later("'postgres' is not supported as a role name.", name.at)
        if self.token.symbol not in (";", "end of statement"):
            self.refuse_clause("WITH")
            self.skip_rest()
        return ddl_ast.CreateRole(name, at=start, end=self.end)

    def drop_role(self, start: int, if_exists: bool) -> ddl_ast.DdlStatement:
        """Parse the names behind DROP ROLE [IF EXISTS]; Spanner takes one name."""
        if if_exists:
            self.refuse_clause("IF EXISTS")
        roles = self.item_list(self._role)
        if len(roles) > 1:
            self.refuse("<DROP ROLE> supports deletion of only a single role per statement.")
        name = Path((roles[0],), at=roles[0].at, end=roles[0].end)
        return ddl_ast.DropRole(name, at=start, end=self.end)

    def _role(self) -> Identifier:
        if self.token.symbol in ("CURRENT_USER", "CURRENT_ROLE", "SESSION_USER"):
            word = self.token.text.upper()
            raise self.failure(f"{word} cannot be used as a role name here")
        return self.identifier()

    # ------------------------------------------------------------------------ GRANT, REVOKE

    def grant(self, start: int) -> ddl_ast.DdlStatement:
        """Parse GRANT privileges ON objects TO roles, or GRANT roles TO roles."""
        return ddl_ast.Grant(*self._terms("TO"), at=start, end=self.end)

    def revoke(self, start: int) -> ddl_ast.DdlStatement:
        """Parse REVOKE privileges ON objects FROM roles, or REVOKE roles FROM roles."""
        for word in ("GRANT", "ADMIN"):
            if self.accept_all(word, "OPTION", "FOR"):
                self.refuse_clause(f"{word} OPTION" if word == "ADMIN" else "GRANT OPTION")
        return ddl_ast.Revoke(*self._terms("FROM"), at=start, end=self.end)

    def _terms(self, preposition: str) -> _Terms:
        privileges = self._privileges()
        granted: tuple[Identifier, ...] = ()
        target = None
        if self.accept("ON"):
            privileges = tuple(map(self._known, privileges))
            target = self._target()
        else:
            granted = tuple(map(self._as_role, privileges))
            privileges = ()
        self.expect(preposition)
        roles = self.item_list(self._grantee)
        self._endings(preposition)
        return _Terms(roles, privileges, target, granted)

    def _privileges(self) -> tuple[ddl_ast.Privilege, ...]:
        start = self.token.at
        if not self.accept("ALL"):
            return self.item_list(self._privilege)
        self.accept("PRIVILEGES")
        self.refuse_clause("ALL PRIVILEGES")
        if self.token.symbol == "(":
            self.column_names()
        return (ddl_ast.Privilege("SELECT", at=start, end=self.end),)

    def _privilege(self) -> ddl_ast.Privilege:
        """Parse a word, or the name of a role, with columns behind it."""
        reserved = self.token.symbol in ("SELECT", "REFERENCES", "CREATE")
        word = self.part() if reserved else self.identifier()
        columns = self.column_names() if self.token.symbol == "(" else ()
        return ddl_ast.Privilege(word.name, columns, at=word.at, end=self.end)

    def _known(self, privilege: ddl_ast.Privilege) -> ddl_ast.Privilege:
        """Return a privilege with its name as Spanner has it."""
        name = privilege.name.upper()
        if name not in ("SELECT", "INSERT", "UPDATE", "DELETE", "EXECUTE", "USAGE"):
            message = f"<{name}> privilege is not supported in <{self.statement}> statement."
            self.refuse(message, privilege.at)
            name = "SELECT"
        return ddl_ast.Privilege(name, privilege.columns, at=privilege.at, end=privilege.end)

    def _as_role(self, privilege: ddl_ast.Privilege) -> Identifier:
        """Return the role that stands where a privilege could stand."""
        if privilege.columns:
            message = f"Column names are not supported in <{self.statement} ROLE> statement."
            self.refuse(message, privilege.at)
        return Identifier(privilege.name, at=privilege.at, end=privilege.end)

    def _grantee(self) -> Identifier:
        self.accept("GROUP")
        return self._role()

    def _endings(self, preposition: str) -> None:
        """Parse the words behind the roles, all refused."""
        if preposition == "TO" and self.accept("WITH"):
            word = self.accept_any("GRANT", "ADMIN")
            if not word:
                raise self.unexpected()
            self.expect("OPTION")
            self.refuse_clause(f"WITH {word} OPTION")
        if self.accept_all("GRANTED", "BY"):
            self.refuse_clause("GRANTED BY")
            self.part()
        if preposition == "FROM":
            self.drop_behavior(
                f"<CASCADE> clause is not supported in <{self.statement}> statement."
            )

    # ------------------------------------------------------------------------ objects

    def _target(self) -> ddl_ast.GrantTarget:
        """Parse the objects: a kind, which may be missing for tables, and names."""
        start = self.token.at
        if self.token.symbol == "ALL" and self.peek().symbol != ",":
            self.advance()
            return self._all_in_schema(start)
        if self.accept("FUNCTION"):
            functions = self.item_list(self._read_function)
            return ddl_ast.GrantTarget("TABLE FUNCTION", functions, at=start, end=self.end)
        kind = self._kind(_KINDS)
        if kind is None and self.token.symbol in (*_OTHER_KINDS, "PROCEDURE", "ROUTINE"):
            self._refuse_kind()
        rule = self._schema if kind == "SCHEMA" else self.object_name
        return ddl_ast.GrantTarget(kind or "RELATION", self.item_list(rule), at=start, end=self.end)

    def _kind(self, kinds: Mapping[tuple[str, ...], str]) -> str | None:
        return next((kind for words, kind in kinds.items() if self.accept_all(*words)), None)

    def _refuse_kind(self) -> None:
        """Note the refusal of a kind of object, and consume its words."""
        self.refuse(f"Object type is not supported in <{self.statement}> statement.")
        while self.peek().symbol not in ("TO", "FROM", "end of statement"):
            self.advance()

    def _all_in_schema(self, start: int) -> ddl_ast.GrantTarget:
        kind = self._kind(_ALL_KINDS)
        if kind is None:
            if not self.accept_any(*_OTHER_PLURALS):
                raise self.unexpected()
            self.refuse(f"Object type is not supported in <{self.statement}> statement.")
        self.expect_all("IN", "SCHEMA")
        schemas = self.item_list(self._schema)
        return ddl_ast.GrantTarget(
            kind or "TABLE", schemas, all_in_schema=True, at=start, end=self.end
        )

    def _schema(self) -> Path:
        """Parse the name of a schema; `public` is the default schema."""
        name = self.identifier()
        if name.name == PUBLIC:
            name = Identifier("DEFAULT", at=name.at, end=name.end)
        return Path((name,), at=name.at, end=name.end)

    def _read_function(self) -> Path:
        """Parse `spanner.function`, the function that reads a change stream."""
        path = self.path()
        if self.token.symbol == "(":
            message = f"Function arguments are not supported in <{self.statement}> statement."
            self.refuse(message)
            self.skip_parentheses()
        if len(path.parts) > 2:
            self.refuse("Function contains too many dotted names.", path.at)
        if len(path.parts) < 2 or path.parts[0].name != _SPANNER:
            message = f"Namespace 'spanner' must be specified in <{self.statement}>"
            self.reject_later(f"{message} statement on functions.", path.at)
        last = path.parts[-1]
        return Path((last,), at=last.at, end=last.end)
