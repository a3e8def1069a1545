"""A record of the tests that have passed on a real Spanner: `.spanner-validated.json`.

    pytest --spanner-target=cloud ...                 records every test that passes
    pytest --spanner-validated-older-than=90          lists tests without a pass in 90 days

The record is a pytest plugin of its own, registered if one of the two applies; under xdist in the
controller. The file belongs into version control. It holds dates without times, so that a second
run on the same day changes little.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import spanemu
from pytest_spanemu.kept_facts import read_facts, write_facts
from pytest_spanemu.options import Target
from pytest_spanemu.settings import Settings

FILE = ".spanner-validated.json"
REAL = frozenset({Target.OMNI, Target.CLOUD})
MARK = "spanner"
SHOWN_MAX = 20

PassedTests = dict[str, dict[str, str]]  # date, target and version, by node id


class Validations:
    """The tests that have passed on a real Spanner, in this run and in earlier runs."""

    def __init__(self, root: Path, settings: Settings) -> None:
        self._path = root / FILE
        self._target = settings.target
        self._days = settings.validated_older_than
        self._passed = _read(self._path)
        self._today = datetime.now(UTC).date()
        self._ran: list[str] = []

    @property
    def is_needed(self) -> bool:
        """True if this run records passes or lists tests."""
        return self._target in REAL or self._days is not None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Record a test that has passed on a real Spanner."""
        if report.when != "call" or MARK not in report.keywords:
            return
        self._ran.append(report.nodeid)
        if report.passed and self._target in REAL:
            self._passed[report.nodeid] = {
                "date": self._today.isoformat(),
                "target": str(self._target),
                "version": spanemu.__version__,
            }

    def pytest_sessionfinish(self) -> None:
        """Write the file."""
        if self._target in REAL and self._ran:
            write_facts(self._path, self._passed)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """List the tests of this run without a recent pass on a real Spanner."""
        if self._days is None:
            return
        stale = list(self._stale(self._today - timedelta(self._days)))
        for line in stale[:SHOWN_MAX]:
            terminalreporter.write_line(line)
        if len(stale) > SHOWN_MAX:
            terminalreporter.write_line(f"... and {len(stale) - SHOWN_MAX} more")

    def _stale(self, oldest: date) -> Iterator[str]:
        for test in self._ran:
            entry = self._passed.get(test)
            if entry is None:
                yield f"never passed on a real Spanner: {test}"
            elif date.fromisoformat(entry["date"]) < oldest:
                yield f"last passed on {entry['target']} on {entry['date']}: {test}"


def _read(path: Path) -> PassedTests:
    if not path.is_file():
        return {}
    try:
        return read_facts(path)
    except ValueError as problem:
        raise pytest.UsageError(f"{path}: {problem}") from None
