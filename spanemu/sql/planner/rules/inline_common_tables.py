"""Inlining of common tables that are used once, which need not be kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from spanemu.sql.plan.nodes import CommonTable, Node, Project, With, WithRef
from spanemu.sql.plan.traverse import map_parts, walk
from spanemu.sql.planner.planning import Planning
from spanemu.sql.resolved import ColumnRef, Expr


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
        if uses[table.name] == 1:
            once[table.name] = settled
        else:
            kept.append(settled)
    body = _inlined(node.body, once)
    return With(tuple(kept), body) if kept else body


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
