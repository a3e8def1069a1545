"""What a plan is drawn with: nodes, links, names for columns, and the frame around statements.

What real Spanner does with splits is drawn where a single machine has nothing to do: a query over
tables is a Distributed Union over a Local Distributed Union. Every other node stands for one node
of the plan, and bears its figures when the plan was profiled. Follows the page "Query execution
operators".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

from spanemu.sql import resolved
from spanemu.sql.plan import statements
from spanemu.sql.plan.expression_text import expression_text
from spanemu.sql.plan.nodes import Node, Scan, Subquery, SystemScan
from spanemu.sql.plan.plan_tree import RELATIONAL, SCALAR, SUBQUERY_LINK, ChildLink, PlanNode
from spanemu.sql.plan.statements import DmlPlan, QueryPlan
from spanemu.sql.plan.traverse import parts, walk
from spanemu.sql.resolved import ColumnRef, Expr, ResolvedColumn, SubqueryKind

_NAMES: Mapping[type[Expr], str] = {
    resolved.Literal: "Constant",
    resolved.ParameterRef: "Parameter",
    resolved.ColumnRef: "Reference",
    resolved.MakeStruct: "Struct Constructor",
    resolved.MakeArray: "Array Constructor",
    resolved.GetField: "Struct Field",
}
_SUBQUERY_NAMES: Mapping[SubqueryKind, str] = {
    SubqueryKind.ARRAY: "Array Subquery",
}


def scalar_name(expr: Expr) -> str:
    """The display name of an expression's node."""
    if isinstance(expr, Subquery):
        return _SUBQUERY_NAMES.get(expr.kind, "Scalar Subquery")
    return _NAMES.get(type(expr), "Function")


# How a node is drawn: gives the number of its root.
Display = Callable[[Any, "Drawing"], int]


class NodeFigures(Protocol):
    """What a profile knows of a node."""

    rows: int
    executions: int
    scanned: int
    seconds: float


class Figures(Protocol):
    """A profile of a run (`executor.run.Profile`)."""

    def of(self, node: Node) -> NodeFigures:
        """The figures of a node."""
        ...


