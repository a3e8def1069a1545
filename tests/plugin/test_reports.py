"""The report on the terminal and in JSON, and the conditions of `spanner_fail_on`."""

import json

import pytest

from pytest_spanemu.report.output import findings, not_run, table
from pytest_spanemu.report.run_report import ReportRow, RunReport
from tests.installed import needs

SUITE = """
        import pytest

        def query(database, sql):
            with database.snapshot() as snapshot:
                return list(snapshot.execute_sql(sql))

        def test_scan(spanner_database):
            query(spanner_database, "SELECT * FROM Singers")

        @pytest.mark.parametrize("n", range(3))
        def test_write(spanner_database, n):
            with spanner_database.batch() as batch:
                batch.insert("Singers", ["SingerId", "Name"], [[1, "x"]])

        def test_plain(): pass
"""

LEAVES_OPEN = """
        def test_leaves_it(spanner_database):
            session = spanner_database.session()
            session.create()
            transaction = session.transaction()
            transaction.transaction_tag = "app=checkout"
            transaction.begin()
            transaction.execute_update("INSERT INTO Singers (SingerId, Name) VALUES (1, 'a')")

        def test_next(spanner_database):
            with spanner_database.batch() as batch:
                batch.insert("Singers", ["SingerId", "Name"], [[1, "x"]])
"""


def test_the_table_has_figures_by_test(music):
    result = music.run(SUITE)
    result.assert_outcomes(passed=5)
    result.stdout.re_match_lines(
        [
            r"=+ spanner =+",
            r"test +queries +commits +aborts +mutations +scans +hot +setup",
            r".*::test_scan +1 +0 +0 +0 +1 +- +[\d.]+ms",
            r".*::test_write\[0\] +0 +1 +0 +2 +0 +- +[\d.]+ms",
            r"1 full scan$",
            r"spanner: embedded · .* 4 databases, [\d.]+ ms each",
        ]
    )


def test_the_table_shows_the_worst_and_can_be_left_out(music):
    result = music.run(SUITE, "--spanner-report=term:1")
    result.stdout.fnmatch_lines(["*::test_scan *", "... and 3 other tests"])
    for args in (["--spanner-report=none"], ["-q"]):
        result = music.run(SUITE, *args)
        result.stdout.no_fnmatch_line("*queries*commits*")
        result.stdout.fnmatch_lines(["spanner: embedded*"])


def test_a_run_without_spanner_has_no_report(music):
    result = music.run("def test_it(): pass", "--spanner-report=json:out.json")
    result.stdout.no_fnmatch_line("spanner: *")
    result.stdout.no_fnmatch_line("*= spanner =*")
    assert not (music.path / "out.json").exists()


@pytest.mark.parametrize("workers", [[], ["-n", "2"]])
def test_the_json_report_holds_every_test_also_those_of_workers(music, workers):
    result = music.run(SUITE, "--spanner-report=json:out/report.json", *workers)
    result.assert_outcomes(passed=5)
    results = json.loads((music.path / "out/report.json").read_text())
    assert results["schema_version"] == 1
    assert results["totals"] == {
        "queries": 1, "commits": 3, "aborts": 0, "mutations": 6, "full_scans": 1, "lock_waits": 0,
    }  # fmt: skip
    assert results["capabilities"]["snapshots"] is True
    assert results["refused"] == {}
    names = sorted(each["test"].rpartition("::")[2] for each in results["tests"])
    assert names == ["test_scan", "test_write[0]", "test_write[1]", "test_write[2]"]
    (scan,) = [text for each in results["tests"] for text in each["scans"]]
    assert scan.startswith("Singers: SELECT * FROM Singers ")
    assert ".py:5, called from " in scan
    result.stdout.fnmatch_lines(["*::test_scan *", "*4 databases*"])


def test_unknown_reports_are_refused(music):
    result = music.run("def test_it(): pass", "--spanner-report=xml:out")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*'xml:out' is not one of term*"])


def test_without_xdist_the_plugin_loads(music):
    music.run(SUITE, "-p", "no:xdist").assert_outcomes(passed=5)


@pytest.mark.parametrize("isolation", ["restore", "clone", "truncate"])
def test_a_transaction_left_open_is_aborted_and_reported(music, isolation):
    result = music.run(LEAVES_OPEN, f"--spanner-isolation={isolation}")
    result.assert_outcomes(passed=2)
    result.stdout.re_match_lines(
        [
            r".*test_leaves_it .*left open: 1 transaction$",
            r".*test_leaves_it left open, now aborted: transaction \w+, tagged .*app=checkout, "
            r"last statement: INSERT INTO Singers .* at .*\.py:7",
            r"1 transaction left open",
        ]
    )


def test_a_run_fails_for_the_conditions_of_fail_on(music):
    result = music.run(SUITE, "--spanner-fail-on=full-scan,unused-fault")
    result.assert_outcomes(passed=5, errors=1)
    result.stdout.fnmatch_lines(["full scans: Singers: SELECT * FROM Singers *"])
    result = music.run(LEAVES_OPEN, "--spanner-fail-on=open-transaction", "--spanner-report=none")
    result.assert_outcomes(passed=2, errors=1)
    result.stdout.fnmatch_lines(["transactions left open: transaction *"])
    result = music.run(
        """
        import pytest

        def test_it(spanner_database):
            for n in range(40):
                with spanner_database.batch() as batch:
                    batch.insert("Singers", ["SingerId", "Name"], [[n, "x"]])

        @pytest.mark.spanner_hotspots(expect=["SPN802:Singers"], min_writes=30)
        def test_known(spanner_database):
            test_it(spanner_database)
        """,
        "--spanner-fail-on=hotspot",
        "--spanner-report=none",
    )
    result.assert_outcomes(passed=2, errors=1)
    result.stdout.fnmatch_lines(
        ["*ERROR at teardown of test_it*", "hotspots: SPN802 MOVING_HOT_SPOT Singers(SingerId)",
         "*spanner_hotspots(expect=*"]
    )  # fmt: skip


