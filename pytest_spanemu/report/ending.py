"""The end of a run: its reports are made, as the settings ask for them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_spanemu.report import counts, github
from pytest_spanemu.report.documents import document_of, write_html, write_json
from pytest_spanemu.report.terminal import findings, left_open, not_run, table
from pytest_spanemu.run import Run


def write_files(config: pytest.Config, run: Run) -> None:
    """Every report that is a file, and what other plugins make of it."""
    report, start = run.settings.report, config.invocation_params.dir
    hook = config.hook.pytest_spanemu_report
    if report.json or hook.get_hookimpls():
        document = document_of(run.report, run.described())
        for path in report.json:
            write_json(start / path, document)
        hook(config=config, report=document)
    for path in report.html:
        write_html(start / path, run.report, run.facts, " · ".join(said(run)))
    if run.settings.save:
        counts.save(counts.path_of(run.settings.save, run.root), run.report)
    summary = os.environ.get(github.VARIABLE)
    if summary and report.table_rows:
        github.append_summary(Path(summary), run.report, report.table_rows, said(run))


def lines(run: Run, *, is_brief: bool) -> Iterator[str]:
    """What is said on the terminal, below the table."""
    if run.was_used and run.settings.report.table_rows and not is_brief:
        yield from table(run.report, run.settings.report.table_rows)
    yield from left_open(run.report)
    yield findings(run.report)
    yield from compared(run)
    yield from said(run)


def said(run: Run) -> Iterator[str]:
    """What was run, and what could not be."""
    yield from filter(None, (not_run(run.report, run.settings.target), run.summary()))


def compared(run: Run) -> Iterator[str]:
    """How the counts differ from those that were saved, a line each."""
    for change in _changes(run):
        yield f"{change}{', too much' if _is_too_much(run, change) else ''}"


def is_too_much(run: Run) -> bool:
    """Whether a count rose by more than `spanner_compare_fail` allows."""
    return any(_is_too_much(run, change) for change in _changes(run))


def known_counts(run: Run) -> counts.Counts:
    """The counts to compare with, if any. Raises pytest.UsageError when they are not there."""
    if not run.settings.compare:
        return {}
    return counts.load(counts.path_of(run.settings.compare, run.root))


def _changes(run: Run) -> list[counts.Change]:
    return list(counts.changes(known_counts(run), run.report))


def _is_too_much(run: Run, change: counts.Change) -> bool:
    limit = run.settings.compare_fail.get(change.name)
    return limit is not None and not limit.is_kept(change.before, change.after)
