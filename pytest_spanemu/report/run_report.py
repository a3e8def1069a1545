"""The data of all reports of a run, collected test by test: requests, findings and outcomes.

xdist's workers send theirs. `Outcomes` is registered as a plugin in runs that write reports to
files.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, field, fields
from itertools import islice
from typing import Any

import pytest

from pytest_spanemu.asserts import hotspots as hotspot_asserts
from pytest_spanemu.asserts.request_text import calling_lines, counted
from spanemu.base.record import dataclass

# The order in which reports show them.
STATUSES = ("failed", "error", "xpassed", "passed", "xfailed", "skipped")
FAILING = frozenset({"failed", "error"})
# A later phase changes the outcome of a test only for the worse.
_RANKS = {"passed": 0, "skipped": 1, "xfailed": 1, "xpassed": 1, "error": 2, "failed": 3}
_TEXT_CHARS_MAX = 20_000
_MARKER = "spanner"
_TERMINAL_CODES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


SCHEMA_VERSION = 1
HEATMAPS_MAX = 20  # tests with heatmaps in a report
SYSTEM_TABLES = ("INFORMATION_SCHEMA", "SPANNER_SYS")


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
    def has_one_failure(self) -> bool:
        """Return whether exactly one test failed or ended in an error."""
        failing = (outcome for outcome in self._by_test.values() if outcome.is_failing)
        return len(list(islice(failing, 2))) == 1

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


@dataclass(slots=True)
class ReportRow:
    """The counts and findings of one test: a row in the table, an object in JSON.

    Counts are None where nothing was recorded. `hot` is the highest score of a hotspot, 0 to 100,
    None where the detector could not judge. `setup_seconds` is the time that isolation took before
    and after the test. `hotspots`, `scans` and `left_open` describe findings; `over_budget` names
    the limits of a marker that the test exceeded. `databases` holds the details of the HTML report,
    `explorations` a note on each exploration of the test, with the timeline of a failure.
    """

    test: str
    queries: int | None = None
    commits: int | None = None
    aborts: int | None = None
    mutations: int | None = None
    full_scans: int | None = None
    lock_waits: int | None = None
    hot: int | None = None
    setup_seconds: float = 0.0
    hotspots: list[str] = field(default_factory=list)
    scans: list[str] = field(default_factory=list)
    left_open: list[str] = field(default_factory=list)
    over_budget: list[str] = field(default_factory=list)
    databases: list[dict[str, Any]] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)  # also of other plugins
    explorations: list[dict[str, Any]] = field(default_factory=list)

    def take_recording(self, recording: Any) -> None:
        """Add the counts of a recording of one database."""
        queries = recording.queries
        scans = [query for query in queries if is_full_scan(query)]
        self.queries = len(queries) + (self.queries or 0)
        self.commits = len(recording.commits) + (self.commits or 0)
        self.aborts = recording.aborts + (self.aborts or 0)
        self.mutations = recording.mutations + (self.mutations or 0)
        self.full_scans = len(scans) + (self.full_scans or 0)
        waits = sum(bool(request.lock_wait_seconds) for request in (*queries, *recording.attempts))
        self.lock_waits = waits + (self.lock_waits or 0)
        for query in scans:
            sql = " ".join(query.sql.split())
            text = f"{', '.join(query.full_scans)}: {sql} {calling_lines(query)}"
            if text not in self.scans:
                self.scans.append(text)

    def take_hotspots(self, report: Any, known: Collection[str] = ()) -> None:
        """Add the findings of the detector for one database.

        Findings that `known` names add to the score only.
        """
        if not report.spaces:
            return
        scores = [hotspot_asserts.hotspot_score(finding) for finding in report.findings]
        is_judged = any(space.verdict != "insufficient" for space in report.spaces.values())
        if is_judged or any(scores):
            self.hot = max([*scores, self.hot or 0])
        self.hotspots += [
            hotspot_asserts.finding_label(finding)
            for finding in report.findings
            if finding.severity == "error"
            and not any(hotspot_asserts.finding_matches(finding, entry) for entry in known)
        ]

    def take_budget(self, limits: Mapping[str, int]) -> None:
        """Add the limits that the test exceeded."""
        for name, limit in limits.items():
            value = getattr(self, name)
            count = len(value) if isinstance(value, list) else value
            if count is not None and count > limit:
                self.over_budget.append(f"{name.replace('_', ' ')} {count} > {limit}")

    @property
    def has_findings(self) -> bool:
        """Return whether the row has findings or full scans."""
        return bool(self._findings or self.full_scans)

    @property
    def notes(self) -> str:
        """The text after the counts in the table."""
        return "; ".join([*self._findings, *(each["note"] for each in self.explorations)])

    @property
    def finding_notes(self) -> str:
        """The notes that point out a problem."""
        return "; ".join(self._findings)

    @property
    def _findings(self) -> list[str]:
        parts = []
        if self.over_budget:
            parts.append(f"over budget: {', '.join(self.over_budget)}")
        parts += self.hotspots
        if self.left_open:
            parts.append(f"left open: {counted(len(self.left_open), 'transaction')}")
        return parts + self.remarks

    def to_json(self) -> dict[str, Any]:
        """Return plain data."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> ReportRow:
        """Return the row for the plain data of `to_json`."""
        names = {column.name for column in fields(cls)}
        return cls(**{name: value for name, value in values.items() if name in names})


