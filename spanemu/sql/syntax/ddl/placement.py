"""Databases, schemas, proto bundles, placements, locality groups and statistics packages."""

from __future__ import annotations

from spanemu.sql.syntax import ddl_ast
from spanemu.sql.syntax.ast import Path
from spanemu.sql.syntax.ddl.parts import DdlPartParser


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
