"""Databases, schemas, proto bundles, placements, sequences, change streams, roles and grants."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from spanemu.base.record import NamedTuple
from spanemu.sql import ddl_ast
from spanemu.sql.googlesql.ast import Identifier, Path
from spanemu.sql.googlesql.syntax.ddl.parts import DdlPartParser


class DdlPlacementParser(DdlPartParser):
    """The grammar of databases, schemas, proto bundles, placements and statistics packages."""

    def create_database(self, start: int) -> ddl_ast.CreateDatabase:
        """Parse CREATE DATABASE name; the caller has read the verb."""
        self.expect("DATABASE")
        return ddl_ast.CreateDatabase(self.identifier(), at=start, end=self.end)

    def alter_database(self, start: int) -> ddl_ast.AlterDatabase:
        """Parse ALTER DATABASE name SET OPTIONS (...); the caller has read the verb."""
        self.expect("DATABASE")
        name = self.identifier()
        self.expect("SET")
        options = self.required_options()
        return ddl_ast.AlterDatabase(name, options, at=start, end=self.end)

    def create_schema(self, start: int, or_replace: bool) -> ddl_ast.CreateSchema:
        """Parse CREATE [OR REPLACE] SCHEMA [IF NOT EXISTS] name; the caller has read the verb."""
        self.expect("SCHEMA")
        if_not_exists = self.if_not_exists()
        name = self.path()
        return ddl_ast.CreateSchema(name, if_not_exists, or_replace, at=start, end=self.end)

    # ------------------------------------------------------------------------ proto bundles

    def create_proto_bundle(self, start: int) -> ddl_ast.CreateProtoBundle:
        """Parse CREATE PROTO BUNDLE (type, ...); the caller has read the verb."""
        self.expect_all("PROTO", "BUNDLE")
        return ddl_ast.CreateProtoBundle(self._types(), at=start, end=self.end)

    def alter_proto_bundle(self, start: int) -> ddl_ast.AlterProtoBundle:
        """Parse ALTER PROTO BUNDLE [INSERT (...)] [UPDATE (...)] [DELETE (...)]."""
        self.expect_all("PROTO", "BUNDLE")
        inserts = self._types() if self.accept("INSERT") else ()
        updates = self._types() if self.accept("UPDATE") else ()
        deletes = self._types() if self.accept("DELETE") else ()
        return ddl_ast.AlterProtoBundle(inserts, updates, deletes, at=start, end=self.end)

    def _types(self) -> tuple[Path, ...]:
        """Parse `(type, ...)`; a comma may follow the last type."""
        self.expect("(")
        types: list[Path] = []
        type_ = self.counted(self.path)
        while self.token.symbol != ")":
            types.append(type_())
            if not self.accept(","):
                break
        self.expect(")", ",")
        return tuple(types)

    # ------------------------------------------------------------------------ storage

    def create_placement(self, start: int) -> ddl_ast.CreatePlacement:
        """Parse CREATE PLACEMENT name [OPTIONS (...)]; the caller has read the verb."""
        self.expect("PLACEMENT")
        if_not_exists = self.if_not_exists()
        name = self.path_or_default()
        options = self.options()
        return ddl_ast.CreatePlacement(name, options, if_not_exists, at=start, end=self.end)

    def alter_placement(self, start: int) -> ddl_ast.AlterPlacement:
        """Parse ALTER PLACEMENT name SET OPTIONS (...); the caller has read the verb."""
        self.expect("PLACEMENT")
        name = self.path()
        self.expect("SET")
        options = self.required_options()
        return ddl_ast.AlterPlacement(name, options, at=start, end=self.end)

    def create_locality_group(self, start: int) -> ddl_ast.CreateLocalityGroup:
        """Parse CREATE LOCALITY GROUP name [OPTIONS (...)]; the caller has read the verb."""
        self.expect_all("LOCALITY", "GROUP")
        if_not_exists = self.if_not_exists()
        name = self.path_or_default()
        options = self.options()
        return ddl_ast.CreateLocalityGroup(name, options, if_not_exists, at=start, end=self.end)

    def alter_locality_group(self, start: int) -> ddl_ast.AlterLocalityGroup:
        """Parse ALTER LOCALITY GROUP name SET OPTIONS (...); the caller has read the verb."""
        self.expect_all("LOCALITY", "GROUP")
        if_exists = self.if_exists()
        name = self.path_or_default()
        self.expect("SET")
        options = self.required_options()
        return ddl_ast.AlterLocalityGroup(name, options, if_exists, at=start, end=self.end)

    # ------------------------------------------------------------------------ statistics

    def alter_statistics(self, start: int) -> ddl_ast.AlterStatistics:
        """Parse ALTER STATISTICS package SET OPTIONS (...); the caller has read the verb."""
        self.expect("STATISTICS")
        name = self.identifier()
        self.expect("SET")
        options = self.required_options()
        return ddl_ast.AlterStatistics(name, options, at=start, end=self.end)


class DdlStreamParser(DdlPartParser):
    """The grammar of sequences and change streams."""

    # ------------------------------------------------------------------------ sequences

    def create_sequence(self, start: int) -> ddl_ast.CreateSequence:
        """Parse CREATE SEQUENCE; the caller has read the verb."""
        self.expect("SEQUENCE")
        if_not_exists = self.if_not_exists()
        name = self.path()
        clauses = self.sequence_clauses()
        options = self.options()
        return ddl_ast.CreateSequence(name, clauses, options, if_not_exists, at=start, end=self.end)

    def alter_sequence(self, start: int) -> ddl_ast.AlterSequence:
        """Parse ALTER SEQUENCE; the caller has read the verb."""
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
        """Parse CREATE CHANGE STREAM; the caller has read the verb."""
        self.expect_all("CHANGE", "STREAM")
        if_not_exists = self.if_not_exists()
        name = self.path()
        watches = self._for() if self.token.symbol == "FOR" else None
        options = self.options()
        return ddl_ast.CreateChangeStream(
            name, watches, options, if_not_exists, at=start, end=self.end
        )

    def alter_change_stream(self, start: int) -> ddl_ast.AlterChangeStream:
        """Parse ALTER CHANGE STREAM name {SET FOR ... | SET OPTIONS | DROP FOR ALL}."""
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
        """Parse FOR {ALL | table, ...}."""
        start = self.token.at
        self.expect("FOR")
        if self.accept("ALL"):
            return ddl_ast.ChangeStreamFor(all=True, at=start, end=self.end)
        tables = self.item_list(self._watched_table)
        return ddl_ast.ChangeStreamFor(tables=tables, at=start, end=self.end)

    def _watched_table(self) -> ddl_ast.WatchedTable:
        start = self.token.at
        table = self.path()
        columns = self.columns_in_parentheses() if self.token.symbol == "(" else None
        return ddl_ast.WatchedTable(table, columns, at=start, end=self.end)


_PRIVILEGES = ("SELECT", "INSERT", "UPDATE", "DELETE", "EXECUTE", "USAGE")
# The words for a kind of object, longest first, and their plural in ON ALL ... IN SCHEMA.
_KINDS = (
    (("TABLE", "FUNCTION"), ("TABLE", "FUNCTIONS")),
    (("CHANGE", "STREAM"), ("CHANGE", "STREAMS")),
    (("LOCALITY", "GROUP"), ("LOCALITY", "GROUPS")),
    (("TABLE",), ("TABLES",)),
    (("VIEW",), ("VIEWS",)),
    (("SEQUENCE",), ("SEQUENCES",)),
    (("FUNCTION",), ("FUNCTIONS",)),
    (("MODEL",), ("MODELS",)),
    (("QUEUE",), ("QUEUES",)),
    (("SCHEMA",), ("SCHEMAS",)),
)


class _Terms(NamedTuple):
    """The clauses of a GRANT or REVOKE behind its verb."""

    roles: tuple[Identifier, ...]
    privileges: tuple[ddl_ast.Privilege, ...] = ()
    target: ddl_ast.GrantTarget | None = None
    granted_roles: tuple[Identifier, ...] = ()


class DdlAccessParser(DdlPartParser):
    """The grammar of roles, GRANT and REVOKE."""

    def create_role(self, start: int) -> ddl_ast.CreateRole:
        """Parse CREATE ROLE name; the caller has read the verb."""
        self.expect("ROLE")
        if_not_exists = self.if_not_exists()
        return ddl_ast.CreateRole(self.identifier(), if_not_exists, at=start, end=self.end)

    def grant(self, start: int) -> ddl_ast.Grant:
        """Parse GRANT ... TO ROLE ...; the caller has read the verb."""
        return ddl_ast.Grant(*self._terms("TO"), at=start, end=self.end)

    def revoke(self, start: int) -> ddl_ast.Revoke:
        """Parse REVOKE ... FROM ROLE ...; the caller has read the verb."""
        return ddl_ast.Revoke(*self._terms("FROM"), at=start, end=self.end)

    def _terms(self, preposition: str) -> _Terms:
        granted: tuple[Identifier, ...] = ()
        privileges: tuple[ddl_ast.Privilege, ...] = ()
        target = None
        if self.accept("ROLE"):
            granted = self.item_list(self.identifier)
        else:
            privileges = self.item_list(self._privilege)
            self.expect("ON")
            target = self._target()
        self.expect_all(preposition, "ROLE")
        roles = self.item_list(self.identifier)
        return _Terms(roles, privileges, target, granted)

    def _privilege(self) -> ddl_ast.Privilege:
        if self.token.symbol not in _PRIVILEGES:
            raise self.unexpected(*_PRIVILEGES)
        word = self.advance()
        columns: tuple[Identifier, ...] = ()
        if self.token.symbol == "(":
            columns = self.column_names()
        return ddl_ast.Privilege(word.symbol, columns, at=word.at, end=self.end)

    def _target(self) -> ddl_ast.GrantTarget:
        """Parse a kind and names, or ALL kinds IN SCHEMA names."""
        start = self.token.at
        all_in_schema = self.accept("ALL")
        for singular, plural in _KINDS:
            if self.accept_all(*(plural if all_in_schema else singular)):
                kind = " ".join(singular)
                break
        else:
            raise self.unexpected()
        if all_in_schema:
            self.expect_all("IN", "SCHEMA")
        names = self.item_list(self.path_or_default)
        return ddl_ast.GrantTarget(kind, names, all_in_schema, at=start, end=self.end)


# ---------------------------------------------------------------------------- statements


class ObjectGrammar(NamedTuple):
    """The statements about a kind of object; `words` name the kind after CREATE, ALTER and DROP.

    A rule takes the parser, which has read the verb, and the offset of the verb.
    """

    words: tuple[str, ...]
    create: Callable[[Any, int], ddl_ast.DdlStatement]
    drop: type[ddl_ast.Drop]
    alter: Callable[[Any, int], ddl_ast.DdlStatement] | None = None


OBJECTS: tuple[ObjectGrammar, ...] = (
    ObjectGrammar(
        ("CHANGE", "STREAM"),
        DdlStreamParser.create_change_stream,
        ddl_ast.DropChangeStream,
        DdlStreamParser.alter_change_stream,
    ),
    ObjectGrammar(
        ("LOCALITY", "GROUP"),
        DdlPlacementParser.create_locality_group,
        ddl_ast.DropLocalityGroup,
        DdlPlacementParser.alter_locality_group,
    ),
    ObjectGrammar(
        ("PLACEMENT",),
        DdlPlacementParser.create_placement,
        ddl_ast.DropPlacement,
        DdlPlacementParser.alter_placement,
    ),
    ObjectGrammar(("ROLE",), DdlAccessParser.create_role, ddl_ast.DropRole),
    ObjectGrammar(
        ("SEQUENCE",),
        DdlStreamParser.create_sequence,
        ddl_ast.DropSequence,
        DdlStreamParser.alter_sequence,
    ),
)
# verb -> kinds of objects that Spanner has and spanemu does not implement
NOT_IMPLEMENTED: Mapping[str, tuple[str, ...]] = {
    "ALTER": ("SCHEMA",),
}
