"""The drawing of a plan as Spanner's clients receive it: numbered nodes, links, names for columns.

Operators that real Spanner needs for splits are drawn although a single machine has no work for
them: a query over tables is a Distributed Union over a Local Distributed Union. Every other drawn
node stands for one node of the plan, and carries its figures when the plan was profiled. Follows
the page "Query execution operators".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from spanemu.sql import resolved
from spanemu.sql.plan import statements
from spanemu.sql.plan.expression_text import expression_text
from spanemu.sql.plan.nodes import Node, Scan, Subquery, SystemScan
from spanemu.sql.plan.statements import DmlPlan, QueryPlan
from spanemu.sql.plan.traverse import parts, walk
from spanemu.sql.resolved import ColumnRef, Expr, ResolvedColumn, SubqueryKind

T = TypeVar("T")


def tree_lines(
    root: T, label: Callable[[T], str], children: Callable[[T], Iterable[T]]
) -> Iterator[str]:
    r"""Yield the lines of a drawing of `root`; `label` may return several lines.

    >>> nodes = {"a": ["b", "c"], "b": ["d"]}
    >>> print("\n".join(tree_lines("a", str, lambda n: nodes.get(n, ()))))
    a
    ├─ b
    │  └─ d
    └─ c
    """
    first, *rest = label(root).split("\n")
    yield first
    below = list(children(root))
    yield from (("│  " if below else "   ") + line for line in rest)
    for position, child in enumerate(below):
        last = position == len(below) - 1
        for number, line in enumerate(tree_lines(child, label, children)):
            if number == 0:
                yield ("└─ " if last else "├─ ") + line
            else:
                yield ("   " if last else "│  ") + line


RELATIONAL = "RELATIONAL"
SCALAR = "SCALAR"


@dataclass(frozen=True, slots=True)
class ChildLink:
    """A link to a child: `type` is its role ("Build", "Seek Condition"), `variable` its name."""

    child_index: int
    type: str = ""
    variable: str = ""


@dataclass(slots=True)
class PlanNode:
    """A node. `short_representation` is set for SCALAR nodes, `execution_stats` by PROFILE."""

    index: int
    kind: str
    display_name: str
    metadata: Mapping[str, str] = field(default_factory=dict)
    short_representation: str = ""
    child_links: list[ChildLink] = field(default_factory=list)
    execution_stats: Mapping[str, Any] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The operator's name after the words that clients show: Local Distributed Union."""
        scan = self.metadata.get("scan_type", "").removesuffix("Scan")
        call, iterator = self.metadata.get("call_type", ""), self.metadata.get("iterator_type", "")
        return " ".join([word for word in (call, iterator, scan, self.display_name) if word])


@dataclass(frozen=True, slots=True)
class IndexAdvice:
    """An index that would spare a plan a full scan.

    `improvement_factor` is an estimate of how many times fewer rows the plan would read.
    """

    ddl: str
    improvement_factor: float


@dataclass(frozen=True, slots=True)
class PlanTree:
    """Nodes in pre-order; the first is the root, and each node's `index` is its position."""

    nodes: tuple[PlanNode, ...]
    advice: tuple[IndexAdvice, ...] = ()

    def lines(self) -> Iterator[str]:
        """Return the lines of a drawing of the relational nodes, with their conditions."""
        return (line for line, _ in self.numbered_lines())

    def numbered_lines(self) -> Iterator[tuple[str, PlanNode | None]]:
        """Yield the lines of the drawing, each with the node whose first line it is, or None."""
        nodes: list[PlanNode | None] = []

        def label(link: _Link) -> str:
            text = self._label(link)
            nodes.extend([link.node, *[None] * text.count("\n")])
            return text

        for number, line in enumerate(tree_lines(_Link("", self.nodes[0]), label, self._children)):
            yield line, nodes[number]

    def _children(self, link: _Link) -> Iterator[_Link]:
        for child in link.node.child_links:
            node = self.nodes[child.child_index]
            if node.kind == RELATIONAL or child.type == SUBQUERY_LINK:
                yield _Link(child.type, node)

    def _label(self, link: _Link) -> str:
        node = link.node
        shown = [f"{name}: {node.metadata[name]}" for name in _SHOWN if name in node.metadata]
        role = f"[{link.type}] " if link.type else ""
        text = role + node.title + (f" ({', '.join(shown)})" if shown else "")
        conditions = [
            f"{child.type}: {self.nodes[child.child_index].short_representation}"
            for child in node.child_links
            if child.type.endswith(("Condition", "Range", "Key"))
            and self.nodes[child.child_index].kind == SCALAR
        ]
        return "\n".join([text, *[f"  {condition}" for condition in conditions]])


