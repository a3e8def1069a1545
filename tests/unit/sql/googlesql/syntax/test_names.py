"""The cursor, and the chain of grammar classes derived from it."""

from __future__ import annotations

import pytest

from spanemu.sql.errors import StatementTooLarge
from spanemu.sql.googlesql.syntax.ddl.statement import DdlParser
from spanemu.sql.googlesql.syntax.names import Cursor
from spanemu.sql.googlesql.syntax.statement import StatementParser, parse_statement
from spanemu.sql.token_cursor import LEVELS_MAX

# Declared early so that a grammar class can call rules of a derived class.
FORWARD_DECLARATIONS = {
    *("expression", "query"),
    *("failure", "identifier_of", "unexpected"),
    *("graph_predicate", "graph_query_in_braces", "graph_table"),
}


@pytest.mark.parametrize("grammar", [StatementParser, DdlParser])
def test_no_grammar_class_overrides_a_rule_of_another(grammar: type[Cursor]) -> None:
    owners: dict[str, str] = {}
    for parser in grammar.__mro__[:-1]:
        for name in vars(parser):
            if not name.startswith("__") and name not in FORWARD_DECLARATIONS:
                assert name not in owners, f"{name}: {owners[name]} and {parser.__name__}"
                owners[name] = parser.__name__


def test_the_parser_does_not_advance_past_the_end() -> None:
    cursor = Cursor("a")
    taken = [cursor.advance().text for _ in range(4)]
    assert taken == ["a", "", "", ""]
    assert cursor.peek(10).text == ""


def test_accept_all_consumes_all_or_nothing() -> None:
    cursor = Cursor("if not exists x")
    assert not cursor.accept_all("IF", "EXISTS")
    assert cursor.accept_all("IF", "NOT", "EXISTS")
    assert cursor.token.text == "x"


def test_a_double_angle_closes_two_types() -> None:
    cursor = Cursor(">> x")
    cursor.split_angle()
    assert [cursor.advance().symbol for _ in range(3)] == [">", ">", "X"]


def test_depth_is_limited() -> None:
    cursor = Cursor("a")
    cursor.deeper(LEVELS_MAX)
    with pytest.raises(StatementTooLarge):
        cursor.deeper()


@pytest.mark.parametrize("shift", range(6))
def test_peek_reads_more_tokens(shift):
    columns = ", ".join(["a.b NOT IN (1)"] * 1_000)
    text = f"SELECT {'1, ' * shift}{columns}"
    assert len(parse_statement(text).query.body.items) == 1_000 + shift
