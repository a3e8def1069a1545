"""Predicate pushdown: conditions move towards the rows that they constrain.

`push(conditions, node)` returns a node that yields the rows of `node` for which all `conditions`
are TRUE, with each condition tested as far down as possible. On the way, outer joins whose nullable
side the conditions need become inner joins, and conditions on one side of an equality are derived
for the other: `a.k = b.k AND a.k = 1` lets `b` be sought by 1 as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from spanemu.sql.plan import nodes
from spanemu.sql.plan.conditions import conjunction, conjuncts, rejects_null
from spanemu.sql.plan.joins import PHYSICAL, Join, JoinKind, Unnest
from spanemu.sql.plan.nodes import Node
from spanemu.sql.plan.paths import PathScan
from spanemu.sql.plan.traverse import (
    free,
    has_query,
    is_settled,
    is_volatile,
    replace_fields,
    settle,
    substitute,
)
from spanemu.sql.planner import properties
from spanemu.sql.planner.fold import fold, is_never_true
from spanemu.sql.resolved import ColumnRef, Expr

Conditions = Sequence[Expr]


def push(conditions: Conditions, node: Node) -> Node:
    """Return a node that yields the rows of `node` that satisfy all `conditions`."""
    if any(map(is_never_true, conditions)):
        return nodes.Values(node.columns, ())
    if not conditions and (not isinstance(node, Join) or is_settled(node)):
        return node
    pusher = _PUSHERS[type(node)]
    fixed = [condition for condition in conditions if is_volatile(condition)]
    if not fixed:
        return pusher(conditions, node)
    movable = [condition for condition in conditions if not is_volatile(condition)]
    return _stay(fixed, pusher(movable, node))


def _stay(conditions: Conditions, node: Node) -> Node:
    condition = conjunction(conditions)
    return node if condition is None else nodes.Filter(node, condition)


def _into_filter(conditions: Conditions, node: nodes.Filter) -> Node:
    mine = list(conjuncts(node.condition))
    if any(is_volatile(condition) for condition in mine):
        return _stay(mine, push(conditions, node.input))
    return push([*mine, *conditions], node.input)


def _into_project(conditions: Conditions, node: nodes.Project) -> Node:
    values = {column.id: value for column, value in node.computed}
    costly = frozenset(
        [column for column, value in values.items() if has_query(value) or is_volatile(value)]
    )
    down = [condition for condition in conditions if not free(condition) & costly]
    above = [condition for condition in conditions if free(condition) & costly]
    below = push(_in_terms_of(values, down), node.input)
    return _stay(above, replace(node, input=below))


def _in_terms_of(values: Mapping[int, Expr], conditions: Conditions) -> Conditions:
    """Return `conditions` with columns replaced by their values, and folded where possible."""
    return [fold(substitute(condition, values)) for condition in conditions]


def _through(conditions: Conditions, node: Any) -> Node:
    return replace(node, input=push(conditions, node.input))  # type: ignore[no-any-return]


def _into_aggregate(conditions: Conditions, node: nodes.HashAggregate) -> Node:
    values = {column.id: value for column, value in node.keys}
    computed = node.ids - values.keys()
    # Without keys an aggregate emits one row even for an empty input.
    down = [condition for condition in conditions if node.keys and not free(condition) & computed]
    above = [condition for condition in conditions if not node.keys or free(condition) & computed]
    below = push(_in_terms_of(values, down), node.input)
    return _stay(above, replace(node, input=below))


def _into_union(conditions: Conditions, node: nodes.UnionAll) -> Node:
    inputs = []
    for below, columns in zip(node.inputs, node.sources, strict=True):
        values: dict[int, Expr] = {
            output.id: ColumnRef(source.type, source)
            for output, source in zip(node.outputs, columns, strict=True)
        }
        inputs.append(push(_in_terms_of(values, conditions), below))
    return replace(node, inputs=tuple(inputs))


def _into_unnest(conditions: Conditions, node: Unnest) -> Node:
    produced = frozenset(column.id for column in node.produced)
    down = [condition for condition in conditions if not free(condition) & produced]
    rest = [condition for condition in conditions if free(condition) & produced]
    outer = node.outer and not any(rejects_null(condition, produced) for condition in rest)
    below = push(down, node.input)
    if outer:
        return _stay(rest, replace(node, input=below))
    condition = conjunction([*conjuncts(node.condition), *rest])
    return replace(node, input=below, outer=False, condition=condition)


def _beside_paths(conditions: Conditions, node: PathScan) -> Node:
    produced = frozenset(column.id for column in node.produced)
    return _beside(conditions, node, produced)


def _into_remote_call(conditions: Conditions, node: nodes.RemoteCall) -> Node:
    # Rows that a condition drops are not sent.
    produced = frozenset([column.id for column in node.outputs])
    return _beside(conditions, node, produced)


def _beside(conditions: Conditions, node: Any, produced: frozenset[int]) -> Node:
    """Push the conditions that need none of the `produced` columns below a node with one input."""
    down = [condition for condition in conditions if not free(condition) & produced]
    above = [condition for condition in conditions if free(condition) & produced]
    return _stay(above, replace(node, input=push(down, node.input)))


def _into_with(conditions: Conditions, node: nodes.With) -> Node:
    return replace(node, body=push(conditions, node.body))


def _into_join(conditions: Conditions, node: Join) -> Node:
    pushed = _JOIN_PUSHERS[node.kind](conditions, node)
    settle(pushed)
    return pushed


def _into_inner(conditions: Conditions, node: Join) -> Node:
    everything = [*conjuncts(node.condition), *conditions]
    movable = [condition for condition in everything if not is_volatile(condition)]
    left, right, both = _split([*movable, *properties.implied(movable)], node)
    both.extend(condition for condition in everything if is_volatile(condition))
    return replace_fields(
        node,
        {
            "left": push(left, node.left),
            "right": push(right, node.right),
            "condition": conjunction(both),
        },
    )


def _into_left(conditions: Conditions, node: Join) -> Node:
    weak = node.right.ids
    if any(rejects_null(condition, weak) for condition in conditions):
        return _into_inner(conditions, replace(node, kind=JoinKind.INNER))
    down = [condition for condition in conditions if not free(condition) & weak]
    above = [condition for condition in conditions if free(condition) & weak]
    on = list(conjuncts(node.condition))
    # A condition on the left row holds for every pair, so it may be derived for the right side.
    derived = [
        condition
        for condition in properties.implied([*on, *down])
        if not free(condition) & node.left.ids
    ]
    others, right, both = _split(on, node)
    left_only = [
        condition
        for condition in others
        if free(condition) & node.left.ids or is_volatile(condition)
    ]
    # A condition on neither side decides for all rows at once whether there are matches.
    neither = [condition for condition in others if condition not in left_only]
    joined = replace(
        node,
        left=push(down, node.left),
        right=push([*right, *neither, *derived], node.right),
        condition=conjunction([*both, *left_only]),
    )
    return _stay(above, joined)


def _into_full(conditions: Conditions, node: Join) -> Node:
    keeps_left = any(rejects_null(condition, node.left.ids) for condition in conditions)
    keeps_right = any(rejects_null(condition, node.right.ids) for condition in conditions)
    if keeps_left and keeps_right:
        return _into_inner(conditions, replace(node, kind=JoinKind.INNER))
    if keeps_left:
        return _into_left(conditions, replace(node, kind=JoinKind.LEFT))
    if keeps_right:
        turned = replace(node, kind=JoinKind.LEFT, left=node.right, right=node.left)
        return _into_left(conditions, turned)
    settled = replace(node, left=push((), node.left), right=push((), node.right))
    return _stay(conditions, settled)


def _into_semi(conditions: Conditions, node: Join) -> Node:
    everything = [*conjuncts(node.condition), *conditions]
    left, right, both = _split([*everything, *properties.implied(everything)], node)
    return replace(
        node,
        left=push(left, node.left),
        right=push(right, node.right),
        condition=conjunction(both),
    )


def _into_anti(conditions: Conditions, node: Join) -> Node:
    on = list(conjuncts(node.condition))
    derived = [
        condition
        for condition in properties.implied([*on, *conditions])
        if not free(condition) & node.left.ids
    ]
    left, right, both = _split(on, node)
    return replace(
        node,
        left=push(conditions, node.left),
        right=push([*right, *derived], node.right),
        condition=conjunction([*both, *left]),
    )


def _into_null_aware(conditions: Conditions, node: Join) -> Node:
    # A NULL row on the right decides the result: no condition may be pushed there.
    return replace(node, left=push(conditions, node.left), right=push((), node.right))


def _split(conditions: Conditions, node: Join) -> tuple[list[Expr], list[Expr], list[Expr]]:
    """Split conditions into those on the left (or on neither side), on the right, and on both."""
    left: list[Expr] = []
    right: list[Expr] = []
    both: list[Expr] = []
    for condition in conditions:
        used = free(condition)
        if not used & node.right.ids:
            left.append(condition)
        elif not used & node.left.ids:
            right.append(condition)
        else:
            both.append(condition)
    return left, right, both


_JOIN_PUSHERS: Mapping[JoinKind, Callable[[Conditions, Join], Node]] = {
    JoinKind.INNER: _into_inner,
    JoinKind.LEFT: _into_left,
    JoinKind.FULL: _into_full,
    JoinKind.SEMI: _into_semi,
    JoinKind.ANTI: _into_anti,
    JoinKind.NULL_AWARE_ANTI: _into_null_aware,
}

_PUSHERS: Mapping[type[Node], Callable[[Conditions, Any], Node]] = {
    **dict.fromkeys((nodes.Unit, nodes.Values, nodes.Scan, nodes.SystemScan), _stay),
    **dict.fromkeys((nodes.Limit, nodes.Rank, nodes.SetOperation), _stay),
    **dict.fromkeys((nodes.WithRef, nodes.Sample), _stay),
    **dict.fromkeys(PHYSICAL, _stay),
    nodes.Filter: _into_filter,
    nodes.Project: _into_project,
    nodes.Sort: _through,
    nodes.HashAggregate: _into_aggregate,
    nodes.UnionAll: _into_union,
    nodes.With: _into_with,
    nodes.RemoteCall: _into_remote_call,
    Join: _into_join,
    Unnest: _into_unnest,
    PathScan: _beside_paths,
}
