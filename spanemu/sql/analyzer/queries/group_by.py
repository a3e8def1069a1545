"""Resolves the keys of GROUP BY: expressions, aliases and numbers of select columns, or ALL."""

from __future__ import annotations

from collections.abc import Sequence

from spanemu.sql.analyzer.env import Env
from spanemu.sql.analyzer.errors.grouping import BadGrouping, NotGroupable, OrdinalOutOfRange
from spanemu.sql.analyzer.errors.names import AmbiguousAlias
from spanemu.sql.analyzer.errors.shape import LimitExceeded
from spanemu.sql.analyzer.expressions.expression import resolve
from spanemu.sql.analyzer.queries.select_list import SelectColumn
from spanemu.sql.analyzer.resolved import ColumnRef, Expr, ResolvedColumn
from spanemu.sql.analyzer.tree import ByExpression, column_refs
from spanemu.sql.errors import GROUP_KEYS
from spanemu.sql.functions.comparison import is_groupable
from spanemu.sql.syntax import ast

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


def ordinal(node: ast.Expression) -> int | None:
    """The number that stands for a column of the select list, if the item is one."""
    return node.value if type(node) is ast.IntLiteral else None


def resolve_group_by(
    group_by: ast.GroupBy, columns: Sequence[SelectColumn], env: Env
) -> list[tuple[ResolvedColumn, Expr]]:
    """The keys, each with the column that holds it after grouping."""
    limit = env.analysis.limits.group_keys
    if len(group_by.items) > limit:
        raise LimitExceeded(GROUP_KEYS, limit, at=group_by.at)
    if group_by.all:
        own = _columns_of_input(env)
        found = [
            (column.name, column.expression, column.at)
            for column in columns
            if not column.aggregated and _mentions(own, column.expression)
        ]
    else:
        found = [_key(item.value, columns, env) for item in group_by.items]
    keys: list[tuple[ResolvedColumn, Expr]] = []
    known: ByExpression[ResolvedColumn] = ByExpression()
    for name, expression, at in found:
        if not is_groupable(expression.type):
            raise NotGroupable(
                f"Grouping by expressions of type {expression.type} is not allowed",
                str(expression.type),
                at=at,
            )
        if known.find(expression) is None:
            column = env.analysis.column(name or "$groupby", expression.type)
            known.add(expression, column)
            keys.append((column, expression))
    return keys


def _columns_of_input(env: Env) -> frozenset[int]:
    """The columns of the SELECT's own FROM clause, by number, that its list has mentioned."""
    origins = env.scope.origins or ()
    return frozenset(ref.column.id for each in origins for ref in column_refs(each.expression))


def _mentions(own: frozenset[int], expression: Expr) -> bool:
    """Whether the value depends on a row of the input, and not just on what surrounds it."""
    return any(ref.column.id in own for ref in column_refs(expression))


def _key(node: ast.Expression, columns: Sequence[SelectColumn], env: Env) -> tuple[str, Expr, int]:
    number = ordinal(node)
    if number is not None:
        if not 1 <= number <= len(columns):
            raise OrdinalOutOfRange("GROUP BY", number, at=node.at)
        return _selected(columns[number - 1], f"Column {number}", node.at)
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
