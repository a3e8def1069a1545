"""The relations of tables in a FROM clause, and of the row that a DML statement writes.

Columns are created on request, so that the cost of a wide table depends only on the columns used.
A virtual generated column is an expression over other columns: a projection over the scan computes
it, or the expression replaces the reference if there is no scan (`inline=True`).

A virtual token list remains a column of the scan, with the expression beside it (`TokenColumn`):
search functions must see which column they search, and a search index holds it.
"""

from __future__ import annotations

from collections.abc import Iterator

from spanemu.schema.table import Column, Table
from spanemu.sql.analysis.errors import GeneratedColumnCycle
from spanemu.sql.analysis.relation import Relation, Star
from spanemu.sql.analysis.state import AnalysisState, Traits
from spanemu.sql.analysis.tree import depth
from spanemu.sql.dialect import StoredExpression, SystemTable
from spanemu.sql.resolved import (
    ColumnRef,
    Expr,
    Hints,
    ProjectScan,
    ResolvedColumn,
    Scan,
    SystemTableScan,
    TableScan,
    TokenColumn,
)
from spanemu.values.types import TypeCode


def stored_expression(
    expression: Expr, row: TableRelation | None, traits: Traits, *, pending: bool
) -> StoredExpression:
    """Return the report on an analyzed expression over `row`; None is an expression of no row."""
    return StoredExpression(
        expression,
        () if row is None else row.stored,
        () if row is None else tuple(row.referenced.values()),
        traits.volatile,
        traits.stable,
        traits.subquery,
        pending,
        depth(expression),
        frozenset(traits.sequences),
        frozenset(traits.tables),
        frozenset(traits.remote_calls),
    )


class TableRelation(Relation):
    """The relation of a table; see the module."""

    def __init__(
        self,
        alias: str,
        table: Table,
        analysis: AnalysisState,
        *,
        inline: bool = False,
    ) -> None:
        super().__init__(alias, analysis.fold)
        self.table = table
        self._analysis = analysis
        self._inline = inline
        self.hints: Hints = ()
        self.for_update = False
        self._stored: dict[str, tuple[ResolvedColumn, Column]] = {}
        self._virtual: dict[str, tuple[ResolvedColumn, Expr]] = {}
        self._tokens: dict[str, TokenColumn] = {}
        self._computing: set[str] = set()
        self.referenced: dict[str, Column] = {}  # by name, virtual ones too

    @property
    def stored(self) -> tuple[tuple[ResolvedColumn, Column], ...]:
        """The requested stored columns, each output column with its schema column."""
        return tuple(self._stored.values())

    def is_implicit(self, name: str) -> bool:
        # Names in the expression of a generated column need no qualifier, even in a view.
        return not self._computing

    def column(self, name: str, at: int) -> Expr | None:
        column = self.table.by_name.get(self.fold(name))
        return None if column is None else self.reference(column)

    def reference(self, column: Column) -> Expr:
        """Return a reference to a column of the table."""
        if not self._computing:
            self.referenced[column.name] = column
        if column.is_virtual:
            return self._virtual_reference(column)
        resolved = self.stored_column(column)
        if column.type.code is TypeCode.TOKENLIST and column.generated is not None:
            self._analysis.token_sources[resolved.id] = TokenSource(self, column)
        return ColumnRef(resolved.type, resolved)

    def stored_column(self, column: Column) -> ResolvedColumn:
        """Return the output of the scan for a stored column."""
        key = column.name
        stored = self._stored.get(key)
        if stored is None:
            resolved = self._analysis.column(column.name, column.type)
            self._stored[key] = (resolved, column)
            return resolved
        return stored[0]

    def _virtual_reference(self, column: Column) -> Expr:
        if self._inline or self._computing:
            return self._expression(column)
        if column.type.code is TypeCode.TOKENLIST:
            return self._token_reference(column)
        key = column.name
        virtual = self._virtual.get(key)
        if virtual is None:
            resolved = self._analysis.column(column.name, column.type)
            virtual = self._virtual[key] = (resolved, self._expression(column))
        return ColumnRef(virtual[0].type, virtual[0])

    def _token_reference(self, column: Column) -> Expr:
        """Return a reference to a virtual token list, which the scan yields as a column."""
        tokens = self._tokens.get(column.name)
        if tokens is None:
            sources = TableRelation(self.alias, self.table, self._analysis)
            value = sources._expression(column)
            resolved = self._analysis.column(column.name, column.type)
            tokens = TokenColumn(resolved, column, value, sources.stored)
            self._tokens[column.name] = tokens
            self._analysis.token_sources[resolved.id] = TokenSource(self, column)
        return ColumnRef(column.type, tokens.column)

    def _expression(self, column: Column) -> Expr:
        assert column.generated is not None
        key = column.name
        if key in self._computing:
            raise GeneratedColumnCycle(self.table.name, column.name)
        self._computing.add(key)
        resolved = self._analysis.row_expression(column.generated, column.type, self)
        self._computing.remove(key)
        return resolved

    def star(self) -> Star:
        return [
            (column.name, self.reference(column))
            for column in self.table.columns
            if not column.hidden
        ]

    def column_names(self) -> Iterator[str]:
        return (column.name for column in self.table.columns)

    def scan(self) -> Scan:
        tokens = tuple(self._tokens.values())
        columns = self.stored + tuple([(each.column, each.stored) for each in tokens])
        scan: Scan = TableScan(self.table, columns, self.hints, self.for_update, tokens=tokens)
        if self._virtual:
            scan = ProjectScan(scan, tuple(self._virtual.values()))
        return scan


class TokenSource:
    """A token list that is a column of a table in FROM, and how it is computed."""

    __slots__ = ("_relation", "column")

    def __init__(self, relation: TableRelation, column: Column) -> None:
        self._relation = relation
        self.column = column

    @property
    def table(self) -> Table:
        """The table of the column."""
        return self._relation.table

    def expression(self) -> Expr:
        """Return the expression over columns that the query reads from then on."""
        return self._relation._expression(self.column)

    def tokenizing(self) -> Expr:
        """Return the expression over columns that no query reads, to find out its tokenizer."""
        relation = self._relation
        apart = TableRelation(relation.alias, relation.table, relation._analysis)
        return apart._expression(self.column)


class SystemRelation(Relation):
    """A system table."""

    def __init__(self, alias: str, table: SystemTable, analysis: AnalysisState) -> None:
        super().__init__(alias, analysis.fold)
        self._table = table
        self._analysis = analysis
        self._used_columns: dict[int, ResolvedColumn] = {}

    def is_implicit(self, name: str) -> bool:
        return True

    def column(self, name: str, at: int) -> Expr | None:
        number = self._table.positions.get(self.fold(name))
        return None if number is None else self._numbered(number)

    def _numbered(self, number: int) -> Expr:
        column = self._used_columns.get(number)
        if column is None:
            name, type_ = self._table.columns[number]
            column = self._used_columns[number] = self._analysis.column(name, type_)
        return ColumnRef(column.type, column)

    def star(self) -> Star:
        return [
            (name, self._numbered(number))
            for number, (name, _) in enumerate(self._table.columns)
            if name not in self._table.hidden
        ]

    def column_names(self) -> Iterator[str]:
        return (name for name, _ in self._table.columns)

    def scan(self) -> Scan:
        columns = tuple((column, number) for number, column in self._used_columns.items())
        return SystemTableScan(self._table.name, columns)
