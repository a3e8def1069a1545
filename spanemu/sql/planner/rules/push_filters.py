"""Conditions go down to the rows they speak of."""

from __future__ import annotations

from spanemu.sql.plan.conditions import conjuncts
from spanemu.sql.plan.joins import Join
from spanemu.sql.plan.nodes import Filter, Node
from spanemu.sql.planner.planning import Planning
from spanemu.sql.planner.pushdown import push


def push_filters(node: Node, _: Planning) -> Node:
    """A filter, or a join's condition -> tested as far down as it can be."""
    if isinstance(node, Filter):
        return push(list(conjuncts(node.condition)), node.input)
    if isinstance(node, Join):
        return push((), node)
    return node
