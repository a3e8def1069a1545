"""Databases, schemas, proto bundles, placements, locality groups and statistics packages."""

from __future__ import annotations

from typing import NamedTuple

from spanemu.sql import ddl_ast
from spanemu.sql.googlesql.ast import Identifier, Path
from spanemu.sql.googlesql.syntax.ddl.parts import DdlPartParser


class DdlPlacementParser(DdlPartParser):
    """The chapter on where things are and what they are kept in."""

    def create_database(self, start: int) -> ddl_ast.CreateDatabase:
        """CREATE DATABASE name: the verb has been read."""
        self.expect("DATABASE")
        return ddl_ast.CreateDatabase(self.identifier(), at=start, end=self.end)

    def alter_database(self, start: int) -> ddl_ast.AlterDatabase:
        """ALTER DATABASE name SET OPTIONS (...): the verb has been read."""
        self.expect("DATABASE")
        name = self.identifier()
        self.expect("SET")
        options = self.required_options()
        return ddl_ast.AlterDatabase(name, options, at=start, end=self.end)

    def create_schema(self, start: int, or_replace: bool) -> ddl_ast.CreateSchema:
        """CREATE [OR REPLACE] SCHEMA [IF NOT EXISTS] name: the verb has been read."""
        self.expect("SCHEMA")
        if_not_exists = self.if_not_exists()
        name = self.path()
        return ddl_ast.CreateSchema(name, if_not_exists, or_replace, at=start, end=self.end)

    # ------------------------------------------------------------------------ proto bundles

    def create_proto_bundle(self, start: int) -> ddl_ast.CreateProtoBundle:
        """CREATE PROTO BUNDLE (type, ...): the verb has been read."""
        self.expect_all("PROTO", "BUNDLE")
        return ddl_ast.CreateProtoBundle(self._types(), at=start, end=self.end)

    def alter_proto_bundle(self, start: int) -> ddl_ast.AlterProtoBundle:
        """ALTER PROTO BUNDLE [INSERT (...)] [UPDATE (...)] [DELETE (...)]."""
        self.expect_all("PROTO", "BUNDLE")
        inserts = self._types() if self.accept("INSERT") else ()
        updates = self._types() if self.accept("UPDATE") else ()
        deletes = self._types() if self.accept("DELETE") else ()
        return ddl_ast.AlterProtoBundle(inserts, updates, deletes, at=start, end=self.end)

    def _types(self) -> tuple[Path, ...]:
        """`(type, ...)`; a comma may follow the last."""
        self.expect("(")
        types: list[Path] = []
        while self.token.symbol != ")":
            types.append(self.path())
            if not self.accept(","):
                break
        self.expect(")", ",")
        return tuple(types)

    # ------------------------------------------------------------------------ storage

    def create_placement(self, start: int) -> ddl_ast.CreatePlacement:
        """CREATE PLACEMENT name [OPTIONS (...)]: the verb has been read."""
        self.expect("PLACEMENT")
        if_not_exists = self.if_not_exists()
        name = self.path_or_default()
        options = self.options()
        return ddl_ast.CreatePlacement(name, options, if_not_exists, at=start, end=self.end)

    def alter_placement(self, start: int) -> ddl_ast.AlterPlacement:
        """ALTER PLACEMENT name SET OPTIONS (...): the verb has been read."""
        self.expect("PLACEMENT")
        name = self.path()
        self.expect("SET")
        options = self.required_options()
        return ddl_ast.AlterPlacement(name, options, at=start, end=self.end)

    def create_locality_group(self, start: int) -> ddl_ast.CreateLocalityGroup:
        """CREATE LOCALITY GROUP name [OPTIONS (...)]: the verb has been read."""
        self.expect_all("LOCALITY", "GROUP")
        if_not_exists = self.if_not_exists()
        name = self.path_or_default()
        options = self.options()
        return ddl_ast.CreateLocalityGroup(name, options, if_not_exists, at=start, end=self.end)

    def alter_locality_group(self, start: int) -> ddl_ast.AlterLocalityGroup:
        """ALTER LOCALITY GROUP name SET OPTIONS (...): the verb has been read."""
        self.expect_all("LOCALITY", "GROUP")
        if_exists = self.if_exists()
        name = self.path_or_default()
        self.expect("SET")
        options = self.required_options()
        return ddl_ast.AlterLocalityGroup(name, options, if_exists, at=start, end=self.end)

    # ------------------------------------------------------------------------ statistics

    def alter_statistics(self, start: int) -> ddl_ast.AlterStatistics:
        """ALTER STATISTICS package SET OPTIONS (...): the verb has been read."""
        self.expect("STATISTICS")
        name = self.identifier()
        self.expect("SET")
        options = self.required_options()
        return ddl_ast.AlterStatistics(name, options, at=start, end=self.end)


