"""The report as files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pytest_spanemu.report.outcome import counts_of
from pytest_spanemu.report.page import page
from pytest_spanemu.report.run_facts import RunFacts
from pytest_spanemu.report.run_report import SCHEMA_VERSION, RunReport

TOTALS = ("queries", "commits", "aborts", "mutations", "full_scans", "lock_waits")


def document_of(book: RunReport, run: dict[str, Any]) -> dict[str, Any]:
    """Return what was run, totals, then every test in the order in which it ended."""
    document = {
        "schema_version": SCHEMA_VERSION,
        **run,
        "outcomes": counts_of(book.outcomes.of_spanner().values()),
        "totals": {name: book.total(name) for name in TOTALS},
        **book.to_json(),
    }
    for test in document["tests"]:
        outcome = book.outcomes.of(test["test"])
        test |= {"outcome": outcome.status, "seconds": outcome.seconds, "message": outcome.message}
    del document["pictures"]
    return document


def write_json(path: Path, document: dict[str, Any]) -> None:
    """The document as a file."""
    _write(path, json.dumps(document, indent=2, ensure_ascii=False) + "\n")


def write_html(path: Path, book: RunReport, facts: RunFacts, run: str) -> None:
    """Write the page; `run` says in a line what was run."""
    _write(path, page(book, facts, run))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
