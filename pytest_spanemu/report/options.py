"""The settings of reports: `spanner_report` and `spanner_compare_fail`."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from spanemu.base.record import dataclass

TABLE_ROWS = 10
COUNTED = ("queries", "commits", "aborts", "mutations", "full_scans", "lock_waits")


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """The reports that a run writes: a table of at most `table_rows` tests, JSON and HTML files."""

    table_rows: int = TABLE_ROWS  # 0 for no table
    json: tuple[str, ...] = ()
    html: tuple[str, ...] = ()

    @classmethod
    def of(cls, words: Sequence[str]) -> ReportOptions:
        """Parse words like "term:20" and "json:out.json". Raises pytest.UsageError."""
        rows = TABLE_ROWS
        files: dict[str, list[str]] = {"json": [], "html": []}
        for word in words:
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
    def has_files(self) -> bool:
        """Return whether a report is written to a file."""
        return bool(self.json or self.html)

    @property
    def needs_recordings(self) -> bool:
        """Return whether a report needs recordings of what tests do."""
        return bool(self.table_rows or self.has_files)


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit for the rise of a count: a number, or a percentage of the saved count."""

    increase: float
    is_percent: bool

    def allows(self, before: int, after: int) -> bool:
        """Return whether a count may rise from `before` to `after`."""
        allowed = before * self.increase / 100 if self.is_percent else self.increase
        return after - before <= allowed


def limits_of(words: Sequence[str]) -> dict[str, Limit]:
    """Parse words like "commits:0" and "queries:10%". Raises pytest.UsageError."""
    limits = {}
    for word in words:
        name, _, increase = word.partition(":")
        number = increase.removesuffix("%")
        if name not in COUNTED or not number.isdecimal():
            raise pytest.UsageError(
                f"spanner_compare_fail: {word!r} is not COUNT:NUMBER or COUNT:NUMBER%, with a "
                f"count of {', '.join(COUNTED)}."
            )
        limits[name] = Limit(float(number), increase.endswith("%"))
    return limits
