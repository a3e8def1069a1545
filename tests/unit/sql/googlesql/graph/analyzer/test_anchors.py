"""Anchored nodes: conditions that determine the key of a node."""

from __future__ import annotations

import pytest

from spanemu.sql.googlesql.graph.analyzer.anchors import equated_properties
from spanemu.sql.googlesql.syntax.statement import parse_expression


def equated(text: str) -> set[tuple[str, str]]:
    return set(equated_properties(parse_expression(text), str.lower))


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("a.Id = 1", {("a", "id")}),
        ("@p = A.id", {("a", "id")}),
        ("a.id = -1 AND b.x = 'y' AND a.n > 2", {("a", "id"), ("b", "x")}),
        ("a.id = CAST(@p AS INT64)", {("a", "id")}),
        ("a.id = 1 OR a.id = 2", set()),
        ("a.id = b.id", set()),
        ("id = 1", set()),
    ],
)
def test_equalities_with_constants(text: str, pairs: set[tuple[str, str]]) -> None:
    assert equated(text) == pairs
