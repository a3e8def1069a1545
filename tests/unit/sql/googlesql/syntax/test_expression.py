"""Positions, operator chains and depth of expressions. Goldens cover the precedence."""

from __future__ import annotations

import pytest

from spanemu.sql.errors import StatementTooLarge
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.syntax.statement import parse_expression


@pytest.mark.parametrize(
    "text",
    [
        "(a) + b",
        "(a + b) * (c)",
        "f(x)[0].y",
        "((SELECT 1) + 2).a",
        "NOT a IN (1)",
        "CASE WHEN a THEN b END",
        "CAST(a AS ARRAY<STRUCT<b INT64>>)",
        "x IS NOT NULL",
        "- 1",
        "[1, 2]",
        "STRUCT(1)",
        "(1, 2)",
        "DATE '2024-01-01'",
        "a BETWEEN (1) AND (2)",
    ],
)
def test_a_node_spans_its_own_text(text: str) -> None:
    tree = parse_expression(f"  {text} -- comment")
    spanned = f"  {text}"[tree.at : tree.end]
    assert spanned.strip("()") == text.strip("()")
    assert spanned == text or not isinstance(tree, ast.Binary)


def test_a_binary_operator_begins_before_its_parentheses() -> None:
    text = "((a)) + ((b))"
    tree = parse_expression(text)
    assert (tree.at, tree.end) == (0, len(text))


@pytest.mark.parametrize("op", ["+", "||", "*", "|"])
def test_a_long_chain_parses(op: str) -> None:
    tree = parse_expression(op.join(["1"] * 5000))
    terms = 1
    while isinstance(tree, ast.Binary):
        tree, terms = tree.left, terms + 1
    assert terms == 5000


@pytest.mark.parametrize("op", ["AND", "OR"])
def test_a_junction_is_flat(op: str) -> None:
    tree = parse_expression(f" {op} ".join(["a"] * 5000))
    assert isinstance(tree, ast.Junction)
    assert len(tree.operands) == 5000


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("[", "]"),
        ("- ", ""),
        ("NOT ", ""),
        ("f(", ")"),
        ("(1 + ", ")"),
        ("a IN (", ")"),
        ("CASE WHEN ", " THEN 1 END"),
        ("CAST(", " AS INT64)"),
        ("STRUCT(", ")"),
        ("(SELECT ", ")"),
        ("ARRAY(SELECT ", ")"),
        ("EXISTS(SELECT ", ")"),
        ("(SELECT 1 FROM (SELECT ", "))"),
        ("IF(", ", 1, 2)"),
        ("INTERVAL ", " DAY"),
        ("f(x -> ", ")"),
    ],
)
def test_endless_nesting_exceeds_a_limit(opening: str, closing: str) -> None:
    with pytest.raises(StatementTooLarge):
        parse_expression(opening * 10_000 + "1" + closing * 10_000)


@pytest.mark.parametrize(
    ("opening", "closing", "levels"),
    [("(", ")", 5_000), ("f(", ")", 95), ("(SELECT ", ")", 60), ("[", "]", 95), ("- ", "", 190)],
)
def test_nesting_within_the_limit_is_accepted(opening: str, closing: str, levels: int) -> None:
    assert parse_expression(opening * levels + "1" + closing * levels)


def test_a_chain_of_subscripts_is_limited_like_nesting() -> None:
    parse_expression("a" + "[0]" * 150)
    with pytest.raises(StatementTooLarge):
        parse_expression("a" + "[0]" * 1000)


def test_not_equal_has_one_spelling() -> None:
    assert parse_expression("a <> b") == parse_expression("a != b")


def test_positions_do_not_take_part_in_equality() -> None:
    assert parse_expression("a+f( b )") == parse_expression("a + f(b)")
