"""How tests ended, collected from pytest's reports of their phases.

`Outcomes` is registered as a plugin in runs that write reports to files.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

import pytest

from spanemu.base.record import dataclass

# The order in which reports show them.
STATUSES = ("failed", "error", "xpassed", "passed", "xfailed", "skipped")
FAILING = frozenset({"failed", "error"})
# A later phase changes the outcome of a test only for the worse.
_RANKS = {"passed": 0, "skipped": 1, "xfailed": 1, "xpassed": 1, "error": 2, "failed": 3}
_TEXT_CHARS_MAX = 20_000
_MARKER = "spanner"
_TERMINAL_CODES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


@dataclass(slots=True)
class Outcome:
    """The outcome of a test. `seconds` is the time of setup, call and teardown together.

    `message` is the first two lines of a failure, `text` the failure with its traceback; for a
    skipped test both are the reason. `uses_spanner` is true if a fixture of the test uses Spanner.
    """

    status: str = "passed"
    seconds: float = 0.0
    message: str = ""
    text: str = ""
    uses_spanner: bool = False

    @property
    def is_failing(self) -> bool:
        """Return whether the test, its setup or its teardown failed."""
        return self.status in FAILING


class Outcomes:
    """The outcomes of all tests of a run, by node id."""

    def __init__(self) -> None:
        self._by_test: dict[str, Outcome] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add the report of a phase. The report of a setup replaces the outcome, for reruns."""
        if report.when == "setup" or report.nodeid not in self._by_test:
            self._by_test[report.nodeid] = Outcome(uses_spanner=_MARKER in report.keywords)
        outcome = self._by_test[report.nodeid]
        outcome.seconds += report.duration
        status = _status(report)
        if _RANKS[status] > _RANKS[outcome.status]:
            outcome.status = status
            outcome.text = _TERMINAL_CODES.sub("", _reason(report))[-_TEXT_CHARS_MAX:]
            outcome.message = _message(report, outcome.text)

    def of(self, test: str) -> Outcome:
        """Return the outcome of a test; passed if no phase of the test has ended."""
        return self._by_test.get(test, Outcome())

    def of_spanner(self) -> dict[str, Outcome]:
        """Return the outcomes of the tests that use Spanner."""
        return {test: outcome for test, outcome in self._by_test.items() if outcome.uses_spanner}

    @property
    def has_failing_spanner(self) -> bool:
        """Return whether a test that uses Spanner failed, maybe before it had a database."""
        return any(outcome.is_failing for outcome in self.of_spanner().values())

    @property
    def others(self) -> list[Outcome]:
        """The outcomes of tests that do not use Spanner."""
        return [outcome for outcome in self._by_test.values() if not outcome.uses_spanner]


def counts_of(outcomes: Iterable[Outcome]) -> dict[str, int]:
    """Return the number of tests by status, failures first, without the zeros."""
    counts = Counter(outcome.status for outcome in outcomes)
    return {status: counts[status] for status in STATUSES if counts[status]}


def _status(report: pytest.TestReport) -> str:
    is_expected = hasattr(report, "wasxfail")
    if report.outcome == "failed":
        return "failed" if report.when == "call" else "error"
    if report.outcome == "skipped":
        return "xfailed" if is_expected else "skipped"
    return "xpassed" if is_expected and report.when == "call" else "passed"


def _reason(report: pytest.TestReport) -> str:
    if hasattr(report, "wasxfail"):
        return str(report.wasxfail)
    if isinstance(report.longrepr, tuple):  # of a skipped test: path, line, reason
        return report.longrepr[2]
    return report.longreprtext


def _message(report: pytest.TestReport, text: str) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    message = text if crash is None else _TERMINAL_CODES.sub("", str(crash.message))
    return "\n".join(line.rstrip() for line in message.strip().splitlines()[:2]).rstrip()