@dataclass(frozen=True, slots=True)
class _Link:
    type: str
    node: PlanNode


SUBQUERY_LINK = "Scalar"
_SHOWN = (
    "scan_target",
    "Full scan",
    "scan_direction",
    "seekable_key_size",
    "join_type",
    "scalar_aggregate",
    "spool_name",
    "path",
    "table",
    "model",
    "function",
    "max_rows_per_rpc",
    "operation_type",
)


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
    """Return the display name of an expression's node."""
    if isinstance(expr, Subquery):
        return _SUBQUERY_NAMES.get(expr.kind, "Scalar Subquery")
    return _NAMES.get(type(expr), "Function")


# Draws a node, and returns the number of its root.
Display = Callable[[Any, "Drawing"], int]


class NodeFigures(Protocol):
    """The execution figures of a node."""

    rows: int
    executions: int
    scanned: int
    calls: int
    seconds: float
    waited: float


class Figures(Protocol):
    """The execution figures of a run, by node (`executor.run.Profile`)."""

    def of(self, node: Node) -> NodeFigures:
        """Return the figures of a node."""
        ...


class Drawing:
    """The nodes drawn so far, each by `displays`. A node is numbered before its children."""

    def __init__(self, displays: Mapping[type[Node], Display], profile: Figures | None) -> None:
        self.nodes: list[PlanNode] = []
        self._displays = displays
        self._profile = profile
        self._names: dict[int, str] = {}
        self._taken: dict[str, int] = {}
        self._subqueries: dict[int, int] = {}

    # ------------------------------------------------------------------ building blocks

    def relational(self, name: str, node: Node | None = None, **metadata: str) -> PlanNode:
        """Add a relational node; its figures are those of `node`."""
        if node is not None:
            metadata.setdefault("execution_method", "Row")
        drawn = PlanNode(len(self.nodes), RELATIONAL, name, metadata)
        if node is not None and self._profile is not None:
            drawn.execution_stats = _stats(self._profile.of(node))
        self.nodes.append(drawn)
        return drawn

    def draw(self, node: Node) -> int:
        """Draw the tree of a plan node, and return the number of its root."""
        return self._displays[type(node)](node, self)

    def link(self, parent: PlanNode, child: int, type_: str = "", variable: str = "") -> None:
        """Link a drawn node to its parent."""
        parent.child_links.append(ChildLink(child, type_, variable))

    def input(self, parent: PlanNode, node: Node, type_: str = "") -> None:
        """Draw a node as a child of `parent`."""
        self.link(parent, self.draw(node), type_)

    def condition(self, parent: PlanNode, expr: Expr | None, type_: str = "Condition") -> None:
        """Draw an expression as a child of `parent`, and link the subqueries inside it."""
        if expr is not None:
            self.link(parent, self.scalar(expr), type_)
            self.queries_of(parent, expr)

    def variable(self, parent: PlanNode, column: ResolvedColumn, expr: Expr) -> None:
        """Draw the definition of a column as a child of `parent`."""
        self.link(parent, self.scalar(expr), "", self.name_of(column))
        self.queries_of(parent, expr)

    def reference(self, parent: PlanNode, columns: Iterable[ResolvedColumn]) -> None:
        """Draw references to columns as children of `parent`."""
        for column in columns:
            self.link(parent, self.text("Reference", f"${self.name_of(column)}"))

    def stored(self, parent: PlanNode, column: ResolvedColumn, name: str) -> None:
        """Draw a stored column as a child of a scan."""
        self.link(parent, self.text("Reference", name), "", self.name_of(column))

    def text(self, name: str, text: str) -> int:
        """Draw a scalar node without children, and return its number."""
        drawn = PlanNode(len(self.nodes), SCALAR, name, short_representation=text)
        self.nodes.append(drawn)
        return drawn.index

    def name_of(self, column: ResolvedColumn) -> str:
        """Return a name that no other column in the plan has: SingerId, SingerId_1."""
        name = self._names.get(column.id)
        if name is None:
            base = column.name.lstrip("$") or "v"
            number = self._taken.get(base, 0)
            self._taken[base] = number + 1
            name = self._names[column.id] = base if number == 0 else f"{base}_{number}"
        return name

    def describe(self, expr: Expr) -> str:
        """Return `expr` as text, with this plan's names for columns."""
        return expression_text(expr, self.name_of)

    def scalar(self, expr: Expr) -> int:
        """Draw the tree of an expression, and return the number of its root."""
        if isinstance(expr, Subquery):
            return self._subquery(expr)
        drawn = PlanNode(len(self.nodes), SCALAR, scalar_name(expr), {}, self.describe(expr))
        self.nodes.append(drawn)
        if not isinstance(expr, ColumnRef):
            for part in parts(expr):
                if isinstance(part, Expr):
                    self.link(drawn, self.scalar(part))
        return drawn.index

    def _subquery(self, expr: Subquery) -> int:
        drawn = PlanNode(len(self.nodes), SCALAR, scalar_name(expr), {}, self.describe(expr))
        self.nodes.append(drawn)
        self._subqueries[id(expr)] = drawn.index
        self.input(drawn, expr.node)
        self.reference(drawn, expr.outputs)
        return drawn.index

    def queries_of(self, parent: PlanNode, expr: Expr) -> None:
        """Link a node to the subqueries that were drawn inside one of its expressions."""
        for item in walk(expr):
            if isinstance(item, Subquery) and id(item) in self._subqueries:
                self.link(parent, self._subqueries[id(item)], SUBQUERY_LINK)

    # ------------------------------------------------------------------ statements

    def query(self, plan: QueryPlan) -> None:
        """Draw a query with the frame around it."""
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
        if isinstance(first, Scan) and first.seek_condition is not None:
            return self.scalar(first.seek_condition)
        return self.text("Constant", "true")

    def _serialize(self, root: Node, outputs: Sequence[ResolvedColumn]) -> int:
        drawn = self.relational("Serialize Result", root)
        self.input(drawn, root)
        self.reference(drawn, outputs)
        return drawn.index

    def dml(self, plan: DmlPlan) -> None:
        """Draw a write of the rows that a query returns."""
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
    """Return the table or index that a plan reads first."""
    first = _leftmost(root)
    if first is None:
        scans = (item for item in walk(root) if isinstance(item, Scan))
        first = next(scans, None)
    if isinstance(first, SystemScan):
        return first.name
    if isinstance(first, Scan):
        return first.table.name if first.index is None else first.index.name
    return None


def _stats(figures: NodeFigures) -> dict[str, Any]:
    computing = max(figures.seconds - figures.waited, 0.0)
    stats: dict[str, Any] = {
        "rows": {"total": str(figures.rows), "unit": "rows"},
        "latency": {"total": f"{figures.seconds * 1000:.3f}", "unit": "msecs"},
        "cpu_time": {"total": f"{computing * 1000:.3f}", "unit": "msecs"},
        "execution_summary": {"num_executions": str(figures.executions)},
    }
    if figures.scanned:
        stats["scanned_rows"] = {"total": str(figures.scanned), "unit": "rows"}
    if figures.calls:
        stats["remote_calls"] = {"total": str(figures.calls), "unit": "calls"}
    return stats
