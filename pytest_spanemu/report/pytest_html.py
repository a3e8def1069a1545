"""The report in the page of pytest-html, above its table of tests."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

from pytest_spanemu.report.ending import said
from pytest_spanemu.report.terminal import COLUMNS, cells, findings, worst
from pytest_spanemu.run import Run


def section(run: Run, page: str | None) -> str:
    """What tests did, as HTML; `page` is where that of pytest-html is written."""
    return "".join(_parts(run, page))


def _parts(run: Run, page: str | None) -> Iterator[str]:
    rows = run.settings.report.table_rows
    yield "<h2>Spanner</h2>"
    if rows:
        yield f"<table><tr>{_row('th', ('test', *COLUMNS, ''))}</tr>"
        for each in worst(run.report.tests, rows):
            yield f"<tr>{_row('td', (each.test, *cells(each), each.notes))}</tr>"
        yield "</table>"
    for text in filter(None, (findings(run.report), *said(run))):
        yield f"<p>{escape(text)}</p>"
    start = run.config.invocation_params.dir
    above = (start / page).parent if page else start
    for path in run.settings.report.html:
        link = Path(os.path.relpath(start / path, above)).as_posix()
        yield f'<p><a href="{escape(link)}">Statements, plans, heatmaps</a></p>'


def _row(tag: str, texts: Sequence[str]) -> str:
    return "".join(f"<{tag}>{escape(text)}</{tag}>" for text in texts)
