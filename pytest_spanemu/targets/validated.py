"""Which tests have passed on a real Spanner, and when: `.spanner-validated.json`.

    pytest --spanner-target=cloud ...                 notes every test that passes
    pytest --spanner-validated-older-than=90          tells which have not passed there for so long

A plugin of its own, registered where one of the two is asked for; under xdist in the controller.
The file belongs into version control. Times are days, so that a second run of a day changes little.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import spanemu
from pytest_spanemu.setting_values import Target
from pytest_spanemu.settings import Settings

FILE = ".spanner-validated.json"
REAL = frozenset({Target.OMNI, Target.CLOUD})
MARK = "spanner"
SHOWN_MAX = 20

PassedTests = dict[str, dict[str, str]]  # by test: date, target, version


class Validations:
    """What passes in this run, and what passed in earlier ones."""

    def __init__(self, root: Path, settings: Settings) -> None:
        self._path = root / FILE
        self._target = settings.target
        self._days = settings.validated_older_than
        self._known = _read(self._path)
        self._today = datetime.now(UTC).date()
        self._seen: list[str] = []

    @property
    def is_needed(self) -> bool:
        """Whether this run notes or tells anything."""
        return self._target in REAL or self._days is not None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A part of a test is over."""
        if report.when != "call" or MARK not in report.keywords:
            return
        self._seen.append(report.nodeid)
        if report.passed and self._target in REAL:
            self._known[report.nodeid] = {
                "date": self._today.isoformat(),
                "target": str(self._target),
                "version": spanemu.__version__,
            }

    def pytest_sessionfinish(self) -> None:
        """Keep what has passed."""
        if self._target in REAL and self._seen:
            text = json.dumps(self._known, indent=1, sort_keys=True)
            self._path.write_text(f"{text}\n", encoding="utf-8")

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Tell which of the tests that ran have not passed on a real Spanner lately."""
        if self._days is None:
            return
        stale = list(self._stale(self._today - timedelta(self._days)))
        for line in stale[:SHOWN_MAX]:
            terminalreporter.write_line(line)
        if len(stale) > SHOWN_MAX:
            terminalreporter.write_line(f"... and {len(stale) - SHOWN_MAX} more")

    def _stale(self, oldest: date) -> Iterator[str]:
        for test in self._seen:
            note = self._known.get(test)
            if note is None:
                yield f"never passed on a real Spanner: {test}"
            elif date.fromisoformat(note["date"]) < oldest:
                yield f"last passed on {note['target']} on {note['date']}: {test}"


def _read(path: Path) -> PassedTests:
    if not path.is_file():
        return {}
    try:
        found: PassedTests = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as problem:
        raise pytest.UsageError(f"{path}: {problem}") from None
    return found