def is_full_scan(query: Any) -> bool:
    """Return whether a query scans a table of the user, or its index, from end to end."""
    return bool(query.full_scans) and not any(
        name.upper().startswith(SYSTEM_TABLES) for name in query.tables
    )


@dataclass(slots=True)
class RunReport:
    """The rows of all tests with a database, how tests ended, the cost of the templates."""

    tests: list[ReportRow] = field(default_factory=list)
    schemas: list[str] = field(default_factory=list)
    template_seconds: float = 0.0
    heatmaps: dict[str, list[dict[str, Any]]] = field(default_factory=dict)  # by test
    capabilities: dict[str, bool] = field(default_factory=dict)  # of the target
    refused: dict[str, int] = field(default_factory=dict)  # tests, by the capability they lacked
    lint: list[str] = field(default_factory=list)  # of new schemas, until a test has reported it
    outcomes: Outcomes = field(default_factory=Outcomes, compare=False)  # in a controller

    def row(self, test: str) -> ReportRow:
        """Return the row of a test; add a row if the test is not the latest."""
        if not self.tests or self.tests[-1].test != test:
            self.tests.append(ReportRow(test))
        return self.tests[-1]

    def add_heatmaps(self, test: str, heatmaps: Sequence[dict[str, Any]]) -> None:
        """Add heatmaps of a test. Keep those of the `HEATMAPS_MAX` tests with the worst scores."""
        self.heatmaps.setdefault(test, []).extend(heatmaps)
        if len(self.heatmaps) > HEATMAPS_MAX:
            scores = {row.test: row.hot or 0 for row in self.tests}
            # Of equal scores the last goes, so that the reader sees the first test of a series.
            del self.heatmaps[min(reversed(self.heatmaps), key=lambda name: scores.get(name, 0))]

    def sorted_rows(self) -> list[ReportRow]:
        """Return the rows of all tests that use Spanner: failing tests first, then findings.

        Tests that failed before they had a database have empty rows.
        """
        known = {row.test for row in self.tests}
        others = [ReportRow(test) for test in self.outcomes.of_spanner() if test not in known]
        return sorted([*self.tests, *others], key=self._sort_key)

    def _sort_key(self, row: ReportRow) -> tuple[bool, bool]:
        return not self.outcomes.of(row.test).is_failing, not row.has_findings

    def refuse(self, capability: str, tests: int = 1) -> None:
        """Count tests that need a capability that the target does not have."""
        self.refused[capability] = self.refused.get(capability, 0) + tests

    def merge(self, values: Mapping[str, Any]) -> None:
        """Add the report of an xdist worker, as its `to_json` returns it."""
        if not values:
            return
        self.tests += [ReportRow.from_json(row) for row in values["tests"]]
        self.schemas += [text for text in values["schemas"] if text not in self.schemas]
        for test, heatmaps in values["heatmaps"].items():
            self.add_heatmaps(test, heatmaps)
        for capability, tests in values["refused"].items():
            self.refuse(capability, tests)
        self.capabilities |= values["capabilities"]
        # Workers build their templates at the same time.
        self.template_seconds = max(self.template_seconds, values["template_seconds"])

    def to_json(self) -> dict[str, Any]:
        """Return plain data, which xdist can send."""
        return {
            "tests": [row.to_json() for row in self.tests],
            "schemas": list(self.schemas),
            "template_seconds": self.template_seconds,
            "heatmaps": dict(self.heatmaps),
            "capabilities": dict(self.capabilities),
            "refused": dict(self.refused),
        }

    @property
    def setup_seconds(self) -> float:
        """The median of the time that isolation took for a test."""
        # Importing the module statistics takes longer than importing all of the plugin.
        ordered = sorted(row.setup_seconds for row in self.tests)
        return ordered[len(ordered) // 2] if ordered else 0.0

    def total(self, name: str) -> int:
        """Return the sum of a count over all tests."""
        return sum(getattr(row, name) or 0 for row in self.tests)
