"""Simple rewrites: late subqueries, pushdown, merged projections, scans of system tables, and the
inlining of common tables that are used once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from spanemu.sql.functions.registry import Operation
from spanemu.sql.plan.conditions import call_of, conjuncts
from spanemu.sql.plan.joins import Join
from spanemu.sql.plan.nodes import (
    CommonTable,
    Computed,
    Filter,
    Limit,
    Node,
    Project,
    Sort,
    Subquery,
    SystemScan,
    With,
    WithRef,
)
from spanemu.sql.plan.traverse import (
    free,
    has_query,
    is_volatile,
    map_parts,
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


def narrow_system_scans(node: Node, _: Planning) -> Node:
    """Show the scan of a system table which values the filter above requires of its columns."""
    if not isinstance(node, Filter) or not isinstance(node.input, SystemScan):
        return node
    positions = {column.id: position for column, position in node.input.outputs}
    required = tuple(_required(node.condition, positions))
    return replace_fields(node, {"input": replace_fields(node.input, {"required": required})})


def _required(condition: Expr, positions: Mapping[int, int]) -> Iterator[tuple[int, Expr]]:
    """Yield the positions of columns that must equal a constant, with the constant."""
    for conjunct in conjuncts(condition):
        call = call_of(conjunct, Operation.EQUAL)
        if call is None:
            continue
        left, right = call.arguments
        for column, value in ((left, right), (right, left)):
            if not isinstance(column, ColumnRef) or column.column.id not in positions:
                continue
            if isinstance(value, Literal | ParameterRef):
                yield positions[column.column.id], value


def inline_common_tables(node: Node, _: Planning) -> Node:
    """Inline the tables of a WITH clause that are used once, and drop those without use."""
    if not isinstance(node, With):
        return node
    uses = Counter(_used(node.body))
    # Later tables may use earlier ones, so the last is counted first.
    for table in reversed(node.tables):
        if uses[table.name]:
            uses.update(_used(table.node))
    kept: list[CommonTable] = []
    once: dict[str, CommonTable] = {}
    for table in node.tables:
        if not uses[table.name]:
            continue
        settled = CommonTable(table.name, _inlined(table.node, once), table.outputs)
        if uses[table.name] == 1 and not _must_run_once(settled, node):
            once[table.name] = settled
        else:
            kept.append(settled)
    body = _inlined(node.body, once)
    return With(tuple(kept), body) if kept else body


def _must_run_once(table: CommonTable, node: With) -> bool:
    """Return whether a subquery, which may run for each row, uses a table that calls models."""
    return is_volatile(table.node) and any(
        table.name in _used(part.node) for part in walk(node) if isinstance(part, Subquery)
    )


def _used(root: Node) -> Iterator[str]:
    """Yield the name of a common table for each reference to it."""
    return (item.name for item in walk(root) if isinstance(item, WithRef))


def _inlined(root: Node, once: Mapping[str, CommonTable]) -> Node:
    """Return `root` with references to the tables replaced by the tables."""

    def on_node(node: Node) -> Node:
        table = once.get(node.name) if isinstance(node, WithRef) else None
        if table is None:
            return map_parts(node, on_node, on_expr)
        assert isinstance(node, WithRef)
        renamed = tuple(
            [
                (output, ColumnRef(source.type, source))
                for output, source in zip(node.outputs, table.outputs, strict=True)
            ]
        )
        return Project(table.node, renamed, ())

    def on_expr(expr: Expr) -> Expr:
        return map_parts(expr, on_node, on_expr)

    return on_node(root) if once else root
