"""The report as one HTML file, which needs no network and follows the reader's light or dark mode.

Its sections are: the run with its outcome and totals, failed tests, findings, every test with its
details (`lanes` draws the timelines of explorations), heatmaps, statements with plans, waits for
locks, and the rules that findings name. The page needs no script: its script only filters and sorts
tests, and opens what a link names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from pytest_spanemu.asserts.request_text import counted
from pytest_spanemu.report import fragments
from pytest_spanemu.report.details import heatmap_html
from pytest_spanemu.report.lanes import exploration_text, lanes_html
from pytest_spanemu.report.run_facts import RunFacts
from pytest_spanemu.report.run_report import (
    STATUSES,
    Outcome,
    ReportRow,
    RunReport,
    counts_of,
)
from spanemu.lint import formats
from spanemu.web import shell
from spanemu.web.shell import Section

_SCRIPT = Path(__file__).with_name("report.js")
STATEMENTS_MAX = 100
WAITS_MAX = 100
TESTS_OPEN_MAX = 5  # a run with more folds the files whose tests have no problem
_COMMIT_CHARS = 10
_SEVERITIES = ("error", "warning", "info")
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
        Section("waits", "Waits for locks", _waits(report)),
        Section("rules", "Rules", _rules(report)),
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
        f"<pre>{shell.breakable(outcome.message)}</pre></article>"
    )


class _Finding(NamedTuple):
    """A finding: what was found, the statement and the place in code, and an explanation."""

    heading: str
    severity: str
    sql: str = ""
    site: str = ""
    explanation: str = ""


def _findings(tests: Sequence[ReportRow]) -> list[str]:
    by_finding: dict[_Finding, list[str]] = {}
    for row in tests:
        for finding in _findings_of(row):
            by_finding.setdefault(finding, []).append(row.test)
    ranked = sorted(by_finding, key=lambda finding: _SEVERITIES.index(finding.severity))
    return [_finding(finding, by_finding[finding]) for finding in ranked]


def _findings_of(row: ReportRow) -> Iterator[_Finding]:
    explained = {each["name"]: each for each in fragments.details(row, "findings")}
    for name in row.hotspots:
        rule = name.split()[0]
        explanation = fragments.evidence(explained[name]) if name in explained else ""
        heading = shell.finding_heading(rule, name, "error")
        yield _Finding(heading, "error", explanation=explanation)
    for text in row.over_budget:
        yield _Finding(_heading(f"Over budget: {text}", "error"), "error")
    for text in row.left_open:
        what, _, sql = text.partition(", last statement: ")
        yield _Finding(_heading(f"Left open: {what}", "warning"), "warning", sql)
    for statement in fragments.details(row, "statements"):
        if tables := ", ".join(statement["full_scans"]):
            heading = _heading(f"Full scan of {tables}", "warning")
            yield _Finding(heading, "warning", statement["sql"], statement["site"])


def _heading(text: str, severity: str) -> str:
    return f'<h3>{shell.breakable(text)} <span class="badge {severity}">{severity}</span></h3>'


def _finding(finding: _Finding, tests: Sequence[str]) -> str:
    """Return a finding with the evidence of its first test, and links to all of its tests."""
    sql = f"<pre>{shell.breakable(' '.join(finding.sql.split()))}</pre>" if finding.sql else ""
    site = f"<p>At {fragments.where(finding.site)}</p>" if finding.site else ""
    return (
        f'<article class="{finding.severity}">{finding.heading}{sql}{site}{finding.explanation}'
        f"<p>In {fragments.links(tests)}</p></article>"
    )


# ---------------------------------------------------------------------------- tests

_SORTS = (("", "outcome"), ("seconds", "time"), ("name", "name"))


def _tests(report: RunReport, tests: Sequence[ReportRow]) -> str:
    """Return the filter for tests, and the tests by file."""
    by_file: dict[str, list[ReportRow]] = {}
    for row in tests:
        by_file.setdefault(row.test.partition("::")[0], []).append(row)
    shown = [total for total in TOTALS if report.total(total[0])]
    sorts = "".join(f'<option value="{value}">{text}</option>' for value, text in _SORTS)
    files = "".join(_file(name, rows, report, shown) for name, rows in by_file.items())
    return (
        '<div class="tools"><label>Name <input id="filter" type="search" '
        'placeholder="part of the name"></label>'
        f'<label>Show <select id="status">{_statuses(report, tests)}</select></label> '
        f'<label>Sort by <select id="order">{sorts}</select></label> '
        f'<span id="shown" aria-live="polite"></span></div>'
        f'<div id="files" style="--figures:{len(shown)}">{files}</div>'
    )


def _has_problems(report: RunReport, rows: Sequence[ReportRow]) -> bool:
    return any(row.has_findings or report.outcomes.of(row.test).is_failing for row in rows)


def _file(
    name: str, rows: Sequence[ReportRow], report: RunReport, shown: Sequence[tuple[str, str, str]]
) -> str:
    """Return the tests of a file under its name, its outcomes and the heads of the figures."""
    outcomes = [report.outcomes.of(row.test) for row in rows]
    counts = " · ".join(f"{count:,} {status}" for status, count in counts_of(outcomes).items())
    heads = "".join(f"<span>{plural}</span>" for _, _, plural in (("", "", "time"), *shown))
    tests = "".join(_test(row, report, shown) for row in rows)
    is_open = len(report.tests) <= TESTS_OPEN_MAX or _has_problems(report, rows)
    duration = fragments.duration(sum(outcome.seconds for outcome in outcomes))
    return (
        f'<details class="file"{" open" * is_open}><summary><h3>{shell.breakable(name)} '
        f"<span>{counts} in {duration}</span></h3></summary>"
        f'<div class="figs heads" aria-hidden="true">{heads}</div>{tests}</details>'
    )


def _statuses(report: RunReport, tests: Sequence[ReportRow]) -> str:
    """Return the options of the filter for tests."""
    counts = counts_of(report.outcomes.of(row.test) for row in tests)
    choices = [("", f"all ({len(tests):,})")]
    choices += [(name, f"{name} ({counts[name]:,})") for name in STATUSES if name in counts]
    findings = sum(row.has_findings for row in tests)
    choices += [("findings", f"with findings ({findings:,})")] if findings else []
    return "".join(f'<option value="{value}">{text}</option>' for value, text in choices)


def _test(test: ReportRow, report: RunReport, shown: Sequence[tuple[str, str, str]]) -> str:
    outcome = report.outcomes.of(test.test)
    notes = _note_lines(test)
    drawings = [lanes_html(each["timeline"]) for each in test.explorations if each["timeline"]]
    text = f"<pre>{shell.breakable(outcome.text)}</pre>" if outcome.text else ""
    if drawings:
        text = f"<details><summary>The failure as text</summary>{text}</details>"
    name, badge = test.test.partition("::")[2] or test.test, fragments.badge(outcome)
    attributes = " data-findings" if test.has_findings else ""
    if outcome.is_failing and report.outcomes.has_one_failure:
        attributes += " open"
    transactions = fragments.details(test, "transactions")
    content = (
        f"<summary>{badge} <b>{shell.breakable(name)}</b> {_figures(test, outcome, shown)}"
        f"{notes}</summary>",
        *drawings,
        text,
        *map(fragments.finding_article, fragments.details(test, "findings")),
        fragments.statements_table(fragments.details(test, "statements")),
        fragments.transactions_table([fragments.Waiting(each) for each in transactions]),
        _more_transactions(test),
    )
    return (
        f'<details class="test" id="{escape(test.test)}" data-status="{outcome.status}" '
        f'data-seconds="{outcome.seconds:.6f}"{attributes}>{"".join(content)}</details>'
    )


def _note_lines(test: ReportRow) -> str:
    """Return the findings of a test, and how much of its explorations was explored."""
    lines = [("note-line", test.finding_notes)]
    lines += [("note-line plain", exploration_text(each)) for each in test.explorations]
    return "".join(
        f'<span class="{kind}">{shell.breakable(text)}</span>' for kind, text in lines if text
    )


def _figures(test: ReportRow, outcome: Outcome, shown: Sequence[tuple[str, str, str]]) -> str:
    """Return the time and the counts of a test, each with its unit; "" in place of a zero."""
    figures = [f"<span>{fragments.duration(outcome.seconds)}</span>"]
    for name, singular, plural in shown:
        count = getattr(test, name)
        unit = singular if count == 1 else plural
        figures.append(
            f'<span>{count:,} <span class="unit">{unit}</span></span>' if count else "<span></span>"
        )
    return f'<span class="figs">{" ".join(figures)}</span>'


def _more_transactions(test: ReportRow) -> str:
    """Return a note on transactions that the table of a test does not show."""
    more = sum(database.get("more_transactions", 0) for database in test.databases)
    return f"<p>and {counted(more, 'other transaction')}</p>" if more else ""


# ---------------------------------------------------------------------------- over all tests


def _heatmaps(report: RunReport) -> str:
    return "".join(
        f'<details class="heatmap"{" open" * (number == 0)}>'
        f"<summary>{shell.breakable(test)}</summary>"
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
    worst = sorted(grouped.values(), key=_weight, reverse=True)
    more = len(worst) - STATEMENTS_MAX
    rest = f"<p>and {counted(more, 'other statement')}</p>" if more > 0 else ""
    table = fragments.statements_table(worst[:STATEMENTS_MAX]) + rest
    if grouped and not _has_problems(report, report.tests):
        return f"<details><summary>{counted(len(grouped), 'statement')}</summary>{table}</details>"
    return table


def _weight(statement: dict[str, Any]) -> tuple[bool, int]:
    return any(note.startswith("FULL SCAN") for note in statement["notes"]), statement["count"]


def _waits(report: RunReport) -> str:
    waits = [
        fragments.Waiting(transaction, row.test)
        for row in report.tests
        for transaction in fragments.details(row, "transactions")
        if transaction["lock_wait_seconds"]
    ]
    waits.sort(key=lambda wait: -wait.transaction["lock_wait_seconds"])
    return fragments.transactions_table(waits[:WAITS_MAX])


def _rules(report: RunReport) -> str:
    """Return the descriptions of the rules that the findings name, in each dialect of the run."""
    ids: dict[str, set[str]] = {}
    for row in report.tests:
        for database in row.databases:
            rules = {finding["rule"] for finding in database.get("findings", ())}
            ids.setdefault(database.get("dialect", "googlesql"), set()).update(rules)
    known: set[str] = set()
    parts = []
    for dialect, rules in ids.items():
        parts.append(formats.rules_as_html(rules - known, dialect))
        known |= rules
    return "".join(parts)
