"""The report as files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pytest_spanemu.report.book import SCHEMA_VERSION, Book

TOTALS = ("queries", "commits", "aborts", "mutations", "full_scans", "lock_waits")


def write_json(path: Path, book: Book, run: dict[str, Any]) -> None:
    """One document: what was run, totals, then every test in the order in which it ended."""
    document = {
        "schema_version": SCHEMA_VERSION,
        **run,
        "totals": {name: book.total(name) for name in TOTALS},
        **book.to_json(),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
