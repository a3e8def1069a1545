"""A plan in the form in which Spanner's clients receive it: numbered nodes with links."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

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
class PlanTree:
    """Nodes in pre-order; the first is the root, and each node's `index` is its position."""

    nodes: tuple[PlanNode, ...]

    def lines(self) -> Iterator[str]:
        """Return the lines of a drawing of the relational nodes, with their conditions."""
        root = _Link("", self.nodes[0])
        return tree_lines(root, self._label, self._children)

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
    "table",
    "operation_type",
)
