"""What is selected by a subquery is computed only for the rows that are left at the end."""

from __future__ import annotations

from spanemu.sql.analyzer.resolved import Expr
from spanemu.sql.plan.nodes import Computed, Limit, Node, Project, Sort
from spanemu.sql.plan.traverse import changed, free, has_query, is_volatile, parts
from spanemu.sql.planner.planning import Planning


def lift_subqueries(node: Node, _: Planning) -> Node:
    """Limit(Project(x)) -> Project(Limit(x)), of columns with subqueries; Sort alike.

    Not of columns that are sorted by.
    """
    if not isinstance(node, (Limit, Sort)) or not isinstance(node.input, Project):
        return node
    below = node.input
    used = frozenset().union(*[free(part) for part in parts(node) if isinstance(part, Expr)])
    lifted: Computed = tuple(
        [
            (column, value)
            for column, value in below.computed
            if has_query(value) and not is_volatile(value) and column.id not in used
        ]
    )
    if not lifted:
        return node
    late = {column for column, _ in lifted}
    early = tuple([pair for pair in below.computed if pair[0] not in late])
    inner = Project(below.input, early, below.input.columns) if early else below.input
    kept = tuple([column for column in below.columns if column not in late])
    return Project(changed(node, {"input": inner}), lifted, kept)
