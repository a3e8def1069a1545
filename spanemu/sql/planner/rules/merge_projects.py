"""Two projections, one above the other, are one."""

from __future__ import annotations

from collections import Counter

from spanemu.sql.analyzer.resolved import ColumnRef, Expr, Literal, ParameterRef
from spanemu.sql.plan.nodes import Node, Project
from spanemu.sql.plan.traverse import is_volatile, substitute, walk
from spanemu.sql.planner.planning import Planning


def merge_projects(node: Node, _: Planning) -> Node:
    """Project(Project(x)) -> Project(x), unless that would compute something twice."""
    if not isinstance(node, Project):
        return node
    if not node.computed and node.kept == node.input.columns:
        return node.input
    below = node.input
    if not isinstance(below, Project):
        return node
    values = {column.id: value for column, value in below.computed}
    uses = Counter(
        item.column.id
        for _, value in node.computed
        for item in walk(value)
        if isinstance(item, ColumnRef)
    )
    uses.update(column.id for column in node.kept)
    if any(uses[column] > 1 and not _is_cheap(value) for column, value in values.items()):
        return node
    if any(is_volatile(value) for value in values.values()):
        return node
    passed = tuple([(column, values[column.id]) for column in node.kept if column.id in values])
    kept = tuple([column for column in node.kept if column.id not in values])
    computed = tuple([(column, substitute(value, values)) for column, value in node.computed])
    return Project(below.input, passed + computed, kept)


def _is_cheap(value: Expr) -> bool:
    return isinstance(value, (ColumnRef, Literal, ParameterRef))
