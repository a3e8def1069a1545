"""The work of the planner grows with a small power of the depth of a statement's queries."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

from spanemu.sql.plan.traverse import walk
from tests.unit.sql.world import MemoryReader, SCHEMA, analyzed, plan_statement


def nested(inmost: str, query: str, outermost: str = "") -> Callable[[int], str]:
    """Return the function from a depth to a statement; `query` is around {q} at level {i}."""

    def statement(depth: int) -> str:
        text = inmost
        for level in range(depth):
            around = outermost if outermost and level == depth - 1 else query
            text = around.replace("{q}", text).format(i=level, j=level + 1)
        return text

    return statement


_INMOST = "SELECT 1 FROM Singers WHERE SingerId = t0.SingerId"
NESTED = {
    "scalar": nested("SELECT 1", "SELECT t{i}.SingerId FROM Singers t{i} WHERE t{i}.SingerId = ({q})"),
    "correlated": nested(
        _INMOST,
        "SELECT t{i}.SingerId FROM Singers t{i} WHERE t{i}.SingerId = ({q}) AND t{i}.SingerId = t{j}.SingerId",
        "SELECT t{i}.SingerId FROM Singers t{i} WHERE t{i}.SingerId = ({q})",
    ),
    "exists": nested(
        _INMOST,
        "SELECT 1 FROM Singers t{i} WHERE EXISTS ({q}) AND t{i}.SingerId = t{j}.SingerId",
        "SELECT 1 FROM Singers t{i} WHERE EXISTS ({q})",
    ),
    "in": nested("SELECT 1", "SELECT SingerId FROM Singers t{i} WHERE SingerId IN ({q})"),
    "tables with exists": nested(
        "SELECT SingerId FROM Singers",
        """SELECT t{i}.SingerId FROM ({q}) t{i}
        WHERE EXISTS (SELECT 1 FROM Albums a WHERE a.SingerId = t{i}.SingerId)""",
    ),
    "outer joins": nested(
        "SELECT 1",
        """SELECT t{i}.SingerId FROM Singers t{i} LEFT JOIN Albums a{i}
        ON a{i}.SingerId = t{i}.SingerId AND a{i}.AlbumId = ({q})""",
    ),
}  # fmt: skip


def work(sql: str) -> int:
    """Return how many functions the planner calls, and how many nodes the plan has."""
    statement, calls = analyzed(sql), 0

    def count(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        plan = plan_statement(statement, SCHEMA, MemoryReader({}))
    finally:
        sys.setprofile(None)
    return calls + sum(1 for _ in walk(plan.root))  # type: ignore[union-attr]


@pytest.mark.parametrize("statement", NESTED.values(), ids=NESTED)
def test_deep_queries_are_planned_in_polynomial_time(statement: Callable[[int], str]) -> None:
    assert work(statement(14)) < 8 * work(statement(7))