def test_the_tables_text():
    report = RunReport(
        [
            ReportRow("a.py::test_read", 1234, 0, 0, 0, 0, setup_seconds=0.0008),
            ReportRow(
                "a.py::test_scan",
                9,
                0,
                1,
                2,
                2,
                setup_seconds=0.0007,
                over_budget=["queries 9 > 3"],
            ),
            ReportRow(
                "a.py::test_hot", 0, 800, 0, 800, 0, 0, 97, 0.0009, hotspots=["SPN801 HOT_ROW T(K)"]
            ),
            ReportRow("a.py::test_elsewhere"),
        ]
    )
    assert list(table(report, 3)) == [
        "test               queries    commits     aborts  mutations      scans        hot      setup",
        "a.py::test_hot           0        800          0        800          0         97      0.9ms   SPN801 HOT_ROW T(K)",
        "a.py::test_scan          9          0          1          2          2          -      0.7ms   over budget: queries 9 > 3",
        "a.py::test_read      1,234          0          0          0          0          -      0.8ms",
        "... and 1 other test",
    ]
    assert findings(report) == "2 full scans · 1 hotspot · 1 test over budget"
    report.refuse("faults")
    report.refuse("clock", 2)
    report.capabilities = {"faults": False, "plans": True}
    assert not_run(report, "cloud") == (
        "not run on cloud: 2 tests for want of clock, 1 test for want of faults"
    )
    again = RunReport()
    again.merge(report.to_json())
    again.merge({})
    assert again == report


def test_a_run_pauses_where_a_test_fails(music, monkeypatch):
    monkeypatch.setattr("builtins.input", lambda prompt: print(f"{prompt}looked at"))
    text = """
        def test_fails(spanner_database):
            assert 0

        def test_passes(spanner_database):
            pass

        def test_has_no_database():
            assert 0
        """
    result = music.run(text, "--spanner-pause-on-fail")
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(
        [
            "*::test_fails failed. Its database is projects/*/databases/test-database:",
            "  export SPANNER_EMULATOR_HOST=127.0.0.1:*",
            "Press return to continue: looked at",
        ]
    )
    assert result.stdout.str().count("looked at") == 1
    result.stdout.no_fnmatch_line("*test_has_no_database failed. *")


def test_the_page_of_pytest_html(music):
    # Its hook, called as it calls it.
    music.file(
        "conftest.py",
        """
import pytest

from pytest_spanemu.plugin import pytest_html_results_summary

@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    prefix = []
    pytest_html_results_summary(prefix=prefix, session=session)
    (session.config.rootpath / "page.txt").write_text("".join(prefix))
""",
    )
    music.run(SUITE, "--spanner-report=html:out/<s>.html", "--spanner-report=term")
    page = (music.path / "page.txt").read_text()
    assert page.startswith("<h2>Spanner</h2><table><tr><th>test</th><th>queries</th>")
    assert "<td>1</td>" in page
    assert '<a href="out/&lt;s&gt;.html">' in page
    music.run("def test(): pass")
    assert (music.path / "page.txt").read_text() == ""


def test_with_pytest_html(music):
    needs("pytest_html")
    music.run_apart(SUITE, "--html=pages/all.html", "--spanner-report=html:spanner.html")
    page = (music.path / "pages/all.html").read_text()
    assert "<h2>Spanner</h2>" in page
    assert '<a href="../spanner.html">' in page


FAILS_FOR_A_HOTSPOT = """
        import pytest

        def write(database, table="Singers", key="SingerId"):
            for n in range(40):
                with database.batch() as batch:
                    batch.insert(table, [key, "Name"], [[n, "x"]])

        @pytest.mark.spanner_hotspots(min_writes=30)
        def test_marker(spanner_database):
            write(spanner_database)

        @pytest.mark.spanner_budget(hotspots=0)
        def test_budget(spanner_database):
            write(spanner_database)

        def test_assertion(spanner_database, spanner_assert):
            write(spanner_database)
            spanner_assert.no_hotspots(min_writes=30).so_far()

        def test_watch(spanner_database, hotspots):
            with hotspots.watch() as watched:
                write(spanner_database)
            watched.assert_none()
"""


def test_a_test_that_failed_for_a_hotspot_has_no_second_failure_for_it(music):
    result = music.run(FAILS_FOR_A_HOTSPOT, "--spanner-fail-on=hotspot")
    result.assert_outcomes(failed=4, errors=0)


def test_a_hotspot_fails_a_test_that_failed_for_something_else(music):
    result = music.run(
        FAILS_FOR_A_HOTSPOT
        + """
        def test_other(spanner_database):
            write(spanner_database)
            assert 1 == 2
        """,
        "--spanner-fail-on=hotspot",
        "-k",
        "test_other",
    )
    result.assert_outcomes(failed=1, errors=1, deselected=4)
