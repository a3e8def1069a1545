"""The text before the cursor decides which names complete it."""

from __future__ import annotations

import pytest

from spanemu.cli.shell.completion import Completer


@pytest.fixture
def complete(open_shell):
    def complete(before, database="music"):
        found = Completer(open_shell(database)).candidates(before)
        return {(each.text, each.kind) for each in found}

    return complete


@pytest.mark.parametrize(
    ("before", "text", "kind"),
    [
        ("SELECT * FROM ", "Singers", "table"),
        ("SELECT * FROM si", "Singers", "table"),
        ("SELECT * FROM app.", "app.Users", "table"),
        ("SELECT * FROM Singers JOIN Alb", "Albums", "table"),
        ("INSERT INTO ", "Albums", "table"),
        ("SELECT * FROM Singers AS s WHERE s.", "Born", "column"),
        ("SELECT * FROM Singers s JOIN Albums a ON a.Al", "AlbumId", "column"),
        ("SELECT * FROM Singers WHERE ", "Name", "column"),
        ("SELECT FARM_", "FARM_FINGERPRINT", "function"),
        ("sel", "select", "keyword"),
        ("SELECT 1\nFRO", "FROM", "keyword"),
        ("\\d", "\\di", "command"),
        ("\\d Si", "Singers", "table"),
        ("\\c p", "pg", "database"),
        ("\\df farm", "FARM_FINGERPRINT", "function"),
    ],
)
def test_names_complete_the_text(complete, before, text, kind):
    assert (text, kind) in complete(before)


def test_only_columns_of_the_named_table_follow_its_alias(complete):
    assert complete("SELECT * FROM Albums a, Singers s WHERE a.") == {
        ("SingerId", "column"),
        ("AlbumId", "column"),
    }


def test_postgresql_has_its_own_names(complete):
    assert ("singers", "table") in complete("SELECT * FROM ", "pg")
    assert ("jsonb_array_elements", "function") in complete("select jsonb_arr", "pg")


def test_names_are_read_again_after_the_schema_changed(open_shell):
    shell = open_shell()
    completer = Completer(shell)
    assert "Singers" in {each.text for each in completer.candidates("FROM ")}
    shell.session.ddl("CREATE TABLE Songs (Id INT64) PRIMARY KEY (Id)")
    shell.schema_version += 1
    assert "Songs" in {each.text for each in completer.candidates("FROM ")}
    shell.session.ddl("DROP TABLE Songs")


def test_no_completion_fails_without_a_database(open_shell):
    assert not list(Completer(open_shell("nobody")).candidates("SELECT * FROM "))
