"""Secondary indexes, vector indexes and search indexes."""

from __future__ import annotations

from collections.abc import Iterator

from spanemu.sql import ddl_ast
from spanemu.sql.ddl_ast import KeyPart, Option
from spanemu.sql.postgresql import ast
from spanemu.sql.postgresql.syntax.ddl.parts import DdlPartParser
from spanemu.sql.syntax_tree import Expression, Identifier, Junction, Kind, Name

_PREDICATE = (
    "<WHERE> clause of <{0}> statement supports only conjunction of <column IS NOT NULL> "
    "expressions using <AND>, where <column> is part of an index."
)
_SCANN = "scann"
# What may follow a column of an index: its options, or the end of the column.
_AFTER_COLUMN = frozenset({",", ")", "ASC", "DESC", "NULLS", "COLLATE", "INTERLEAVE"})
_ACTIONS = (
    "<ALTER INDEX> only supports actions to add or drop an include column, or to set the locality "
    "group or the columnar policy."
)


class DdlIndexParser(DdlPartParser):
    """The grammar of indexes."""

    # ------------------------------------------------------------------------ CREATE INDEX

    def create_index(self, start: int) -> ddl_ast.DdlStatement:
        """Parse CREATE [UNIQUE] INDEX; the caller has read the verb."""
        unique = self.accept("UNIQUE")
        self.expect("INDEX")
        self._refuse_concurrently()
        if_not_exists = self.if_not_exists()
        name = self._index_name()
        table = self.relation()
        method = self.identifier().name if self.accept("USING") else "btree"
        if method not in ("btree", _SCANN):
            self._refuse_in_index("Setting access method is")
        key = self.column_list(self.key_part)
        storing = self._include()
        self._null_treatment()
        options = self._index_options(method)
        if self.accept("TABLESPACE"):
            self._refuse_in_index("Tablespaces are")
            self.identifier()
        options = (*options, *self.storage_options())
        interleave = self._interleave()
        where = self._where()
        # Spanner's page on schema design also shows `WHERE ..., INTERLEAVE IN table`.
        if where and interleave is None and self.peek().symbol == "INTERLEAVE" and self.accept(","):
            interleave = self._interleave()
        index = ddl_ast.CreateIndex(
            name=self.beside(table, name),
            table=table,
            key=key,
            if_not_exists=if_not_exists,
            storing=storing,
            where_not_null=where,
            options=options or None,
            unique=unique,
            interleave=interleave,
            at=start,
            end=self.end,
        )
        return self._vector_index(index) if method == _SCANN else index

    def _vector_index(self, index: ddl_ast.CreateIndex) -> ddl_ast.CreateVectorIndex:
        """Return the statement of an index with the method scann."""
        if index.unique:
            self._refuse_in_index("UNIQUE vector indexes are")
        if index.interleave is not None:
            self._refuse_in_index("Interleaving of vector indexes is")
        return ddl_ast.CreateVectorIndex(
            name=index.name,
            table=index.table,
            key=index.key,
            if_not_exists=index.if_not_exists,
            storing=index.storing,
            where_not_null=index.where_not_null,
            options=index.options,
            at=index.at,
            end=index.end,
        )

    def _refuse_in_index(self, what: str) -> None:
        self.refuse(f"{what} not supported in <{self.statement}> statement.")

    def _refuse_concurrently(self) -> None:
        if self.accept("CONCURRENTLY"):
            self._refuse_in_index("Concurrent index creation is")

    def _index_name(self) -> Identifier:
        """Parse `name ON`; an index has no name of its own if ON follows at once."""
        if self.token.symbol == "ON":
            self.refuse(f"Index name is mandatory in <{self.statement}> statement.")
            token = self.advance()
            return Identifier("", at=token.at, end=token.end)
        name = self.identifier()
        self.expect("ON")
        return name

    def key_part(self) -> KeyPart:
        """Parse `column [ASC | DESC] [NULLS {FIRST | LAST}]`."""
        start = self.token.at
        column = self._key_column()
        if self.accept("COLLATE"):
            self._refuse_in_index("Setting collation is")
            self.path_from(self.part())
        if self.token.kind is Kind.IDENTIFIER and self.token.symbol not in _AFTER_COLUMN:
            self._refuse_in_index("Setting operator class is")
            self.path()
            if self.token.symbol == "(":
                self.settings()
        order = self.accept_any("ASC", "DESC") or None
        return KeyPart(column, order, self._nulls(), at=start, end=self.end)

    def _nulls(self) -> str | None:
        if not self.accept("NULLS"):
            return None
        nulls = self.accept_any("FIRST", "LAST")
        if not nulls:
            raise self.unexpected()
        return nulls

    def _key_column(self) -> Identifier:
        """Parse a column; note the refusal of an expression."""
        token = self.token
        is_column = token.kind is Kind.IDENTIFIER and self.peek().symbol not in ("(", ".")
        if is_column:
            return self.identifier()
        if token.symbol == "(":
            self.advance()
            self.expression()
            self.expect(")")
        else:
            self.operand()
        self._refuse_in_index("Expressions are")
        return Identifier("", at=token.at, end=self.end)

    def _include(self) -> tuple[Identifier, ...]:
        if not self.accept("INCLUDE"):
            return ()
        parts = self.column_list(self.key_part)
        if any(part.order is not None or part.nulls is not None for part in parts):
            self._refuse_in_index("Ordering of included columns is")
        return tuple(part.column for part in parts)

    def _null_treatment(self) -> None:
        if self.accept("NULLS"):
            if self.accept("NOT"):
                self.refuse(
                    f"<NULLS NOT DISTINCT> is not supported in <{self.statement}> statement."
                )
            self.expect("DISTINCT")

    def _index_options(self, method: str) -> tuple[Option, ...]:
        """Parse [WITH (...)], which only vector indexes have."""
        if not self.accept("WITH"):
            return ()
        settings = self.settings()
        if method != _SCANN:
            self._refuse_in_index("Index options are")
        return tuple(self.option(setting, _boolean(setting.value)) for setting in settings)

    def _interleave(self) -> ddl_ast.InterleaveClause | None:
        """Parse [INTERLEAVE IN table]; an index is never interleaved in a parent row."""
        start = self.token.at
        if not self.accept("INTERLEAVE"):
            return None
        self.expect("IN")
        table = self.object_name()
        return ddl_ast.InterleaveClause(table, in_parent=False, at=start, end=self.end)

    # ------------------------------------------------------------------------ WHERE

    def _where(self) -> tuple[Identifier, ...]:
        """Parse [WHERE column IS NOT NULL AND ...], the only filter of an index."""
        if not self.accept("WHERE"):
            return ()
        start = self.token.at
        columns = list(_not_null_columns(self.expression()))
        if None in columns:
            self.refuse(_PREDICATE.format(self.statement), start)
        named = {column.name: column for column in columns if column is not None}
        return tuple(named.values())

    # ------------------------------------------------------------------------ CREATE SEARCH INDEX

    def create_search_index(self, start: int) -> ddl_ast.DdlStatement:
        """Parse CREATE SEARCH INDEX; the caller has read the verb."""
        self.expect_all("SEARCH", "INDEX")
        name = self._index_name()
        table = self.object_name()
        key = self.column_list(self.key_part)
        if any(part.order is not None or part.nulls is not None for part in key):
            self._refuse_in_index("Ordering of tokenlist columns is")
        storing = self._include()
        partition_by = self._partition_by()
        order_by = self._order_by()
        interleave = self._interleave()
        where = self._where()
        options = self._search_options()
        return ddl_ast.CreateSearchIndex(
            name=self.beside(table, name),
            table=table,
            key=key,
            storing=storing,
            where_not_null=where,
            options=options,
            partition_by=partition_by,
            order_by=order_by,
            interleave=interleave,
            at=start,
            end=self.end,
        )

    def _partition_by(self) -> tuple[Identifier, ...]:
        if not self.accept_all("PARTITION", "BY"):
            return ()
        parts = self.item_list(self.key_part)
        return tuple(part.column for part in parts)

    def _order_by(self) -> tuple[KeyPart, ...]:
        return self.item_list(self.key_part) if self.accept_all("ORDER", "BY") else ()

    def _search_options(self) -> ddl_ast.Options | None:
        """Parse [WITH (name = {true | false | null}, ...)]."""
        if not self.accept("WITH"):
            return None
        return tuple(
            self.option(setting, self.truth_value(setting, "search index"))
            for setting in self.unique_settings("search index")
        )

    # ------------------------------------------------------------------------ ALTER

    def alter_index(self, start: int) -> ddl_ast.DdlStatement:
        """Parse ALTER INDEX name action; the caller has read the verb."""
        self.expect("INDEX")
        self._refuse_existence("<IF [NOT] EXISTS> is not supported in <ALTER> statement.")
        name = self.object_name()
        if self.token.symbol not in ("ADD", "DROP", "SET"):
            self._other_alteration()
            return ddl_ast.DropIndex(name, at=start, end=self.end)
        action = self._index_action()
        return ddl_ast.AlterIndex(name, action, at=start, end=self.end)

    def _refuse_existence(self, message: str) -> None:
        if self.accept_all("IF", "EXISTS") or self.accept_all("IF", "NOT", "EXISTS"):
            self.refuse(message)

    def _other_alteration(self) -> None:
        """Parse an action that PostgreSQL has and Spanner lacks."""
        if self.accept("RENAME"):
            self.refuse("Only <TABLE> is supported for renaming.")
        elif self.token.symbol in ("ATTACH", "ALTER", "RESET", "NO", "DEPENDS", "OWNER"):
            self.refuse(_ACTIONS)
        else:
            raise self.unexpected()
        self.skip_rest()

    def _index_action(self) -> ddl_ast.IndexAction:
        """Parse {ADD | DROP} INCLUDE COLUMN name, or SET of a storage option."""
        verb = self.advance()
        if verb.symbol == "SET":
            if options := self.storage_options():
                return ddl_ast.SetIndexOptions(options, at=verb.at, end=self.end)
            self.refuse(_ACTIONS)
            self.skip_rest()
            return ddl_ast.IndexAction(at=verb.at, end=self.end)
        self.expect_all("INCLUDE", "COLUMN")
        self._refuse_existence(
            "<IF [NOT] EXISTS> is not supported in <ALTER> statement operations."
        )
        return self._column_action(verb.symbol, verb.at, stored=True)

    def _column_action(self, verb: str, at: int, *, stored: bool) -> ddl_ast.IndexAction:
        column = self.identifier()
        if verb == "ADD":
            return ddl_ast.AddIndexColumn(column, stored, at=at, end=self.end)
        return ddl_ast.DropIndexColumn(column, stored, at=at, end=self.end)

    def alter_search_index(self, start: int) -> ddl_ast.DdlStatement:
        """Parse ALTER SEARCH INDEX name {ADD | DROP} [INCLUDE] COLUMN column."""
        self.expect_all("SEARCH", "INDEX")
        name = self.object_name()
        verb = self.token
        if not self.accept_any("ADD", "DROP"):
            raise self.unexpected()
        stored = self.accept("INCLUDE")
        self.expect("COLUMN")
        action = self._column_action(verb.symbol, verb.at, stored=stored)
        return ddl_ast.AlterSearchIndex(name, action, at=start, end=self.end)


def _not_null_columns(predicate: Expression) -> Iterator[Identifier | None]:
    """Yield the columns of a conjunction of `column IS NOT NULL`; None for any other operand."""
    waiting = [predicate]
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, Junction) and node.op == "AND":
            waiting[:0] = node.operands
        else:
            yield _not_null_column(node)


def _not_null_column(node: Expression) -> Identifier | None:
    if not (isinstance(node, ast.Is) and node.what == "NULL" and node.negated):
        return None
    operand = node.operand
    if not isinstance(operand, Name) or len(operand.path.parts) != 1:
        return None
    return operand.path.parts[0]


def _boolean(value: str | float | None) -> str | int | float | bool | None:
    """Return the value of an option, with the words true and false as truth values."""
    if isinstance(value, str) and value in ("true", "false"):
        return value == "true"
    return value
