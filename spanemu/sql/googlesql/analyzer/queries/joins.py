"""Resolves JOIN: its type, its condition, and the columns that USING merges."""

from __future__ import annotations

from collections.abc import Mapping

from spanemu.sql.analysis.derived_relation import JoinRelation, MergedColumn
from spanemu.sql.analysis.errors import AmbiguousColumn
from spanemu.sql.analysis.hints import HintTarget, check_hints
from spanemu.sql.analysis.relation import Relation
from spanemu.sql.functions.comparison import is_comparable
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer.errors import (
    BadQuery,
    UsingColumnAmbiguous,
    UsingColumnMissing,
    UsingColumnsDiffer,
)
from spanemu.sql.googlesql.analyzer.expressions.coercion import coerce, common_type
from spanemu.sql.googlesql.analyzer.expressions.expression import resolve_condition
from spanemu.sql.googlesql.analyzer.expressions.operator_call import function_call, operator_call
from spanemu.sql.googlesql.analyzer.name_errors import DuplicateTableAlias, NeedsQualifier
from spanemu.sql.googlesql.analyzer.queries.value_relation import ValueRelation
from spanemu.sql.googlesql.analyzer.scope import Env, Scope
from spanemu.sql.resolved import (
    And,
    Expr,
    JoinType,
)
from spanemu.values.types import BOOL

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
    join = JoinRelation(left, right, names)
    shared = join.shared_aliases()
    if shared:
        alias = right.aliases()[shared.pop()].alias
        raise DuplicateTableAlias(alias, at=_alias_at(item.right))
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
