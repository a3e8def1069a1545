"""The relations between the operators of a pipe query.

Most operators change the rows and keep the names, table names included. A relation therefore
delegates to the relation before the operator, so that unused columns are never read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from spanemu.sql.analysis.errors import AmbiguousColumn
from spanemu.sql.analysis.relation import Relation, Star
from spanemu.sql.resolved import ColumnRef, Expr, ResolvedColumn, Scan


class LayeredRelation(Relation):
    """A relation with the same names and other rows: WHERE, ORDER BY, LIMIT, TABLESAMPLE."""

    def __init__(self, inner: Relation, over: Callable[[Scan], Scan]) -> None:
        super().__init__(inner.alias, inner.fold)
        self.inner = inner
        self.is_value = inner.is_value
        self._over = over

    @property
    def rows_are_values(self) -> bool:
        return self.inner.rows_are_values

    def is_implicit(self, name: str) -> bool:
        return self.inner.is_implicit(name)

    def aliases(self) -> Mapping[str, Relation]:
        return self.inner.aliases()

    def column(self, name: str, at: int) -> Expr | None:
        return self.inner.column(name, at)

    def star(self) -> Star:
        return self.inner.star()

    def row_value(self) -> Expr:
        return self.inner.row_value()

    def column_names(self) -> Iterator[str]:
        return self.inner.column_names()

    def scan(self) -> Scan:
        return self._over(self.inner.scan())


class BuiltRelation(LayeredRelation):
    """The names of a relation whose scan is already built, with all columns of the relation."""

    def __init__(self, inner: Relation, built: Scan) -> None:
        super().__init__(inner, lambda scan: scan)
        self._built = built

    def scan(self) -> Scan:
        return self._built


class ChangedRelation(LayeredRelation):
    """A relation with other columns, which is no longer a value table."""

    @property
    def rows_are_values(self) -> bool:
        return False

    def is_implicit(self, name: str) -> bool:
        return self.inner.column(name, -1) is not None and self.inner.is_implicit(name)


class ExtendedRelation(ChangedRelation):
    """The relation after EXTEND, which appends columns."""

    def __init__(
        self,
        inner: Relation,
        over: Callable[[Scan], Scan],
        added: Sequence[tuple[str, ResolvedColumn]],
    ) -> None:
        super().__init__(inner, over)
        self._added = added

    def column(self, name: str, at: int) -> Expr | None:
        key = self.fold(name)
        matches = [
            ColumnRef(one.type, one) for added, one in self._added if self.fold(added) == key
        ]
        before = self.inner.column(name, at)
        if len(matches) + (before is not None) > 1:
            raise AmbiguousColumn(name, at=at)
        return matches[0] if matches else before

    def star(self) -> Star:
        yield from self.inner.star()
        for name, column in self._added:
            yield name, ColumnRef(column.type, column)

    def column_names(self) -> Iterator[str]:
        yield from self.inner.column_names()
        yield from (name for name, _ in self._added)


class EditedRelation(ChangedRelation):
    """The relation after SET, DROP or RENAME, which replaces, removes or renames columns."""

    def __init__(
        self,
        inner: Relation,
        over: Callable[[Scan], Scan] = lambda scan: scan,
        *,
        replaced: Mapping[str, ResolvedColumn] | None = None,
        dropped: frozenset[str] = frozenset(),
        renamed: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(inner, over)
        self._replaced = replaced or {}
        self._dropped = dropped
        self._renamed = renamed or {}
        self._old_names = {self.fold(new): old for old, new in self._renamed.items()}

    def column(self, name: str, at: int) -> Expr | None:
        key = self.fold(name)
        if key in self._replaced:
            column = self._replaced[key]
            return ColumnRef(column.type, column)
        if key in self._old_names:
            return self.inner.column(self._old_names[key], at)
        if key in self._dropped or key in self._renamed:
            return None
        return self.inner.column(name, at)

    def star(self) -> Star:
        for name, expression in self.inner.star():
            key = self.fold(name)
            if key in self._replaced:
                column = self._replaced[key]
                yield name, ColumnRef(column.type, column)
            elif key not in self._dropped:
                yield self._renamed.get(key, name), expression

    def column_names(self) -> Iterator[str]:
        return (name for name, _ in self.star())
