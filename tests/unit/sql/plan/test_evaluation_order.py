"""The order in which the terms of AND and OR are evaluated."""

from __future__ import annotations

import pytest

from spanemu.sql.plan.conditions import conjuncts
from spanemu.sql.plan.evaluation_order import cheapest_first
from spanemu.sql.plan.nodes import Filter
from spanemu.sql.planner.fold import fold
from spanemu.sql.planner.planning import Planning
from spanemu.sql.planner.translate import Translator
from tests.unit.sql.world import SCHEMA, MemoryReader, analyzed

PLAIN, QUERY, FAILING, SLOW = (
    "AlbumId > 5", "Title = (SELECT 'x')", "1 / AlbumId > 2", "REGEXP_CONTAINS(Title, 'x+')",
)  # fmt: skip


def order_of(*terms: str) -> list[str]:
    """Return the terms in the order of their evaluation."""
    translator = Translator(Planning(SCHEMA, MemoryReader({})))
    statement = analyzed(f"SELECT AlbumId FROM Albums WHERE {' AND '.join(terms)}")
    node, _ = translator.query(statement.scan, tuple(one.column for one in statement.output))
    while not isinstance(node, Filter):
        node = node.input  # type: ignore[attr-defined]
    written = list(conjuncts(node.condition))
    return [terms[written.index(one)] for one in cheapest_first(written)]


@pytest.mark.parametrize(
    ("written", "evaluated"),
    [
        ([PLAIN, QUERY], [PLAIN, QUERY]),
        ([QUERY, PLAIN], [PLAIN, QUERY]),
        ([QUERY, SLOW, PLAIN], [PLAIN, QUERY, SLOW]),
        ([QUERY, FAILING], [QUERY, FAILING]),
        ([FAILING, PLAIN], [FAILING, PLAIN]),
        ([QUERY, FAILING, PLAIN], [PLAIN, QUERY, FAILING]),
        ([SLOW, PLAIN], [PLAIN, SLOW]),
    ],
)
def test_what_costs_little_and_cannot_fail_comes_first(written, evaluated):
    assert order_of(*written) == evaluated


def test_folding_orders_the_terms_of_or():
    statement = analyzed(f"SELECT {QUERY} OR {PLAIN} AS b FROM Albums")
    translator = Translator(Planning(SCHEMA, MemoryReader({})))
    ((_, condition),) = statement.scan.computed
    written = translator.expr(condition)
    assert fold(written).operands == written.operands[::-1]
