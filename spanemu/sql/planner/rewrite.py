"""The driver of rules: a rule is a pure function of one node, applied from the leaves up.

Plans of subqueries inside expressions are rewritten as well, before the node that holds them.
"""

from __future__ import annotations

from collections.abc import Callable

from spanemu.sql.analyzer.resolved import Expr
from spanemu.sql.plan.nodes import Node
from spanemu.sql.plan.traverse import mapped
from spanemu.sql.planner.planning import Planning

Rule = Callable[[Node, Planning], Node]


def rewrite(node: Node, rule: Rule, planning: Planning) -> Node:
    """`node` with `rule` applied to each node once, inputs first."""

    def on_expr(expr: Expr) -> Expr:
        return mapped(expr, on_node, on_expr)

    def on_node(item: Node) -> Node:
        return rule(mapped(item, on_node, on_expr), planning)

    return on_node(node)
