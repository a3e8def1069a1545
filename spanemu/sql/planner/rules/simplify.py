"""Simple rewrites: late computation of selected subqueries, pushdown, merging of projections."""

from __future__ import annotations

from collections import Counter

from spanemu.sql.plan.conditions import conjuncts
from spanemu.sql.plan.joins import Join
from spanemu.sql.plan.nodes import Computed, Filter, Limit, Node, Project, Sort
from spanemu.sql.plan.traverse import (
    free,
    has_query,
    is_volatile,
    parts,
    replace_fields,
    substitute,
    walk,
)
from spanemu.sql.planner.planning import Planning
from spanemu.sql.planner.pushdown import push
from spanemu.sql.resolved import ColumnRef, Expr, Literal, ParameterRef


def lift_subqueries(node: Node, _: Planning) -> Node:
    """Move projected subqueries above LIMIT and ORDER BY, so that fewer rows compute them.

    Columns that the sort uses stay.
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
    return Project(replace_fields(node, {"input": inner}), lifted, kept)


def push_filters(node: Node, _: Planning) -> Node:
    """Push a filter, or a join's condition, as far down as possible."""
    if isinstance(node, Filter):
        return push(list(conjuncts(node.condition)), node.input)
    if isinstance(node, Join):
        return push((), node)
    return node


def merge_projects(node: Node, _: Planning) -> Node:
    """Merge a projection into the projection below, unless that computes an expression twice."""
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
