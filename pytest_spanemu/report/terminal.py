"""The table at the end of a run: the tests that did most, and what was found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_spanemu.asserts.request_text import counted
from pytest_spanemu.report.figures import Figures
from pytest_spanemu.report.run_report import RunReport

COLUMNS = ("queries", "commits", "aborts", "mutations", "scans", "hot", "setup")
_TEST_CHARS_MAX = 60


def table(book: RunReport, rows_max: int) -> Iterator[str]:
    """Lines: a head, the worst tests, then what was found besides."""
    shown = worst(book.tests, rows_max)
    names = [_short(each.test) for each in shown]
    width = max(len("test"), *map(len, names))
    yield "  ".join(["test".ljust(width), *(name.rjust(9) for name in COLUMNS)])
    for name, figures in zip(names, shown, strict=True):
        row = "  ".join(cell.rjust(9) for cell in cells(figures))
        yield f"{name.ljust(width)}  {row}   {figures.notes}".rstrip()
    if len(book.tests) > len(shown):
        yield f"... and {counted(len(book.tests) - len(shown), 'other test')}"


def left_open(book: RunReport) -> Iterator[str]:
    """Transactions that tests left open, a line each."""
    for each in book.tests:
        for text in each.left_open:
            yield f"{each.test} left open, now aborted: {text}"


def worst(tests: Sequence[Figures], most: int) -> list[Figures]:
    """Those with something to say first, then those that did most; otherwise as they ran."""
    return sorted(tests, key=_weight, reverse=True)[:most]


def _weight(figures: Figures) -> tuple[bool, int, int, int]:
    return (
        bool(figures.notes),
        figures.hot or 0,
        figures.full_scans or 0,
        (figures.queries or 0) + (figures.commits or 0),
    )


def cells(figures: Figures) -> list[str]:
    """The figures of a test as texts, one for each of `COLUMNS`."""
    counts = (
        figures.queries,
        figures.commits,
        figures.aborts,
        figures.mutations,
        figures.full_scans,
        figures.hot or None,
    )
    setup = f"{figures.setup_seconds * 1e3:.1f}ms"
    return [*("-" if count is None else f"{count:,}" for count in counts), setup]


def _short(test: str) -> str:
    return test if len(test) <= _TEST_CHARS_MAX else f"...{test[3 - _TEST_CHARS_MAX :]}"


def findings(book: RunReport) -> str:
    """What was found in all, in one line; "" for nothing."""
    open_ = sum(len(each.left_open) for each in book.tests)
    over = sum(bool(each.over_budget) for each in book.tests)
    counts = (
        (book.total("full_scans"), "full scan", "full scans"),
        (sum(len(each.hotspots) for each in book.tests), "hotspot", "hotspots"),
        (over, "test over budget", "tests over budget"),
        (open_, "transaction left open", "transactions left open"),
    )
    return " · ".join(counted(*each) for each in counts if each[0])


def not_run(book: RunReport, target: str) -> str:
    """Which tests the target could not run, by what it lacks, in one line; "" for none."""
    told = ", ".join(
        f"{counted(tests, 'test')} for want of {capability}"
        for capability, tests in sorted(book.refused.items())
    )
    return f"not run on {target}: {told}" if told else ""
