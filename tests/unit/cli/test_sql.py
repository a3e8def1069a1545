"""`spanemu sql` without a terminal: statements, files, standard input, formats, exit codes."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

import spanemu
from spanemu.cli import main
from tests.unit.cli.shell.conftest import POSTGRESQL_SCHEMA, SCHEMA

sql_module = importlib.import_module("spanemu.cli.sql")


@pytest.fixture(scope="module")
def emulator():
    with spanemu.Emulator() as emulator:
        emulator.create_database("pg", POSTGRESQL_SCHEMA, dialect="postgresql")
        database = emulator.create_database("music", SCHEMA)
        with database.client().batch() as batch:
            batch.insert("Singers", ["SingerId", "Name"], [[1, "Ann"], [2, None]])
        yield emulator


@pytest.fixture
def run(emulator):
    def run(*arguments, exit_code=0, **options):
        host = {"SPANNER_EMULATOR_HOST": emulator.uri, "SPANEMU_ENDPOINT_FILE": None}
        result = CliRunner().invoke(main, ["sql", *map(str, arguments)], env=host, **options)
        assert result.exit_code == exit_code, result.output
        return result

    return run


# ---------------------------------------------------------------------------- statements


def test_statements_run_in_order(run):
    shown = run("music", "-e", "SELECT 1 AS a; SELECT 2 AS b", "-e", "SELECT 3 AS c").stdout
    assert [line for line in shown.splitlines() if "row" in line] == ["1 row"] * 3


def test_standard_input_and_files_are_scripts(run, tmp_path):
    (tmp_path / "more.sql").write_text("SELECT 'included' AS s;\n")
    (tmp_path / "script.sql").write_text("-- a script\nSELECT 'outer' AS s;\n\\i more.sql\n")
    shown = run("music", "-f", tmp_path / "script.sql").stdout
    assert "outer" in shown
    assert "included" in shown
    assert "from a pipe" in run("music", input="SELECT 'from a pipe' AS s").stdout


def test_a_failure_ends_the_script_and_names_the_place(run, tmp_path):
    path = tmp_path / "script.sql"
    path.write_text("SELECT 1;\n\nSELECT 1,\n  Nam FROM Singers;\nSELECT 'after';\n")
    result = run("music", "-f", path, exit_code=1)
    assert "after" not in result.stdout
    assert result.stderr.splitlines()[0].startswith(f"{path}:3: ERROR INVALID_ARGUMENT:")
    assert result.stderr.splitlines()[1:] == ["  Nam FROM Singers", "  ^"]


def test_files_that_include_themselves_end(run, tmp_path):
    path = tmp_path / "loop.sql"
    path.write_text("\\i loop.sql\n")
    assert "include each other" in run("music", "-f", path, exit_code=1).stderr


def test_dml_and_ddl_take_effect(run, emulator):
    run(
        "music", "-e", "CREATE TABLE T (a INT64) PRIMARY KEY (a); INSERT INTO T (a) VALUES (1), (2)"
    )
    shown = run(
        "music", "-e", "DELETE FROM T WHERE a = 1 THEN RETURN a; SELECT COUNT(*) FROM T"
    ).stdout
    assert "1 row changed" in shown
    run("music", "-e", "DROP TABLE T")
    assert not any("TABLE T " in statement for statement in emulator.database("music").ddl())


def test_transactions_commit_and_roll_back(run):
    insert, select = "INSERT INTO Singers (SingerId) VALUES (9)", "SELECT SingerId FROM Singers"
    shown = run("music", "-e", f"BEGIN; {insert}; {select}; ROLLBACK; {select}").stdout
    assert [line for line in shown.splitlines() if "rows" in line] == ["3 rows", "2 rows"]
    shown = run("music", "-e", f"BEGIN; {insert}; COMMIT; BEGIN READ ONLY; {select}; COMMIT").stdout
    assert "3 rows" in shown
    assert "COMMIT at 2" in shown
    run("music", "-e", "DELETE FROM Singers WHERE SingerId = 9")


# ---------------------------------------------------------------------------- results

ALL_TYPES = r"""
SELECT 9007199254740993 AS i, 1.5 AS f, 2.0 AS g, CAST('nan' AS FLOAT64) AS n, NUMERIC '1.10' AS d, TRUE AS b,
  'x,"y"\n\t\\' AS s, B'\xff' AS y, DATE '2026-01-02' AS t, TIMESTAMP '2026-01-02 03:04:05.000000006Z' AS ts,
  JSON '{"k": [1]}' AS j, [1, NULL] AS a, [STRUCT(1 AS p, 'q' AS q)] AS st, NULL AS nothing, 1, 2 AS i