class DdlStreamParser(DdlPartParser):
    """The chapter on sequences and change streams."""

    # ------------------------------------------------------------------------ sequences

    def create_sequence(self, start: int) -> ddl_ast.CreateSequence:
        """CREATE SEQUENCE: the verb has been read."""
        self.expect("SEQUENCE")
        if_not_exists = self.if_not_exists()
        name = self.path()
        clauses = self.sequence_clauses()
        options = self.options()
        return ddl_ast.CreateSequence(name, clauses, options, if_not_exists, at=start, end=self.end)

    def alter_sequence(self, start: int) -> ddl_ast.AlterSequence:
        """ALTER SEQUENCE: the verb has been read."""
        self.expect("SEQUENCE")
        if_exists = self.if_exists()
        name = self.path()
        clauses = self.sequence_clauses()
        options = None
        if clauses.is_empty:
            self.expect("SET", "SKIP", "NO", "RESTART")
            options = self.required_options()
        return ddl_ast.AlterSequence(name, clauses, options, if_exists, at=start, end=self.end)

    # ------------------------------------------------------------------------ change streams

    def create_change_stream(self, start: int) -> ddl_ast.CreateChangeStream:
        """CREATE CHANGE STREAM: the verb has been read."""
        self.expect_all("CHANGE", "STREAM")
        if_not_exists = self.if_not_exists()
        name = self.path()
        watches = self._for() if self.token.symbol == "FOR" else None
        options = self.options()
        return ddl_ast.CreateChangeStream(
            name, watches, options, if_not_exists, at=start, end=self.end
        )

    def alter_change_stream(self, start: int) -> ddl_ast.AlterChangeStream:
        """ALTER CHANGE STREAM name {SET FOR ... | SET OPTIONS | DROP FOR ALL}."""
        self.expect_all("CHANGE", "STREAM")
        name = self.path()
        watches = options = None
        drop_for_all = self.accept("DROP")
        if drop_for_all:
            self.expect_all("FOR", "ALL")
        else:
            self.expect("SET", "DROP")
            if self.token.symbol == "FOR":
                watches = self._for()
            else:
                options = self.required_options()
        return ddl_ast.AlterChangeStream(
            name, watches, drop_for_all, options, at=start, end=self.end
        )

    def _for(self) -> ddl_ast.ChangeStreamFor:
        """FOR {ALL | table, ...}."""
        start = self.token.at
        self.expect("FOR")
        if self.accept("ALL"):
            return ddl_ast.ChangeStreamFor(all=True, at=start, end=self.end)
        tables = self.comma_separated(self._watched_table)
        return ddl_ast.ChangeStreamFor(tables=tables, at=start, end=self.end)

    def _watched_table(self) -> ddl_ast.WatchedTable:
        start = self.token.at
        table = self.path()
        columns = self.columns_in_parentheses() if self.token.symbol == "(" else None
        return ddl_ast.WatchedTable(table, columns, at=start, end=self.end)


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
