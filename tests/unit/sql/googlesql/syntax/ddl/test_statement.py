"""The text that DDL trees keep, syntax errors, and the splitting of files."""

from __future__ import annotations

import pytest

from spanemu.base.errors import Unsupported
from spanemu.sql import ddl_ast
from spanemu.sql.errors import DdlStatementEmpty, DdlSyntaxFailure, SyntaxFailure
from spanemu.sql.googlesql.syntax.ddl import statement as ddl
from spanemu.sql.googlesql.syntax.ddl.statement import parse_ddl, split_statements
from spanemu.sql.googlesql.syntax.statement import parse_expression


def test_expressions_keep_their_text() -> None:
    text = "CREATE TABLE t (a STRING(MAX) DEFAULT (  LOWER( 'X' )||\"y\" ) ) PRIMARY KEY (a)"
    statement = parse_ddl(text)
    assert isinstance(statement, ddl_ast.CreateTable)
    default = statement.columns[0].default
    assert default is not None
    assert default.text == "LOWER( 'X' )||\"y\""
    assert default.tree == parse_expression(default.text)
    assert text[default.at : default.end] == default.text


def test_a_view_keeps_its_body() -> None:
    statement = parse_ddl("CREATE VIEW v SQL SECURITY INVOKER AS  SELECT t.a -- x\n FROM t ; ")
    assert isinstance(statement, ddl_ast.CreateView)
    assert statement.query.text == "SELECT t.a -- x\n FROM t"


def test_a_syntax_error_has_the_statement_and_the_position() -> None:
    text = "CREATE TABLE t (\n  a INT65 b\n) PRIMARY KEY (a)"
    with pytest.raises(DdlSyntaxFailure) as caught:
        parse_ddl(text)
    assert (caught.value.line, caught.value.column) == (2, 11)
    assert caught.value.statement == text
    assert str(caught.value).startswith(
        f"Error parsing Spanner DDL statement: {text} : Syntax error on line 2, column 11: "
    )


@pytest.mark.parametrize("text", ["", " ;", "-- nothing\n", "/* */"])
def test_an_empty_statement(text: str) -> None:
    with pytest.raises(DdlStatementEmpty):
        parse_ddl(text)


def test_unimplemented_statements_are_refused_by_name() -> None:
    with pytest.raises(Unsupported):
        parse_ddl("ALTER SCHEMA s SET OPTIONS ()")


def test_endless_nesting_is_a_syntax_error() -> None:
    deep = "(" * 10_000
    with pytest.raises(DdlSyntaxFailure):
        parse_ddl(f"CREATE TABLE t (a INT64 DEFAULT {deep}")


def test_every_drop_has_a_class_of_its_own() -> None:
    assert {kind for _, kind in ddl._DROPS} == set(ddl_ast.Drop.__subclasses__())


def test_singleton_and_keyless_tables_differ() -> None:
    singleton = parse_ddl("CREATE TABLE t (a INT64) PRIMARY KEY ()")
    keyless = parse_ddl("CREATE TABLE t (a INT64)")
    assert isinstance(singleton, ddl_ast.CreateTable)
    assert isinstance(keyless, ddl_ast.CreateTable)
    assert singleton.primary_key == ()
    assert keyless.primary_key is None


def test_split_keeps_each_statement_and_its_offset() -> None:
    text = "/* a */ DROP TABLE a;\n-- b;\nDROP TABLE `b;`;; DROP TABLE c"
    result = split_statements(text)
    assert [statement for statement, _ in result] == [
        "DROP TABLE a",
        "DROP TABLE `b;`",
        "DROP TABLE c",
    ]
    assert all(text[at:].startswith(statement) for statement, at in result)


def test_split_of_a_long_file_is_not_limited_like_a_query() -> None:
    text = "DROP TABLE a;\n" * 100_000
    assert len(split_statements(text)) == 100_000


def test_split_fails_at_an_unclosed_string() -> None:
    with pytest.raises(SyntaxFailure) as caught:
        split_statements("DROP TABLE a;\nDROP TABLE 'b")
    assert (caught.value.line, caught.value.column) == (2, 12)


def test_options_by_name() -> None:
    statement = parse_ddl("ALTER DATABASE d SET OPTIONS (a = 'x', b = NULL, c = [1, 2], d = -1.5)")
    assert isinstance(statement, ddl_ast.AlterDatabase)
    expected = {"a": "x", "b": None, "c": (1, 2), "d": -1.5}
    assert ddl_ast.options_by_name(statement.options) == expected
