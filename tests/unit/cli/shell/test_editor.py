"""The shell on a terminal, with keys from a pipe, and what it completes."""

from __future__ import annotations

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from spanemu.cli.shell.editor import Completer, MenuCompleter, edit

pytestmark = pytest.mark.timeout(60)  # An editor without further keys waits for ever.

ESCAPE_ENTER, CONTROL_C, CONTROL_D, UP = "\x1b\r", "\x03", "\x04", "\x1b[A"


@pytest.fixture
def type_keys(open_shell, capsys):
    """Return a function that types keys into a shell, and returns what it writes."""

    def type_keys(*keys, history=None, database="music"):
        shell = open_shell(database)
        with create_pipe_input() as pipe, create_app_session(input=pipe, output=DummyOutput()):
            pipe.send_text("".join(keys) + CONTROL_D)
            edit(shell, history)
        shell.session.close()
        return shell.printer._out.getvalue() + capsys.readouterr().err

    return type_keys


def test_a_statement_runs_when_its_semicolon_is_typed(type_keys):
    shown = type_keys("SELECT Name\r", "FROM Singers\r", "WHERE SingerId = 1;\r")
    assert "│ Ann" in shown
    assert "ERROR" not in shown


def test_escape_enter_runs_without_a_semicolon(type_keys):
    assert "│ Ann" in type_keys("SELECT Name FROM Singers WHERE SingerId = 1", ESCAPE_ENTER)


def test_a_failure_does_not_end_the_shell(type_keys):
    shown = type_keys("SELECT Nam FROM Singers;\r", "SELECT 'still here';\r")
    assert "\n       ^\n" in shown
    assert "still here" in shown


def test_control_c_clears_the_input(type_keys):
    shown = type_keys("SELECT 'dropped'", CONTROL_C, "SELECT 'kept';\r")
    assert "kept" in shown
    assert "dropped" not in shown


def test_quit_leaves(type_keys):
    assert "after" not in type_keys("\\q\r", "SELECT 'after';\r")


def test_the_menu_replaces_the_word_before_the_cursor(open_shell):
    completer = MenuCompleter(Completer(open_shell()))
    document = Document("SELECT Name FROM sing WHERE", cursor_position=len("SELECT Name FROM sing"))
    (completion,) = completer.get_completions(document, CompleteEvent())
    assert (completion.text, completion.start_position) == ("Singers", -len("sing"))


def test_the_history_is_that_of_the_last_shell(type_keys, tmp_path):
    history = tmp_path / "state" / "sql_history"
    type_keys("SELECT 'first';\r", history=history)
    assert history.stat().st_mode & 0o077 == 0
    assert "first" in type_keys(UP, "\r", history=history)


def test_a_shell_without_a_place_for_its_history_works(type_keys, tmp_path):
    (tmp_path / "file").touch()
    shown = type_keys("SELECT 'works';\r", history=tmp_path / "file" / "sql_history")
    assert "no history" in shown
    assert "works" in shown


def test_an_open_transaction_is_rolled_back_at_the_end(type_keys):
    shown = type_keys("BEGIN;\r", "INSERT INTO Singers (SingerId) VALUES (77);\r")
    assert "rolled back" in shown
    assert "0 rows" in type_keys("SELECT 1 FROM Singers WHERE SingerId = 77;\r")


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


@pytest.mark.parametrize(
    ("before", "text", "kind"),
    [
        ("GRAPH ", "app.Net", "graph"),
        ("GRAPH app.Net MATCH (n:", "Person", "label"),
        ("GRAPH app.Net MATCH (n:Person) RETURN n.", "FullName", "property"),
        ("GRAPH app.Net MAT", "MATCH", "keyword"),
    ],
)
def test_names_of_graphs_complete_graph_queries(complete, before, text, kind):
    assert (text, kind) in complete(before, "graphs")


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
