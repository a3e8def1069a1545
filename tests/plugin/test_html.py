"""The HTML report: its content, and that a browser shows the page without a network."""

import json
import re
import shutil
import subprocess
from html import unescape
from html.parser import HTMLParser

import pytest

from pytest_spanemu.report.details import elided
from pytest_spanemu.report.page import TESTS_OPEN_MAX
from pytest_spanemu.report.page import page as report_page
from pytest_spanemu.report.run_facts import RunFacts
from pytest_spanemu.report.run_report import HEATMAPS_MAX, Outcome, ReportRow, RunReport
from tests.plugin.test_asserts import WAITS

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")

SUITE = (
    WAITS
    + """
        def test_hot(spanner_database):
            for n in range(40):
                with spanner_database.batch() as batch:
                    batch.insert("Singers", ["SingerId", "Name"], [[10 + n, "x"]])

        def test_scan(spanner_database):
            with spanner_database.snapshot() as snapshot:
                list(snapshot.execute_sql("SELECT * FROM Singers WHERE Name < '</table>'"))

        def test_waits(waiting):
            waiting()
"""
)
FAILING = """
    import pytest

    def test_passes(spanner_database):
        with spanner_database.batch() as batch:
            batch.insert("Singers", ["SingerId", "Name"], [[1, "x"]])

    @pytest.mark.spanner_budget(queries=0)
    def test_fails(spanner_database):
        with spanner_database.snapshot() as snapshot:
            list(snapshot.execute_sql("SELECT Name FROM Singers WHERE SingerId = 1"))

    @pytest.fixture
    def broken():
        raise RuntimeError("<b>broken</b>")

    def test_breaks(broken, spanner_database):
        pass

    @pytest.mark.skip(reason="not yet")
    def test_skipped(spanner_database):
        pass

    def test_without_spanner():
        assert 0
"""
FACTS = RunFacts(started="2026-11-22T10:30:00+01:00", seconds=75.5, command="pytest -k 'a b'")


def page(*args):
    """Return the text of the page, without the places where lines may break."""
    return report_page(*args).replace("<wbr>", "")


BEFORE = "<script>window.problems = []; addEventListener('error', e => problems.push(e.message));</script>"
AFTER = """<pre id="seen"></pre><script>
const seen = { problems, paper: getComputedStyle(document.body).backgroundColor };
filter.value = "SCAN"; filter.dispatchEvent(new Event("input"));
seen.shown = tests.filter(test => !test.hidden).map(test => test.id);
seen.said = document.getElementById("shown").textContent;
filter.value = ""; statusFilter.value = "findings"; statusFilter.dispatchEvent(new Event("change"));
seen.found = tests.filter(test => !test.hidden).map(test => test.id);
filter.value = "nothing"; filter.dispatchEvent(new Event("input"));
document.querySelector("#findings + article p a").click(); reveal();
seen.opened = tests.filter(test => test.open && !test.hidden).map(test => test.id);
seen.focused = document.activeElement.parentElement.id;
const image = document.querySelector("details.heatmap img");
seen.image = [image.naturalWidth, image.naturalHeight];
seen.shown_image = [image.clientWidth, image.clientHeight];
for (const each of document.querySelectorAll("details")) each.open = true;
seen.overflow = document.documentElement.scrollWidth - innerWidth;
seen.inner = [...document.querySelectorAll("*")].filter(
  each => /auto|scroll/.test(getComputedStyle(each).overflow)).map(each => each.tagName);
document.getElementById("seen").textContent = JSON.stringify(seen);
</script>"""


