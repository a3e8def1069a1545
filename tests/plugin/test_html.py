"""The HTML report: what is in it, and that a browser shows it. It needs nothing from elsewhere."""

import json
import re
import shutil
import subprocess
from html import unescape
from html.parser import HTMLParser

import pytest

from pytest_spanemu.report.book import PICTURES_MAX, Book
from pytest_spanemu.report.figures import Figures
from pytest_spanemu.report.page import page
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

BEFORE = "<script>window.problems = []; addEventListener('error', e => problems.push(e.message));</script>"
AFTER = """<pre id="seen"></pre><script>
const seen = { problems, paper: getComputedStyle(document.body).backgroundColor };
filter.value = "SCAN"; filter.dispatchEvent(new Event("input"));
seen.shown = tests.filter(test => !test.hidden).map(test => test.id);
seen.said = document.getElementById("shown").textContent;
filter.value = ""; foundOnly.click();
seen.found = tests.filter(test => !test.hidden).map(test => test.id);
filter.value = "nothing"; filter.dispatchEvent(new Event("input"));
document.querySelector("#found + ul a").click(); reveal();
seen.opened = tests.filter(test => test.open && !test.hidden).map(test => test.id);
seen.focused = document.activeElement.parentElement.id;
const frame = document.querySelector("details.heat iframe");
frame.addEventListener("load", () => {
  const inner = frame.contentDocument, canvas = inner.querySelector("canvas");
  seen.heading = inner.querySelector("h1").textContent;
  seen.canvas = [canvas.width, canvas.height];
  document.getElementById("seen").textContent = JSON.stringify(seen);
});
</script>"""


class Outline(HTMLParser):
    """Which elements are open, and what is fetched from elsewhere."""

    def __init__(self):
        super().__init__()
        self.open, self.fetched = [], []

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.fetched += [given[name] for name in ("src", "href") if name in given]
        if tag not in ("meta", "input", "br", "link"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def report(music, *args):
    result = music.run(SUITE, "--spanner-report=html:out/report.html", *args)
    result.assert_outcomes(passed=3)
    return (music.path / "out/report.html").read_text()


def test_the_page_tells_everything_and_needs_nothing(music):
    html = report(music)
    outline = Outline()
    outline.feed(html)
    assert outline.open == []
    assert all(each.startswith("#") for each in outline.fetched)
    text = unescape(re.sub(r"<[^>]*>", "", re.sub(r'data-page="[^"]*"', "", html)))
    for told in (
        "MOVING_HOT_SPOT Singers(SingerId)",
        "SELECT * FROM Singers WHERE Name < '</table>'",
        "FULL SCAN Singers",
        "Scan scan_target: Singers Full scan: true",  # the plan
        "UPDATE Singers SET Name = CONCAT(Name, '!') WHERE SingerId = 1",
        "Scan scan_target: Singers seek: ($SingerId = 1)",
        "ABORTED",
        "waited ",
    ):
        assert told in text
    assert html.count('<details class="test"') == 3
    assert html.count("<iframe") == 1


def test_workers_tell_everything_too(music):
    result = music.run_apart(SUITE, "--spanner-report=html:report.html", "-n", "2")
    result.assert_outcomes(passed=3)
    html = (music.path / "report.html").read_text()
    assert html.count('<details class="test"') == 3
    assert html.count("<iframe") == 1


def test_the_worst_pictures_are_kept():
    book = Book([Figures(f"test_{n}", hot=n) for n in range(PICTURES_MAX + 5)])
    for each in reversed(book.tests):
        book.add_picture(each.test, "<p>")
    assert set(book.pictures) == {f"test_{n}" for n in range(5, PICTURES_MAX + 5)}


def test_a_run_that_recorded_nothing_has_a_page():
    html = page(Book([Figures("a.py::test_<x>")]), "spanner: external")
    assert "a.py::test_&lt;x&gt;" in html
    assert "No test wrote enough for a picture." in html


def test_what_many_tests_have_is_told_once():
    commit = {
        "id": "", "tag": "", "mutations": 2, "lock_wait_seconds": 0.0, "error": "",
        "requests": [{"sql": "COMMIT", "site": "a.py:1", "lock_wait_seconds": 0.0}],
    }  # fmt: skip
    book = Book(
        [
            Figures(
                f"a.py::test_%[{n}]",
                commits=30,
                hotspots=["HOT_ROW T(K)"],
                databases=[{"transactions": [commit] * 30}],
            )
            for n in range(50)
        ]
    )
    html = page(book, "")
    assert html.count("<b>HOT_ROW T(K)</b>") == 1
    assert "and in 49 more" in html
    assert 'href="#a.py::test_%25[0]"' in html
    assert html.count("a.py:1<") == 50
    assert '<td class="n">30</td>' in html


@pytest.mark.toolchain
@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_a_browser_shows_it_in_light_and_dark(music, tmp_path):
    html = report(music)
    file = tmp_path / "seen.html"
    file.write_text(html.replace("<head>", "<head>" + BEFORE).replace("</body>", AFTER + "</body>"))
    papers = []
    for scheme in ("1", "0"):  # light, dark
        run = subprocess.run(
            [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
             f"--blink-settings=preferredColorScheme={scheme}", "--virtual-time-budget=5000",
             f"--user-data-dir={tmp_path / scheme}", "--window-size=1200,900", "--dump-dom",
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
        assert seen["heading"]
        assert min(seen["canvas"]) > 20
        papers.append(seen["paper"])
    assert papers == ["rgb(255, 255, 255)", "rgb(22, 22, 26)"]
