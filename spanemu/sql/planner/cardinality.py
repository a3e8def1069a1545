"""Plans that return at most one row, whatever the tables hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from spanemu.sql.plan import nodes
from spanemu.sql.plan.joins import ApplyJoin, HashJoin, Join, JoinKind, MergeJoin
from spanemu.sql.plan.nodes import Node, Scan
from spanemu.sql.plan.seek import Equal
from spanemu.sql.resolved import Literal


def is_single_row(node: Node) -> bool:
    """Return whether `node` certainly returns no more than one row."""
    rule = _RULES.get(type(node))
    return rule(node) if rule else False


def _scan(node: Scan) -> bool:
    if node.seeks is None or len(node.seeks) != 1:
        return False
    points = node.seeks[0].points
    if not all(isinstance(point, Equal) for point in points):
        return False
    if node.index is None:
        return len(points) == len(node.table.key)
    # NULLs may repeat in a unique index.
    is_strict = not any(isinstance(point, Equal) and point.nulls for point in points)
    size = len(node.index.key) if node.index.unique and is_strict else len(node.index.full_key)
    return len(points) >= size


def _values(node: nodes.Values) -> bool:
    return len(node.rows) <= 1


def _limit(node: nodes.Limit | nodes.TopN) -> bool:
    is_one = isinstance(node.limit, Literal) and node.limit.value == 1
    return is_one or is_single_row(node.input)


def _aggregate(node: nodes.HashAggregate) -> bool:
    return not node.keys or is_single_row(node.input)


def _input(node: Any) -> bool:
    return is_single_row(node.input)


def _join(node: Join | HashJoin | ApplyJoin) -> bool:
    if not node.kind.keeps_right:
        return is_single_row(node.left)
    return node.kind is not JoinKind.FULL and is_single_row(node.left) and is_single_row(node.right)


_RULES: Mapping[type[Node], Callable[[Any], bool]] = {
    nodes.Unit: lambda node: True,
    nodes.Values: _values,
    Scan: _scan,
    nodes.Filter: _input,
    nodes.Project: _input,
    nodes.Sort: _input,
    nodes.Limit: _limit,
    nodes.TopN: _limit,
    nodes.HashAggregate: _aggregate,
    nodes.StreamAggregate: _aggregate,
    Join: _join,
    HashJoin: _join,
    MergeJoin: _join,
    ApplyJoin: _join,
}
