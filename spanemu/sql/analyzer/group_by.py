"""Resolves the keys of GROUP BY: expressions, aliases and numbers of select columns, or ALL."""

from __future__ import annotations

from collections.abc import Sequence

from spanemu.sql.analyzer.env import Env
from spanemu.sql.analyzer.errors.grouping import BadGrouping, NotGroupable, OrdinalOutOfRange
from spanemu.sql.analyzer.errors.names import AmbiguousAlias
from spanemu.sql.analyzer.errors.shape import LimitExceeded
from spanemu.sql.analyzer.expression import resolve
from spanemu.sql.analyzer.resolved import ColumnRef, Expr, ResolvedColumn
from spanemu.sql.analyzer.select_list import SelectColumn
from spanemu.sql.analyzer.tree import column_refs, same
from spanemu.sql.functions.comparison import is_groupable
from spanemu.sql.syntax import ast

GROUP_KEYS_MAX = 1_000

LITERALS: frozenset[type[ast.Expression]] = frozenset(
    {
        ast.NullLiteral,
        ast.BoolLiteral,
        ast.FloatLiteral,
        ast.StringLiteral,
        ast.BytesLiteral,
        ast.TypedLiteral,
    }
)


def resolve_group_by(
    group_by: ast.GroupBy, columns: Sequence[SelectColumn], env: Env
) -> list[tuple[ResolvedColumn, Expr]]:
    """The keys, each with the column that holds it after grouping."""
    if len(group_by.items) > GROUP_KEYS_MAX:
        raise LimitExceeded("GROUP BY columns", GROUP_KEYS_MAX, at=group_by.at)
    if group_by.all:
        found = [
            (column.name, column.expression, column.at)
            for column in columns
            if not column.aggregated and _mentions_columns(column.expression)
        ]
    else:
        found = [_key(item.value, columns, env) for item in group_by.items]
    keys: list[tuple[ResolvedColumn, Expr]] = []
    for name, expression, at in found:
        if not is_groupable(expression.type):
            raise NotGroupable(
                f"Grouping by expressions of type {expression.type} is not allowed",
                str(expression.type),
                at=at,
            )
        if not any(same(expression, known) for _, known in keys):
            keys.append((env.analysis.column(name or "$groupby", expression.type), expression))
    return keys


def _mentions_columns(expression: Expr) -> bool:
    return any(True for _ in column_refs(expression))


def _key(node: ast.Expression, columns: Sequence[SelectColumn], env: Env) -> tuple[str, Expr, int]:
    if type(node) is ast.IntLiteral:
        if not 1 <= node.value <= len(columns):
            raise OrdinalOutOfRange("GROUP BY", node.value, at=node.at)
        column = columns[node.value - 1]
        return _selected(column, f"Column {node.value}", node.at)
    if type(node) in LITERALS:
        raise BadGrouping("Cannot GROUP BY literal values", at=node.at)
    if type(node) is ast.Name and len(node.path.parts) == 1:
        name = node.path.parts[0].name
        matches = [column for column in columns if column.name.lower() == name.lower()]
        if matches:
            if len(matches) > 1:
                raise AmbiguousAlias(name, "GROUP BY clause", at=node.at)
            return _selected(matches[0], f"Column {name}", node.at)
    expression = resolve(node, env)
    name = expression.column.name if isinstance(expression, ColumnRef) else ""
    return name, expression, node.at


def _selected(column: SelectColumn, shown: str, at: int) -> tuple[str, Expr, int]:
    if column.aggregated:
        raise BadGrouping(
            f"{shown} contains an aggregation function, which is not allowed in GROUP BY", at=at
        )
    return column.name, column.expression, at
