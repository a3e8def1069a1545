"""The driver of rules: a rule is a pure function of one node, applied from the leaves up.

Plans of subqueries inside expressions are rewritten too, before the node that holds them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from spanemu.sql.plan.nodes import Node
from spanemu.sql.plan.traverse import has_query, map_parts
from spanemu.sql.planner.planning import Planning
from spanemu.sql.resolved import Expr

Rule = Callable[[Node, Planning], Node]


def rewrite(node: Node, rules: Sequence[Rule], planning: Planning) -> Node:
    """Apply `rules` in turn to each node below and including `node`, inputs first."""

    def on_expr(expr: Expr) -> Expr:
        return map_parts(expr, on_node, on_expr) if has_query(expr) else expr

    def on_node(item: Node) -> Node:
        item = map_parts(item, on_node, on_expr)
        for rule in rules:
            item = rule(item, planning)
        return item

    return on_node(node)
