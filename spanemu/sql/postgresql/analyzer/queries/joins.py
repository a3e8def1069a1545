"""Resolves JOIN: its type, its condition, and the columns that USING merges."""

from __future__ import annotations

from collections.abc import Mapping

from spanemu.sql.analysis.derived_relation import JoinRelation, MergedColumn
from spanemu.sql.analysis.errors import AmbiguousColumn
from spanemu.sql.analysis.hints import HintTarget, check_hints
from spanemu.sql.analysis.relation import Relation
from spanemu.sql.postgresql import ast
from spanemu.sql.postgresql.analyzer.errors import (
    AmbiguousUsingColumn,
    DuplicateTable,
    RepeatedUsingColumn,
    UndefinedUsingColumn,
)
from spanemu.sql.postgresql.analyzer.expressions.calls import form_call, operator_call
from spanemu.sql.postgresql.analyzer.expressions.coercion import unify
from spanemu.sql.postgresql.analyzer.expressions.expression import resolve_condition
from spanemu.sql.postgresql.analyzer.scope import Env, FunctionRelation, Scope, with_alias
from spanemu.sql.resolved import And, ColumnRef, Expr, JoinType
from spanemu.sql.syntax_tree import Identifier
from spanemu.values.types import BOOL

_TYPES: Mapping[ast.JoinKind, JoinType] = {
    ast.JoinKind.COMMA: JoinType.INNER,
    ast.JoinKind.CROSS: JoinType.INNER,
    ast.JoinKind.INNER: JoinType.INNER,
    ast.JoinKind.LEFT: JoinType.LEFT,
    ast.JoinKind.RIGHT: JoinType.RIGHT,
    ast.JoinKind.FULL: JoinType.FULL,
}
_NO_ARRAY_SCAN = (ast.JoinKind.RIGHT, ast.JoinKind.FULL)


def resolve_join(item: ast.Join, left: Relation, right: Relation, env: Env) -> Relation:
    """Resolve the join of two resolved relations.

    Raise AnalysisError for a repeated alias, a bad condition or an invalid column of USING.
    """
    analysis = env.analysis
    analysis.count("joins", analysis.limits.joins, item.at)
    join = JoinRelation(left, right)
    for alias in join.shared_aliases():
        raise DuplicateTable(alias, at=item.right.at)
    join.join_type = _TYPES[item.kind]
    if isinstance(right, FunctionRelation) and item.kind not in _NO_ARRAY_SCAN:
        join.array = right.elements
        join.hints = right.elements.hints
    else:
        join.hints = check_hints(item.hint, HintTarget.JOIN, analysis)
    if item.using:
        join.condition, join.merged = _using(item, left, right, env)
    elif item.on is not None:
        inside = Env(analysis, Scope(env.scope, join), "JOIN conditions", env.common_tables)
        join.condition = resolve_condition(item.on, inside, "JOIN/ON")
    if item.alias is None:
        return join
    names = [column.name for column in item.alias.columns]
    return with_alias(join, item.alias.name.name, names, item.alias.at)


def _using(
    item: ast.Join, left: Relation, right: Relation, env: Env
) -> tuple[Expr, Mapping[str, MergedColumn]]:
    """Return the condition that USING denotes, and the merged columns by name."""
    conditions = []
    merged: dict[str, MergedColumn] = {}
    for name in item.using:
        if name.name in merged:
            raise RepeatedUsingColumn(name.name, at=name.at)
        sides = _using_column(left, name, "left"), _using_column(right, name, "right")
        conditions.append(operator_call("=", sides, env.analysis, name.at))
        merged[name.name] = _merged(item.kind, name, sides, env)
    condition = conditions[0] if len(conditions) == 1 else And(BOOL, tuple(conditions))
    return condition, merged


def _using_column(side: Relation, name: Identifier, which: str) -> Expr:
    try:
        column = side.column(name.name, name.at)
    except AmbiguousColumn:
        raise AmbiguousUsingColumn(name.name, which, at=name.at) from None
    if column is None:
        raise UndefinedUsingColumn(name.name, which, at=name.at)
    return column


def _merged(
    kind: ast.JoinKind, name: Identifier, sides: tuple[Expr, Expr], env: Env
) -> MergedColumn:
    """Return the column that USING makes of the columns of both sides, in their common type."""
    type_, (left, right) = unify(sides, "JOIN/USING", env.analysis, name.at)
    value = right if kind is ast.JoinKind.RIGHT else left
    if kind is ast.JoinKind.FULL:
        value = form_call("COALESCE", (left, right), env.analysis, name.at, type_)
    if isinstance(value, ColumnRef):
        return MergedColumn(name.name, value)
    return MergedColumn(name.name, value, env.analysis.column(name.name, type_))
