"""Counts saved and compared, hooks for other plugins, the summary of a GitHub Actions step."""

import json

import pytest

from pytest_spanemu.report.run_report import ReportRow, RunReport
from pytest_spanemu.report.saved_counts import changes
from pytest_spanemu.settings import limits_of

READS = """
        def test_reads(spanner_database):
            for n in range({times}):
                with spanner_database.snapshot() as snapshot:
                    list(snapshot.execute_sql("SELECT 1"))
"""


def test_counts_are_saved_and_compared(music):
    music.run(READS.format(times=10), "--spanner-save=main").assert_outcomes(passed=1)
    saved = json.loads((music.path / ".spanemu/main.json").read_text())
    (counts,) = saved["tests"].values()
    assert counts["queries"] == 10

    def compared(times, *args):
        return music.run(READS.format(times=times), "--spanner-compare=main", *args)

    result = compared(11)
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["*::test_reads: queries 10 -> 11 (+1)"])
    assert compared(11, "--spanner-compare-fail=commits:0,queries:10%").ret == pytest.ExitCode.OK
    result = compared(12, "--spanner-compare-fail=commits:0,queries:10%")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*::test_reads: queries 10 -> 12 (+2), too much"])
    assert compared(9, "--spanner-compare-fail=queries:0").ret == pytest.ExitCode.OK


def test_counts_are_compared_across_workers(music):
    music.run(READS.format(times=1), "--spanner-save=at/here.json")
    result = music.run_apart(
        READS.format(times=2), "--spanner-compare=at/here.json", "--spanner-compare-fail=queries:0",
        "-n", "1",
    )  # fmt: skip
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*queries 1 -> 2 (+1), too much"])


@pytest.mark.parametrize(
    ("arg", "text"),
    [
        ("--spanner-compare=nothing", "*no counts at *nothing.json; --spanner-save writes them*"),
        ("--spanner-compare-fail=seconds:1", "*'seconds:1' is not COUNT:NUMBER*"),
        ("--spanner-compare-fail=queries:few", "*'queries:few' is not COUNT:NUMBER*"),
    ],
)
def test_wrong_comparison_settings_are_usage_errors(music, arg, text):
    result = music.run(READS.format(times=1), arg)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([text])


def test_only_tests_of_both_runs_are_compared():
    before = {
        "gone": {"queries": 3},
        "same": {"queries": 3, "commits": 1},
        "unknown": {"queries": 1},
    }
    report = RunReport([ReportRow("same", 3, 3), ReportRow("new", 9, 9), ReportRow("unknown")])
    assert [str(each) for each in changes(before, report)] == ["same: commits 1 -> 3 (+2)"]
    limit = limits_of(["commits:200%"])["commits"]
    assert limit.allows(1, 3)
    assert not limit.allows(1, 4)


def test_other_plugins_load_schemas_make_values_and_read_the_report(project):
    project.ini("spanner_schema = letters:xy\n")
    project.file(
        "conftest.py",
        """
import json

def pytest_spanemu_load_schema(source):
    kind, _, names = source.partition(":")
    if kind == "letters":
        return [f"CREATE TABLE {name} (K INT64, V STRING(9)) PRIMARY KEY (K)" for name in names]

def pytest_spanemu_providers():
    return {"V": lambda faker: "made"}

def pytest_spanemu_report_row(test, figures):
    return f"seen {figures['commits']} commits"

def pytest_spanemu_report(config, report):
    (config.rootpath / "told.json").write_text(json.dumps(report["totals"]))
""",
    )
    result = project.run(
        """
        def test_it(spanner_factory, spanner_sql, spanner_database):
            assert spanner_factory.x(K=1)["V"] == "made"
            assert spanner_sql("SELECT * FROM y") == []
            with spanner_database.batch() as batch:
                batch.delete("y", __import__("google.cloud.spanner").cloud.spanner.KeySet(all_=True))
        """
    )
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*::test_it * seen 1 commits", "spanner: * letters:xy *"])
    assert json.loads((project.path / "told.json").read_text())["commits"] == 1


def test_a_step_of_github_actions_gets_a_summary(music, monkeypatch):
    summary = music.path / "summary.md"
    summary.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    music.run(READS.format(times=3)).assert_outcomes(passed=1)
    music.run(READS.format(times=3), "--spanner-report=none").assert_outcomes(passed=1)
    lines = summary.read_text().splitlines()
    assert lines[:3] == ["before", "### Spanner", ""]
    assert lines[3].startswith("| test | queries | commits |")
    assert lines[5].startswith(
        "| `test_a_step_of_github_actions_gets_a_summary.py::test_reads` | 3 | 0 |"
    )
    assert lines[-1].startswith("spanner: embedded")
    assert lines.count("### Spanner") == 1
