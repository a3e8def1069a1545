"""The relations of FROM that only PostgreSQL has: aliases of columns, and rows of functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from spanemu.schema.dialect import Fold
from spanemu.sql.analysis.derived_relation import ArrayElements
from spanemu.sql.analysis.errors import AmbiguousColumn
from spanemu.sql.analysis.relation import Relation, Star
from spanemu.sql.postgresql.analyzer.errors.names import TooManyColumnAliases
from spanemu.sql.resolved import ColumnRef, Expr, ResolvedColumn, Scan


class AliasedRelation(Relation):
    """A relation under another name, of which the first columns can have other names."""

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