"""


def test_json_has_the_values_of_the_api(run):
    (row,) = json.loads(run("music", "--format", "json", "-e", ALL_TYPES).stdout)
    assert row == {
        "i": "9007199254740993",
        "f": 1.5,
        "g": 2.0,
        "n": "NaN",
        "d": "1.1",
        "b": True,
        "s": 'x,"y"\n\t\\',
        "y": "/w==",
        "t": "2026-01-02",
        "ts": "2026-01-02T03:04:05.000000006Z",
        "j": {"k": [1]},
        "a": ["1", None],
        "st": [{"p": "1", "q": "q"}],
        "nothing": None,
        "column_15": "1",
        "i_2": "2",
    }


def test_csv_and_tsv_can_be_read_again(run):
    query = "SELECT 1 AS a, 'x,\"y\"' AS b, NULL AS c, 'l1\\nl2\\tt' AS d, [1, 2] AS e"
    csv = run("music", "--format", "csv", "-e", query).stdout
    assert csv == 'a,b,c,d,e\n1,"x,""y""",\\N,"l1\nl2\tt","[1, 2]"\n'
    tsv = run("music", "--format", "tsv", "-e", query).stdout
    assert tsv == 'a\tb\tc\td\te\n1\tx,"y"\t\\N\tl1\\nl2\\tt\t[1, 2]\n'


def test_an_empty_result_is_valid_json(run):
    query = "SELECT Name FROM Singers WHERE FALSE"
    assert json.loads(run("music", "--format", "json", "-e", query).stdout) == []


def test_cells_cannot_control_the_terminal(run):
    assert "\\x1b[31m" in run("music", "-e", "SELECT '\\x1b[31mred' AS s").stdout


def test_expanded_display_prints_records(run):
    shown = run("music", "-e", "\\x", "-e", "SELECT 1 AS a, 'l1\\nl2' AS long").stdout
    assert shown.splitlines()[1:5] == ["-[ row 1 ]----", "a    | 1", "long | l1", "     | l2"]


def test_results_go_to_a_file(run, tmp_path):
    path = tmp_path / "out.csv"
    text = f"\\o {path}\nSELECT 1 AS a;\n\\o\nSELECT 2 AS b;\n"
    assert run("music", "--format", "csv", input=text).stdout == "b\n2\n"
    assert path.read_text() == "a\n1\n"


def test_the_time_is_apart_from_rows(run):
    result = run("music", "--format", "csv", "--timing", "-e", "SELECT 1 AS a")
    assert result.stdout == "a\n1\n"
    assert result.stderr.startswith("Time: ")


def test_plans_are_drawn(run):
    query = "SELECT Name FROM Singers WHERE SingerId = 1"
    plan = run("music", "-e", f"EXPLAIN {query}").stdout
    assert "Table Scan (scan_target: Singers)" in plan
    profile = run("music", "-e", f"EXPLAIN ANALYZE {query}").stdout.splitlines()
    assert profile[0].split() == ["Operator", "Rows", "Executions", "Time"]
    (scan,) = (line for line in profile if "Table Scan" in line)
    assert scan.split()[-4:-2] == ["1", "1"]
    assert profile[-1].startswith("elapsed_time: ")


def test_the_plan_of_dml_writes_nothing(run):
    insert = "INSERT INTO Singers (SingerId) VALUES (50)"
    assert "Apply Mutations" in run("music", "-e", f"EXPLAIN {insert}").stdout
    assert (
        run("music", "--format", "csv", "-e", "SELECT COUNT(*) AS n FROM Singers").stdout
        == "n\n2\n"
    )
    run("music", "-e", f"EXPLAIN ANALYZE {insert}; DELETE FROM Singers WHERE SingerId = 50")


# ---------------------------------------------------------------------------- parameters


def test_parameters_have_the_type_of_their_expression(run):
    shown = run(
        *("music", "--format", "csv", "-p", "id=1", "-p", "names=['Ann', 'Bob']"),
        *("-e", "SELECT Name FROM Singers WHERE SingerId = @id AND Name IN UNNEST(@names)"),
    ).stdout
    assert shown == "Name\nAnn\n"


def test_parameters_can_be_set_and_listed(run):
    text = "\\set day DATE '2026-01-02'\n\\set\n\\unset @day\nSELECT @day;\n"
    result = run("music", "--format", "csv", input=text, exit_code=1)
    assert result.stdout == "parameter,value\nday,2026-01-02\n"


@pytest.mark.parametrize("value", ["on", " 1", ""])
def test_files_for_psql_may_ask_to_stop_at_failures(run, value):
    text = f"\\set ON_ERROR_STOP {value}\nSELECT 1 AS n;\n"
    assert run("pg", "--format", "csv", input=text).stdout == "n\n1\n"


def test_failures_always_stop_a_script(run):
    run("pg", input="\\set ON_ERROR_STOP off\nSELECT 1;\n", exit_code=1)


