"""Positions, directives in comments, settings, baselines, and report formats."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from sarif_kit.validate import validation_errors

from spanemu import lint
from spanemu.base.collector import Pause
from spanemu.lint.baseline import BadBaseline, without_known, write_baseline
from spanemu.lint.formats import FORMATS, INVALID
from tests.benchmarks.lint import large_schema

EVENTS = "CREATE TABLE Events (\n  Ts TIMESTAMP NOT NULL,\n  Id STRING(9) NOT NULL,\n) PRIMARY KEY (\n  Ts, Id)"


def ids(report: lint.Report) -> list[str]:
    return [finding.id for finding in report]


def test_positions_refer_to_the_file(tmp_path: Path) -> None:
    file = tmp_path / "schema.sql"
    file.write_text(f"-- a comment\n\nCREATE TABLE A (X INT64) PRIMARY KEY (X);\n{EVENTS};\n")
    (finding,) = (each for each in lint.run(file) if each.id == "SPN102")
    assert (finding.file, finding.line, finding.line_column) == (str(file), 8, 3)


def test_a_directory_is_read_in_natural_order(tmp_path: Path) -> None:
    (tmp_path / "10.sql").write_text("ALTER TABLE Events DROP COLUMN Ts")
    (tmp_path / "2.sql").write_text(EVENTS)
    (tmp_path / "notes.txt").write_text("not a schema")
    assert "SPN706" in ids(lint.run(tmp_path))


def test_a_missing_file_is_an_error() -> None:
    with pytest.raises(lint.SourceMissing):
        lint.run(Path("nowhere.sql"))


def test_a_directory_without_schema_files(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("not a schema")
    with pytest.raises(lint.SourceMissing) as caught:
        lint.run(tmp_path)
    assert caught.value.path == str(tmp_path)


def test_a_file_of_a_directory_that_is_not_in_utf_8_is_named(tmp_path: Path) -> None:
    (tmp_path / "good.sql").write_text(EVENTS)
    (tmp_path / "latin.sql").write_bytes("-- é".encode("latin-1"))
    with pytest.raises(lint.SourceMissing) as caught:
        lint.run(tmp_path)
    assert caught.value.path == str(tmp_path / "latin.sql")


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_files_of_other_systems(tmp_path: Path, end: str) -> None:
    file, text = tmp_path / "schema.sql", f"-- spanemu: ignore=SPN102\n{EVENTS}"
    file.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", end).encode())
    report = lint.run(file)
    assert not report.failures
    assert "SPN102" not in ids(report)


def test_windows_line_ends_are_accepted() -> None:
    report = lint.run(
        EVENTS.replace(
            "Ts TIMESTAMP NOT NULL,", "Ts TIMESTAMP NOT NULL, -- spanemu: low-rate"
        ).replace("\n", "\r\n")
    )
    assert not report.failures
    assert "SPN102" not in ids(report)


def test_deep_nesting_is_a_failure() -> None:
    sum_ = "+".join(["Id"] * 20_000)
    deep = f"CREATE TABLE Deep (Id INT64, S INT64 AS ({sum_}) STORED) PRIMARY KEY (Id);\n"
    report = lint.run(f"{deep}{EVENTS}")
    assert [each.line for each in report.failures] == [1]
    assert "SPN102" in ids(report)


@pytest.mark.parametrize(
    "text",
    [
        f'-- spanemu: ignore=SPN102 reason="10 rows a day"\n{EVENTS}',
        f"{EVENTS}; -- spanemu: ignore=SPN1",
        EVENTS.replace("NOT NULL,", "NOT NULL, -- spanemu: ignore=SPN104, SPN102", 1),
        f"/* spanemu: ignore[SPN102] */ {EVENTS}",
        f"-- spanemu: low-rate\n{EVENTS}",
    ],
)
def test_directives_of_a_statement(text: str) -> None:
    report = lint.run(f"{text};\nCREATE TABLE Other (Ts TIMESTAMP NOT NULL) PRIMARY KEY (Ts)")
    assert not report.failures
    assert [each.object for each in report if each.id == "SPN102"] == ["Other"]


def test_a_directive_before_a_statement_applies_to_it_only() -> None:
    other = EVENTS.replace("Events", "Other")
    report = lint.run(f"{EVENTS};\n\n-- spanemu: ignore=SPN102\n{other}")
    assert [each.object for each in report if each.id == "SPN102"] == ["Events"]


@pytest.mark.parametrize("comment", ["ignore=SPN999", "ignore SPN102", "lowrate"])
def test_an_unknown_directive_is_a_failure(comment: str) -> None:
    assert len(lint.run(f"-- spanemu: {comment}\n{EVENTS}").failures) == 1


def test_strings_contain_no_directives() -> None:
    ddl = EVENTS.replace("Id STRING(9)", "Id STRING(9) DEFAULT ('-- spanemu: ignore=SPN102')")
    assert "SPN102" not in ids(lint.run(f"-- spanemu: ignore=SPN102\n{ddl}"))
    report = lint.run(EVENTS.replace("NOT NULL,\n)", "DEFAULT ('-- spanemu: ignore=SPN102'),\n)"))
    assert "SPN102" in ids(report)


def test_low_rate_ignores_only_rules_about_high_rates() -> None:
    ddl = lint.RULES["SPN114"].bad
    assert "SPN114" in ids(lint.run(f"-- spanemu: low-rate\n{ddl}"))


@pytest.mark.parametrize(
    ("select", "ignore", "expected"),
    [
        ((), (), True),
        (("SPN1",), (), True),
        (("SPN2",), (), False),
        ((), ("SPN10",), False),
        (("SPN102",), ("SPN1",), True),
        (("SPN1",), ("SPN102",), False),
        (("spn102",), (), True),
    ],
)
def test_select_and_ignore(select: tuple[str], ignore: tuple[str], expected: bool) -> None:
    report = lint.run(EVENTS, lint.Settings(select=select, ignore=ignore))
    assert ("SPN102" in ids(report)) == expected


def test_an_unknown_rule() -> None:
    for settings in (
        lint.Settings(select=("SPN1022",)),
        lint.Settings(ignore=("SPN1022",)),
        lint.Settings(ignore=("SPN1022", " ")),
        lint.Settings(tables={"other": lint.TableSettings(ignore=("SPN1022",))}),
    ):
        with pytest.raises(lint.UnknownRule) as caught:
            lint.run(EVENTS, settings)
        assert caught.value.name == "SPN1022"
        assert "SPN102" in caught.value.hint
    (failure,) = lint.run(f"-- spanemu: ignore=SPN1022\n{EVENTS}").failures
    assert "SPN102" in failure.message


def test_a_rule_that_the_linter_cannot_check() -> None:
    with pytest.raises(lint.UndecidedRule) as caught:
        lint.run(EVENTS, lint.Settings(select=("SPN802",)))
    assert caught.value.name == "SPN802"
    assert not lint.run(EVENTS, lint.Settings(ignore=("SPN",))).findings
    assert ids(lint.run(EVENTS, lint.Settings(select=("SPN",), ignore=("SPN802",))))


def test_settings_of_a_table() -> None:
    low = lint.Settings(tables={"events": lint.TableSettings(low_rate=True)})
    assert "SPN102" not in ids(lint.run(EVENTS, low))
    busy = lint.Settings(tables={"events": lint.TableSettings(qps=20_000)})
    assert "SPN703" in ids(lint.run(EVENTS, busy))
    ready = lint.Settings(tables={"events": lint.TableSettings(qps=20_000, presplit=True)})
    assert "SPN703" not in ids(lint.run(EVENTS, ready))


def test_settings_from_pyproject(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text(
        "[tool.spanemu]\nseed = 1\n"
        '[tool.spanemu.lint]\nselect = ["SPN1"]\nnodes = 20\nindexes-max = 9\n'
        '[tool.spanemu.tables.Events]\nlow_rate = true\nignore = ["SPN6"]\n'
        "cardinality = {TenantId = 100}\n"
    )
    result = lint.settings_from(path)
    assert (result.select, result.nodes, result.indexes_max) == (("SPN1",), 20, 9)
    assert result.of("EVENTS") == lint.TableSettings(low_rate=True, ignore=("SPN6",))


@pytest.mark.parametrize(
    "text",
    [
        "[tool.spanemu.lint]\nnode = 1",
        "[tool.spanemu.lint]\nnodes = 'ten'",
        "[tool.spanemu.lint]\nnodes = -3",
        "[tool.spanemu.lint]\nselect = 'SPN1'",
        "[tool.spanemu.lint]\ndialect = 'mysql'",
        "[tool.spanemu.tables]\nEvents = 1",
        "[tool.spanemu",
    ],
)
def test_invalid_settings_are_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text(text)
    with pytest.raises(lint.BadSettings):
        lint.settings_from(path)


@pytest.mark.parametrize("text", ["tool = 5", "[tool]\nspanemu = 5", "\ufeff[tool.other]"])
def test_sections_of_other_tools_are_ignored(text: str, tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text(text, encoding="utf-8")
    assert lint.settings_from(path) == lint.Settings()


def test_a_baseline_hides_known_findings(tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    known = lint.run(EVENTS)
    write_baseline(known, path)
    assert len(without_known(known, path)) == 0
    moved = lint.run(f"-- later\n\n{EVENTS};\n{EVENTS.replace('Events', 'More')}")
    assert {each.object for each in without_known(moved, path)} == {"More"}
    doubled = replace(known, findings=known.findings * 2)
    assert len(without_known(doubled, path)) == len(known)


@pytest.mark.parametrize("text", ["", "[]", '{"version": 2, "findings": []}', '{"version": 1}'])
def test_other_files_are_refused_as_a_baseline(text: str, tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    path.write_text(text)
    with pytest.raises(BadBaseline):
        without_known(lint.run(EVENTS), path)


def test_the_rest_is_linted_when_a_statement_cannot_be_read() -> None:
    report = lint.run(f"CREATE TABLE Broken (;\n{EVENTS}")
    assert [(each.line, each.line_column) for each in report.failures] == [(1, 22)]
    assert "SPN102" in ids(report)
    (failure,) = lint.run("CREATE TABLE T (\n  'open").failures
    assert failure.line == 2


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO T (A) VALUES (1)",
        "@{PDML_MAX_PARALLELISM=8} DELETE FROM T WHERE TRUE",
        "SELECT COUNT(*) FROM T",
        "START BATCH DDL",
        "start /* the tables */ batch ddl",
        "RUN BATCH",
        "ABORT BATCH",
        "SET PROTO_DESCRIPTORS = 'CosDCkd3ZmE='",
        "SET PROTO_DESCRIPTORS_FILE_PATH = 'orders.pb'",
        "SHOW VARIABLE READONLY",
        "BEGIN TRANSACTION",
        "COMMIT",
        "ROLLBACK",
    ],
)
def test_statements_that_declare_no_schema_are_skipped(statement: str) -> None:
    report = lint.run([f"{EVENTS};\n{statement};\nCREATE TABLE U (A INT64) PRIMARY KEY (A)"])
    assert not report.failures
    assert "SPN102" in ids(report)


def test_a_mistyped_client_statement_is_a_failure() -> None:
    (failure,) = lint.run(f"{EVENTS};\nRUNN BATCH").failures
    assert failure.line == 6


# ---------------------------------------------------------------------------- formats

EVERYTHING = lint.run(
    "CREATE TABLE Broken (;" + ";".join(rule.bad for rule in lint.RULES.values() if rule.check)
)


def test_json_objects() -> None:
    found = json.loads(FORMATS["json"](EVERYTHING))
    assert len(found) == len(EVERYTHING.items)
    for each in found:
        assert {"id", "severity", "object", "column", "message", "fix", "file", "line"} <= set(each)
        assert each["severity"] in ("error", "warning", "info")


def test_sarif_follows_its_schema() -> None:
    for report in (EVERYTHING, lint.run(EVENTS), lint.Report()):
        log = json.loads(FORMATS["sarif"](report))
        assert validation_errors(log) == []
        results = log["runs"][0]["results"]
        assert [each["ruleId"] for each in results if each["ruleId"] != INVALID] == ids(report)
        assert len(results) == len(report.items)
        rules = log["runs"][0]["tool"]["driver"]["rules"]
        assert all(rules[each["ruleIndex"]]["id"] == each["ruleId"] for each in results)
    assert log["runs"][0]["invocations"][0]["executionSuccessful"]


def test_sarif_has_locations() -> None:
    log = json.loads(FORMATS["sarif"](lint.run(EVENTS, lint.Settings(select=("SPN102",)))))
    place = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert place["region"] == {"startLine": 5, "startColumn": 3}


def test_github_commands(tmp_path: Path) -> None:
    file = tmp_path / "a,b.sql"
    file.write_text(EVENTS)
    text = FORMATS["github"](lint.run(file, lint.Settings(select=("SPN102",))))
    assert text.startswith("::warning file=")
    assert "a%2Cb.sql,line=5,col=3,title=SPN102 " in text
    assert "\n" not in text


def test_text_ends_with_totals() -> None:
    text = FORMATS["text"](lint.run(EVENTS, lint.Settings(select=("SPN102",))))
    assert text.splitlines()[0].startswith("<schema>:5:3: SPN102 warning: ")
    assert text.splitlines()[-1] == "1 warning"
    assert FORMATS["text"](lint.Report()) == "No findings."
    assert (
        FORMATS["text"](lint.run("CREATE TABEL T"))
        == "No findings in the statements that could be read."
    )


def schema_with_foreign_keys(tables: int) -> str:
    return ";".join(
        f"CREATE TABLE T{n} (A INT64 NOT NULL, B TIMESTAMP, C STRING(99), "
        f"CONSTRAINT F{n} FOREIGN KEY (A) REFERENCES T0 (A)) PRIMARY KEY (A, B);"
        f"CREATE INDEX I{n} ON T{n}(C)"
        for n in range(tables)
    )


def calls_to_lint(ddl: str, tables: int) -> int:
    """Return how many calls it takes to lint many tables; `tests.benchmarks lint` measures seconds.

    Other processes of the machine cannot change their number. A collection would, by its callbacks.
    """
    calls = count()
    with Pause():
        sys.setprofile(lambda frame, event, argument: next(calls) if event == "call" else None)
        try:
            report = lint.run(ddl, lint.Settings(select=("all",)))
        finally:
            sys.setprofile(None)
    assert len(report) >= tables
    return next(calls)


@pytest.mark.parametrize(
    ("schema", "tables", "times"), [(large_schema, 40, 4.4), (schema_with_foreign_keys, 100, 4.5)]
)
def test_a_schema_four_times_as_large_takes_four_times_as_long(
    schema: Callable[[int], str], tables: int, times: float
) -> None:
    calls_to_lint(schema(10), 10)  # What is imported or compiled once is not counted.
    few, many = (calls_to_lint(schema(count), count) for count in (tables, 4 * tables))
    assert many < times * few


@pytest.mark.parametrize("broken", ["$", "CREATE TABLE B (x INT64 \u00a7) PRIMARY KEY (x)", "``"])
def test_an_invalid_character_hides_only_its_statement(broken: str) -> None:
    hot = "CREATE TABLE {} (Id TIMESTAMP NOT NULL) PRIMARY KEY (Id);\n"
    report = lint.run(hot.format("A") + broken + ";\n" + hot.format("C"))
    assert [each.line for each in report.failures] == [2]
    assert {(each.object, each.line) for each in report} >= {("A", 1), ("C", 3)}


def test_an_unclosed_literal_hides_the_rest_of_the_file() -> None:
    hot = "CREATE TABLE A (Id TIMESTAMP NOT NULL) PRIMARY KEY (Id);\n"
    report = lint.run(hot + "CREATE TABLE B ('open;\n" + hot)
    assert [each.line for each in report.failures] == [2]
    assert {each.line for each in report} == {1}


def test_a_file_of_illegal_characters_is_abandoned_early() -> None:
    assert 1 < len(lint.run("CREATE TABLE A;" + "$;" * 50_000).failures) < 50
