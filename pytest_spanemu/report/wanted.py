"""Which reports a run is to make."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

TABLE_ROWS = 10


@dataclass(frozen=True, slots=True)
class Reports:
    """Which reports a run makes: a table of so many rows, 0 for none; files of JSON and HTML."""

    table_rows: int = TABLE_ROWS
    json: tuple[str, ...] = ()
    html: tuple[str, ...] = ()

    @classmethod
    def of(cls, given: Sequence[str]) -> Reports:
        """From words like "term:20" and "json:out.json". Raises pytest.UsageError."""
        rows = TABLE_ROWS
        files: dict[str, list[str]] = {"json": [], "html": []}
        for word in given:
            kind, _, rest = word.partition(":")
            if kind == "term" and (not rest or rest.isdecimal()):
                rows = int(rest or TABLE_ROWS)
            elif kind in files and rest:
                files[kind].append(rest)
            elif word == "none":
                rows = 0
            else:
                raise pytest.UsageError(
                    f"spanner_report: {word!r} is not one of term[:ROWS], json:PATH, "
                    "html:PATH, none."
                )
        return cls(rows, tuple(files["json"]), tuple(files["html"]))

    @property
    def names_files(self) -> bool:
        """Whether a report is written to a file."""
        return bool(self.json or self.html)

    @property
    def are_wanted(self) -> bool:
        """Whether what tests do needs to be recorded for them."""
        return bool(self.table_rows or self.json or self.html)
