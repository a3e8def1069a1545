"""The pages that are one file, in a browser: nothing is refused by their own policy."""

import pytest

from pytest_spanemu.report.page import page as report_page
from pytest_spanemu.report.run_facts import RunFacts
from pytest_spanemu.report.run_report import ReportRow, RunReport

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
