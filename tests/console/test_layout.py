"""Every page at three widths, in light and dark: nothing overflows, no word is cut, all is named."""

from __future__ import annotations

import threading
import time

import pytest

from pytest_spanemu.report.details import heatmap_data
from pytest_spanemu.report.page import TESTS_OPEN_MAX
from pytest_spanemu.report.page import page as report_page
from pytest_spanemu.report.run_facts import RunFacts
from pytest_spanemu.report.run_report import Outcome, ReportRow, RunReport
from tests.console.layout import nameless, problems
from tests.console.test_data import PAGES

pytestmark = pytest.mark.toolchain

SCHEMA = """
CREATE TABLE CustomerShippingPreferences (
  CustomerReferenceIdentifier STRING(36) NOT NULL,
  PreferredDeliveryWindowBegins TIMESTAMP,
  LastSuccessfulNotificationSentAt TIMESTAMP OPTIONS (allow_commit_timestamp=true),
  Note STRING(MAX) DEFAULT ('nothing was said'),
  Payload JSON,
  Tags ARRAY<STRING(MAX)>,
  IsActive BOOL,
) PRIMARY KEY (CustomerReferenceIdentifier);
CREATE TABLE ShipmentNotifications (
  CustomerReferenceIdentifier STRING(36) NOT NULL,
  SentAt TIMESTAMP NOT NULL,
  Channel STRING(20),
) PRIMARY KEY (CustomerReferenceIdentifier, SentAt),
  INTERLEAVE IN PARENT CustomerShippingPreferences ON DELETE CASCADE;
CREATE TABLE Visits (
  VisitTime TIMESTAMP NOT NULL,
  Status STRING(10),
  Customer STRING(36),
  NumberOfTimesThatTheCustomerHasAskedForADeliveryOnAnotherDay INT64 NOT NULL DEFAULT (0),
  CONSTRAINT VisitOfCustomer FOREIGN KEY (Customer)
    REFERENCES CustomerShippingPreferences (CustomerReferenceIdentifier),
) PRIMARY KEY (VisitTime);
CREATE INDEX ShipmentNotificationsByChannelAndTime ON ShipmentNotifications (Channel, SentAt DESC);
CREATE INDEX VisitsByStatus ON Visits (Status)
  STORING (NumberOfTimesThatTheCustomerHasAskedForADeliveryOnAnotherDay);
"""
TABLE = "CustomerShippingPreferences"
QUERY = f"""SELECT c.CustomerReferenceIdentifier, COUNT(*) AS NotificationsSentSoFar, ANY_VALUE(c.Note)
FROM {TABLE} AS c JOIN ShipmentNotifications AS n USING (CustomerReferenceIdentifier)
WHERE c.Note LIKE '%line%' GROUP BY 1 ORDER BY 2 DESC"""


@pytest.fixture(scope="module")
def shop(emulator):
    """Yield a database with long names and texts, findings, requests, splits and a fault."""
    database = emulator.create_database("shop-layout", SCHEMA)
    client = database.client()
    customers = [f"0f8fad5b-d9cb-469f-a165-{n:012}" for n in range(12)]
    columns = ["CustomerReferenceIdentifier", "Note", "Payload", "Tags", "IsActive"]
    text, payload = "the first line\nand the second line " * 6, '{"a": [1, 2], "text": "x y z"}'
    rows = [[each, text, payload, ["urgent", "by-air"], True] for each in customers]
    hotspots = emulator.hotspots(database)
    with client.batch() as batch:
        batch.insert(TABLE, columns, rows)
    for number in range(60):
        with client.batch() as batch:
            batch.insert(
                "Visits", ["VisitTime", "Status"], [[f"2026-11-29T10:{number:02}:00Z", "new"]]
            )
    emulator.faults.unavailable(database=database.name, tag="nobody-sends-this-tag")
    yield database, hotspots
    emulator.faults.clear()
    database.drop()


