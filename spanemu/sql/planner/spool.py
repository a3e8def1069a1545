"""Spools for correlated equalities that no key can seek: lookups in a hash table.

Applied to plans that run once per outer row: the plan of a correlated subquery, and the right side
of an apply join. Without a spool each outer row would read the whole input again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from spanemu.sql.plan import nodes
from spanemu.sql.plan.conditions import conjunction, conjuncts, equality, is_compound
from spanemu.sql.plan.joins import ApplyJoin, HashJoin, Join, KeyedSpool, MergeJoin, Unnest
from spanemu.sql.plan.nodes import Node
from spanemu.sql.plan.paths import PathScan
from spanemu.sql.plan.traverse import free, is_volatile, map_parts, parts
from spanemu.sql.resolved import Expr

_HASHABLE_KEYS_MAX = 16


def spool_correlated(node: Node) -> Node:
    """Insert a `KeyedSpool` wherever a filter compares its input with an outer row."""
    return _RULES[type(node)](node) if free(node) else node


def _unchanged(node: Node) -> Node:
    return node


def _below(node: Node) -> Node:
    return map_parts(node, spool_correlated, _same)


def _same(expr: Expr) -> Expr:
    return expr


def _filter(node: nodes.Filter) -> Node:
    split = _split(list(conjuncts(node.condition)), node.input)
    if split is not None and not free(node.input):
        return _spooled(node.input, *split)
    return replace(node, input=spool_correlated(node.input))


def _scan(node: nodes.Scan) -> Node:
    if seek_columns(node):
        return node  # The scan already seeks by the outer row.
    conditions = list(conjuncts(node.residual))
    mine = [one for one in conditions if not free(one) - node.ids and not is_volatile(one)]
    correlations = [one for one in conditions if free(one) - node.ids or is_volatile(one)]
    plain = replace(node, residual=conjunction(mine))
    split = _split(correlations, plain)
    return node if split is None else _spooled(plain, *split)


def seek_columns(scan: nodes.Scan) -> frozenset[int]:
    """Return the outer columns by which a scan seeks."""
    return frozenset[int]().union(
        *[free(value) for seek in scan.seeks or () for value in parts(seek)]
    )


def _split(
    conditions: Sequence[Expr], below: Node
) -> tuple[list[tuple[Expr, Expr]], list[Expr]] | None:
    """Return the (inner, outer) sides of equalities with the outer row, and other conditions."""
    pairs: list[tuple[Expr, Expr]] = []
    rest: list[Expr] = []
    for condition in conditions:
        sides = equality(condition)
        if sides is None or is_volatile(condition) or is_compound(sides[0].type):
            rest.append(condition)
            continue
        for inner, outer in (sides, sides[::-1]):
            uses = free(inner)
            if uses and uses <= below.ids and not free(outer) & below.ids and free(outer):
                pairs.append((inner, outer))
                break
        else:
            rest.append(condition)
    return (pairs, rest) if 0 < len(pairs) <= _HASHABLE_KEYS_MAX else None


def _spooled(below: Node, pairs: list[tuple[Expr, Expr]], rest: list[Expr]) -> Node:
    spool = KeyedSpool(
        below,
        tuple([inner for inner, _ in pairs]),
        tuple([outer for _, outer in pairs]),
    )
    left = conjunction(rest)
    return spool if left is None else nodes.Filter(spool, left)


_RULES: Mapping[type[Node], Callable[[Any], Node]] = {
    **dict.fromkeys((nodes.Unit, nodes.Values, nodes.SystemScan, nodes.WithRef), _unchanged),
    **dict.fromkeys((nodes.With, nodes.Sample, KeyedSpool), _unchanged),
    **dict.fromkeys((nodes.Scan, nodes.SearchScan), _scan),
    nodes.Filter: _filter,
    **dict.fromkeys((nodes.Project, nodes.Limit, nodes.Sort, nodes.TopN, nodes.Rank), _below),
    nodes.RemoteCall: _below,
    **dict.fromkeys((nodes.HashAggregate, nodes.StreamAggregate), _below),
    **dict.fromkeys((nodes.UnionAll, nodes.SetOperation), _below),
    **dict.fromkeys((Join, HashJoin, MergeJoin, ApplyJoin, Unnest, PathScan), _below),
}
