"""Two relations side by side, with or without a USING clause, and arrays beside their row.

a JOIN b ON ...          columns of both; a name that both have is ambiguous
a JOIN b USING (x)       x once, ahead of the rest; a.x and b.x still there by their alias
a, UNNEST(a.list)        an `ArrayScan` over a
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from spanemu.sql.analyzer.errors.names import AmbiguousColumn, DuplicateTableAlias
from spanemu.sql.analyzer.queries.relation import ArrayElements, Relation, Star
from spanemu.sql.analyzer.resolved import (
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


@dataclass(slots=True)
class MergedColumn:
    """A column of USING: its name, and its value or the computed column that holds it."""

    name: str
    value: Expr
    computed: ResolvedColumn | None = None

    def reference(self) -> Expr:
        if self.computed is not None:
            return ColumnRef(self.computed.type, self.computed)
        return self.value


class JoinRelation(Relation):
    """See the module. `array` is set when the right side is the elements of an array."""

    def __init__(
        self, left: Relation, right: Relation, at: int, merged_names: frozenset[str] = frozenset()
    ) -> None:
        super().__init__("")
        self.left = left
        self.right = right
        self.join_type = JoinType.INNER
        self.condition: Expr | None = None
        self.hints: Hints = ()
        self.merged: Mapping[str, MergedColumn] = {}
        self.array: ArrayElements | None = None
        # Two arrays may have one name if USING makes one column of them.
        self._merged_names = merged_names
        shared = (left.aliases().keys() & right.aliases().keys()) - merged_names
        if shared:
            alias = right.aliases()[shared.pop()].alias
            raise DuplicateTableAlias(alias, at=at)

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
        merged = self.merged.get(name.lower())
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
                if name.lower() not in self.merged:
                    yield name, expression

    def known(self) -> Iterator[str]:
        yield from self.left.known()
        yield from self.right.known()

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
                self.join_type, self.left.scan(), self.right.scan(), self.condition, self.hints
            )
        computed = _computed(tuple(self.merged.values()))
        return ProjectScan(scan, computed) if computed else scan


def _computed(merged: Sequence[MergedColumn]) -> tuple[tuple[ResolvedColumn, Expr], ...]:
    return tuple(
        (column.computed, column.value) for column in merged if column.computed is not None
    )
