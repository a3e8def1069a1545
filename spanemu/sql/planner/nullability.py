"""Which columns of a plan are never NULL."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from spanemu.sql.analyzer.resolved import ColumnRef, Expr, Literal
from spanemu.sql.plan import nodes
from spanemu.sql.plan.conditions import conjuncts, rejects_null
from spanemu.sql.plan.joins import (
    ApplyJoin,
    HashJoin,
    Join,
    JoinKind,
    KeyedSpool,
    MergeJoin,
    Unnest,
)
from spanemu.sql.plan.nodes import Node


def never_null(expr: Expr, node: Node) -> bool:
    """Whether `expr` over the rows of `node` surely has a value."""
    if isinstance(expr, Literal):
        return expr.value is not None
    return isinstance(expr, ColumnRef) and expr.column.id in not_null_columns(node)


def not_null_columns(node: Node) -> frozenset[int]:
    """Ids of columns of `node` in which NULL never comes."""
    rule = _RULES.get(type(node))
    return rule(node) if rule else frozenset()


def _scan(node: nodes.Scan) -> frozenset[int]:
    return frozenset(column.id for column, stored in node.outputs if stored.not_null)


def _filter(node: nodes.Filter) -> frozenset[int]:
    below = not_null_columns(node.input)
    conditions = list(conjuncts(node.condition))
    return below | frozenset(
        column
        for column in node.ids - below
        if any(rejects_null(condition, frozenset((column,))) for condition in conditions)
    )


def _project(node: nodes.Project) -> frozenset[int]:
    below = not_null_columns(node.input)
    computed = frozenset(
        column.id for column, value in node.computed if never_null(value, node.input)
    )
    return computed | (below & {column.id for column in node.kept})


def _input(node: Any) -> frozenset[int]:
    return not_null_columns(node.input)


def _join(node: Join | HashJoin | ApplyJoin) -> frozenset[int]:
    if node.kind is JoinKind.INNER:
        return not_null_columns(node.left) | not_null_columns(node.right)
    return frozenset() if node.kind is JoinKind.FULL else not_null_columns(node.left)


def _aggregate(node: nodes.HashAggregate) -> frozenset[int]:
    return frozenset(column.id for column, value in node.keys if never_null(value, node.input))


_RULES: Mapping[type[Node], Callable[[Any], frozenset[int]]] = {
    nodes.Scan: _scan,
    nodes.Filter: _filter,
    nodes.Project: _project,
    nodes.Limit: _input,
    nodes.Sort: _input,
    nodes.TopN: _input,
    nodes.HashAggregate: _aggregate,
    nodes.StreamAggregate: _aggregate,
    Unnest: _input,
    KeyedSpool: _input,
    Join: _join,
    HashJoin: _join,
    MergeJoin: _join,
    ApplyJoin: _join,
}
