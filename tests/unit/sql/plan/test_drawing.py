"""Drawings of trees."""

from __future__ import annotations

from spanemu.sql.plan.drawing import tree_lines

NODES = {"a": ["b", "c\nmore"], "b": ["d"], "c\nmore": ["e", "f\nmore"]}


def test_children_hang_from_branches() -> None:
    assert list(tree_lines("a", str, lambda node: NODES.get(node, ()))) == [
        "a",
        "├─ b",
        "│  └─ d",
        "└─ c",
        "   │  more",
        "   ├─ e",
        "   └─ f",
        "         more",
    ]


def test_a_leaf_is_its_label() -> None:
    assert list(tree_lines("a\nb", str, lambda _: ())) == ["a", "   b"]
