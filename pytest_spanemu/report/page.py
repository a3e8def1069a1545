"""The report as one HTML file that needs no network: light or dark as the reader likes it.

    the run, its outcome and its figures     failed tests     findings
    every test, with what it did     heatmaps     statements with plans     waits for locks

Everything can be read without scripts; they only filter tests and open the one that a link names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from html import escape
from pathlib import Path
from typing import Any

from pytest_spanemu.asserts.request_text import counted
from pytest_spanemu.report import parts
from pytest_spanemu.report.figures import Figures
from pytest_spanemu.report.outcome import STATUSES, counts_of
from pytest_spanemu.report.pictures import picture_html
from pytest_spanemu.report.run_facts import RunFacts
from pytest_spanemu.report.run_report import RunReport

TEMPLATE = Path(__file__).with_name("page.html")
STATEMENTS_MAX = 100
WAITS_MAX = 100
_COMMIT_CHARS = 10
TOTALS = (  # a figure with its singular and plural
    ("queries", "query", "queries"),
    ("commits", "commit", "commits"),
    ("aborts", "abort", "aborts"),
    ("mutations", "mutation", "mutations"),
    ("full_scans", "full scan", "full scans"),
    ("lock_waits", "wait for a lock", "waits for locks"),
)


def page(book: RunReport, facts: RunFacts, run: str) -> str:
    """Return the whole file; `run` says in a line what was run."""
    tests = book.listed()
    sections = {
        "__OUTCOME__": _outcome(book, facts, tests),
        "__FACTS__": _facts(facts, run),
        "__TOTALS__": _totals(book, tests),
        "__FAILED__": _failed(book, tests),
        "__FOUND__": _found(tests),
        "__STATUSES__": _statuses(book, tests),
        "__TESTS__": "".join(_test(each, book) for each in tests),
        "__HEAT__": _heat(book),
        "__STATEMENTS__": _all_statements(book),
        "__WAITS__": _waits(book),
    }
    return "".join(_filled(TEMPLATE.read_text(encoding="utf-8"), sections))


def _filled(template: str, sections: dict[str, str]) -> Iterator[str]:
    """Yield the template with its sections put in; what they contain is not looked at again."""
    rest = template
    for name, text in sections.items():
        before, _, rest = rest.partition(name)
        yield before + text
    yield rest


# ---------------------------------------------------------------------------- the run


def _outcome(book: RunReport, facts: RunFacts, tests: Sequence[Figures]) -> str:
    outcomes = [book.outcomes.of(each.test) for each in tests]
    status = "failed" if any(each.is_failing for each in outcomes) else "passed"
    counts = " · ".join(f"{count:,} {name}" for name, count in counts_of(outcomes).items())
    others = counts_of(book.outcomes.others)
    failing = sum(others.get(name, 0) for name in ("failed", "error"))
    more = f"; besides, {counted(failing, 'test')} without Spanner failed" if failing else ""
    return (
        f'<span class="badge {status}">{status}</span> {counts} in {parts.duration(facts.seconds)}'
        f"{more}"
    )


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


def _totals(book: RunReport, tests: Sequence[Figures]) -> str:
    figures = [(len(tests), "test", "tests")]
    figures += [(book.total(name), singular, plural) for name, singular, plural in TOTALS]
    return "".join(
        f"<li><b>{count:,}</b>{singular if count == 1 else plural}</li>"
        for count, singular, plural in figures
    )


# ---------------------------------------------------------------------------- what to look at


def _failed(book: RunReport, tests: Sequence[Figures]) -> str:
    failing = [each for each in tests if book.outcomes.of(each.test).is_failing]
    if not failing:
        return ""
    articles = "".join(_failure(each.test, book) for each in failing)
    return f'<h2 id="failed">Failed</h2>{articles}'


def _failure(test: str, book: RunReport) -> str:
    outcome = book.outcomes.of(test)
    return (
        f'<article class="error">{parts.badge(outcome)} {parts.link(test)}'
        f"<pre>{escape(outcome.message)}</pre></article>"
    )


def _found(tests: Sequence[Figures]) -> str:
    by_note: dict[str, list[Figures]] = {}
    for each in tests:
        over = [f"Over budget: {text}" for text in each.over_budget]
        open_ = [f"Left open: {text}" for text in each.left_open]
        scans = [f"Full scan of {text}" for text in each.scans]
        for note in (*each.hotspots, *over, *open_, *scans):
            by_note.setdefault(note, []).append(each)
    articles = "".join(_found_in(note, found) for note, found in by_note.items())
    return f'<h2 id="found">Findings</h2>{articles}' if articles else ""


def _found_in(note: str, tests: Sequence[Figures]) -> str:
    """Return a finding once, with the evidence of its first test, and a list of all its tests."""
    more = ""
    if len(tests) > 1:
        others = "".join(f"<li>{parts.link(each.test)}</li>" for each in tests[1:])
        count = len(tests) - 1
        more = f"<details><summary>and in {count:,} more</summary><ul>{others}</ul></details>"
    same = (each for each in parts.listed(tests[0], "findings") if _note(each) == note)
    found = next(same, None)
    explained = "" if found is None else f"{escape(found['rule'])}{parts.evidence(found)}"
    return (
        f'<article class="warning"><b>{escape(note)}</b> {explained}'
        f"<p>In {parts.link(tests[0].test)}</p>{more}</article>"
    )


def _note(found: dict[str, Any]) -> str:
    """Return a finding as it stands behind the figures of a test."""
    return f"{found['reason']} {found['place']}"


# ---------------------------------------------------------------------------- tests


def _statuses(book: RunReport, tests: Sequence[Figures]) -> str:
    """Return the choices of the filter of tests."""
    counts = counts_of(book.outcomes.of(each.test) for each in tests)
    choices = [("", f"all ({len(tests):,})")]
    choices += [(name, f"{name} ({counts[name]:,})") for name in STATUSES if name in counts]
    findings = sum(each.has_findings for each in tests)
    choices += [("found", f"with findings ({findings:,})")] if findings else []
    return "".join(f'<option value="{value}">{text}</option>' for value, text in choices)


def _test(test: Figures, book: RunReport) -> str:
    outcome = book.outcomes.of(test.test)
    counts = [
        counted(count, singular, plural)
        for name, singular, plural in TOTALS
        if (count := getattr(test, name))
    ]
    said = " · ".join([parts.duration(outcome.seconds), *(counts or ["no requests"])])
    notes = f' <span class="bad">{escape(test.notes)}</span>' if test.notes else ""
    text = f"<pre>{escape(outcome.text)}</pre>" if outcome.text else ""
    name = escape(test.test)
    found = " data-found" if test.has_findings else ""
    content = (
        f"<summary>{parts.badge(outcome)} <b>{name}</b> <span>{said}</span>{notes}</summary>",
        text,
        *map(parts.finding, parts.listed(test, "findings")),
        parts.statements_table(parts.listed(test, "statements")),
        parts.transactions_table(parts.listed(test, "transactions")),
        _rest(test),
    )
    return (
        f'<details class="test" id="{name}" data-status="{outcome.status}"{found}>'
        f"{''.join(content)}</details>"
    )


def _rest(test: Figures) -> str:
    """Say how many transactions of a test are left out of its table."""
    more = sum(found.get("more_transactions", 0) for found in test.databases)
    return f"<p>and {counted(more, 'other transaction')}</p>" if more else ""


# ---------------------------------------------------------------------------- over all tests


def _heat(book: RunReport) -> str:
    if not book.pictures:
        return "<p>No test wrote enough for a heatmap.</p>"
    return "".join(
        f'<details class="heat"{" open" * (number == 0)}><summary>{escape(test)}</summary>'
        f"{''.join(map(picture_html, pictures))}</details>"
        for number, (test, pictures) in enumerate(book.pictures.items())
    )


def _all_statements(book: RunReport) -> str:
    grouped: dict[tuple[str, str], dict[str, Any]] = {}
    for test in book.tests:
        for each in parts.listed(test, "statements"):
            known = grouped.setdefault((each["sql"], each["site"]), {**each, "count": 0})
            known["count"] += each["count"]
    if not grouped:
        return "<p>None.</p>"
    worst = sorted(grouped.values(), key=_weight, reverse=True)
    more = len(worst) - STATEMENTS_MAX
    rest = f"<p>and {counted(more, 'other statement')}</p>" if more > 0 else ""
    return parts.statements_table(worst[:STATEMENTS_MAX]) + rest


def _weight(statement: dict[str, Any]) -> tuple[bool, int]:
    return any(note.startswith("FULL SCAN") for note in statement["notes"]), statement["count"]


def _waits(book: RunReport) -> str:
    found = [
        (test, each)
        for test in book.tests
        for each in parts.listed(test, "transactions")
        if each["lock_wait_seconds"]
    ]
    found.sort(key=lambda pair: -pair[1]["lock_wait_seconds"])
    if not found:
        return "<p>None.</p>"
    return parts.table(
        ("transaction", "test", "waited", "ended", "requests"),
        (
            (parts.name(each), parts.link(test.test), parts.milliseconds(each["lock_wait_seconds"]),
             parts.ending(each), parts.requests(each))
            for test, each in found[:WAITS_MAX]
        ),
    )  # fmt: skip
