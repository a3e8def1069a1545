"""Input is divided into statements and commands; a statement knows the request that it needs."""

from __future__ import annotations

import pytest

from spanemu.cli.shell.script import (
    Command,
    InputReader,
    InvalidStatement,
    Kind,
    Statement,
    request_of,
)
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL, POSTGRESQL


def read(text, dialect=GOOGLE_STANDARD_SQL):
    reader = InputReader(dialect)
    items = [item for line in text.split("\n") for item in reader.feed(line)]
    return [*items, *reader.finish()]


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("SELECT 1; SELECT 2;", [Statement("SELECT 1", 1), Statement("SELECT 2", 1)]),
        ("\n\nSELECT\n 1;\n-- c\nSELECT 2", [Statement("SELECT\n 1", 3), Statement("SELECT 2", 6)]),
        ("\\d Singers;\n  \\q", [Command("d", "Singers", 1), Command("q", "", 2)]),
        ("-- c\n\\x\nSELECT 1;", [Command("x", "", 2), Statement("SELECT 1", 3)]),
        ("SELECT '\n\\d\n';", [Statement("SELECT '\n\\d\n'", 1)]),
        ("SELECT ';' /* ; */ # ;\n;", [Statement("SELECT ';' /* ; */ # ;", 1)]),
        ("exit", [Command("q", "", 1)]),
        ("help;", [Command("?", "", 1)]),
        ("SELECT 'open", [Statement("SELECT 'open", 1)]),
        ("SELECT 1 /* open ;", [Statement("SELECT 1 /* open ;", 1)]),
        (";;\n -- nothing\n", []),
    ],
)
def test_lines_become_statements_and_commands(text, items):
    assert read(text) == items


def test_a_dollar_quote_holds_semicolons_in_postgresql():
    text = "SELECT $$;$$;"
    assert read(text, POSTGRESQL) == [Statement("SELECT $$;$$", 1)]
    assert len(read(text)) == 2


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("SELECT 1", Kind.QUERY),
        ("(SELECT 1) UNION ALL SELECT 2", Kind.QUERY),
        ("@{optimizer_version=1} /* c */ @{a=b} update T SET a = 1 WHERE true", Kind.DML),
        ("-- c\ninsert INTO T VALUES (1)", Kind.DML),
        ("create TABLE T (a INT64) PRIMARY KEY (a)", Kind.DDL),
        ("begin", Kind.BEGIN),
        ("START TRANSACTION READ WRITE", Kind.BEGIN),
        ("commit transaction", Kind.COMMIT),
        ("ROLLBACK", Kind.ROLLBACK),
        ("FROM Singers |> SELECT *", Kind.QUERY),
    ],
)
def test_a_statement_has_a_kind(text, kind):
    assert request_of(text, GOOGLE_STANDARD_SQL).kind is kind


def test_explain_and_analyze_are_not_sent():
    request = request_of("explain analyze DELETE FROM T WHERE a = 1", GOOGLE_STANDARD_SQL)
    assert request.text == "DELETE FROM T WHERE a = 1"
    assert (request.kind, request.explain, request.analyze) == (Kind.DML, True, True)
    assert not request_of("EXPLAIN SELECT 1", GOOGLE_STANDARD_SQL).analyze


@pytest.mark.parametrize("mode", ["READ ONLY", "ro"])
def test_a_read_only_transaction_has_a_bound(mode):
    request = request_of(f"BEGIN {mode} '2026-01-01T00:00:00Z'", GOOGLE_STANDARD_SQL)
    assert (request.read_only, request.bound) == (True, "2026-01-01T00:00:00Z")


@pytest.mark.parametrize("text", ["BEGIN nonsense", "BEGIN READ WRITE 10", "EXPLAIN CREATE ROLE a"])
def test_an_invalid_statement_of_the_shell_is_refused(text):
    with pytest.raises(InvalidStatement):
        request_of(text, GOOGLE_STANDARD_SQL)
