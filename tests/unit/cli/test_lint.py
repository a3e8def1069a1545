"""`spanemu lint`: exit codes, formats and flags."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml
from click import Context
from click.testing import CliRunner, Result

from spanemu import lint
from spanemu.cli import main
from spanemu.lint import RULES
from tests.tidy.modules import ROOT

BAD = "CREATE TABLE Visits (Ts TIMESTAMP NOT NULL, Id STRING(9) NOT NULL) PRIMARY KEY (Ts, Id);"
GOOD = "CREATE TABLE Users (Id UUID NOT NULL DEFAULT (NEW_UUID())) PRIMARY KEY (Id);"
INFO = "CREATE TABLE Users (Id UUID DEFAULT (NEW_UUID())) PRIMARY KEY (Id);"


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run(*flags: str) -> Result:
    return CliRunner().invoke(main, ["lint", *flags])


def write(text: str, name: str = "schema.sql") -> str:
    Path(name).write_text(text)
    return name


def test_a_schema_without_findings_succeeds() -> None:
    result = run(write(GOOD))
    assert (result.exit_code, result.output) == (0, "No findings.\n")


def test_findings() -> None:
    result = run(write(BAD))
    assert result.exit_code == 1
    assert "schema.sql:1:81: SPN102 warning: " in result.output


def test_json() -> None:
    result = run(write(BAD), "--format", "json")
    (results,) = json.loads(result.output)
    assert results["id"] == "SPN102"
    assert (results["severity"], results["object"], results["column"]) == (
        "warning",
        "Visits",
        "Ts",
    )
    assert (results["file"], results["line"]) == ("schema.sql", 1)
    assert json.loads(run(write(GOOD), "--format", "json").output) == []


def test_findings_of_severity_info_alone_do_not_fail() -> None:
    assert run(write(INFO)).exit_code == 0
    assert "SPN124" in run(write(INFO)).output
    assert run(write(INFO), "--fail-on", "info").exit_code == 1
    assert run(write(BAD), "--fail-on", "error").exit_code == 0


@pytest.mark.parametrize(
    "flags",
    [
        ("nowhere.sql",),
        (),
        ("--explain", "SPN999"),
        ("schema.sql", "--select", "SPN999"),
        ("schema.sql", "--format", "xml"),
        ("schema.sql", "--baseline", "nowhere.json"),
        ("schema.sql", "--update-baseline"),
        ("schema.sql", "--config", "nowhere.toml"),
    ],
)
def test_usage(flags: tuple[str, ...]) -> None:
    write(BAD)
    assert run(*flags).exit_code == 2


def test_a_schema_that_is_not_sql_is_an_error() -> None:
    result = run(write("CREATE TABLE Broken ("))
    assert result.exit_code == 2
    assert "schema.sql:1:" in result.stderr


def test_select_and_ignore() -> None:
    assert run(write(BAD), "--select", "SPN2,SPN3").exit_code == 0
    assert run(write(BAD), "--ignore", "SPN102").exit_code == 0
    assert run(write(BAD), "--select", "SPN1").exit_code == 1


def test_explain() -> None:
    result = run("--explain", "spn102")
    assert result.exit_code == 0
    assert RULES["SPN102"].title in result.output


def test_configuration_of_a_parent_directory() -> None:
    write("[tool.spanemu.tables.Visits]\nlow_rate = true\n", "pyproject.toml")
    assert run(write(BAD)).exit_code == 0
    assert run(write(BAD), "--config", write("[tool.other]", "empty.toml")).exit_code == 1


def test_an_unknown_rule_of_a_table() -> None:
    write('[tool.spanemu.tables.Other]\nignore = ["SPN1022"]\n', "pyproject.toml")
    result = run(write(BAD))
    assert result.exit_code == 2
    assert "SPN1022" in result.stderr


def test_baseline() -> None:
    file = write(BAD)
    assert run(file, "--baseline", "known.json", "--update-baseline").exit_code == 0
    assert run(file, "--baseline", "known.json").exit_code == 0
    write(BAD + BAD.replace("Visits", "More"))
    assert run(file, "--baseline", "known.json").exit_code == 1
    write('[tool.spanemu.lint]\nbaseline = "known.json"\n', "pyproject.toml")
    assert run(write(BAD)).exit_code == 0


def test_a_baseline_counts_unreadable_places() -> None:
    file = write(f"{BAD}\nCREATE TABEL Broken;")
    result = run(file, "--baseline", "known.json", "--update-baseline")
    assert result.exit_code == 2
    summary, failure = result.stderr.splitlines()
    assert "known.json accepts 1 finding." in summary
    assert "1 place that could not be read" in summary
    assert "schema.sql:2:8:" in failure
    clean = run(write(BAD), "--baseline", "known.json", "--update-baseline")
    assert (clean.exit_code, clean.stderr) == (0, "spanemu: known.json accepts 1 finding.\n")


def test_list_rules() -> None:
    lines = run("--list-rules").output.splitlines()
    assert [line.split()[0] for line in lines] == list(RULES)
    assert RULES["SPN102"].title in lines[list(RULES).index("SPN102")]


def test_list_rules_shows_the_selected_rules() -> None:
    write('[tool.spanemu.lint]\nignore = ["SPN102"]\n', "pyproject.toml")
    listed = json.loads(run("--list-rules", "--select", "SPN1", "--format", "json").output)
    states = {each["id"]: each["state"] for each in listed}
    assert (states["SPN101"], states["SPN102"], states["SPN201"]) == ("on", "off", "off")
    assert states["SPN105"] == "hotspots"  # No schema decides this rule.
    assert run("--list-rules", "--format", "sarif").exit_code == 2
    assert run("--list-rules", "--select", "SPN999").exit_code == 2


@pytest.mark.parametrize(
    ("name", "suggestion"),
    [("102", "Did you mean 'SPN102'?"), ("SPN999", "--list-rules"), ("FOO", "--list-rules")],
)
def test_an_unknown_rule_is_suggested_only_when_close(name: str, suggestion: str) -> None:
    result = run(write(BAD), "--ignore", name)
    assert result.exit_code == 2
    assert f"There is no rule {name!r}." in result.stderr
    assert suggestion in result.stderr
    assert ("Did you mean" in result.stderr) == (name == "102")


@pytest.mark.skipif(
    not (ROOT / ".pre-commit-hooks.yaml").exists(), reason="an sdist has no dot-files"
)
def test_the_pre_commit_hook_runs_the_linter() -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert hook["id"] == "spanemu-lint"
    program, command = hook["entry"].split()
    assert program == "spanemu"
    assert command in main.list_commands(Context(main))
    assert [bool(re.search(hook["files"], name)) for name in ("a.sql", "a.ddl", "a.py")] == [
        True,
        True,
        False,
    ]


def test_two_files_are_one_schema() -> None:
    table, index = write(GOOD.replace(") PRIMARY", ", Ts TIMESTAMP) PRIMARY")), "index.sql"
    write("CREATE INDEX ByTs ON Users(Ts);", index)
    found = json.loads(run(table, index, "--format", "json").output)
    assert ("SPN202", "index.sql") in {(each["id"], each["file"]) for each in found}


def test_sarif_and_github() -> None:
    assert json.loads(run(write(BAD), "--format", "sarif").output)["version"] == "2.1.0"
    assert run(write(BAD), "--format", "github").output.startswith("::warning file=schema.sql")


def test_standard_input() -> None:
    result = CliRunner().invoke(main, ["lint", "-"], input=f"\n{BAD}")
    assert result.exit_code == 1
    assert "<stdin>:2:81: SPN102 warning: " in result.output


def test_standard_input_of_another_system() -> None:
    text = f"-- spanemu: ignore=SPN102\r\n{BAD}\r\n".encode("utf-8-sig")
    assert CliRunner().invoke(main, ["lint", "-"], input=text).exit_code == 0
    latin = CliRunner().invoke(main, ["lint", "-"], input=b"-- \xe9")
    assert latin.exit_code == 2
    assert "<stdin>: the file is not in UTF-8" in latin.output


def test_standard_input_that_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(lint.SourceMissing):
        lint.run("-")
