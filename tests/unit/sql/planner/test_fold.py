"""Tests of constant folding."""

from __future__ import annotations

from spanemu.sql.planner.fold import fold
from tests.golden.resolved_tree import expression
from tests.unit.sql.postgresql.analyzer.expressions.world import resolved


def folded(text: str) -> str:
    """Return the folded expression of PostgreSQL on one line."""
    return expression(fold(resolved(text)))


def test_a_negated_comparison_becomes_the_opposite_comparison():
    assert folded("NOT i < 5") == "$greater_or_equal(i#2, 5)"


def test_a_negated_is_distinct_from_is_not_folded_to_equality():
    assert folded("i IS NOT DISTINCT FROM i") == "$not($is_distinct_from(i#2, i#2))"
