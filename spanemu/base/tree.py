"""The one ASCII tree printer: plans, syntax trees, split maps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


def tree_lines(
    root: T, label: Callable[[T], str], children: Callable[[T], Iterable[T]]
) -> Iterator[str]:
    """Lines of a drawing of `root`: `label` may return several lines.

    >>> nodes = {"a": ["b", "c"], "b": ["d"]}
    >>> print("\\n".join(tree_lines("a", str, lambda n: nodes.get(n, ()))))
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
