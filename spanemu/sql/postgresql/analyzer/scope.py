"""Scopes: the lookup of column names, and the environment in which an expression is resolved.

A scope holds the relations of one FROM clause. Its parent is the enclosing query's scope:

    SELECT (SELECT a.title || s.name FROM albums AS a) FROM singers AS s
            scope of a ───parent──> scope of s

An unqualified name is a column of the innermost scope that has such a column; it is an error if
several relations of that scope have it. A qualified name is a column of the innermost relation with
that alias. The resolved tree has no mark for correlation: a reference is correlated if the column
is produced outside the subquery. Output names of a select list are in no scope: GROUP BY and ORDER
BY look them up themselves.

Two kinds of relations exist in PostgreSQL only: those with aliases of columns, and the rows of a
set-returning function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from spanemu.base.errors import Unsupported
from spanemu.base.record import NamedTuple
from spanemu.schema.dialect import Fold
from spanemu.sql.analysis import errors
from spanemu.sql.analysis.derived_relation import ArrayElements
from spanemu.sql.analysis.relation import Relation, Star
from spanemu.sql.analysis.state import Aggregation
from spanemu.sql.analysis.tree import is_equivalent
from spanemu.sql.postgresql.analyzer.analysis import Analysis, CommonTable
from spanemu.sql.postgresql.analyzer.errors import (
    AmbiguousColumn,
    MissingFromEntry,
    TableNotVisible,
    TooManyColumnAliases,
    UndefinedColumn,
)
from spanemu.sql.resolved import ColumnRef, Expr, ResolvedColumn, Scan
from spanemu.sql.syntax_tree import Identifier, Path


class Origin(NamedTuple):
    """A reference to a column of a SELECT's input, kept for the error if grouping forbids it."""

    expression: Expr
    at: int
    name: str
    source: Relation

    @property
    def display_name(self) -> str:
        """The column with the alias of its table: singers.first."""
        for relation in self.source.aliases().values():
            if is_equivalent(relation.column(self.name, self.at), self.expression):
                return f"{relation.alias}.{self.name}"
        return self.name