@pytest.fixture
def waiting(shop):
    """Yield three open transactions, two of which wait for the first, one of them in Commit."""
    database, over = shop[0], threading.Event()

    def hold(name):
        def work(transaction):
            key = "0f8fad5b-d9cb-469f-a165-000000000003"
            sql = f"UPDATE {TABLE} SET Note = CONCAT(Note, '{name}') WHERE CustomerReferenceIdentifier = '{key}'"
            transaction.execute_update(sql)
            if name == "nightly-reconciliation-of-shipments":
                over.wait(60)

        tag = f"app=shop,action={name}"
        database.client().run_in_transaction(work, transaction_tag=tag)

    names = ("nightly-reconciliation-of-shipments", "refund", "invoice")
    threads = [threading.Thread(target=hold, args=(name,), daemon=True) for name in names]
    for number, thread in enumerate(threads):
        thread.start()
        # The first one that locks is the oldest, for which the others wait.
        while (
            sum(bool(each.locks or each.waits) for each in database.open_transactions()) <= number
        ):
            assert thread.is_alive()
            time.sleep(0.01)
    yield
    over.set()
    for thread in threads:
        thread.join(60)


def check(page):
    assert not "\n".join(problems(page))
    assert nameless(page) == []


@pytest.mark.parametrize("name", [*PAGES, "rule"])
def test_a_page_has_room_for_its_words_and_names_its_parts(console, shop, name):
    page = console(name, database=shop[0].name, table=TABLE)
    page.until("!document.querySelector('main').innerText.includes('Loading')")
    check(page)


def test_transactions_that_wait_have_room(console, shop, waiting):
    page = console("transactions", database=shop[0].name)
    page.until("document.querySelector('.blocks')")
    check(page)


@pytest.mark.parametrize("query", [{"table": "Visits"}, {"id": "SPN802"}, {"id": "SPN102"}])
def test_a_table_with_findings_and_a_rule_have_room(console, shop, query):
    page = console("schema" if "table" in query else "rule", database=shop[0].name, **query)
    page.until("document.querySelector('main .badge')")
    check(page)


@pytest.mark.parametrize(
    ("name", "press"),
    [
        ("databases", "New database"),
        ("databases", "New instance"),
        ("databases", "Drop shop-layout"),
        ("schema", "Change the schema"),
        ("rows", "Insert a row"),
        ("rows", "Edit 0f8fad5b-d9cb-469f-a165-000000000000"),
        ("rows", "Delete 0f8fad5b-d9cb-469f-a165-000000000000"),
        ("splits", "Split here"),
        ("databases", "Keyboard shortcuts"),
    ],
)
def test_a_dialog_has_room_for_its_words_and_names_its_parts(console, shop, name, press):
    page = console(name, database=shop[0].name, table=TABLE)
    page.press(press)
    page.until("document.querySelector('dialog[open]')")
    check(page)


def test_results_plans_and_errors_have_room(console, shop):
    page = console("sql", database=shop[0].name, sql=QUERY)
    page.click("#profile")
    page.until("document.querySelector('[role=treeitem] .numbers')")
    check(page)
    page.type("#sql", f"SELECT 1;\nSELECT Note, CustomerReferenceIdentifie FROM {TABLE}")
    page.click("#run")
    page.until("document.querySelector('main mark')")
    check(page)
    page.log()  # Chromium reports the response with the status 400


def test_the_heatmap_page_has_room(browser, shop, tmp_path):
    _, hotspots = shop
    hotspots.heatmap(tmp_path / "heat.html")
    hotspots.heatmap(tmp_path / "both.html", before=tmp_path / "heat.html")
    browser.log()
    browser.open((tmp_path / "both.html").as_uri())
    browser.until("document.querySelector('.picture canvas')?.height > 100")
    browser.run("for (const each of document.querySelectorAll('details')) each.open = true")
    check(browser)
    browser.run("document.querySelector('article a[href=\"#SPN802\"]').click()")
    browser.until("document.querySelector('#SPN802').open")
    assert browser.log() == []


def test_the_report_has_room(browser, shop, tmp_path):
    _, hotspots = shop
    path = tmp_path / "report.html"
    path.write_text(report_page(long_report(hotspots), FACTS, "spanner: embedded"))
    browser.log()
    browser.open(path.as_uri())
    check(browser)
    browser.run("for (const each of document.querySelectorAll('details')) each.open = true")
    check(browser)
    assert browser.log() == []


