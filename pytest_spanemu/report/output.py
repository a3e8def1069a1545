"""Writes the reports at the end of a run, as the settings ask for them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_spanemu.report.options import COUNTED
from pytest_spanemu.report.outcome import counts_of
from pytest_spanemu.report.run_report import SCHEMA_VERSION
from pytest_spanemu.report.saved_counts import comparison_lines, save_counts
from pytest_spanemu.report.summaries import append_github_summary
from pytest_spanemu.report.terminal import findings, left_open, run_lines, table
from pytest_spanemu.run import Run
from spanemu.base.deferred import deferred

if TYPE_CHECKING:
    from pytest_spanemu.report import page as pages
else:
    pages = deferred("pytest_spanemu.report.page")


def terminal_lines(run: Run, *, is_brief: bool) -> Iterator[str]:
    """Yield the lines of the report on the terminal."""
    if run.was_used and run.settings.report.table_rows and not is_brief:
        yield from table(run.report, run.settings.report.table_rows)
    yield from left_open(run.report)
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
    path.write_text(text, encoding="utf-8")
