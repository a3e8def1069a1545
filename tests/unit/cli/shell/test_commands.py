"""The commands of the shell in both dialects, and what is refused."""

from __future__ import annotations

import pytest

from spanemu.cli.shell.commands import Rejected, run_lines


@pytest.mark.parametrize(
    ("database", "command", "words"),
    [
        ("music", "\\l", ["music", "pg"]),
        ("music", "\\d", ["Albums", "CASCADE", "app", "Users", "VIEW"]),
        ("music", "\\d albums", ["AlbumId", "Interleaved in Singers ON DELETE CASCADE"]),
        ("music", "\\d Albums", ["Primary key (SingerId, AlbumId)", "Foreign key Known (AlbumId)"]),
        ("music", "\\d Singers", ["Index SingersByName (Name DESC) STORING (Born)"]),
        ("music", "\\d app.Users", ["Id"]),
        ("music", "\\d information_schema.tables", ["TABLE_NAME"]),
        ("music", "\\di", ["SingersByName"]),
        ("music", "\\dv", ["Names", "SELECT Singers.Name"]),
        ("music", "\\ds", ["Ids"]),
        ("music", "\\dc", ["Everything"]),
        ("music", "\\dn", ["app"]),
        ("music", "\\df farm", ["FARM_FINGERPRINT"]),
        ("music", "\\ddl albums", ["CREATE TABLE Albums"]),
        ("music", "\\?", ["\\timing", "\\d [TABLE]"]),
        ("pg", "\\d", ["singers", "names"]),
        ("pg", "\\d singers", ["character varying", "Unique index by_name (name)"]),
        ("pg", "\\di", ["by_name"]),
        ("pg", "\\dv", ["names"]),
        ("pg", "\\ds", ["ids"]),
        ("pg", "\\dc", ["everything"]),
        ("pg", "\\dn", ["public"]),
        ("pg", "\\df jsonb_build", ["jsonb_build_object"]),
    ],
)
def test_commands_show_the_catalog(open_shell, database, command, words):
    shell = open_shell(database)
    run_lines(shell, [command])
    shown = shell.printer._out.getvalue()
    assert [word for word in words if word not in shown] == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("BEGIN RO; INSERT INTO Singers (SingerId) VALUES (9)", "ERROR"),
        ("BEGIN; BEGIN", "a transaction is open"),
        ("COMMIT", "no transaction is open"),
        ("BEGIN; CREATE ROLE x", "cannot run in a transaction"),
        ("BEGIN RO yesterday", "neither a number of seconds nor a timestamp"),
        ("BEGIN RO 2026-01-01T00:00:00", "has no zone"),
        ("EXPLAIN CREATE ROLE x", "only queries and DML"),
        ("\\nothing", "there is no command \\nothing"),
        ("\\i nowhere.sql", "nowhere.sql"),
        ("\\o /nowhere/file", "/nowhere/file"),
        ("\\d Nobody", "there is no table or view Nobody"),
        ("\\c nobody", "NOT_FOUND"),
        ("\\x maybe", "neither on nor off"),
        ("\\format xml", "table, csv, tsv, json"),
        ("\\set a", "needs a name and a value"),
        ("\\set a 1, 2", "a single expression"),
        ("\\unset a", "no parameter a"),
    ],
)
def test_refused_commands_name_the_reason(open_shell, text, words):
    with pytest.raises(Rejected) as refused:
        run_lines(open_shell(), [text])
    assert words in str(refused.value)
