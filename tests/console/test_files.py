"""The pages that are one file, in a browser: nothing is refused by their own policy."""

import pytest

from pytest_spanemu.report.page import page as report_page
from pytest_spanemu.report.run_facts import RunFacts
from pytest_spanemu.report.run_report import Outcome, ReportRow, RunReport

pytestmark = pytest.mark.toolchain


def test_the_heatmap_page_is_drawn_and_moved_through_with_keys(browser, emulator, tmp_path):
    database = emulator.create_database("heat", "CREATE TABLE T (Id INT64) PRIMARY KEY (Id)")
    hotspots, client = emulator.hotspots(database), database.client()
    for number in range(40):
        with client.batch() as batch:
            batch.insert("T", ["Id"], [[number]])
    hotspots.heatmap(tmp_path / "heat.html")
    browser.log()
    browser.open((tmp_path / "heat.html").as_uri())
    browser.until("document.querySelector('.picture canvas')?.height > 100")
    browser.run("document.querySelector('.picture canvas').focus()")
    browser.keys("ArrowDown")
    browser.see("T(1) to T(2), from commit 1: ")
    browser.see("Monotonic keys")
    bright = """const canvas = document.querySelector('.picture canvas');
        const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
        return pixels.filter(value => value > 200).length"""
    assert browser.run(bright) > 1000
    assert browser.log() == []
    database.drop()


def test_tests_are_sorted_by_time_within_and_among_their_files(browser, tmp_path):
    facts = RunFacts(started="2026-11-22T10:30:00+01:00", seconds=1.5, command="pytest")
    seconds = {
        "a.py::test_one": 1.0,
        "a.py::test_two": 3.0,
        "b.py::test_three": 9.0,
        "b.py::test_10": 0.5,
    }
    run = RunReport([ReportRow(name, queries=1) for name in seconds])
    for name, time in seconds.items():
        run.outcomes._by_test[name] = Outcome("passed", time, uses_spanner=True)
    path = tmp_path / "report.html"
    path.write_text(report_page(run, facts, "spanner: embedded"))
    browser.open(path.as_uri())
    orders = {}
    for order in ("seconds", "name", ""):
        script = """const order = document.getElementById("order");
            order.value = arguments[0];
            order.dispatchEvent(new Event("change"));
            return [...document.querySelectorAll("details.test")].map(each => each.id);"""
        orders[order] = browser.run(script, order)
    first, two, three, ten = seconds
    assert orders == {
        "seconds": [three, ten, two, first],
        "name": [first, two, ten, three],
        "": list(seconds),
    }
    browser.type("#filter", "three")
    assert browser.run(
        "return [...document.querySelectorAll('.file')].map(each => each.hidden)"
    ) == [True, False]
    lefts = browser.run("""document.getElementById("filter").value = "";
        document.getElementById("filter").dispatchEvent(new Event("input"));
        return [...document.querySelectorAll(".figs > span:nth-child(1)")].map(each => each.getBoundingClientRect().right)""")
    assert len({round(each) for each in lefts}) == 1
    assert browser.log() == []


def test_the_report_runs_its_script_under_its_policy(browser, tmp_path):
    facts = RunFacts(started="2026-11-22T10:30:00+01:00", seconds=1.5, command="pytest")
    rows = [ReportRow(f"a.py::test_{name}", queries=1) for name in ("one", "two")]
    path = tmp_path / "report.html"
    path.write_text(report_page(RunReport(rows), facts, "spanner: embedded"))
    browser.log()
    browser.open(path.as_uri())
    browser.type("#filter", "two")
    browser.see("1 of 2")
    assert browser.log() == []
