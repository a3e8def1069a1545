"""Functions that build paths and return their parts."""

from __future__ import annotations

from collections.abc import Sequence

from spanemu.base.deadline_checks import interruptible
from spanemu.sql.functions.errors import BadArgument
from spanemu.values.graph import Element, Path, connects


def make_path(*elements: Element | None) -> Path:
    """Return `PATH(node, edge, node, ...)`."""
    if None in elements:
        raise BadArgument("The arguments to PATH must not be null")
    known = tuple([element for element in elements if element is not None])
    for position, element in enumerate(interruptible(known)):
        if element.table.is_edge is (position % 2 == 0):
            expected = "an edge" if position % 2 else "a node"
            raise BadArgument(
                "The arguments to PATH must alternate between nodes and edges, beginning with a "
                f"node: the argument at index {position} must be {expected}"
            )
    if len(known) % 2 == 0:
        raise BadArgument("The arguments to PATH must end with a node")
    for position in range(1, len(known), 2):
        if not connects(known[position], known[position - 1], known[position + 1]):
            raise BadArgument(
                "The arguments to PATH must contain edges that connect the previous node to the "
                f"next node. The edge at index {position} does not"
            )
    return known


def concatenate(first: Path, second: Path) -> Path:
    """Return `first || second`."""
    if first[-1] != second[0]:
        raise BadArgument(
            "Path concatenation requires that the first node of the path to be concatenated is "
            "equal to the last node of the previous path"
        )
    return first + second[1:]


def backwards(path: Path) -> Path:
    """Return the elements of a path from its last node to its first."""
    return path[::-1]


def joined(parts: Sequence[Element | Path | None]) -> Path | None:
    """Return the path of parts that are known to connect; NULL if a part is NULL.

    A path or a node behind a node begins with that node.
    """
    elements: list[Element] = []
    for part in parts:
        if part is None:
            return None
        added = part if isinstance(part, tuple) else (part,)
        if elements and not elements[-1].table.is_edge and not added[0].table.is_edge:
            added = added[1:]
        elements.extend(added)
    return tuple(elements)


def nodes(path: Path) -> tuple[Element, ...]:
    """Return `NODES(path)`."""
    return path[::2]


def edges(path: Path) -> tuple[Element, ...]:
    """Return `EDGES(path)`."""
    return path[1::2]


def first(path: Path) -> Element:
    """Return `PATH_FIRST(path)`."""
    return path[0]


def last(path: Path) -> Element:
    """Return `PATH_LAST(path)`."""
    return path[-1]


def length(path: Path) -> int:
    """Return `PATH_LENGTH(path)`: the number of edges."""
    return len(path) // 2


def is_trail(path: Path) -> bool:
    """Return `IS_TRAIL(path)`: whether no edge is there twice."""
    return _are_different(edges(path))


def is_acyclic(path: Path) -> bool:
    """Return `IS_ACYCLIC(path)`: whether no node occurs twice."""
    return _are_different(nodes(path))


def is_simple(path: Path) -> bool:
    """Return `IS_SIMPLE(path)`: whether no node occurs twice, except the first as the last."""
    visited = nodes(path)
    return _are_different(visited[1:] if visited[0] == visited[-1] else visited)


def _are_different(elements: Sequence[Element]) -> bool:
    return len(set(interruptible(elements))) == len(elements)