class Drawing:
    """Nodes drawn so far, each as `displays` says. A node is numbered before its children."""

    def __init__(self, displays: Mapping[type[Node], Display], profile: Figures | None) -> None:
        self.nodes: list[PlanNode] = []
        self._displays = displays
        self._profile = profile
        self._names: dict[int, str] = {}
        self._taken: dict[str, int] = {}
        self._subqueries: dict[int, int] = {}

    # ------------------------------------------------------------------ building blocks

    def relational(self, name: str, node: Node | None = None, **metadata: str) -> PlanNode:
        """A new relational node; `node` is where its figures come from."""
        if node is not None:
            metadata.setdefault("execution_method", "Row")
        made = PlanNode(len(self.nodes), RELATIONAL, name, metadata)
        if node is not None and self._profile is not None:
            made.execution_stats = _stats(self._profile.of(node))
        self.nodes.append(made)
        return made

    def draw(self, node: Node) -> int:
        """The tree of a plan node; gives the number of its root."""
        return self._displays[type(node)](node, self)

    def link(self, parent: PlanNode, child: int, type_: str = "", variable: str = "") -> None:
        """Hang a drawn node under another one."""
        parent.child_links.append(ChildLink(child, type_, variable))

    def input(self, parent: PlanNode, node: Node, type_: str = "") -> None:
        """Draw a node under another one."""
        self.link(parent, self.draw(node), type_)

    def condition(self, parent: PlanNode, expr: Expr | None, type_: str = "Condition") -> None:
        """Draw an expression under a node, with the queries inside it."""
        if expr is not None:
            self.link(parent, self.scalar(expr), type_)
            self.queries_of(parent, expr)

    def variable(self, parent: PlanNode, column: ResolvedColumn, expr: Expr) -> None:
        """Draw the definition of a column under a node."""
        self.link(parent, self.scalar(expr), "", self.name_of(column))
        self.queries_of(parent, expr)

    def reference(self, parent: PlanNode, columns: Iterable[ResolvedColumn]) -> None:
        """Draw uses of columns under a node."""
        for column in columns:
            self.link(parent, self.text("Reference", f"${self.name_of(column)}"))

    def stored(self, parent: PlanNode, column: ResolvedColumn, name: str) -> None:
        """Draw a stored column under a scan."""
        self.link(parent, self.text("Reference", name), "", self.name_of(column))

    def text(self, name: str, text: str) -> int:
        """A scalar node without children."""
        made = PlanNode(len(self.nodes), SCALAR, name, short_representation=text)
        self.nodes.append(made)
        return made.index

    def name_of(self, column: ResolvedColumn) -> str:
        """A name for a column that no other column in the plan has: SingerId, SingerId_1."""
        name = self._names.get(column.id)
        if name is None:
            base = column.name.lstrip("$") or "v"
            number = self._taken.get(base, 0)
            self._taken[base] = number + 1
            name = self._names[column.id] = base if number == 0 else f"{base}_{number}"
        return name

    def describe(self, expr: Expr) -> str:
        """`expr` as text, with this plan's names for columns."""
        return expression_text(expr, self.name_of)

    def scalar(self, expr: Expr) -> int:
        """The tree of an expression; gives the number of its root."""
        if isinstance(expr, Subquery):
            return self._subquery(expr)
        made = PlanNode(len(self.nodes), SCALAR, scalar_name(expr), {}, self.describe(expr))
        self.nodes.append(made)
        if not isinstance(expr, ColumnRef):
            for part in parts(expr):
                if isinstance(part, Expr):
                    self.link(made, self.scalar(part))
        return made.index

    def _subquery(self, expr: Subquery) -> int:
        made = PlanNode(len(self.nodes), SCALAR, scalar_name(expr), {}, self.describe(expr))
        self.nodes.append(made)
        self._subqueries[id(expr)] = made.index
        self.input(made, expr.node)
        self.reference(made, expr.outputs)
        return made.index

    def queries_of(self, parent: PlanNode, expr: Expr) -> None:
        """Link a node to the subqueries that were drawn inside one of its expressions."""
        for item in walk(expr):
            if isinstance(item, Subquery) and id(item) in self._subqueries:
                self.link(parent, self._subqueries[id(item)], SUBQUERY_LINK)

    # ------------------------------------------------------------------ statements

    def query(self, plan: QueryPlan) -> None:
        """The frame around a query."""
        target = _first_target(plan.root)
        if target is None:
            self._serialize(plan.root, plan.outputs)
            return
        top = self.relational(
            "Distributed Union",
            plan.root,
            distribution_table=target,
            split_ranges_aligned="false",
            subquery_cluster_node="1",
        )
        local = self.relational(
            "Distributed Union", plan.root, call_type="Local", subquery_cluster_node="2"
        )
        self.link(top, local.index)
        self.link(local, self._serialize(plan.root, plan.outputs))
        self.link(top, self._split_range(plan.root), "Split Range")

    def _split_range(self, root: Node) -> int:
        first = _leftmost(root)
        if isinstance(first, Scan) and first.sought is not None:
            return self.scalar(first.sought)
        return self.text("Constant", "true")

    def _serialize(self, root: Node, outputs: Sequence[ResolvedColumn]) -> int:
        made = self.relational("Serialize Result", root)
        self.input(made, root)
        self.reference(made, outputs)
        return made.index

    def dml(self, plan: DmlPlan) -> None:
        """A write of what a query finds."""
        operation = _OPERATIONS[type(plan)]
        top = self.relational(
            "Apply Mutations", None, table=plan.table.name, operation_type=operation
        )
        self.input(top, plan.root)


_OPERATIONS: dict[type[Any], str] = {
    statements.InsertPlan: "INSERT",
    statements.UpdatePlan: "UPDATE",
    statements.DeletePlan: "DELETE",
}


def _leftmost(root: Node) -> Node | None:
    node: Node | None = root
    while node is not None and not isinstance(node, (Scan, SystemScan)):
        node = next((part for part in parts(node) if isinstance(part, Node)), None)
    return node


def _first_target(root: Node) -> str | None:
    """The table or index that a plan reads first."""
    found = _leftmost(root)
    if found is None:
        scans = (item for item in walk(root) if isinstance(item, Scan))
        found = next(scans, None)
    if isinstance(found, SystemScan):
        return found.name
    if isinstance(found, Scan):
        return found.table.name if found.index is None else found.index.name
    return None


def _stats(figures: NodeFigures) -> dict[str, Any]:
    stats: dict[str, Any] = {
        "rows": {"total": str(figures.rows), "unit": "rows"},
        "latency": {"total": f"{figures.seconds * 1000:.3f}", "unit": "msecs"},
        "cpu_time": {"total": f"{figures.seconds * 1000:.3f}", "unit": "msecs"},
        "execution_summary": {"num_executions": str(figures.executions)},
    }
    if figures.scanned:
        stats["scanned_rows"] = {"total": str(figures.scanned), "unit": "rows"}
    return stats
