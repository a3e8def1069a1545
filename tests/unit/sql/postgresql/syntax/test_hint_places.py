"""Where hints may stand; their names and values are the analyzer's."""

from __future__ import annotations

import pytest

from spanemu.sql.errors import SyntaxFailure
from spanemu.sql.postgresql import ast
from spanemu.sql.postgresql.syntax.statement import parse_expression, parse_statement
from spanemu.sql.syntax_tree import In


def test_a_hint_has_names_and_values() -> None:
    text = "/*@ Plain = Name, a.b = 'x', \"C.d\" = -1, e = true, f = 1.5 */ SELECT 1"
    statement = parse_statement(text)
    assert isinstance(statement, ast.QueryStatement)
    assert statement.hint is not None
    assert statement.hint.entries == (
        ("plain", "name"), ("a.b", "x"), ("C.d", -1), ("e", True), ("f", 1.5)
    )  # fmt: skip


def test_in_takes_a_hint_before_a_subquery_only() -> None:
    test = parse_expression("a NOT IN /*@ JOIN_METHOD = HASH_JOIN */ (SELECT 1)")
    assert isinstance(test, In)
    assert test.hint is not None
    with pytest.raises(SyntaxFailure, match="HINTs cannot be specified"):
        parse_expression("a IN /*@ JOIN_METHOD = HASH_JOIN */ (1, 2)")


@pytest.mark.parametrize(
    "text",
    [
        "SELECT /*@ x = 1 */ 1",
        "SELECT 1 /*@ x = 1 */",
        "SELECT * FROM (SELECT 1) AS t /*@ x = 1 */",
        "SELECT * FROM t AS u /*@ x = 1 */",
        "INSERT INTO t /*@ x = 1 */ VALUES (1)",
        "SELECT 1 ORDER /*@ x = 1 */ BY 1",
    ],
)
def test_a_misplaced_hint_is_a_syntax_error_at_the_word_before_it(text: str) -> None:
    with pytest.raises(SyntaxFailure, match=r'syntax error at or near "\S+ /\*@"'):
        parse_statement(text)


@pytest.mark.parametrize("hint", ["/*@ */", "/*@ x */", "/*@ x = */", "/*@ x = 1", "/*@ = 1 */"])
def test_a_malformed_hint_is_refused(hint: str) -> None:
    with pytest.raises(SyntaxFailure, match="syntax error"):
        parse_statement(f"{hint} SELECT 1")
