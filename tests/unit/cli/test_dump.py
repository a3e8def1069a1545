"""`spanemu dump` and `spanemu load`: what one writes, the other reads."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

import spanemu
from spanemu.api.data_connection import data_connection
from spanemu.cli import main
from spanemu.schema.dialect import POSTGRESQL
from tests.unit.shop import BUNDLE, DESCRIPTORS

SCHEMA = """
CREATE TABLE Singers (SingerId INT64, Name STRING(MAX)) PRIMARY KEY (SingerId);
CREATE TABLE Albums (SingerId INT64, AlbumId INT64) PRIMARY KEY (SingerId, AlbumId),
  INTERLEAVE IN PARENT Singers;
"""
ROWS = "SELECT Name, AlbumId FROM Singers LEFT JOIN Albums USING (SingerId) ORDER BY 1, 2"


@pytest.fixture(scope="module")
def emulator():
    with spanemu.Emulator() as emulator:
        database = emulator.create_database("music", SCHEMA)
        with database.client().batch() as batch:
            batch.insert("Singers", ["SingerId", "Name"], [[1, "Ann"], [2, None]])
            batch.insert("Albums", ["SingerId", "AlbumId"], [[1, 7], [1, 8]])
        yield emulator


@pytest.fixture
def run(emulator):
    def run(*arguments, exit_code=0, **options):
        host = {"SPANNER_EMULATOR_HOST": emulator.uri, "SPANEMU_ENDPOINT_FILE": None}
        result = CliRunner().invoke(main, [*map(str, arguments)], env=host, **options)
        assert result.exit_code == exit_code, result.output
        return result

    return run


def rows(emulator, database):
    with emulator.database(database).client().snapshot() as snapshot:
        return list(snapshot.execute_sql(ROWS))


@pytest.mark.parametrize("format_", ["sql", "jsonl", "csv", "avro"])
def test_a_dump_becomes_a_new_database(emulator, run, tmp_path, format_):
    path = tmp_path / "dump"
    run("dump", "music", "--format", format_, "-o", path)
    run("load", f"copy-{format_}", path, "--create")
    assert rows(emulator, f"copy-{format_}") == rows(emulator, "music")
    assert emulator.database(f"copy-{format_}").ddl() == emulator.database("music").ddl()


def test_create_makes_the_instance_too(emulator, run):
    text = run("dump", "music").stdout
    name = "projects/p/instances/new-instance/databases/music-copy"
    run("load", name, "-", "--create", input=text)
    assert rows(emulator, name) == rows(emulator, "music")


def test_standard_output_is_standard_input(emulator, run):
    text = run("dump", "music").stdout
    run("load", "copy-of-output", "-", "--create", input=text)
    assert rows(emulator, "copy-of-output") == rows(emulator, "music")


def test_the_dialect_is_that_of_the_dump(emulator, run, tmp_path):
    emulator.create_database("pg", "CREATE TABLE t (a bigint PRIMARY KEY)", dialect="postgresql")
    run("dump", "pg", "--format", "jsonl", "-o", tmp_path / "dump")
    run("load", "pg-copy", tmp_path / "dump", "--create")
    assert emulator.database("pg-copy").ddl() == emulator.database("pg").ddl()


def test_a_server_may_leave_the_dialect_out(emulator, monkeypatch):
    """Google's emulator does."""
    emulator.create_database("pg-bare", dialect="postgresql")
    with data_connection(emulator.uri, emulator.database("pg-bare").name) as connection:
        call = connection._call

        def without_dialect(method, request, reply):
            return reply() if method.endswith("GetDatabase") else call(method, request, reply)

        monkeypatch.setattr(connection, "_call", without_dialect)
        assert connection.dialect() is POSTGRESQL


def test_tables_rows_and_schema_can_be_left_out(run, tmp_path):
    path = tmp_path / "dump"
    run("dump", "music", "--format", "jsonl", "-o", path, "--table", "Albums", "--no-schema")
    manifest = json.loads((path / "manifest.json").read_text())
    assert [table["table_name"] for table in manifest["tables"]] == ["Albums"]
    names = {"Albums.jsonl", "manifest.json", "spanemu.json"}
    assert {file.name for file in path.iterdir()} == names
    assert "INSERT" not in run("dump", "music", "--no-rows").stdout