class Outline(HTMLParser):
    """A parser that records open elements and fetched links."""

    def __init__(self):
        super().__init__()
        self.open, self.fetched = [], []

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        links = [given[name] for name in ("src", "href") if name in given]
        self.fetched += [each for each in links if not each.startswith("data:image/png;")]
        if tag not in ("meta", "input", "br", "link", "img", "wbr"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def report(music, *args):
    result = music.run(SUITE, "--spanner-report=html:out/report.html", *args)
    result.assert_outcomes(passed=3)
    return (music.path / "out/report.html").read_text()


def test_the_page_shows_all_details_and_needs_no_network(music):
    html = report(music)
    outline = Outline()
    outline.feed(html)
    assert outline.open == []
    assert all(each.startswith("#") for each in outline.fetched)
    text = unescape(re.sub(r"<[^>]*>", "", html))
    for expected in (
        "SPN802 MOVING_HOT_SPOT Singers(SingerId)",
        "SELECT * FROM Singers WHERE Name < '</table>'",
        "FULL SCAN Singers",
        "Scan scan_target: Singers Full scan: true",  # the plan
        "UPDATE Singers SET Name = CONCAT(Name, '!') WHERE SingerId = 1",
        "Scan scan_target: Singers seek: ($SingerId = 1)",
        "ABORTED",
        "waited for",
        "WriterShared Singers(1) Name",
    ):
        assert expected in text
    assert html.count('<details class="test"') == 3
    assert html.count("<img") == 1
    assert "Keys from top to bottom, commits from left to right, one commit to a column." in text
    assert "<iframe" not in html


def test_the_page_includes_the_tests_of_workers(music):
    result = music.run_apart(SUITE, "--spanner-report=html:report.html", "-n", "2")
    result.assert_outcomes(passed=3)
    html = (music.path / "report.html").read_text()
    assert html.count('<details class="test"') == 3
    assert html.count("<img") == 1
    assert html.count('class="badge passed"') == 1 + 3  # the run's, and each test's


def test_the_worst_heatmaps_are_kept():
    run_report = RunReport([ReportRow(f"test_{n}", hot=n) for n in range(HEATMAPS_MAX + 5)])
    for each in reversed(run_report.tests):
        run_report.add_heatmaps(each.test, [{}])
    assert set(run_report.heatmaps) == {f"test_{n}" for n in range(5, HEATMAPS_MAX + 5)}


def test_a_run_without_recordings_has_a_page():
    html = page(RunReport([ReportRow("a.py::test_<x>")]), FACTS, "spanner: external")
    assert "a.py::test_&lt;x&gt;" in html
    for section in ("heatmaps", "statements", "waits"):
        assert f'id="{section}"' not in html


def test_a_finding_of_many_tests_is_shown_once():
    commit = {
        "id": "", "tag": "", "mutations": 2, "lock_wait_seconds": 0.0, "error": "",
        "requests": [{"sql": "COMMIT", "site": "a.py:1", "lock_wait_seconds": 0.0, "waited_for": []}],
    }  # fmt: skip
    run_report = RunReport(
        [
            ReportRow(
                f"a.py::test_%[{n}]",
                commits=30,
                hotspots=["SPN801 HOT_ROW T(K)"],
                databases=[{"transactions": [commit] * 30}],
            )
            for n in range(50)
        ]
    )
    html = page(run_report, FACTS, "")
    assert html.count('<h3><a href="#SPN801">SPN801</a> HOT_ROW T(K) ') == 1
    assert "and in 49 more" in html
    assert 'href="#a.py::test_%25[0]"' in html
    assert html.count("a.py:1<") == 50
    assert '<td class="n" data-head="times">30</td>' in html


def test_equal_waits_for_locks_are_one_row_with_the_lock():
    def transaction(number, seconds):
        request = {"sql": "COMMIT", "site": "a.py:9", "lock_wait_seconds": seconds, "waited_for": ["Exclusive T(1) N"]}  # fmt: skip
        return {
            "id": str(number), "tag": "", "mutations": 2, "lock_wait_seconds": seconds,
            "error": "ABORTED", "requests": [request],
        }  # fmt: skip

    waits = [transaction(number, 0.5 + number) for number in range(3)]
    rows = [ReportRow(f"a.py::test_{name}", databases=[{"transactions": waits}]) for name in "xy"]
    html = page(RunReport(rows), FACTS, "").partition('id="waits"')[2]
    assert html.count("<tr>") == 1 + 1  # the heads, and the waits
    assert '<td class="n" data-head="times">6</td>' in html
    assert '<td class="n" data-head="longest wait">2,500.0 ms</td>' in html
    assert "waited for <code>Exclusive T(1) N</code>" in html
    assert '<span class="badge warn">ABORTED</span>' in html
    assert "and in 1 more" in html


def test_a_finding_shows_problem_statement_and_line_apart():
    statement = {
        "sql": "SELECT *\n  FROM T", "kind": "query", "site": "a.py:3", "count": 2, "seconds": 0.1,
        "full_scans": ["T"], "notes": ["FULL SCAN T"], "plan": "",
    }  # fmt: skip
    row = ReportRow(
        "a.py::test_it",
        over_budget=["queries 3 > 1"],
        left_open=["transaction 7, last statement: SELECT 1 at a.py:5"],
        databases=[{"statements": [statement]}],
    )
    html = page(RunReport([row]), FACTS, "")
    warning = ' <span class="badge warning">warning</span></h3>'
    assert (
        f'<h3>Full scan of T{warning}<pre>SELECT * FROM T</pre><p>At <span class="site">a.py:3'
        in html
    )
    assert f"<h3>Left open: transaction 7{warning}<pre>SELECT 1 at a.py:5</pre>" in html
    assert '<h3>Over budget: queries 3 &gt; 1 <span class="badge error">error</span></h3>' in html


def test_the_rules_of_findings_are_described_in_their_dialect():
    finding = {
        "rule": "SPN109", "name": "SPN109 MOVING_HOT_SPOT t(id)", "severity": "error", "message": "m",
        "evidence": "e", "fix": "f", "score": 100,
    }  # fmt: skip
    row = ReportRow(
        "a.py::test_it",
        hotspots=[finding["name"]],
        databases=[{"findings": [finding], "dialect": "postgresql"}],
    )
    html = page(RunReport([row]), FACTS, "")
    assert html.count('<a href="#SPN109">SPN109</a> MOVING_HOT_SPOT t(id) ') == 2
    rule = html.partition('<details class="rule" id="SPN109">')[2]
    assert "Key values begin with the time" in rule
    assert "gen_random_uuid()" in rule


def test_tests_stand_under_their_file_with_the_counts_that_occur():
    rows = [ReportRow(f"{file}.py::test_it", queries=2) for file in ("b", "a")]
    html = page(RunReport(rows), FACTS, "")
    heads = '<div class="figs heads" aria-hidden="true"><span>time</span><span>queries</span></div>'
    for file in ("b", "a"):
        heading = f"<h3>{file}.py <span>1 passed in 0 ms</span></h3>"
        assert f"<summary>{heading}</summary>{heads}<details" in html
    assert html.index(">b.py ") < html.index(">a.py ")


def test_files_without_a_problem_are_folded_if_the_tests_are_many():
    rows = [ReportRow(f"a.py::test_{n}") for n in range(TESTS_OPEN_MAX)]
    assert '<details class="file" open>' in page(RunReport(rows), FACTS, "")
    rows += [ReportRow("b.py::test_it", over_budget=["queries 2 > 1"])]
    opened = re.findall(r'class="file"( open)?><summary><h3>(\w)', page(RunReport(rows), FACTS, ""))
    assert sorted(opened) == [("", "a"), (" open", "b")]


def test_the_only_test_that_failed_is_open():
    report = RunReport([ReportRow("a.py::test_a"), ReportRow("a.py::test_b")])
    for number, row in enumerate(report.tests):
        report.outcomes._by_test[row.test] = Outcome("failed", uses_spanner=True)
        opened = re.findall(r'<details class="test"[^>]* open>', page(report, FACTS, ""))
        assert len(opened) == (number == 0)


def test_labels_of_keys_keep_the_differing_parts():
    starts = [f'("customer-of-the-north-{n:012}")' for n in (7, 250, 499)]
    labels = elided(starts)
    assert labels == ['…00007")', '…00250")', '…00499")']
    assert elided(["(1)", "(1000)", "(2000)"]) == ["(1)", "(1000)", "(2000)"]
    (long,) = elided(["x" * 30 + "y" * 30])
    assert (long[0], long[-1], len(long)) == ("x", "y", 24)


def test_failing_tests_and_findings_come_first(music):
    result = music.run(FAILING, "--spanner-report=html:report.html", "--spanner-report=json:r.json")
    result.assert_outcomes(passed=1, failed=2, errors=1, skipped=1)
    html = (music.path / "report.html").read_text()
    file = "test_failing_tests_and_findings_come_first.py"
    tests = re.findall(r'<details class="test" id="[^":]*::(\w+)" data-status="(\w+)"', html)
    assert tests == [
        ("test_fails", "failed"),
        ("test_breaks", "error"),
        ("test_passes", "passed"),
        ("test_skipped", "skipped"),
    ]
    order = ['id="failed"', 'id="findings"', 'id="tests"', 'id="statements"']
    places = [html.index(each) for each in order]
    assert places == sorted(places)
    assert "RuntimeError: &lt;b&gt;broken&lt;/b&gt;" in html.replace("<wbr>", "")
    assert f'href="#{file}::test_fails"' in html[places[0] : places[1]]
    assert "1 failed · 1 error · 1 passed · 1 skipped in " in html
    assert "1 test without Spanner failed" in html
    assert "<b>1</b>query<" in html

    document = json.loads((music.path / "r.json").read_text())
    assert document["outcomes"] == {"failed": 1, "error": 1, "passed": 1, "skipped": 1}
    assert {each["test"].rpartition("::")[2]: each["outcome"] for each in document["tests"]} == {
        "test_passes": "passed",
        "test_fails": "failed",
    }
    assert all(0 < each["seconds"] < document["seconds"] for each in document["tests"])


def test_a_run_that_fails_before_it_has_a_database_is_reported(project):
    project.file("schema.sql", "CREATE TABLE T (x NOTYPE) PRIMARY KEY (x)")
    result = project.run("def test_it(spanner_database): pass", "--spanner-report=html:report.html")
    result.assert_outcomes(errors=1)
    html = (project.path / "report.html").read_text()
    assert 'data-status="error"' in html
    assert "NOTYPE" in html


def test_a_run_is_dated_and_named_by_its_command_and_commit(music):
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.com", "-C", str(music.path)]
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "Add <singers>"]):
        subprocess.run([*git, *command], check=True)
    commit = subprocess.run(
        [*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True
    ).stdout.strip()
    report = ("--spanner-report=html:report.html", "--spanner-report=json:r.json")
    music.run("def test_it(spanner_database): pass", "-k", "it or that", *report)
    document = json.loads((music.path / "r.json").read_text())
    assert (document["commit"], document["subject"]) == (commit, "Add <singers>")
    assert not document["has_local_changes"]
    assert "-k 'it or that'" in document["command"]
    assert document["started"][:2] == "20"
    html = (music.path / "report.html").read_text()
    assert f"{commit[:10]} Add &lt;singers&gt;" in html
    music.file("schema.sql", "CREATE TABLE T (x INT64) PRIMARY KEY (x)")
    music.run("def test_it(spanner_database): pass", *report)
    assert json.loads((music.path / "r.json").read_text())["has_local_changes"]
    assert "(with local changes)" in (music.path / "report.html").read_text()


def test_the_facts_of_a_run_are_readable():
    html = page(RunReport(), FACTS, "")
    assert "2026-11-22 10:30:00 +0100" in html
    assert "<code>pytest -k &#x27;a b&#x27;</code>" in html
    assert "in 1 min 16 s" in html


def test_figures_agree_in_number():
    run_report = RunReport([ReportRow("t", queries=1, commits=2, full_scans=1, left_open=["a"])])
    run_report.outcomes._by_test["t"] = Outcome("passed", 0.25, uses_spanner=True)
    html = page(run_report, FACTS, "")
    for words in ("1</b>test<", "1</b>query<", "2</b>commits<", "0</b>aborts<", "1</b>full scan<"):
        assert f"<b>{words}" in html
    for figure in ("1 query", "2 commits", "1 full scan"):
        count, unit = figure.split(" ", 1)
        assert f'<span>{count} <span class="unit">{unit}</span></span>' in html
    assert "<span>250 ms</span>" in html
    assert "left open: 1 transaction<" in html


@pytest.mark.toolchain
@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_a_browser_shows_it_in_light_and_dark(music, tmp_path):
    html = report(music)
    file = tmp_path / "seen.html"
    file.write_text(html.replace("<head>", "<head>" + BEFORE).replace("</body>", AFTER + "</body>"))
    papers = []
    for scheme, width in (("1", 1200), ("0", 500)):  # light, dark
        run = subprocess.run(
            [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
             f"--blink-settings=preferredColorScheme={scheme}", "--virtual-time-budget=5000",
             f"--user-data-dir={tmp_path / scheme}", f"--window-size={width},900", "--dump-dom",
             file.as_uri()],
            capture_output=True, text=True, timeout=100, check=True,
        )  # fmt: skip
        assert ":CONSOLE" not in run.stderr, run.stderr
        seen = json.loads(unescape(re.search(r'<pre id="seen">(.*?)</pre>', run.stdout)[1]))
        assert seen["problems"] == []
        assert [each.rpartition("::")[2] for each in seen["shown"]] == ["test_scan"]
        assert seen["said"] == "1 of 3"
        assert [each.rpartition("::")[2] for each in seen["found"]] == ["test_hot", "test_scan"]
        assert [each.rpartition("::")[2] for each in seen["opened"]] == ["test_hot"]
        assert seen["opened"] == [seen["focused"]]
        assert seen["image"] == [40, 40]
        assert seen["shown_image"][0] > 0.65 * width
        assert seen["shown_image"][1] >= 160
        assert seen["overflow"] <= 0
        assert seen["inner"] == []  # nothing scrolls but the page
        papers.append(seen["paper"])
    assert papers == ["rgb(255, 255, 255)", "rgb(22, 22, 26)"]
