"""The report inside the output of other tools: GitHub Actions and pytest-html."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

from pytest_spanemu.report.terminal import COLUMNS, cells, findings, run_lines, worst_rows
from pytest_spanemu.run import Run

_GITHUB_FILE = "GITHUB_STEP_SUMMARY"  # an environment variable that names a Markdown file

# ---------------------------------------------------------------------------- GitHub Actions


def append_github_summary(run: Run) -> None:
    """Add a section to the summary of the step, if the run is a step of GitHub Actions."""
    path = os.environ.get(_GITHUB_FILE)
    if path and run.settings.report.table_rows:
        with Path(path).open("a", encoding="utf-8") as file:
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