def test_csv_has_the_requested_form(run, tmp_path):
    options = ["--csv-header", "--csv-null", "-", "--csv-delimiter", ";"]
    run("dump", "music", "--format", "csv", "-o", tmp_path, *options)
    assert (tmp_path / "Singers.csv").read_text() == "SingerId;Name\n1;Ann\n2;-\n"
    run("load", "copy-of-header", tmp_path, "--create", *options)


@pytest.mark.parametrize(
    ("arguments", "exit_code", "words"),
    [
        (["dump", "music", "--format", "csv"], 2, "needs --output"),
        (["dump", "nobody"], 1, "Database not found"),
        (["dump", "a/b"], 2, "a/b"),
        (["dump", "music", "--table", "Nobody"], 1, "there is no table Nobody"),
        (["dump", "music", "-o", "/nowhere/file.sql"], 1, "/nowhere/file.sql"),
        (["load", "music", "nowhere.sql"], 2, "nowhere.sql does not exist"),
        (["load", "nobody", "-"], 1, "Database not found"),
        (["load", "music", "-", "--no-rows"], 1, "SQL, of which no part can be selected"),
    ],
)
def test_what_cannot_be_done_is_said(run, arguments, exit_code, words):
    assert words in run(*arguments, exit_code=exit_code).stderr


def test_a_folder_that_is_no_dump_is_refused(run, tmp_path):
    assert "manifest.json" in run("load", "music", tmp_path, exit_code=1).stderr


def test_a_file_in_another_encoding_is_refused(run, tmp_path):
    (tmp_path / "file.sql").write_bytes(b"SELECT '\xff';")
    assert "utf-8" in run("load", "music", tmp_path / "file.sql", exit_code=1).stderr


def test_a_terminal_shows_the_progress(run, tmp_path, monkeypatch):
    monkeypatch.setattr("spanemu.cli.transfer_options.is_terminal", lambda: True)
    shown = run("dump", "music", "--format", "csv", "-o", tmp_path).stderr
    assert "Singers" in shown
    assert "2 rows" in shown
    assert not run("dump", "music", "--format", "csv", "-o", tmp_path, "-q").stderr


def test_a_data_directory_takes_the_place_of_a_server(run, tmp_path):
    text = run("dump", "music").stdout
    directory = tmp_path / "data"
    directory.mkdir()
    with spanemu.Emulator(data_dir=directory) as emulator:
        emulator.create_instance()
    run("load", "loaded", "-", "--create", "--data-dir", directory, input=text)
    assert run("dump", "loaded", "--data-dir", directory).stdout == text
    with spanemu.Emulator(data_dir=directory):
        arguments = ("load", "other", "-", "--create", "--data-dir", directory)
        assert "another emulator" in run(*arguments, input=text, exit_code=1).stderr


PROTOS = f"{BUNDLE}; CREATE TABLE Orders (Id INT64, O shop.Order, G shop.Genre) PRIMARY KEY (Id)"


@pytest.mark.parametrize("format_", ["sql", "jsonl", "csv", "avro"])
def test_messages_and_enums_survive(emulator, run, tmp_path, format_):
    types, path = tmp_path / "types.pb", tmp_path / "dump"
    types.write_bytes(DESCRIPTORS)
    name = f"protos-{format_}"
    text = f"{PROTOS}; INSERT INTO Orders (Id, O, G) VALUES (1, NEW shop.Order {{ number: 'n' }}, 'JAZZ');"
    run("load", name, "-", "--create", "--proto-descriptors", types, input=text)
    types.unlink()
    result = run("dump", name, "--format", format_, "-o", path)
    assert ("--proto-descriptors" in result.stderr) == (format_ == "sql")
    if format_ == "sql":
        run("dump", name, "-o", path, "--proto-descriptors", types)
        run("load", f"{name}-2", path, "--create", "--proto-descriptors", types)
    else:
        run("load", f"{name}-2", path, "--create")
    query = "SELECT O.number, CAST(G AS INT64) FROM Orders"
    with emulator.database(f"{name}-2").client().snapshot() as snapshot:
        assert list(snapshot.execute_sql(query)) == [["n", 1]]
    assert emulator.database(f"{name}-2").ddl() == emulator.database(name).ddl()
