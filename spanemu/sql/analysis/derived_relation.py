"""Relations over computed rows: of subqueries, views and common tables, of arrays, and of joins."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from spanemu.base.record import dataclass
from spanemu.schema.dialect import Fold
from spanemu.sql.analysis.errors import AmbiguousColumn
from spanemu.sql.analysis.relation import Relation, Star
from spanemu.sql.resolved import (
    ArrayScan,
    ColumnRef,
    Expr,
    Hints,
    JoinScan,
    JoinType,
    ProjectScan,
    ResolvedColumn,
    Scan,
)


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


@dataclass(slots=True)
class MergedColumn:
    """A column of USING: its name, its value, and the column that holds a computed value."""

    name: str
    value: Expr
    computed: ResolvedColumn | None = None

    def reference(self) -> Expr:
        if self.computed is not None:
            return ColumnRef(self.computed.type, self.computed)
        return self.value


class JoinRelation(Relation):
    """Two joined relations; `array` is set if the right side is the elements of an array."""

    def __init__(
        self, left: Relation, right: Relation, merged_names: frozenset[str] = frozenset()
    ) -> None:
        super().__init__("", left.fold)
        self.left = left
        self.right = right
        self.join_type = JoinType.INNER
        self.condition: Expr | None = None
        self.hints: Hints = ()
        self.merged: Mapping[str, MergedColumn] = {}
        self.array: ArrayElements | None = None
        self.is_lateral = False  # the right side may refer to the left
        # Two arrays can share an alias that USING merges into one column.
        self._merged_names = merged_names

    def shared_aliases(self) -> set[str]:
        """Return the aliases that relations of both sides have."""
        shared = self.left.aliases().keys() & self.right.aliases().keys()
        return shared - self._merged_names

    def aliases(self) -> Mapping[str, Relation]:
        left, right = self.left.aliases(), self.right.aliases()
        both = {**left, **right}
        for name in self._merged_names & left.keys() & right.keys():
            del both[name]
        return both

    def is_implicit(self, name: str) -> bool:
        return any(
            side.column(name, -1) is not None and side.is_implicit(name)
            for side in (self.left, self.right)
        )

    def column(self, name: str, at: int) -> Expr | None:
        merged = self.merged.get(self.fold(name))
        if merged is not None:
            return merged.reference()
        left, right = self.left.column(name, at), self.right.column(name, at)
        if left is not None and right is not None:
            raise AmbiguousColumn(name, at=at)
        return right if left is None else left

    def star(self) -> Star:
        for column in self.merged.values():
            yield column.name, column.reference()
        for side in (self.left, self.right):
            for name, expression in side.star():
                if self.fold(name) not in self.merged:
                    yield name, expression

    def column_names(self) -> Iterator[str]:
        yield from self.left.column_names()
        yield from self.right.column_names()

    def scan(self) -> Scan:
        scan: Scan
        if self.array is not None:
            scan = ArrayScan(
                self.left.scan(),
                self.array.array,
                self.array.element,
                self.array.offset,
                outer=self.join_type is JoinType.LEFT,
                condition=self.condition,
                hints=self.hints,
            )
        else:
            scan = JoinScan(
                self.join_type,
                self.left.scan(),
                self.right.scan(),
                self.condition,
                self.hints,
                self.is_lateral,
            )
        computed = _computed(tuple(self.merged.values()))
        return ProjectScan(scan, computed) if computed else scan


def _computed(merged: Sequence[MergedColumn]) -> tuple[tuple[ResolvedColumn, Expr], ...]:
    return tuple(
        (column.computed, column.value) for column in merged if column.computed is not None
    )
