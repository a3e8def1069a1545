"""The report as one HTML file, which needs no network and follows the reader's light or dark mode.

Its sections are: the run with its outcome and totals, failed tests, findings, every test with its
details, heatmaps, statements with plans, transactions that waited for locks. The page needs no
script: its script only filters tests, and opens the test that a link names.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from html import escape
from pathlib import Path
from typing import Any

from pytest_spanemu.asserts.request_text import counted
from pytest_spanemu.report import fragments
from pytest_spanemu.report.details import heatmap_html
from pytest_spanemu.report.run_facts import RunFacts
from pytest_spanemu.report.run_report import STATUSES, ReportRow, RunReport, counts_of
from spanemu.web import shell
from spanemu.web.shell import Section

_SCRIPT = Path(__file__).with_name("report.js")
STATEMENTS_MAX = 100
WAITS_MAX = 100
_COMMIT_CHARS = 10
TOTALS = (  # a count with its singular and plural
    ("queries", "query", "queries"),
    ("commits", "commit", "commits"),
    ("aborts", "abort", "aborts"),
    ("mutations", "mutation", "mutations"),
    ("full_scans", "full scan", "full scans"),
    ("lock_waits", "wait for a lock", "waits for locks"),
)


def page(report: RunReport, facts: RunFacts, run: str) -> str:
    """Return the text of the file; `run` describes the run in one line."""
    tests = report.sorted_rows()
    failed, findings = _failed(report, tests), _findings(tests)
    sections = (
        Section("", "", _summary(report, facts, run, tests)),
        Section("failed", "Failed tests", "".join(failed), len(failed)),
        Section("findings", "Findings", "".join(findings), len(findings)),
        Section("tests", "Tests", _tests(report, tests), len(tests)),
        Section("heatmaps", "Heatmaps of writes", _heatmaps(report), len(report.heatmaps)),
        Section("statements", "Statements", _all_statements(report)),
        Section("waits", "Transactions that waited for locks", _waits(report)),
    )
    script = f"<script>\n{_SCRIPT.read_text(encoding='utf-8')}</script>"
    return shell.page("Spanner test report", sections, script)


# ---------------------------------------------------------------------------- the run


def _summary(report: RunReport, facts: RunFacts, run: str, tests: Sequence[ReportRow]) -> str:
    """Return what stands above the sections: the outcome, the run and its totals."""
    return (
        f'<p class="outcome">{_outcome(report, facts, tests)}</p>'
        f'<ul class="figures">{_totals(report, tests)}</ul>'
        f'<dl class="facts">{_facts(facts, run)}</dl>'
    )


def _outcome(report: RunReport, facts: RunFacts, tests: Sequence[ReportRow]) -> str:
    outcomes = [report.outcomes.of(row.test) for row in tests]
    status = "failed" if any(outcome.is_failing for outcome in outcomes) else "passed"
    counts = " · ".join(f"{count:,} {name}" for name, count in counts_of(outcomes).items())
    others = counts_of(report.outcomes.others)
    failing = sum(others.get(name, 0) for name in ("failed", "error"))
    more = f"; {counted(failing, 'test')} without Spanner failed" if failing else ""
    duration = fragments.duration(facts.seconds)
    return f'<span class="badge {status}">{status}</span> {counts} in {duration}{more}'


def _facts(facts: RunFacts, run: str) -> str:
    commit = " ".join(
        filter(None, (
            facts.commit[:_COMMIT_CHARS],
            facts.subject,
            "(with local changes)" if facts.has_local_changes else "",
        ))
    )  # fmt: skip
    started = datetime.fromisoformat(facts.started).strftime("%Y-%m-%d %H:%M:%S %z").strip()
    rows = (
        ("Started", f'<time datetime="{escape(facts.started)}">{started}</time>'),
        ("Command", f"<code>{escape(facts.command)}</code>"),
        ("Commit", escape(commit)),
        ("Emulator", escape(run.removeprefix("spanner: "))),
    )
    return "".join(f"<dt>{name}</dt><dd>{text}</dd>" for name, text in rows if text)


def _totals(report: RunReport, tests: Sequence[ReportRow]) -> str:
    totals = [(len(tests), "test", "tests")]
    totals += [(report.total(name), singular, plural) for name, singular, plural in TOTALS]
    return "".join(
        f"<li><b>{count:,}</b>{singular if count == 1 else plural}</li>"
        for count, singular, plural in totals
    )


# ---------------------------------------------------------------------------- failures and findings


def _failed(report: RunReport, tests: Sequence[ReportRow]) -> list[str]:
    return [_failure(row.test, report) for row in tests if report.outcomes.of(row.test).is_failing]


def _failure(test: str, report: RunReport) -> str:
    outcome = report.outcomes.of(test)
    return (
        f'<article class="error">{fragments.badge(outcome)} {fragments.link(test)}'
        f"<pre>{escape(outcome.message)}</pre></article>"
    )


def _findings(tests: Sequence[ReportRow]) -> list[str]:
    by_text: dict[str, list[ReportRow]] = {}
    for row in tests:
        over = [f"Over budget: {text}" for text in row.over_budget]
        open_ = [f"Left open: {text}" for text in row.left_open]
        scans = [f"Full scan of {text}" for text in row.scans]
        for text in (*row.hotspots, *over, *open_, *scans):
            by_text.setdefault(text, []).append(row)
    return [_finding(text, rows) for text, rows in by_text.items()]


def _finding(text: str, tests: Sequence[ReportRow]) -> str:
    """Return a finding with the evidence of its first test, and a list of its other tests."""
    more = ""
    if len(tests) > 1:
        others = "".join(f"<li>{fragments.link(row.test)}</li>" for row in tests[1:])
        count = len(tests) - 1
        more = f"<details><summary>and in {count:,} more</summary><ul>{others}</ul></details>"
    explanation = next(
        (
            f"{escape(finding['rule'])}{fragments.evidence(finding)}"
            for finding in fragments.details(tests[0], "findings")
            if f"{finding['reason']} {finding['place']}" == text
        ),
        "",
    )
    return (
        f'<article class="warning"><b>{escape(text)}</b> {explanation}'
        f"<p>In {fragments.link(tests[0].test)}</p>{more}</article>"
    )


# ---------------------------------------------------------------------------- tests


def _tests(report: RunReport, tests: Sequence[ReportRow]) -> str:
    """Return the filter for tests, and the tests."""
    details = "".join(_test(row, report) for row in tests)
    return (
        '<p class="tools"><label>Name <input id="filter" type="search" '
        'placeholder="part of the name"></label>'
        f'<label>Show <select id="status">{_statuses(report, tests)}</select></label> '
        f'<span id="shown" aria-live="polite"></span></p>{details}'
    )


def _statuses(report: RunReport, tests: Sequence[ReportRow]) -> str:
    """Return the options of the filter for tests."""
    counts = counts_of(report.outcomes.of(row.test) for row in tests)
    choices = [("", f"all ({len(tests):,})")]
    choices += [(name, f"{name} ({counts[name]:,})") for name in STATUSES if name in counts]
    findings = sum(row.has_findings for row in tests)
    choices += [("findings", f"with findings ({findings:,})")] if findings else []
    return "".join(f'<option value="{value}">{text}</option>' for value, text in choices)


def _test(test: ReportRow, report: RunReport) -> str:
    outcome = report.outcomes.of(test.test)
    counts = [
        counted(count, singular, plural)
        for name, singular, plural in TOTALS
        if (count := getattr(test, name))
    ]
    summary = " · ".join([fragments.duration(outcome.seconds), *(counts or ["no requests"])])
    notes = f' <span class="bad">{escape(test.notes)}</span>' if test.notes else ""
    text = f"<pre>{escape(outcome.text)}</pre>" if outcome.text else ""
    name, badge = escape(test.test), fragments.badge(outcome)
    findings = " data-findings" if test.has_findings else ""
    content = (
        f"<summary>{badge} <b>{name}</b> <span>{summary}</span>{notes}</summary>",
        text,
        *map(fragments.finding_article, fragments.details(test, "findings")),
        fragments.statements_table(fragments.details(test, "statements")),
        fragments.transactions_table(fragments.details(test, "transactions")),
        _more_transactions(test),
    )
    return (
        f'<details class="test" id="{name}" data-status="{outcome.status}"{findings}>'
        f"{''.join(content)}</details>"
    )


def _more_transactions(test: ReportRow) -> str:
    """Return a note on transactions that the table of a test does not show."""
    more = sum(database.get("more_transactions", 0) for database in test.databases)
    return f"<p>and {counted(more, 'other transaction')}</p>" if more else ""


# ---------------------------------------------------------------------------- over all tests


def _heatmaps(report: RunReport) -> str:
    if not report.heatmaps:
        return "<p>No test wrote enough for a heatmap.</p>"
    return "".join(
        f'<details class="heatmap"{" open" * (number == 0)}><summary>{escape(test)}</summary>'
        f"{''.join(map(heatmap_html, heatmaps))}</details>"
        for number, (test, heatmaps) in enumerate(report.heatmaps.items())
    )


def _all_statements(report: RunReport) -> str:
    grouped: dict[tuple[str, str], dict[str, Any]] = {}
    for row in report.tests:
        for statement in fragments.details(row, "statements"):
            key = statement["sql"], statement["site"]
            group = grouped.setdefault(key, {**statement, "count": 0})
            group["count"] += statement["count"]
    if not grouped:
        return "<p>None.</p>"
    worst = sorted(grouped.values(), key=_weight, reverse=True)
    more = len(worst) - STATEMENTS_MAX
    rest = f"<p>and {counted(more, 'other statement')}</p>" if more > 0 else ""
    return fragments.statements_table(worst[:STATEMENTS_MAX]) + rest


def _weight(statement: dict[str, Any]) -> tuple[bool, int]:
    return any(note.startswith("FULL SCAN") for note in statement["notes"]), statement["count"]


def _waits(report: RunReport) -> str:
    waits = [
        (row, transaction)
        for row in report.tests
        for transaction in fragments.details(row, "transactions")
        if transaction["lock_wait_seconds"]
    ]
    waits.sort(key=lambda wait: -wait[1]["lock_wait_seconds"])
    if not waits:
        return "<p>None.</p>"
    return fragments.table(
        ("transaction", "test", "lock wait", "status", "requests"),
        (
            (
                fragments.transaction_name(transaction),
                fragments.link(row.test),
                fragments.milliseconds(transaction["lock_wait_seconds"]),
                fragments.status(transaction),
                fragments.requests(transaction),
            )
            for row, transaction in waits[:WAITS_MAX]
        ),
    )