def test_a_run_without_problems_fits_one_screen(browser, tmp_path):
    path, rows = tmp_path / "report.html", []
    for count in range(1, TESTS_OPEN_MAX + 20):
        statements = [{"sql": f"SELECT {count}", "kind": "query", "site": "test_a.py:7", "count": 1, "seconds": 0.1, "full_scans": [], "notes": [], "plan": ""}]  # fmt: skip
        databases = [{"statements": statements}]
        rows.append(
            ReportRow(f"test_a.py::test_{count}", queries=1, commits=1, databases=databases)
        )
        if count in (TESTS_OPEN_MAX, TESTS_OPEN_MAX + 19):
            path.write_text(report_page(RunReport(rows), FACTS, "spanner: embedded"))
            browser.resize(1280, 800)
            browser.open(path.as_uri())
            assert browser.run("return document.documentElement.scrollHeight") <= 800
            check(browser)


FACTS = RunFacts(started="2026-11-22T10:30:00+01:00", seconds=75.5, command="pytest -k 'a b'")
SITE = "integration/shipping/notifications_test.py:1204, called from shipping/helpers.py:88"
SQL = f"UPDATE {TABLE} SET Note = 'sent' WHERE CustomerReferenceIdentifier = @customer"


def exploration():
    """Return a failed exploration of four functions with long names and lines."""
    actors = [f"a_customer_is_told_of_each_delivery_{n}" for n in range(4)]
    lines = [
        {"kind": kind, "text": SQL, "site": SITE, "mark": mark}
        for kind, mark in (("request", ""), ("read", "< written by 3"), ("note", ""))
    ]
    return {
        "note": "explored 7, failed",
        "warnings": [],
        "timeline": {
            "kind": "lost update", "text": f"lost update of {TABLE}: {SQL}", "advice": SQL, "schedule": "ABCD" * 5, "schedules": 7,
            "actors": actors, "entries": [{"number": n + 1, "actor": n % 4, "lines": lines} for n in range(20)],
            "arrows": [{"first": 1, "second": 4, "text": SQL}, {"first": 4, "second": 5, "text": SQL}],
            "endings": [{"name": " then ".join(actors), "text": SQL}],
        },
    }  # fmt: skip


def long_report(hotspots):
    """Return a report with long names, failures, findings, plans and waits for locks."""
    findings = [
        {
            "rule": finding.rule,
            "name": finding.name,
            "score": 100,
            "severity": str(finding.severity),
            "message": finding.message,
            "evidence": str(finding.evidence),
            "fix": finding.fix,
        }
        for finding in hotspots.report().findings
    ]
    statement = {
        "sql": SQL, "kind": "dml", "site": SITE, "count": 1200, "seconds": 1.0, "full_scans": [TABLE],
        "notes": [f"FULL SCAN {TABLE}", "sort", "ABORTED"], "plan": f"Scan {TABLE}\n  Filter",
    }  # fmt: skip
    waited = [f"WriterShared {TABLE}(0f8fad5b-d9cb-469f-a165-000000000003) Note"]
    request = {"sql": SQL, "site": SITE, "seconds": 1.0, "lock_wait_seconds": 0.5, "waited_for": waited, "error": "ABORTED"}  # fmt: skip
    transactions = [
        {
            "id": str(n), "tag": tag, "error": error, "mutations": 12_000, "lock_wait_seconds": 1.5 + n,
            "requests": [request, {**request, "sql": "COMMIT", "waited_for": []}],
        }
        for n, (tag, error) in enumerate([("", "ABORTED"), ("", "ABORTED"), ("app=shop,action=refund", "")])
    ]  # fmt: skip
    counts = {"queries": 1200, "commits": 800, "aborts": 3, "mutations": 120_000, "full_scans": 1200, "lock_waits": 3}  # fmt: skip
    rows = [
        ReportRow(
            f"integration/shipping/{file}_test.py::test_a_customer_is_told_of_each_delivery[{n}-by-air]",
            **counts,
            hotspots=[findings[0]["name"]],
            over_budget=["queries 1200 > 10"],
            left_open=[f"transaction 7, last statement: {SQL} at {SITE}"],
            databases=[
                {"statements": [statement], "transactions": transactions, "findings": findings}
            ],
            explorations=[
                exploration()
                if n
                else {"note": "explored 36, complete", "warnings": [], "timeline": None}
            ],
        )
        for file in ("notifications", "preferences")
        for n in range(2)
    ]
    report = RunReport(rows)
    for row, status in zip(rows, ("failed", "passed", "error", "xfailed"), strict=True):
        text = f"AssertionError: {row.test} " * 2
        report.outcomes._by_test[row.test] = Outcome(status, 12.5, text, text, uses_spanner=True)
    report.add_heatmaps(rows[0].test, [heatmap_data(hotspots)])
    return report
