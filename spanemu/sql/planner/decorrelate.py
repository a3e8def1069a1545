"""Decorrelation: extraction of the conditions that compare a subquery with the outer row.

    EXISTS (SELECT 1 FROM b WHERE b.x = a.x AND b.y > 3)   ->   b WHERE b.y > 3,  [b.x = a.x]

Only for tests (EXISTS, IN), where the order and the number of equal rows do not matter. Guards are
the conditions under which an expression evaluates a subquery at all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Protocol

from spanemu.sql.functions.registry import Operation
from spanemu.sql.plan import nodes
from spanemu.sql.plan.conditions import conjunction, conjuncts, is_false, is_null, is_true, negation
from spanemu.sql.plan.joins import PHYSICAL, Join, JoinKind, Unnest
from spanemu.sql.plan.nodes import Columns, Node
from spanemu.sql.plan.paths import PathScan
from spanemu.sql.plan.traverse import free, map_parts
from spanemu.sql.resolved import And, Case, Expr, FunctionCall, Literal, Or

Detached = tuple[Node, list[Expr]]


def detach(
    node: Node, outputs: Columns, outer: frozenset[int], is_exists: bool
) -> tuple[Node, list[Expr]]:
    """Return `node` without its conditions on `outer` columns, and those conditions.

    If a correlation would remain, return `node` itself and no conditions. The result still has
    `outputs`.
    """
    if not free(node) & outer:
        return node, []
    stripped = _strip(node) if is_exists else node
    detached = _detach(stripped, outer)
    if detached is None or free(detached[0]) & outer:
        return node, []
    if not is_exists and not detached[0].ids.issuperset(column.id for column in outputs):
        return node, []
    return detached


def _strip(node: Node) -> Node:
    """Strip what does not decide whether `node` has a row: select list, order, DISTINCT, LIMIT."""
    while True:
        match node:
            case nodes.Project() | nodes.Sort():
                node = node.input
            case nodes.HashAggregate(keys=keys, aggregates=()) if keys:
                node = node.input
            case nodes.Limit(limit=Literal(value=int() as limit), offset=None) if limit > 0:
                node = node.input
            case _:
                return node


def _detach(node: Node, outer: frozenset[int]) -> Detached | None:
    """Return the detached node and conditions, or None if a correlation cannot be extracted."""
    if not free(node) & outer:
        return node, []
    return _RULES[type(node)](node, outer)


def _correlated(node: Node, outer: frozenset[int]) -> Detached | None:
    """Return None: the node means something else without the conditions below it."""
    return None


def _filter(node: nodes.Filter, outer: frozenset[int]) -> Detached | None:
    below = _detach(node.input, outer)
    if below is None:
        return None
    mine, correlations = _split(node.condition, outer)
    kept = conjunction(mine)
    inner = below[0] if kept is None else nodes.Filter(below[0], kept)
    return inner, [*below[1], *correlations]


def _project(node: nodes.Project, outer: frozenset[int]) -> Detached | None:
    below = _detach(node.input, outer)
    if below is None:
        return None
    # The extracted conditions may need any column from below.
    return replace(node, input=below[0], kept=below[0].columns), below[1]


def _sort(node: nodes.Sort, outer: frozenset[int]) -> Detached | None:
    return _detach(node.input, outer)


def _distinct(node: nodes.HashAggregate, outer: frozenset[int]) -> Detached | None:
    if node.aggregates or not node.keys:
        return None
    return _project(nodes.Project(node.input, node.keys, node.input.columns), outer)


def _join(node: Join, outer: frozenset[int]) -> Detached | None:
    left = _detach(node.left, outer)
    right: Detached | None = (node.right, [])
    mine, correlations = list(conjuncts(node.condition)), list[Expr]()
    if node.kind is JoinKind.INNER:
        right = _detach(node.right, outer)
        mine, correlations = _split(node.condition, outer)
    elif node.kind is JoinKind.FULL:
        return None
    if left is None or right is None:
        return None
    joined = replace(node, left=left[0], right=right[0], condition=conjunction(mine))
    return joined, [*left[1], *right[1], *correlations]


def _unnest(node: Unnest, outer: frozenset[int]) -> Detached | None:
    below = _detach(node.input, outer)
    if below is None:
        return None
    if node.outer:
        return replace(node, input=below[0]), below[1]
    mine, correlations = _split(node.condition, outer)
    return replace(node, input=below[0], condition=conjunction(mine)), [*below[1], *correlations]


def _split(condition: Expr | None, outer: frozenset[int]) -> tuple[list[Expr], list[Expr]]:
    mine: list[Expr] = []
    correlations: list[Expr] = []
    for term in conjuncts(condition):
        (correlations if free(term) & outer else mine).append(term)
    return mine, correlations


_RULES: Mapping[type[Node], Callable[[Any, frozenset[int]], Detached | None]] = {
    **dict.fromkeys((nodes.Unit, nodes.Values, nodes.Scan, nodes.SystemScan), _correlated),
    **dict.fromkeys((nodes.Limit, nodes.Rank, nodes.UnionAll, nodes.SetOperation), _correlated),
    **dict.fromkeys((nodes.With, nodes.WithRef, nodes.Sample, PathScan, *PHYSICAL), _correlated),
    nodes.RemoteCall: _correlated,
    nodes.Filter: _filter,
    nodes.Project: _project,
    nodes.Sort: _sort,
    nodes.HashAggregate: _distinct,
    Join: _join,
    Unnest: _unnest,
}


# ---------------------------------------------------------------------------- guards

Conditions = tuple[Expr, ...]


class Visit(Protocol):
    """A rewrite of a part of an expression that is needed only where all of `needed` are TRUE."""

    def __call__(self, expr: Expr, needed: Conditions) -> Expr: ...


def with_guards(expr: Expr, needed: Conditions, visit: Visit) -> Expr:
    """Return `expr` with its direct parts visited, each with the conditions under which it counts.

    `needed` are the conditions of `expr` itself.
    """
    if isinstance(expr, Case):
        return _case(expr, needed, visit)
    skips = _SKIPS.get(type(expr))
    if isinstance(expr, FunctionCall) and expr.signature.operation in (
        Operation.COALESCE,
        Operation.IFNULL,
    ):
        skips = _has_value
    if skips is None:
        return map_parts(expr, _same, lambda part: visit(part, needed))

    def serialized(part: Expr) -> Expr:
        nonlocal needed
        made = visit(part, needed)
        needed = (*needed, negation(skips(part)))
        return made

    return map_parts(expr, _same, serialized)


def _case(expr: Case, needed: Conditions, visit: Visit) -> Expr:
    whens: list[tuple[Expr, Expr]] = []
    for condition, result in expr.whens:
        tested = visit(condition, needed)
        whens.append((tested, visit(result, (*needed, condition))))
        needed = (*needed, negation(is_true(condition)))
    return Case(expr.type, tuple(whens), visit(expr.otherwise, needed))


def _has_value(expr: Expr) -> Expr:
    return negation(is_null(expr))


def _same(node: Node) -> Node:
    return node


# An operand that is TRUE (of OR) or FALSE (of AND) decides, and later operands are skipped.
_SKIPS: Mapping[type[Expr], Callable[[Expr], Any]] = {Or: is_true, And: is_false}
