"""A common table that is used once need not be kept."""

from __future__ import annotations

from collections import Counter

from spanemu.sql.analyzer.resolved import ColumnRef, Expr
from spanemu.sql.plan.nodes import CommonTable, Node, Project, With, WithRef
from spanemu.sql.plan.traverse import mapped, walk
from spanemu.sql.planner.planning import Planning


def inline_common_tables(node: Node, _: Planning) -> Node:
    """WITH t AS (q) ... one use of t -> q in its place; tables without use are dropped."""
    if not isinstance(node, With):
        return node
    tables = list(node.tables)
    body = node.body
    # Later tables may use earlier ones, so the last is settled first.
    for position in range(len(tables) - 1, -1, -1):
        table = tables[position]
        uses = _uses(table.name, body, tables[position + 1 :])
        if uses > 1:
            continue
        del tables[position]
        if uses:
            body = _inline(body, table)
            tables[position:] = [
                CommonTable(other.name, _inline(other.node, table), other.outputs)
                for other in tables[position:]
            ]
    return With(tuple(tables), body) if tables else body


def _uses(name: str, body: Node, tables: list[CommonTable]) -> int:
    counts = Counter(
        item.name
        for root in (body, *(table.node for table in tables))
        for item in walk(root)
        if isinstance(item, WithRef)
    )
    return counts[name]


def _inline(root: Node, table: CommonTable) -> Node:
    def on_node(node: Node) -> Node:
        if isinstance(node, WithRef) and node.name == table.name:
            renamed = tuple(
                [
                    (output, ColumnRef(source.type, source))
                    for output, source in zip(node.outputs, table.outputs, strict=True)
                ]
            )
            return Project(table.node, renamed, ())
        return mapped(node, on_node, on_expr)

    def on_expr(expr: Expr) -> Expr:
        return mapped(expr, on_node, on_expr)

    return on_node(root)
