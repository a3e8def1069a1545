"""Resolves the keys of GROUP BY, and rewrites expressions over the grouped rows.

A key is an expression, an alias or the number of a select column; ALL groups by every column of
the select list that has no aggregate and depends on the input row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from spanemu.sql.analysis import grouping
from spanemu.sql.analysis.errors import LimitExceeded
from spanemu.sql.analysis.tree import ExpressionMap, column_refs
from spanemu.sql.errors import GROUP_KEYS, AnalysisError
from spanemu.sql.functions.comparison import is_groupable
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer.errors import (
    BadGrouping,
    NeitherGroupedNorAggregated,
    NotGroupable,
    NotVisibleAfterDistinct,
    OrdinalOutOfRange,
)
from spanemu.sql.googlesql.analyzer.expressions.expression import resolve
from spanemu.sql.googlesql.analyzer.name_errors import AmbiguousAlias
from spanemu.sql.googlesql.analyzer.queries.select_list import LITERALS, SelectColumn, ordinal
from spanemu.sql.googlesql.analyzer.scope import Env, Origin
from spanemu.sql.resolved import ColumnRef, Expr, GetField, ResolvedColumn
from spanemu.values.types import Type


def check_groupable(type_: Type, at: int) -> None:
    """Raise NotGroupable if values of a type cannot be keys of a grouping."""
    if not is_groupable(type_):
        name = type_.code.value if type_.is_graph else str(type_)
        raise NotGroupable(f"Grouping by expressions of type {name} is not allowed", name, at=at)


def resolve_group_by(
    group_by: ast.GroupBy, columns: Sequence[SelectColumn], env: Env
) -> list[tuple[ResolvedColumn, Expr]]:
    """Resolve the keys of GROUP BY, each with the column that holds it after grouping.

    Raise AnalysisError for an invalid key and for too many keys.
    """
    limit = env.analysis.limits.group_keys
    if len(group_by.items) > limit:
        raise LimitExceeded(GROUP_KEYS, limit, at=group_by.at)
    if group_by.all:
        own = _columns_of_input(env)
        candidates = [
            (column.name, column.expression, column.at)
            for column in columns
            if not column.aggregated and _mentions(own, column.expression)
        ]
    else:
        candidates = [_key(item.value, columns, env) for item in group_by.items]
    keys: list[tuple[ResolvedColumn, Expr]] = []
    known: ExpressionMap[ResolvedColumn] = ExpressionMap()
    for name, expression, at in candidates:
        check_groupable(expression.type, at)
        if known.find(expression) is None:
            column = env.analysis.column(name or "$groupby", expression.type)
            known.add(expression, column)
            keys.append((column, expression))
    return keys


def _columns_of_input(env: Env) -> frozenset[int]:
    """Return the ids of the columns of the SELECT's own FROM clause that its list uses."""
    origins = env.scope.origins or ()
    return frozenset(ref.column.id for origin in origins for ref in column_refs(origin.expression))


def _mentions(own: frozenset[int], expression: Expr) -> bool:
    """Return whether the value depends on the input row, and not only on enclosing queries."""
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
        name, fold = node.path.parts[0].name, env.analysis.fold
        matches = [column for column in columns if fold(column.name) == fold(name)]
        if matches:
            if len(matches) > 1:
                raise AmbiguousAlias(name, "GROUP BY clause", at=node.at)
            return _selected(matches[0], f"Column {name}", node.at)
    expression = resolve(node, env)
    name = expression.column.name if isinstance(expression, ColumnRef) else ""
    return name, expression, node.at


def _selected(column: SelectColumn, display_name: str, at: int) -> tuple[str, Expr, int]:
    if column.aggregated:
        raise BadGrouping(
            f"{display_name} contains an aggregation function, which is not allowed in GROUP BY",
            at=at,
        )
    return column.name, column.expression, at


class Grouping(grouping.Grouping[Origin]):
    """The keys of one SELECT; a key that is a field replaces the same field in expressions.

    `graph` knows the columns of graph elements: a key that is an element has the properties too.
    """

    def __init__(
        self,
        keys: grouping.Keys,
        origins: Sequence[Origin],
        *,
        distinct: bool = False,
        graph: Any = None,
    ) -> None:
        self._distinct = distinct
        self._graph = graph
        self._fields: ExpressionMap[ResolvedColumn] = ExpressionMap()
        super().__init__(keys, origins)

    def add_key(self, expression: Expr, column: ResolvedColumn) -> None:
        (self._fields if _is_field_path(expression) else self.whole).add(expression, column)

    def part_key(self, expression: Expr) -> ResolvedColumn | None:
        is_field = type(expression) is GetField and self._fields
        return self._fields.find(expression) if is_field else None

    def _replace(self, expression: Expr) -> Expr | None:
        if self._graph is not None and type(expression) is ColumnRef:
            property_: Expr | None = self._graph.of_grouped(expression, self._by_column)
            if property_ is not None:
                return property_
        return super()._replace(expression)

    def refusal(self, origin: Origin) -> AnalysisError:
        if self._distinct:
            return NotVisibleAfterDistinct(origin.display_name, at=origin.at)
        return NeitherGroupedNorAggregated(
            f"{origin.clause} expression", origin.display_name, at=origin.at
        )


def _is_field_path(expression: Expr) -> bool:
    while isinstance(expression, GetField):
        expression = expression.operand
    return isinstance(expression, ColumnRef)
