"""The database that a command means: a full name, or an id in any instance of the server."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

import spanemu
from spanemu.api import calls
from spanemu.api.calls import NotControllable, RemoteFailure
from spanemu.api.endpoint_file import Endpoint, write
from spanemu.base.errors import Code
from spanemu.cli import main
from tests.ports import free_port

SCHEMA = "CREATE TABLE T (a INT64) PRIMARY KEY (a)"
SHOPS = "projects/test/instances/shops"
OTHER = "projects/other/instances/archive"
COPY = "INSERT INTO T (a) VALUES (1), (2)"


@pytest.fixture
def emulator():
    """Yield a server with an instance of its own, `music` there, and `logs` in another project."""
    with spanemu.Emulator(project="test", instance="shops") as emulator:
        emulator.create_database("music", SCHEMA)
        emulator.create_database(f"{OTHER}/databases/logs", SCHEMA)
        yield emulator


@pytest.fixture
def run(emulator):
    def run(*arguments, exit_code=0, env=None, **options):
        host = {"SPANNER_EMULATOR_HOST": emulator.uri, "SPANEMU_ENDPOINT_FILE": None} | (env or {})
        result = CliRunner().invoke(main, [*map(str, arguments)], env=host, **options)
        assert result.exit_code == exit_code, result.output
        return result

    return run


def rows(emulator, name):
    with emulator.database(name).client().snapshot() as snapshot:
        return list(snapshot.execute_sql("SELECT a FROM T ORDER BY a"))


# ---------------------------------------------------------------------------- one match


@pytest.mark.parametrize(
    ("database", "name"),
    [("music", f"{SHOPS}/databases/music"), ("logs", f"{OTHER}/databases/logs")],
)
def test_a_database_is_found_in_any_instance_and_named(run, database, name):
    result = run("sql", database, "-e", "SELECT COUNT(*) AS n FROM T", "--format", "json")
    assert json.loads(result.stdout) == [{"n": "0"}]
    assert name in result.stderr
    result = run("dump", database)
    assert "CREATE TABLE T" in result.stdout
    assert name in result.stderr
    assert "CREATE TABLE T" in run("ddl", "export", "--database", database).stdout


def test_a_postgresql_database_is_found(emulator, run):
    emulator.create_database(f"{OTHER}/databases/pg", dialect="postgresql")
    assert "1" in run("sql", "pg", "-e", "SELECT 1::bigint AS n").stdout


def test_a_database_in_the_assumed_instance_is_not_named():
    with spanemu.Emulator() as emulator:
        emulator.create_database("music", SCHEMA)
        arguments = ["sql", "music", "--host-port", emulator.uri, "-e", "SELECT 1 AS n"]
        assert CliRunner().invoke(main, arguments).stderr == ""


def test_the_only_database_needs_no_id(emulator, run):
    emulator.database(f"{OTHER}/databases/logs").drop()
    assert f"{SHOPS}/databases/music" in run("sql", "-e", "SELECT 1 AS n").stderr


def test_instance_and_project_narrow_the_choice(emulator, run):
    emulator.create_database(f"{OTHER}/databases/music", SCHEMA)
    for option in (["--project", "other"], ["--instance", "archive"]):
        assert f"{OTHER}/databases/music" in run("dump", "music", *option).stderr


def test_a_schema_is_applied_to_a_database_by_its_id(emulator, run, tmp_path):
    (tmp_path / "schema.sql").write_text(f"{SCHEMA};\nCREATE TABLE U (a INT64) PRIMARY KEY (a);\n")
    run("ddl", "apply", tmp_path / "schema.sql", "--database", "logs")
    assert len(emulator.database(f"{OTHER}/databases/logs").ddl()) == 2


# ---------------------------------------------------------------------------- several, none


@pytest.mark.parametrize("command", ["sql", "dump", "load"])
def test_several_matches_are_an_error_that_lists_them(emulator, run, command):
    emulator.create_database(f"{OTHER}/databases/music", SCHEMA)
    rest = {"sql": ["-e", "SELECT 1"], "dump": [], "load": ["-"]}[command]
    shown = run(command, "music", *rest, exit_code=1, input=COPY).stderr
    assert f"{OTHER}/databases/music, {SHOPS}/databases/music" in shown
    assert "--instance" in shown
    assert rows(emulator, "music") == rows(emulator, f"{OTHER}/databases/music") == []


def test_several_matches_are_an_error_of_env_too(emulator, run):
    emulator.create_database(f"{OTHER}/databases/music", SCHEMA)
    result = run("env", "--database", "music", exit_code=2)
    assert result.stdout == ""
    assert f"{OTHER}/databases/music, {SHOPS}/databases/music" in result.stderr


@pytest.mark.parametrize("command", ["sql", "dump", "load"])
def test_no_match_lists_the_databases_and_the_nearest(run, command):
    rest = {"sql": ["-e", "SELECT 1"], "dump": [], "load": ["-"]}[command]
    shown = run(command, "musik", *rest, exit_code=1, input=COPY).stderr
    assert "Database not found: musik. Did you mean 'music'?" in shown
    assert f"{OTHER}/databases/logs, {SHOPS}/databases/music" in shown
    assert ("--create" in shown) is (command == "load")


# ---------------------------------------------------------------------------- load


def test_a_load_reports_rows_by_table(emulator, run, tmp_path):
    text = run("dump", "music", input="").stdout
    (tmp_path / "copy.sql").write_text(f"{text}{COPY};\n")
    shown = run("load", "logs", tmp_path / "copy.sql", "-q", "--edited", exit_code=1).output
    assert "Duplicate" in shown  # the table exists
    (tmp_path / "rows.sql").write_text(COPY)
    shown = run("load", "logs", tmp_path / "rows.sql", "-q").stdout
    where = f"{OTHER}/databases/logs"
    assert shown == f"Loaded {tmp_path}/rows.sql into {where}: 1 table, 2 rows and statements\n"
    assert rows(emulator, where) == [[1], [2]]


def test_create_uses_the_own_instance_of_the_server(emulator, run):
    emulator.create_database(f"{OTHER}/databases/copy", SCHEMA)
    shown = run("load", "copy", "-", "--create", input=f"{SCHEMA};\n{COPY};\n").stdout
    assert f"into {SHOPS}/databases/copy" in shown
    assert rows(emulator, "copy") == [[1], [2]]
    assert rows(emulator, f"{OTHER}/databases/copy") == []


def test_create_in_a_data_directory_uses_its_only_instance(tmp_path):
    with spanemu.Emulator(project="test", instance="shops", data_dir=tmp_path) as emulator:
        emulator.create_database("music", SCHEMA)
    arguments = ["load", "copy", "-", "--create", "--data-dir", str(tmp_path)]
    result = CliRunner().invoke(main, arguments, input=f"{SCHEMA};\n")
    assert f"into {SHOPS}/databases/copy" in result.stdout
    with spanemu.Emulator(import_from=tmp_path) as emulator:
        assert f"{SHOPS}/databases/copy" in emulator.info().databases


# ---------------------------------------------------------------------------- env, gcloud


def exported(shown):
    return dict(line.removeprefix("export ").split("=", 1) for line in shown.splitlines())


def test_env_has_the_own_instance_of_the_server(run):
    variables = exported(run("env", "--shell", "sh").stdout)
    assert variables["SPANNER_PROJECT_ID"] == variables["GOOGLE_CLOUD_PROJECT"] == "'test'"
    assert variables["SPANNER_INSTANCE_ID"] == "'shops'"


@pytest.mark.parametrize("database", ["logs", f"{OTHER}/databases/logs"])
def test_env_has_the_instance_of_the_database(run, database):
    variables = exported(run("env", "--shell", "sh", "--database", database).stdout)
    names = ("SPANNER_PROJECT_ID", "SPANNER_INSTANCE_ID", "SPANNER_DATABASE_ID")
    assert [variables[name] for name in names] == ["'other'", "'archive'", "'logs'"]


def test_env_has_the_only_instance_that_clients_made(run, emulator):
    for database in list(emulator.info().databases):
        emulator.database(database).drop()
    with spanemu.Emulator() as server:
        server.create_database(f"{OTHER}/databases/logs")
        shown = run("env", "--shell", "sh", "--host-port", server.uri).stdout
        assert exported(shown)["SPANNER_INSTANCE_ID"] == "'archive'"
        server.create_database(f"{SHOPS}/databases/logs")
        shown = run("env", "--host-port", server.uri, exit_code=2).stderr
        assert f"{OTHER}, {SHOPS}" in shown


def test_env_before_the_start_has_the_default_names_and_says_how_to_start():
    address = f"localhost:{free_port()}"
    result = CliRunner().invoke(main, ["env", "--shell", "sh", "--host-port", address])
    assert exported(result.stdout)["SPANNER_INSTANCE_ID"] == "'emulator-instance'"
    assert f"spanemu serve --host-port {address}" in result.stderr


def test_gcloud_gets_the_project_of_the_server(run, tmp_path, monkeypatch):
    monkeypatch.setenv("CLOUDSDK_CONFIG", str(tmp_path))
    run("gcloud-config", "--rest-host-port", "localhost:9020")
    assert "project = test" in (tmp_path / "configurations" / "config_spanemu").read_text()


def test_an_endpoint_file_names_the_own_instance(emulator, run, tmp_path):
    path = tmp_path / "endpoint.json"
    write(Endpoint(emulator.uri, 1, "test", "own", "2026-01-01T00:00:00Z"), path)
    shown = run("load", "copy", "-", "--create", "--endpoint-file", path, input=SCHEMA).stdout
    assert "into projects/test/instances/own/databases/copy" in shown


def test_the_instance_of_an_endpoint_file_comes_first(emulator, run, tmp_path):
    emulator.create_database(f"{OTHER}/databases/music", SCHEMA)
    path = tmp_path / "endpoint.json"
    write(Endpoint(emulator.uri, 1, "test", "shops", "2026-01-01T00:00:00Z"), path)
    assert run("dump", "music", "--endpoint-file", path).stderr == ""
    shown = run("env", "--shell", "sh", "--database", "music", "--endpoint-file", path).stdout
    assert exported(shown)["SPANNER_INSTANCE_ID"] == "'shops'"


# ---------------------------------------------------------------------------- other servers


@pytest.fixture(params=["google", "remote"])
def without_control(request, monkeypatch):
    """Refuse control operations, as Google's emulator and real servers do."""
    failures = {
        "google": NotControllable("GetEmulator", ""),
        "remote": RemoteFailure(Code.PERMISSION_DENIED, ""),
    }

    def refuse(*_args, **_arguments):
        raise failures[request.param]

    monkeypatch.setattr(calls.Calls, "__call__", refuse)


@pytest.mark.usefixtures("without_control")
def test_other_servers_are_searched_in_the_known_projects(run):
    assert f"{SHOPS}/databases/music" in run("dump", "music", "--project", "test").stderr
    for variable in ("SPANNER_PROJECT_ID", "GOOGLE_CLOUD_PROJECT"):
        assert f"{SHOPS}/databases/music" in run("dump", "music", env={variable: "test"}).stderr
    shown = run("dump", "music", exit_code=1).stderr
    assert "Searched: emulator-project; --project names another" in shown
