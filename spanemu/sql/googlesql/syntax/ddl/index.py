"""Secondary indexes, search indexes and vector indexes."""

from __future__ import annotations

from typing import TypedDict

from spanemu.sql import ddl_ast
from spanemu.sql.googlesql.ast import Identifier, Path
from spanemu.sql.googlesql.syntax.ddl.parts import DdlPartParser


class _Head(TypedDict):
    """The first clauses of every CREATE INDEX, as keyword arguments of its tree."""

    if_not_exists: bool
    name: Path
    table: Path
    key: tuple[ddl_ast.KeyPart, ...]


class DdlIndexParser(DdlPartParser):
    """The grammar of indexes."""

    # ------------------------------------------------------------------------ CREATE

    def create_index(self, start: int) -> ddl_ast.CreateIndex:
        """Parse CREATE [UNIQUE] [NULL_FILTERED] INDEX; the caller has read the verb."""
        unique = self.accept("UNIQUE")
        null_filtered = self.accept("NULL_FILTERED")
        self.expect("INDEX")
        return ddl_ast.CreateIndex(
            unique=unique,
            null_filtered=null_filtered,
            **self._head(),
            storing=self._storing(),
            where_not_null=self._where_not_null(),
            interleave=self._interleave(),
            options=self.options(),
            at=start,
            end=self.end,
        )

    def create_search_index(self, start: int) -> ddl_ast.CreateSearchIndex:
        """Parse CREATE SEARCH INDEX; the caller has read the verb."""
        self.expect_all("SEARCH", "INDEX")
        return ddl_ast.CreateSearchIndex(
            **self._head(has_condition=False),
            storing=self._storing(),
            partition_by=self._partition_by(),
            order_by=self._ordered_by(),
            where_not_null=self._where_not_null(),
            interleave=self._interleave(),
            options=self.options(),
            at=start,
            end=self.end,
        )

    def create_vector_index(self, start: int) -> ddl_ast.CreateVectorIndex:
        """Parse CREATE VECTOR INDEX; the caller has read the verb."""
        self.expect_all("VECTOR", "INDEX")
        return ddl_ast.CreateVectorIndex(
            **self._head(),
            storing=self._storing(),
            partition_by=self._partition_by(),
            where_not_null=self._where_not_null(),
            options=self.options(),
            at=start,
            end=self.end,
        )

    def _head(self, *, has_condition: bool = True) -> _Head:
        """Parse `[IF NOT EXISTS] name ON table (key)`; search indexes have no condition."""
        if_not_exists = has_condition and self.if_not_exists()
        name = self.path()
        self.expect("ON")
        table = self.path()
        key = self.key_parts()
        return {"if_not_exists": if_not_exists, "name": name, "table": table, "key": key}

    def _storing(self) -> tuple[Identifier, ...]:
        return self.column_names() if self.accept("STORING") else ()

    def _partition_by(self) -> tuple[Identifier, ...]:
        if not self.accept("PARTITION"):
            return ()
        self.expect("BY")
        return tuple(part.column for part in self._until_interleave(ordered=False))

    def _ordered_by(self) -> tuple[ddl_ast.KeyPart, ...]:
        if not self.accept("ORDER"):
            return ()
        self.expect("BY")
        return self._until_interleave()

    def _until_interleave(self, *, ordered: bool = True) -> tuple[ddl_ast.KeyPart, ...]:
        """Parse columns up to the comma that belongs to `, INTERLEAVE IN`."""
        part = self.counted_column(self.key_part if ordered else self._unordered_part)
        parts = [part()]
        while self.token.symbol == "," and self.peek(2).symbol != "IN":
            self.advance()
            parts.append(part())
        return tuple(parts)

    def _unordered_part(self) -> ddl_ast.KeyPart:
        column = self.identifier()
        return ddl_ast.KeyPart(column, at=column.at, end=column.end)

    def _where_not_null(self) -> tuple[Identifier, ...]:
        """Parse WHERE column IS NOT NULL AND ..., the only filter that an index may have."""
        if not self.accept("WHERE"):
            return ()
        column = self.counted_column(self._not_null_column)
        columns = [column()]
        while self.accept("AND"):
            columns.append(column())
        return tuple(columns)

    def _not_null_column(self) -> Identifier:
        column = self.identifier()
        self.expect_all("IS", "NOT", "NULL")
        return column

    def _interleave(self) -> ddl_ast.InterleaveClause | None:
        return self.interleave() if self.accept(",") else None

    # ------------------------------------------------------------------------ ALTER

    def alter_index(self, start: int) -> ddl_ast.AlterIndex:
        """Parse ALTER INDEX name action; the caller has read the verb."""
        self.expect("INDEX")
        name = self.path()
        return ddl_ast.AlterIndex(name, self._action(), at=start, end=self.end)

    def alter_search_index(self, start: int) -> ddl_ast.AlterSearchIndex:
        """Parse ALTER SEARCH INDEX name action; the caller has read the verb."""
        self.expect_all("SEARCH", "INDEX")
        name = self.path()
        action = self._action(unstored=True)
        return ddl_ast.AlterSearchIndex(name, action, at=start, end=self.end)

    def alter_vector_index(self, start: int) -> ddl_ast.AlterVectorIndex:
        """Parse ALTER VECTOR INDEX name action; the caller has read the verb."""
        self.expect_all("VECTOR", "INDEX")
        name = self.path()
        return ddl_ast.AlterVectorIndex(name, self._action(), at=start, end=self.end)

    def _action(self, *, unstored: bool = False) -> ddl_ast.IndexAction:
        """Parse ADD, DROP or ALTER [STORED] COLUMN, or SET OPTIONS.

        STORED is optional if `unstored`.
        """
        verb = self.token
        if verb.symbol not in ("ADD", "DROP", "ALTER", "SET"):
            raise self.unexpected("ADD", "DROP", "ALTER", "SET")
        self.advance()
        if verb.symbol == "SET":
            options = self.required_options()
            return ddl_ast.SetIndexOptions(options, at=verb.at, end=self.end)
        stored = self.accept("STORED")
        self.expect("COLUMN" if stored or unstored else "STORED")
        column = self.identifier()
        match verb.symbol:
            case "ADD":
                added = self.options()
                return ddl_ast.AddIndexColumn(column, stored, added, at=verb.at, end=self.end)
            case "DROP":
                return ddl_ast.DropIndexColumn(column, stored, at=verb.at, end=self.end)
        self.expect("SET")
        options = self.required_options()
        return ddl_ast.AlterStoredColumn(column, options, at=verb.at, end=self.end)
