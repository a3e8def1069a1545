"""Schemas from files and from text, with each statement's place."""

import pytest

from spanemu.base.errors import Code, SpannerError
from spanemu.schema.dialect import POSTGRESQL
from spanemu.schema_source import (
    TEXT_ORIGIN,
    PsqlCommandSkipped,
    SchemaRejected,
    SchemaStatement,
    load_schema,
    rejected,
    split_schema,
)
from spanemu.sql.errors import DdlSyntaxFailure

TWO = "-- the tables\nCREATE TABLE A (x INT64) PRIMARY KEY (x);\n\nDROP TABLE A;\n"


def places(statements):
    return [(each.origin, each.line, each.text.split()[0]) for each in statements]


def test_text_is_cut_into_statements_with_their_lines():
    statements = load_schema(TWO)
    assert [each.origin for each in statements] == [TEXT_ORIGIN, TEXT_ORIGIN]
    assert [each.line for each in statements] == [2, 4]
    assert statements[1].text == "DROP TABLE A"


def test_a_file_that_is_not_in_utf_8_is_named(tmp_path):
    latin = tmp_path / "latin.sql"
    latin.write_bytes("CREATE TABLE A (\n  é INT64) PRIMARY KEY (x);".encode("latin-1"))
    with pytest.raises(SchemaRejected) as caught:
        load_schema(latin)
    assert (caught.value.origin, caught.value.line) == (str(latin), 2)
    assert caught.value.code is Code.INVALID_ARGUMENT


def test_files_are_read_in_order(tmp_path):
    first, second = tmp_path / "first.sql", tmp_path / "create second.sql"
    first.write_text(TWO)
    second.write_text("\ufeff" + "\n\nDROP TABLE B", encoding="utf-8")
    assert places(load_schema([second, str(first)])) == [
        (str(second), 3, "DROP"),
        (str(first), 2, "CREATE"),
        (str(first), 4, "DROP"),
    ]
    assert places(load_schema(first)) == places(load_schema([str(first)]))


@pytest.mark.parametrize("nothing", ["", "  \n", "-- no statement\n", "/* none */", ()])
def test_an_empty_source_has_no_statements(nothing):
    assert load_schema(nothing) == []


@pytest.mark.parametrize("missing", ["schema.sql", "dir/creates.sql", "nonsense"])
def test_other_texts_are_refused_as_schema_sources(missing, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileNotFoundError) as caught:
        load_schema(missing)
    assert missing in str(caught.value)
    assert str(tmp_path) in str(caught.value)


def test_a_rejection_points_into_the_file():
    statement = SchemaStatement("CREATE TABLE A (\n x\n)", "schema.sql", 10)
    syntax = rejected(statement, DdlSyntaxFailure(statement.text, "type", 2, 3))
    assert (syntax.origin, syntax.line, syntax.code) == ("schema.sql", 11, Code.INVALID_ARGUMENT)
    assert str(syntax) == "schema.sql:11: Syntax error: type\n     x\n      ^"
    after_the_end = rejected(statement, DdlSyntaxFailure(statement.text, "end", 9, 1))
    assert str(after_the_end) == "schema.sql:18: Syntax error: end"

    class Elsewhere(SpannerError):
        code = Code.NOT_FOUND
        prose = "gone"

    other = rejected(statement, Elsewhere())
    assert (other.line, other.code, str(other)) == (10, Code.NOT_FOUND, "schema.sql:10: gone")


def test_a_text_that_cannot_be_cut_is_refused_with_its_place(tmp_path):
    path = tmp_path / "schema.sql"
    path.write_text("DROP TABLE A;\n\nCREATE TABLE B (x STRING(9) DEFAULT ('it)) PRIMARY KEY (x);")
    with pytest.raises(SchemaRejected) as refusal:
        load_schema(path)
    assert (refusal.value.origin, refusal.value.line) == (str(path), 3)


def test_psql_commands_are_skipped_with_a_warning():
    text = (
        "\\connect shop\nCREATE TABLE a (\n  x text DEFAULT 'it''s\n\\d'\n);\n"
        "  \\echo don't /* look\n/* a comment\n\\q */ DROP TABLE a;\n"
    )
    with pytest.warns(PsqlCommandSkipped) as warned:
        statements = split_schema(text, "pg.sql", dialect=POSTGRESQL)
    assert [(each.line, each.text[:10]) for each in statements] == [
        (2, "CREATE TAB"),
        (8, "DROP TABLE"),
    ]
    assert "'it''s\n\\d'" in statements[0].text
    assert [str(each.message).split(":")[:2] for each in warned] == [
        ["pg.sql", "1"],
        ["pg.sql", "6"],
    ]
    assert "\\connect" in str(warned[0].message)


@pytest.mark.parametrize(
    ("written", "becomes"),
    [
        ("ALTER DATABASE db SET OPTIONS (x = 1)", "ALTER DATABASE `own-1` SET OPTIONS (x = 1)"),
        ("alter database`my-db`set OPTIONS ()", "alter database`own-1`set OPTIONS ()"),
        ("ALTER/**/DATABASE -- db\n db\nSET", "ALTER/**/DATABASE -- db\n `own-1`\nSET"),
    ],
)
def test_alter_database_takes_the_name_of_the_database(written, becomes):
    assert SchemaStatement(written, TEXT_ORIGIN, 1).text_for("own-1") == becomes


@pytest.mark.parametrize(
    ("written", "becomes"),
    [
        ("ALTER DATABASE db SET spanner.x = 1", 'ALTER DATABASE "own-1" SET spanner.x = 1'),
        ('alter database "my-db" reset spanner.x', 'alter database "own-1" reset spanner.x'),
        ("ALTER DATABASE `db` SET spanner.x = 1", "ALTER DATABASE `db` SET spanner.x = 1"),
    ],
)
def test_alter_database_quotes_the_name_as_postgresql_does(written, becomes):
    assert SchemaStatement(written, TEXT_ORIGIN, 1, POSTGRESQL).text_for("own-1") == becomes


@pytest.mark.parametrize(
    "text",
    [
        "ALTER DATABASE my-db SET OPTIONS (x = 1)",  # a syntax error, and to be shown as one
        "ALTER DATABASE SET OPTIONS (x = 1)",
        'ALTER DATABASE "db" SET OPTIONS (x = 1)',
        "ALTER DATABASES db SET OPTIONS (x = 1)",
        "CREATE TABLE A (x STRING(99) DEFAULT ('ALTER DATABASE db SET')) PRIMARY KEY (x)",
        "ALTER TABLE A SET OPTIONS (x = 1)",
    ],
)
def test_other_statements_stay_as_they_are(text):
    assert SchemaStatement(text, TEXT_ORIGIN, 1).text_for("own-1") == text