def test_postgresql_numbers_its_parameters(run):
    shown = run(
        "pg", "--format", "csv", "-p", "1=5", "-p", "2='a'", "-e", "SELECT $1 + 1 AS n, $2 AS s"
    )
    assert shown.stdout == "n,s\n6,a\n"


# ---------------------------------------------------------------------------- the command line


def test_another_database_follows(run):
    shown = run("music", input="\\c pg\nSELECT $$;$$ AS s;\n\\d\n").stdout
    assert "PostgreSQL" in shown
    assert "singers" in shown


OTHERS = (
    *("test/shops/music", "test/shops/twin", "test/other/orders"),
    *("acme/west/users", "acme/west/twin", "acme/east/twin"),
)


@pytest.fixture
def run_beside_others():
    """Run lines of input on one of the databases of several instances and projects."""
    with spanemu.Emulator(project="test", instance="shops") as emulator:
        for name in OTHERS:
            project, instance, database = name.split("/")
            path = f"projects/{project}/instances/{instance}/databases/{database}"
            table = f"CREATE TABLE Of{project}{instance} (Id INT64) PRIMARY KEY (Id)"
            emulator.create_database(path, table)

        def run(text, database="music", exit_code=0):
            host = {"SPANNER_EMULATOR_HOST": emulator.uri, "SPANEMU_ENDPOINT_FILE": None}
            result = CliRunner().invoke(
                main, ["sql", database, "--format", "csv"], env=host, input=text
            )
            assert result.exit_code == exit_code, result.output
            return result

        yield run


def test_the_databases_of_all_instances_are_listed(run_beside_others):
    assert run_beside_others("\\l").stdout.splitlines() == [
        "current,database,instance,project",
        ",twin,east,acme",
        ",twin,west,acme",
        ",users,west,acme",
        ",orders,other,test",
        "*,music,shops,test",
        ",twin,shops,test",
    ]


@pytest.mark.parametrize(
    ("text", "table"),
    [
        ("\\c orders", "Oftestother"),
        ("\\c users", "Ofacmewest"),  # in another project
        ("\\c twin", "Oftestshops"),  # in the same instance, though others have one
        ("\\c users\n\\c twin", "Ofacmewest"),
        ("\\c projects/acme/instances/east/databases/twin", "Ofacmeeast"),
    ],
)
def test_another_database_is_found_in_all_instances(run_beside_others, text, table):
    assert table in run_beside_others(f"{text}\n\\d\n").stdout


def test_a_database_that_several_instances_have_needs_its_full_name(run_beside_others):
    refused = run_beside_others("\\c orders\n\\c twin\n", exit_code=1)
    assert "projects/acme/instances/east/databases/twin" in refused.stderr
    assert "full name" in refused.stderr


@pytest.mark.parametrize(
    ("arguments", "exit_code", "words"),
    [
        ([], 1, "music, pg"),
        (["nobody", "-e", "SELECT 1"], 1, "NOT_FOUND"),
        (["a/b", "-e", "SELECT 1"], 2, "a/b"),
        (["music", "-f", "nowhere.sql"], 2, "nowhere.sql"),
        (["music", "-p", "x", "-e", "SELECT 1"], 2, "NAME=VALUE"),
        (["music", "-p", "x=nonsense", "-e", "SELECT 1"], 1, "INVALID_ARGUMENT"),
        (["music", "--host-port", "localhost:1", "-e", "SELECT 1"], 1, "localhost:1"),
    ],
)
def test_a_wrong_command_line_is_refused(run, arguments, exit_code, words):
    assert words in run(*arguments, exit_code=exit_code).stderr


def test_a_script_in_another_encoding_is_refused(run, tmp_path):
    (tmp_path / "file.sql").write_bytes(b"SELECT '\xff';")
    assert "utf-8" in run("music", "-f", tmp_path / "file.sql", exit_code=1).stderr


def test_a_full_name_names_a_database(run, emulator):
    assert "Ann" in run(emulator.database("music").name, "-e", "SELECT Name FROM Singers").stdout


def test_a_terminal_without_the_extra_gets_advice(run, monkeypatch):
    monkeypatch.setattr("spanemu.cli.sql.is_terminal", lambda: True)
    monkeypatch.setattr("spanemu.cli.sql.find_spec", lambda name: None)
    assert "spanemu[sql]" in run("music", exit_code=2).stderr


def test_the_history_is_in_the_state_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert sql_module.state_folder() == tmp_path / "spanemu"


def test_statements_need_no_line_editor():
    code = (
        "import spanemu.cli.sql; from tests.loaded import modules_that_ran; "
        "assert 'spanemu.cli.sql' in modules_that_ran(); "
        "assert 'spanemu.cli.shell.editor' not in modules_that_ran()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
