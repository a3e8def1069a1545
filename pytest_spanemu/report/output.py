"""Writes the reports at the end of a run, as the settings ask for them.

The terminal shows a table of tests, then findings and the run's facts. The summary of GitHub
Actions and the page of pytest-html have the same table in their own form.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Any

import pytest

from pytest_spanemu.asserts.request_text import counted
from pytest_spanemu.report import page as pages
from pytest_spanemu.report.run_report import SCHEMA_VERSION, ReportRow, RunReport, counts_of
from pytest_spanemu.report.saved_counts import comparison_lines, save_counts
from pytest_spanemu.run import Run
from pytest_spanemu.settings import COUNTED

COLUMNS = ("queries", "commits", "aborts", "mutations", "scans", "hot", "setup")
_TEST_CHARS_MAX = 60
_GITHUB_FILE = "GITHUB_STEP_SUMMARY"  # an environment variable that names a Markdown file


def terminal_lines(run: Run, *, is_brief: bool) -> Iterator[str]:
    """Yield the lines of the report on the terminal."""
    if run.was_used and run.settings.report.table_rows and not is_brief:
        yield from table(run.report, run.settings.report.table_rows)
    yield from left_open(run.report)
    yield from warned(run.report)
    yield findings(run.report)
    yield from comparison_lines(run)
    yield from run_lines(run)


def write_files(config: pytest.Config, run: Run) -> None:
    """Write the reports that are files, and pass the JSON document to hooks of other plugins."""
    report, start = run.settings.report, config.invocation_params.dir
    hook = config.hook.pytest_spanemu_report
    if report.json or hook.get_hookimpls():
        document = _json_document(run)
        for path in report.json:
            _write(start / path, json.dumps(document, indent=2, ensure_ascii=False) + "\n")
        hook(config=config, report=document)
    for path in report.html:
        _write(start / path, pages.page(run.report, run.facts, " · ".join(run_lines(run))))
    save_counts(run)
    append_github_summary(run)


def _json_document(run: Run) -> dict[str, Any]:
    """Return the facts of the run, totals, then every test in the order in which tests ended."""
    report = run.report
    document = {
        "schema_version": SCHEMA_VERSION,
        **run.describe(),
        "outcomes": counts_of(report.outcomes.of_spanner().values()),
        "totals": {name: report.total(name) for name in COUNTED},
        **report.to_json(),
    }
    for test in document["tests"]:
        outcome = report.outcomes.of(test["test"])
        test |= {"outcome": outcome.status, "seconds": outcome.seconds, "message": outcome.message}
    del document["heatmaps"]
    return document


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


def table(report: RunReport, rows_max: int) -> Iterator[str]:
    """Yield the lines of a table: the header, then the most important rows."""
    shown = worst_rows(report.tests, rows_max)
    names = [_short(row.test) for row in shown]
    width = max(len("test"), *map(len, names))
    yield "  ".join(["test".ljust(width), *(name.rjust(9) for name in COLUMNS)])
    for name, row in zip(names, shown, strict=True):
        values = "  ".join(cell.rjust(9) for cell in cells(row))
        yield f"{name.ljust(width)}  {values}   {row.notes}".rstrip()
    if len(report.tests) > len(shown):
        yield f"... and {counted(len(report.tests) - len(shown), 'other test')}"


def left_open(report: RunReport) -> Iterator[str]:
    """Yield the transactions that tests left open, one line for each."""
    for row in report.tests:
        for text in row.left_open:
            yield f"{row.test} left open, now aborted: {text}"


def warned(report: RunReport) -> Iterator[str]:
    """Yield what the explorations of tests do not mean, one line for each."""
    for row in report.tests:
        for exploration in row.explorations:
            for text in exploration["warnings"]:
                yield f"{row.test} {exploration['note']}: {text}"


def worst_rows(rows: Sequence[ReportRow], rows_max: int) -> list[ReportRow]:
    """Return the most important rows: those with notes, then those with the most requests."""
    return sorted(rows, key=_weight, reverse=True)[:rows_max]


def _weight(row: ReportRow) -> tuple[bool, int, int, int]:
    return (
        bool(row.finding_notes),
        row.hot or 0,
        row.full_scans or 0,
        (row.queries or 0) + (row.commits or 0),
    )


def cells(row: ReportRow) -> list[str]:
    """Return the values of a row as texts, one for each of `COLUMNS`."""
    counts = (
        row.queries,
        row.commits,
        row.aborts,
        row.mutations,
        row.full_scans,
        row.hot or None,
    )
    setup = f"{row.setup_seconds * 1e3:.1f}ms"
    return [*("-" if count is None else f"{count:,}" for count in counts), setup]


def _short(test: str) -> str:
    return test if len(test) <= _TEST_CHARS_MAX else f"...{test[3 - _TEST_CHARS_MAX :]}"


def findings(report: RunReport) -> str:
    """Return the number of findings of each kind in one line, "" for none."""
    open_ = sum(len(row.left_open) for row in report.tests)
    over = sum(bool(row.over_budget) for row in report.tests)
    counts = (
        (report.total("full_scans"), "full scan", "full scans"),
        (sum(len(row.hotspots) for row in report.tests), "hotspot", "hotspots"),
        (over, "test over budget", "tests over budget"),
        (open_, "transaction left open", "transactions left open"),
    )
    return " · ".join(counted(*count) for count in counts if count[0])


def not_run(report: RunReport, target: str) -> str:
    """Return the number of tests that the target could not run, by capability; "" for none."""
    counts = ", ".join(
        f"{counted(tests, 'test')} for want of {capability}"
        for capability, tests in sorted(report.refused.items())
    )
    return f"not run on {target}: {counts}" if counts else ""


def run_lines(run: Run) -> list[str]:
    """Return the tests that could not run, if any, and the facts of the run in one line."""
    return [*filter(None, [not_run(run.report, run.settings.target)]), run.summary()]


# ---------------------------------------------------------------------------- GitHub Actions


def append_github_summary(run: Run) -> None:
    """Add a section to the summary of the step, if the run is a step of GitHub Actions."""
    path = os.environ.get(_GITHUB_FILE)
    if path and run.settings.report.table_rows:
        with Path(path).open("a", encoding="utf-8", newline="\n") as file:
            file.write("\n".join(_markdown(run)) + "\n")


def _markdown(run: Run) -> Iterator[str]:
    yield "### Spanner"
    yield ""
    yield f"| test | {' | '.join(COLUMNS)} | |"
    yield f"|---|{'---:|' * len(COLUMNS)}---|"
    for row in worst_rows(run.report.tests, run.settings.report.table_rows):
        test, notes = _markdown_cell(row.test), _markdown_cell(row.notes)
        yield f"| `{test}` | {' | '.join(cells(row))} | {notes} |"
    yield ""
    for text in filter(None, (findings(run.report), *run_lines(run))):
        yield f"{text}  "


def _markdown_cell(text: str) -> str:
    return text.replace("|", "\\|").replace("`", "'")


# ---------------------------------------------------------------------------- pytest-html


def pytest_html_section(run: Run, page: str | None) -> str:
    """Return a section for the page of pytest-html; `page` is the path of that page."""
    return "".join(_html(run, page))


def _html(run: Run, page: str | None) -> Iterator[str]:
    rows_max = run.settings.report.table_rows
    yield "<h2>Spanner</h2>"
    if rows_max:
        yield f"<table><tr>{_html_row('th', ('test', *COLUMNS, ''))}</tr>"
        for row in worst_rows(run.report.tests, rows_max):
            yield f"<tr>{_html_row('td', (row.test, *cells(row), row.notes))}</tr>"
        yield "</table>"
    for text in filter(None, (findings(run.report), *run_lines(run))):
        yield f"<p>{escape(text)}</p>"
    start = run.config.invocation_params.dir
    directory = (start / page).parent if page else start
    for path in run.settings.report.html:
        link = Path(os.path.relpath(start / path, directory)).as_posix()
        yield f'<p><a href="{escape(link)}">Statements, plans, heatmaps</a></p>'


def _html_row(tag: str, texts: Sequence[str]) -> str:
    return "".join(f"<{tag}>{escape(text)}</{tag}>" for text in texts)