class Scope:
    """The relations visible to expressions of one clause; see the module.

    `hidden` are relations of the same FROM clause that this part of the query cannot use. `clause`
    is the clause that is being resolved, as in `Env`: PostgreSQL may assign an aggregate of a
    subquery to this query.
    """

    __slots__ = (
        "aggregated",
        "aliases",
        "allows_aggregates",
        "clause",
        "hidden",
        "in_aggregate",
        "origins",
        "parent",
        "references",
        "source",
    )

    def __init__(
        self,
        parent: Scope | None,
        source: Relation | None = None,
        hidden: Relation | None = None,
    ) -> None:
        self.parent = parent
        self.source = source
        self.hidden = hidden
        self.aliases: Mapping[str, Relation] = {} if source is None else source.aliases()
        self.origins: list[Origin] | None = None
        self.references = 0  # to columns of `source`
        self.clause = "FROM"
        self.allows_aggregates = False
        self.in_aggregate = False
        self.aggregated: set[int] | None = None  # ids of the origins in aggregates of subqueries

    def chain(self) -> Iterator[Scope]:
        """Yield this scope and those of the enclosing queries, from the inside."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent

    def relation(self, name: str) -> tuple[Relation, Scope] | None:
        """Return the innermost relation with the alias `name`, and its scope, or None."""
        scope: Scope | None = self
        while scope is not None:
            relation = scope.aliases.get(name)
            if relation is not None:
                return relation, scope
            scope = scope.parent
        return None

    def column(self, path: Path) -> Expr:
        """Return a reference to the column that `path` names.

        Raise UndefinedColumn, AmbiguousColumn or MissingFromEntry.
        """
        *qualifier, name = path.parts
        if qualifier:
            return self._qualified(qualifier, name, path)
        scope: Scope | None = self
        while scope is not None:
            if scope.source is not None:
                column = _column(scope.source, name.name, path.at)
                if column is not None:
                    return scope.record(column, name.name, path.at)
            scope = scope.parent
        if self.relation(name.name) is not None:
            raise Unsupported("A reference to a whole row")
        raise UndefinedColumn(f'"{name.name}"', at=path.at)

    def _qualified(self, qualifier: list[Identifier], name: Identifier, path: Path) -> Expr:
        relation, scope = self.table(qualifier, path.at)
        column = _column(relation, name.name, name.at)
        if column is None:
            raise UndefinedColumn(str(path), at=path.at)
        return scope.record(column, name.name, path.at)

    def table(self, qualifier: list[Identifier], at: int) -> tuple[Relation, Scope]:
        """Return the relation that `qualifier` names, with its scope: `t`, `public.t`, `s.t`.

        Raise MissingFromEntry if FROM has no such relation.
        """
        alias = qualifier[-1].name
        scope: Scope | None = self
        while scope is not None:
            relation = scope.aliases.get(alias)
            if relation is not None and (len(qualifier) == 1 or _is_named(relation, qualifier)):
                return relation, scope
            scope = scope.parent
        scope = self
        while scope is not None:
            if scope.hidden is not None and alias in scope.hidden.aliases():
                raise TableNotVisible(alias, at=at)
            scope = scope.parent
        raise MissingFromEntry(alias, at=at)

    def record(self, column: Expr, name: str, at: int) -> Expr:
        """Record a reference to an input column, and return it."""
        self.references += 1
        if self.origins is not None and self.source is not None:
            self.origins.append(Origin(column, at, name, self.source))
        return column


def _column(relation: Relation, name: str, at: int) -> Expr | None:
    try:
        return relation.column(name, at)
    except errors.AmbiguousColumn:
        raise AmbiguousColumn(name, at=at) from None


def _is_named(relation: Relation, qualifier: list[Identifier]) -> bool:
    """Return whether a relation is the table or view that `qualifier` names, schema included."""
    path = ".".join(part.name for part in qualifier).removeprefix("public.")
    return relation.qualified_name == path


@dataclass(slots=True)
class Env:
    """The environment in which an expression or a query is resolved.

    `clause` is the clause as PostgreSQL's messages call it where it has no aggregates: "WHERE",
    "JOIN conditions", "functions in FROM". Aggregate calls are allowed if `aggregation` is set,
    which collects the calls; `in_aggregate` is True inside the arguments of an aggregate call.
    `outermost` is True if a query in this environment is the whole statement: only such a query
    may begin with WITH. With `keeps_unknown`, the columns of a query in this environment may be of
    type UNKNOWN, because its context decides their types.
    """

    analysis: Analysis
    scope: Scope
    clause: str
    common_tables: Mapping[str, CommonTable]
    aggregation: Aggregation | None = None
    in_aggregate: bool = False
    for_update: bool = False
    outermost: bool = False
    keeps_unknown: bool = False

    def inside(self, scope: Scope) -> Env:
        """Return the same environment with another scope, usually a child of this one."""
        return Env(
            self.analysis,
            scope,
            self.clause,
            self.common_tables,
            self.aggregation,
            self.in_aggregate,
            self.for_update,
        )


class AliasedRelation(Relation):
    """A relation under another name; its first columns can have other names, too."""

    def __init__(self, alias: str, inner: Relation, names: Sequence[str]) -> None:
        super().__init__(alias, inner.fold)
        self._inner = inner
        columns = list(inner.star())
        self._names = [*names, *(name for name, _ in columns[len(names) :])]
        self._columns = [expression for _, expression in columns]

    def column(self, name: str, at: int) -> Expr | None:
        matches = self._names.count(name)
        if matches > 1:
            raise AmbiguousColumn(name, at=at)
        return self._reference(self._names.index(name)) if matches else None

    def _reference(self, number: int) -> Expr:
        column = self._columns[number]
        return ColumnRef(column.type, column.column) if isinstance(column, ColumnRef) else column

    def star(self) -> Star:
        return [(name, self._reference(number)) for number, name in enumerate(self._names)]

    def scan(self) -> Scan:
        return self._inner.scan()


def with_alias(relation: Relation, alias: str, names: Sequence[str], at: int) -> Relation:
    """Return `relation` with the names of a column alias list.

    Raise TooManyColumnAliases if the relation has fewer columns.
    """
    available = sum(1 for _ in relation.star())
    if len(names) > available:
        raise TooManyColumnAliases(alias, available, len(names), at=at)
    return AliasedRelation(alias, relation, names)


class FunctionRelation(Relation):
    """The rows of a set-returning function, which are the elements of an array.

    `position` returns the value of the column ordinality from the offset of the element.
    """

    def __init__(
        self,
        alias: str,
        elements: ArrayElements,
        names: Sequence[str],
        fold: Fold,
        position: Callable[[ResolvedColumn], Expr],
    ) -> None:
        super().__init__(alias, fold)
        self.elements = elements
        self._names = names
        self._position = position

    def column(self, name: str, at: int) -> Expr | None:
        if self._names.count(name) > 1:
            raise AmbiguousColumn(name, at=at)
        return dict(self.star()).get(name)

    def star(self) -> Star:
        element, offset = self.elements.element, self.elements.offset
        yield self._names[0], ColumnRef(element.type, element)
        if offset is not None:
            yield self._names[1], self._position(offset)

    def scan(self) -> Scan:
        return self.elements.scan()
