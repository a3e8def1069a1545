"""The report on the page of a GitHub Actions run: appended to the file it names for that."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from pytest_spanemu.report.run_report import RunReport
from pytest_spanemu.report.terminal import COLUMNS, cells, findings, worst

VARIABLE = "GITHUB_STEP_SUMMARY"


def append_summary(path: Path, book: RunReport, rows: int, said: Iterable[str]) -> None:
    """Add a section in Markdown; `said` are lines on what was run."""
    with path.open("a", encoding="utf-8") as file:
        file.write("\n".join(_lines(book, rows, said)) + "\n")


def _lines(book: RunReport, rows: int, said: Iterable[str]) -> Iterator[str]:
    yield "### Spanner"
    yield ""
    yield f"| test | {' | '.join(COLUMNS)} | |"
    yield f"|---|{'---:|' * len(COLUMNS)}---|"
    for each in worst(book.tests, rows):
        yield f"| `{_cell(each.test)}` | {' | '.join(cells(each))} | {_cell(each.notes)} |"
    yield ""
    for text in filter(None, (findings(book), *said)):
        yield f"{text}  "


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("`", "'")
