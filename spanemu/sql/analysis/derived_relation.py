"""Relations over computed rows: of a subquery, a view or a common table, and array elements."""

from __future__ import annotations

from collections.abc import Sequence

from spanemu.base.record import dataclass
from spanemu.schema.dialect import Fold
from spanemu.sql.analysis.errors import AmbiguousColumn
from spanemu.sql.analysis.relation import Relation, Star
from spanemu.sql.resolved import ArrayScan, ColumnRef, Expr, Hints, ResolvedColumn, Scan


class DerivedRelation(Relation):
    """The rows of a subquery, a view or a common table."""

    def __init__(
        self,
        alias: str,
        columns: Sequence[tuple[str, ResolvedColumn]],
        built: Scan,
        fold: Fold,
        *,
        implicit: bool = False,
    ) -> None:
        super().__init__(alias, fold)
        self._implicit = implicit
        self._columns = columns
        self._built = built
        self._by_name: dict[str, ResolvedColumn | None] = {}
        for name, column in columns:
            if name:
                key = fold(name)
                self._by_name[key] = None if key in self._by_name else column

    def is_implicit(self, name: str) -> bool:
        return self._implicit

    def column(self, name: str, at: int) -> Expr | None:
        key = self.fold(name)
        if key not in self._by_name:
            return None
        match = self._by_name[key]
        if match is None:
            raise AmbiguousColumn(name, at=at)
        return ColumnRef(match.type, match)

    def star(self) -> Star:
        return [(name, ColumnRef(column.type, column)) for name, column in self._columns]

    def scan(self) -> Scan:
        return self._built


@dataclass(frozen=True, slots=True)
class ArrayElements:
    """The elements of an array before a scan or a join of them is built."""

    array: Expr
    element: ResolvedColumn
    offset: ResolvedColumn | None
    hints: Hints

    def scan(self) -> Scan:
        """Return a scan of the elements alone."""
        return ArrayScan(None, self.array, self.element, self.offset, hints=self.hints)
