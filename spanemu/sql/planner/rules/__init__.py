"""The rules that rewrite a plan without choosing algorithms, in the order of their application.

Each rule is a pure function of one node, applied from the leaves up. Conditions move in
`push_filters` (through `planner.pushdown`). Unneeded columns are removed in `planner.prune`, and
algorithms are chosen in `planner.physical`, both of which work from the top.

The rules are in `simplify`, `structs`, `subqueries` and `planner.fold`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from spanemu.base.deferred import deferred
from spanemu.sql.plan.nodes import Node
from spanemu.sql.plan.traverse import has_query, map_parts
from spanemu.sql.planner.fold import fold_constants
from spanemu.sql.planner.planning import Planning
from spanemu.sql.planner.rules import subqueries
from spanemu.sql.planner.rules.simplify import (
    inline_common_tables,
    lift_subqueries,
    merge_projects,
    narrow_system_scans,
    push_filters,
)
from spanemu.sql.planner.rules.structs import expand_structs, join_arrays
from spanemu.sql.resolved import Expr

Rule = Callable[[Node, Planning], Node]

# Applied first, to statements with a WITH clause or a subquery.
EARLY_RULES: tuple[Rule, ...] = (inline_common_tables, lift_subqueries)

RULES: tuple[Rule, ...] = (
    fold_constants,
    expand_structs,
    deferred(lambda: subqueries.unnest_subqueries),
    join_arrays,
    deferred(lambda: subqueries.join_subqueries),
    push_filters,
)

# `RULES` for a query without subqueries, which need not import the rules for subqueries.
PLAIN_RULES: tuple[Rule, ...] = (fold_constants, expand_structs, join_arrays, push_filters)

# Applied after columns have been pruned.
LATE_RULES: tuple[Rule, ...] = (merge_projects, narrow_system_scans)


def rewrite(node: Node, rules: Sequence[Rule], planning: Planning) -> Node:
    """Apply `rules` in turn to each node below and including `node`, inputs first.

    Plans of subqueries inside expressions are rewritten too, before the node that holds them.
    """

    def on_expr(expr: Expr) -> Expr:
        return map_parts(expr, on_node, on_expr) if has_query(expr) else expr

    def on_node(item: Node) -> Node:
        item = map_parts(item, on_node, on_expr)
        for rule in rules:
            item = rule(item, planning)
        return item

    return on_node(node)
