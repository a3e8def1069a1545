"""The text of the report on the terminal: a table of tests, then findings and the run's facts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_spanemu.asserts.request_text import counted
from pytest_spanemu.report.run_report import ReportRow, RunReport
from pytest_spanemu.run import Run

COLUMNS = ("queries", "commits", "aborts", "mutations", "scans", "hot", "setup")
_TEST_CHARS_MAX = 60


def table(report: RunReport, rows_max: int) -> Iterator[str]:
    """Yield the lines of a table: the heads, then the rows to look at first."""
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


def worst_rows(rows: Sequence[ReportRow], rows_max: int) -> list[ReportRow]:
    """Return the rows to look at first: those with notes, then those with most requests."""
    return sorted(rows, key=_weight, reverse=True)[:rows_max]


def _weight(row: ReportRow) -> tuple[bool, int, int, int]:
    return (
        bool(row.notes),
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
