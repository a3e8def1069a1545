"""Query plans as the shell draws them, with the figures of EXPLAIN ANALYZE beside the operators.

Operator                                   Rows  Executions     Time
Serialize Result                              3           1  0.21 ms
└─ Table Scan (scan_target: Singers, ...)     3           1  0.18 ms
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from spanemu.sql.plan.drawing import RELATIONAL, SCALAR, ChildLink, PlanNode, PlanTree

_KINDS = {1: RELATIONAL, 2: SCALAR}
_TITLES = ("Operator", "Rows", "Executions", "Time")


def plan_lines(stats: Any) -> Iterator[str]:
    """Yield the lines of the plan in the message ResultSetStats; none if it has no plan."""
    nodes = [] if stats is None else list(stats.query_plan.plan_nodes)
    if not nodes:
        return
    tree = PlanTree(tuple(_node(node) for node in nodes))
    drawn = list(tree.numbered_lines())
    if any(node.execution_stats for node in tree.nodes):
        yield from _aligned([_TITLES, *((line, *_figures(node)) for line, node in drawn)])
    else:
        yield from (line for line, _ in drawn)


def summary(stats: Any) -> str:
    """Return the figures of a whole statement: time, CPU time and scanned rows."""
    figures = {} if stats is None else dict(stats.query_stats or {})
    names = ("elapsed_time", "cpu_time", "rows_scanned")
    return ", ".join(f"{name}: {figures[name]}" for name in names if name in figures)


def _node(node: Any) -> PlanNode:
    return PlanNode(
        node.index,
        _KINDS.get(int(node.kind), SCALAR),
        node.display_name,
        {name: str(value) for name, value in (node.metadata or {}).items()},
        node.short_representation.description if node.short_representation else "",
        [ChildLink(link.child_index, link.type_, link.variable) for link in node.child_links],
        node.execution_stats or {},
    )


def _figures(node: PlanNode | None) -> tuple[str, str, str]:
    stats: Mapping[str, Any] = {} if node is None else node.execution_stats
    unit = _part(stats, "latency", "unit").replace("msecs", "ms")
    return (
        _part(stats, "rows", "total"),
        _part(stats, "execution_summary", "num_executions"),
        f"{_part(stats, 'latency', 'total')} {unit}".strip(),
    )


def _part(stats: Mapping[str, Any], figure: str, part: str) -> str:
    return str(stats.get(figure, {}).get(part, ""))


def _aligned(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Yield rows with the first column to the left and the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for first, *others in rows:
        cells = [text.rjust(width) for text, width in zip(others, widths[1:], strict=True)]
        yield "  ".join([first.ljust(widths[0]), *cells]).rstrip()
