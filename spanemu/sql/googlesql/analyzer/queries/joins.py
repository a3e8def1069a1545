"""Resolves JOIN: its type, its condition, and the columns that USING merges."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from spanemu.sql.analysis.relation import Relation, Star
from spanemu.sql.functions.comparison import is_comparable
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer.errors.names import (
    AmbiguousColumn,
    DuplicateTableAlias,
    NeedsQualifier,
)
from spanemu.sql.googlesql.analyzer.errors.shape import (
    BadQuery,
    UsingColumnAmbiguous,
    UsingColumnMissing,
    UsingColumnsDiffer,
)
from spanemu.sql.googlesql.analyzer.expressions.coercion import coerce, common_type
from spanemu.sql.googlesql.analyzer.expressions.expression import resolve_condition
from spanemu.sql.googlesql.analyzer.expressions.operator_call import function_call, operator_call
from spanemu.sql.googlesql.analyzer.hints import HintTarget, check_hints
from spanemu.sql.googlesql.analyzer.queries.derived_relation import ArrayElements, ValueRelation
from spanemu.sql.googlesql.analyzer.scope import Env, Scope
from spanemu.sql.resolved import (
    And,
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
from spanemu.values.types import BOOL


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
        self, left: Relation, right: Relation, at: int, merged_names: frozenset[str] = frozenset()
    ) -> None:
        super().__init__("", left.fold)
        self.left = left
        self.right = right
        self.join_type = JoinType.INNER
        self.condition: Expr | None = None
        self.hints: Hints = ()
        self.merged: Mapping[str, MergedColumn] = {}
        self.array: ArrayElements | None = None
        # Two arrays can share an alias that USING merges into one column.
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
                self.join_type, self.left.scan(), self.right.scan(), self.condition, self.hints
            )
        computed = _computed(tuple(self.merged.values()))
        return ProjectScan(scan, computed) if computed else scan


def _computed(merged: Sequence[MergedColumn]) -> tuple[tuple[ResolvedColumn, Expr], ...]:
    return tuple(
        (column.computed, column.value) for column in merged if column.computed is not None
    )


_TYPES: Mapping[ast.JoinKind, JoinType] = {
    ast.JoinKind.COMMA: JoinType.INNER,
    ast.JoinKind.CROSS: JoinType.INNER,
    ast.JoinKind.INNER: JoinType.INNER,
    ast.JoinKind.LEFT: JoinType.LEFT,
    ast.JoinKind.RIGHT: JoinType.RIGHT,
    ast.JoinKind.FULL: JoinType.FULL,
}
_UNCONDITIONAL = (ast.JoinKind.COMMA, ast.JoinKind.CROSS)
_NO_ARRAY_SCAN = (ast.JoinKind.RIGHT, ast.JoinKind.FULL)


def resolve_join(item: ast.Join, left: Relation, right: Relation, env: Env) -> JoinRelation:
    """Resolve the join of two resolved relations.

    Raise AnalysisError for a missing or misplaced condition, or an invalid column of USING.
    """
    analysis = env.analysis
    analysis.count("joins", analysis.limits.joins, item.at)
    names = frozenset(analysis.fold(name.name) for name in item.using)
    join = JoinRelation(left, right, _alias_at(item.right), names)
    join.join_type = _TYPES[item.kind]
    elements = right.elements if isinstance(right, ValueRelation) else None
    target = HintTarget.JOIN if elements is None else HintTarget.ARRAY
    join.hints = check_hints(item.hint, target, analysis)
    _check_clauses(item, elements is not None)
    if elements is not None and item.kind not in _NO_ARRAY_SCAN:
        join.array = elements
        join.hints = join.hints or elements.hints
    if item.using:
        join.condition, join.merged = _using(item, left, right, env)
    elif item.on is not None:
        inside = Env(analysis, Scope(env.scope, join), "JOIN ON clause", env.common_tables)
        join.condition = resolve_condition(item.on, inside)
    return join


def _alias_at(item: ast.FromItem) -> int:
    """Return the position of an item's alias, or of the item if it has no alias."""
    alias = getattr(item, "alias", None)
    return item.at if alias is None else int(alias.at)


def _check_clauses(item: ast.Join, is_array: bool) -> None:
    conditional = item.on is not None or bool(item.using)
    if item.kind in _UNCONDITIONAL:
        if conditional:
            clause = "USING" if item.using else "ON"
            raise BadQuery(f"{clause} clause cannot be used with CROSS JOIN", at=item.at)
    elif not conditional and not is_array:
        raise BadQuery(
            f"{item.kind} JOIN must have an immediately following ON or USING clause",
            at=item.operator_at,
        )


def _using(
    item: ast.Join, left: Relation, right: Relation, env: Env
) -> tuple[Expr, Mapping[str, MergedColumn]]:
    """Return the condition that USING denotes, and the merged columns by folded name."""
    conditions = []
    is_strict = env.analysis.strict
    merged: dict[str, MergedColumn] = {}
    for identifier in item.using:
        values = (
            _using_column(left, identifier, "left", is_strict=is_strict),
            _using_column(right, identifier, "right", is_strict=is_strict),
        )
        common = common_type(values, env.analysis)
        if common is None or not is_comparable(common):
            raise UsingColumnsDiffer(
                identifier.name, str(values[0].type), str(values[1].type), at=identifier.at
            )
        converted = tuple(coerce(one, common, env.analysis, identifier.at) for one in values)
        conditions.append(operator_call("$equal", converted, env.analysis, identifier.at))
        key = env.analysis.fold(identifier.name)
        if key not in merged:
            merged[key] = _merged(item.kind, identifier, values, env)
    condition = conditions[0] if len(conditions) == 1 else And(BOOL, tuple(conditions))
    return condition, merged


def _using_column(
    side: Relation, identifier: ast.Identifier, which: str, *, is_strict: bool
) -> Expr:
    try:
        column = side.column(identifier.name, identifier.at)
    except AmbiguousColumn:
        raise UsingColumnAmbiguous(identifier.name, which, at=identifier.at) from None
    table = side.aliases().get(side.fold(identifier.name))
    if table is not None and not table.is_value:
        raise BadQuery(
            f"Name {identifier.name} in USING clause is a table alias, not a column name, on "
            f"{which} side of join",
            at=identifier.at,
        )
    if column is None:
        raise UsingColumnMissing(identifier.name, which, at=identifier.at)
    if is_strict and side.is_implicit(identifier.name):
        raise NeedsQualifier(identifier.name, at=identifier.at)
    return column


def _merged(
    kind: ast.JoinKind, identifier: ast.Identifier, values: tuple[Expr, ...], env: Env
) -> MergedColumn:
    left, right = values
    if kind is ast.JoinKind.RIGHT:
        return MergedColumn(identifier.name, right)
    if kind is not ast.JoinKind.FULL:
        return MergedColumn(identifier.name, left)
    coalesce = env.analysis.catalog.scalars["COALESCE"]
    value = function_call(coalesce, values, {}, env.analysis, identifier.at)
    column = env.analysis.column(identifier.name, value.type)
    return MergedColumn(identifier.name, value, column)
