"""The entry points of the parser, and its limits."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from spanemu.base.errors import Unsupported
from spanemu.base.limits import SQL_CHARACTERS_MAX
from spanemu.sql.errors import NotInSpanner, StatementRefused, SyntaxFailure, TextTooLong
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.syntax.statement import parse_expression, parse_query, parse_statement


def test_one_semicolon_may_follow() -> None:
    assert parse_statement("SELECT 1;") == parse_statement("SELECT 1")
    with pytest.raises(SyntaxFailure):
        parse_statement("SELECT 1;;")


def test_only_one_statement() -> None:
    with pytest.raises(SyntaxFailure) as caught:
        parse_statement("SELECT 1;\nSELECT 2")
    assert (caught.value.line, caught.value.column) == (2, 1)


@pytest.mark.parametrize("parse", [parse_statement, parse_query, parse_expression])
@pytest.mark.parametrize("text", ["", " ", "-- x", ";", ")"])
def test_an_empty_text_is_refused(parse: Callable[[str], ast.Node], text: str) -> None:
    with pytest.raises(SyntaxFailure):
        parse(text)


def test_the_message_ends_with_the_position() -> None:
    with pytest.raises(SyntaxFailure) as caught:
        parse_statement("SELECT x y z")
    expected = 'Syntax error: Expected end of input but got identifier "z" [at 1:12]'
    assert str(caught.value) == expected


@pytest.mark.parametrize("text", ["CREATE TABLE t", "MERGE INTO t", "BEGIN", "SHOW x", "DROP t"])
def test_other_statements_are_refused(text: str) -> None:
    with pytest.raises(StatementRefused) as caught:
        parse_statement(text)
    assert caught.value.statement == text.split()[0]


@pytest.mark.parametrize(
    ("text", "feature"),
    [
        (
            "SELECT * FROM GRAPH_TABLE(g RETURN 1 AS x) TABLESAMPLE BERNOULLI (1 PERCENT)",
            "TABLESAMPLE of GRAPH_TABLE",
        ),
    ],
)
def test_unimplemented_statements_are_refused_by_name(text: str, feature: str) -> None:
    with pytest.raises(Unsupported) as caught:
        parse_statement(text)
    assert caught.value.feature == feature


@pytest.mark.parametrize(
    "text",
    [
        "SELECT a FROM t QUALIFY a > 1",
        "SELECT a FROM t GROUP BY CUBE(a)",
        "SELECT a FROM t GROUP BY GROUPING SETS (a)",
        "SELECT a FROM t UNPIVOT (x FOR y IN (z))",
        "SELECT a FROM t MATCH_RECOGNIZE (x)",
        "FROM t |> WINDOW f() OVER ()",
    ],
)
def test_features_that_spanner_lacks_are_refused(text: str) -> None:
    with pytest.raises(NotInSpanner):
        parse_statement(text)


def test_qualify_may_still_be_a_name() -> None:
    assert parse_query("SELECT qualify FROM t qualify WHERE qualify.qualify")


def test_the_length_of_a_text_is_limited() -> None:
    text = "SELECT 1" + " " * (SQL_CHARACTERS_MAX - 8)
    assert parse_statement(text)
    with pytest.raises(TextTooLong) as caught:
        parse_statement(text + " ")
    assert caught.value.length == SQL_CHARACTERS_MAX + 1


def test_a_caller_with_little_stack_gets_a_tree() -> None:
    text = "SELECT " + "- " * 190 + "1"
    limit = sys.getrecursionlimit()

    def from_depth(frames: int) -> ast.Statement:
        return parse_statement(text) if frames == 0 else from_depth(frames - 1)

    assert from_depth(limit - 300) == parse_statement(text)
    assert sys.getrecursionlimit() == limit


@pytest.mark.parametrize(
    "word", ["offset", "key", "value", "date", "timestamp", "table", "values", "model", "json"]
)
def test_unreserved_words_are_names(word: str) -> None:
    query = parse_query(f"SELECT {word}, t.{word} AS {word} FROM {word} AS {word}")
    assert isinstance(query.body, ast.Select)
    assert query.body.items[0] == ast.SelectItem(ast.Name(ast.Path((ast.Identifier(word),))))


def test_hints_stand_wherever_they_may() -> None:
    statement = parse_statement(
        "@{a=1} SELECT @{b=2} x FROM t@{c=3} JOIN@{d=4} (SELECT 1)@{e=5} u USING (x)"
        " WHERE x IN @{f=6} (SELECT 1) GROUP @{g=7} BY x ORDER @{h=8} BY x"
    )
    assert isinstance(statement, ast.QueryStatement)
    select = statement.query.body
    assert isinstance(select, ast.Select)
    join = select.source
    assert isinstance(join, ast.Join)
    assert isinstance(join.left, ast.TableRef)
    assert isinstance(join.right, ast.SubqueryRef)
    assert isinstance(select.where, ast.In)
    assert select.group_by is not None
    holders = [
        statement.hint, select.hint, join.left.hint, join.hint, join.right.hint,
        select.where.hint, select.group_by.hint, statement.query.order_hint,
    ]  # fmt: skip
    written = [hint.entries for hint in holders if hint is not None]
    assert written == [((name, value),) for value, name in enumerate("abcdefgh", 1)]
