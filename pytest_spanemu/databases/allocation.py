"""Allocation of a database to each test, with the observation that the run's reports need.

enter       the isolation strategy of the template returns a database
observe     requests and hotspots are recorded if a report or `spanner_fail_on` uses them
report      counts, hotspots and open transactions go to the report row of the test
leave       the isolation strategy undoes the changes of the test
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from time import perf_counter
from typing import Any

import pytest

import spanemu
from pytest_spanemu.asserts import hotspots as hotspot_asserts
from pytest_spanemu.databases.isolation import IsolationStrategy, create_strategy
from pytest_spanemu.databases.observation import Observation
from pytest_spanemu.databases.template import Template
from pytest_spanemu.options import Isolation
from pytest_spanemu.report import details as test_details
from pytest_spanemu.report.run_report import ReportRow, RunReport
from pytest_spanemu.settings import Settings
from pytest_spanemu.targets.target import HOTSPOTS, PLANS, RECORDING, SpannerEmulator
from spanemu.base.record import dataclass

COMMITS_JUDGED_MIN = 5  # No rule of the detector applies to fewer, so most tests need no report.


@dataclass(frozen=True, slots=True)
class _FailureCondition:
    """A condition of `spanner_fail_on` that the report row of a test can meet."""

    condition: str
    title: str
    figure: str  # the attribute of `ReportRow` that holds the texts
    advice: str


_FAILURE_CONDITIONS = (
    _FailureCondition(
        "hotspot", "hotspots", "hotspots",
        "--spanner-report=html:PATH shows the evidence and a fix; the marker "
        'spanner_hotspots(expect=["TABLE"]) names known hotspots.',
    ),
    _FailureCondition(
        "full-scan", "full scans", "scans",
        "Filter by a key or an indexed column, or add an index for the filter.",
    ),
    _FailureCondition(
        "open-transaction", "transactions left open", "left_open",
        "Commit the transactions or roll them back; they hold locks until then.",
    ),
)  # fmt: skip
_LINT_ADVICE = (
    "Only the first test of a schema fails for the schema. `spanemu lint --explain ID` explains a "
    "rule; a comment `-- spanemu: ignore=ID` in the schema suppresses a finding."
)


class DatabaseAllocator:
    """The isolation strategies of a run's templates, and the databases that tests get from them."""

    def __init__(self, config: pytest.Config, settings: Settings, report: RunReport) -> None:
        self._config = config
        self._settings = settings
        self._report = report
        self._strategies: dict[tuple[int, Isolation], tuple[Template, IsolationStrategy]] = {}
        self._numbers = count(1)
        self._is_reported = settings.report.needs_recordings
        self._fails_on = [
            each for each in _FAILURE_CONDITIONS if each.condition in settings.fail_on
        ]

    def strategy(self, template: Template, isolation: Isolation) -> IsolationStrategy:
        """Return the isolation strategy of a template, created on the first call."""
        key = (id(template), isolation)
        if key not in self._strategies:
            strategy = create_strategy(isolation, template, self._next_database_id)
            self._strategies[key] = template, strategy
        return self._strategies[key][1]

    def _next_database_id(self) -> str:
        return f"{self._settings.database_prefix}-{next(self._numbers)}"

    def close(self, template: Template) -> None:
        """Close the isolation strategies of a template."""
        for key, (known, strategy) in list(self._strategies.items()):
            if known is template:
                del self._strategies[key]
                with contextlib.suppress(Exception):  # A test may have dropped the database.
                    strategy.close()

    @contextmanager
    def allocate(
        self, template: Template, isolation: Isolation | None, test: str
    ) -> Iterator[Observation]:
        """Yield the observation of a database that belongs to one test until the block ends."""
        emulator = template.emulator
        mode = isolation or self._settings.isolation or emulator.default_isolation
        began = perf_counter()
        template.ensure_exists()
        entered = perf_counter() - began
        strategy = self.strategy(template, mode)  # Not part of the test's setup time.
        began = perf_counter()
        handle = strategy.enter()
        entered += perf_counter() - began
        observation = self._observe(emulator, handle)
        try:
            yield observation
        finally:
            row = self._report.row(test)
            try:
                self._record(observation, row)
            finally:
                began = perf_counter()
                strategy.leave()
                if observation.moves_clock:
                    emulator.clock.reset()
            row.setup_seconds += entered + perf_counter() - began

    def finish(self, node: Any, budget: Mapping[str, int]) -> None:
        """Complete the report row of a test. Fail the test for conditions of `spanner_fail_on`.

        `node` is the test, or the module or session that a shared database belongs to. A finding
        that the test has failed for already is not reported as a second failure.
        """
        test: str = node.nodeid
        row = self._report.row(test)
        if budget:
            row.take_budget(budget)
        hook = self._config.hook.pytest_spanemu_report_row
        if hook.get_hookimpls():
            row.remarks += hook(config=self._config, test=test, figures=row.to_json())
        failures = []
        for condition in self._fails_on:
            texts = hotspot_asserts.unreported_findings(node, getattr(row, condition.figure))
            if texts:
                failures.append(_failure_text(condition.title, texts, condition.advice))
        if self._report.lint:  # Only the first test of a schema fails for the schema.
            lint, self._report.lint = self._report.lint, []
            failures.append(_failure_text("the schema", lint, _LINT_ADVICE))
        if failures:
            pytest.fail("\n".join(failures), pytrace=False)

    # ------------------------------------------------------------------ observation

    def _observe(self, emulator: SpannerEmulator, handle: Any) -> Observation:
        observation = Observation(emulator, handle)
        is_reported, fail_on = self._is_reported, self._settings.fail_on
        if (is_reported or "full-scan" in fail_on) and emulator.can(RECORDING):
            _ = observation.recording
        if (is_reported or "hotspot" in fail_on) and emulator.can(HOTSPOTS):
            _ = observation.hotspots
        return observation

    def _record(self, observation: Observation, row: ReportRow) -> None:
        """Add what was observed to the report row of a test."""
        observation.end()
        recording = observation.recording_if_started
        hotspots = observation.hotspots_if_started
        if recording is not None:
            row.take_recording(recording)
        commits = COMMITS_JUDGED_MIN if recording is None else len(recording.commits)
        if commits < COMMITS_JUDGED_MIN:
            hotspots = None
        if hotspots is not None:
            row.take_hotspots(hotspots.report(), observation.known_hotspots)
        if self._settings.report.html:
            self._record_details(observation, row, hotspots)
        row.remarks += [f"does not return: {name}" for name in observation.abandoned_functions()]
        row.explorations += observation.explorations
        row.left_open += abort_open_transactions(observation.handle, recording)

    def _record_details(self, observation: Observation, row: ReportRow, hotspots: Any) -> None:
        """Add what the HTML report shows of a test besides its row."""
        details: dict[str, Any] = {}
        emulator, recording = observation.emulator, observation.recording_if_started
        if recording is not None:
            database = observation.handle.client() if emulator.can(PLANS) else None
            details |= test_details.details_of(recording, database)
        if hotspots is not None:
            details["findings"] = test_details.findings_of(hotspots.report())
            details["dialect"] = observation.handle.dialect
            self._report.add_heatmaps(row.test, [test_details.heatmap_data(hotspots)])
        row.databases.append(details)


def _failure_text(title: str, texts: Sequence[str], advice: str) -> str:
    """Return the text of a failure. pytest's summary shows the first line: the first finding."""
    first, *others = texts
    return "\n".join([f"{title}: {first}", *(f"  {text}" for text in others), advice])


# ------------------------------------------------------------------ open transactions


def abort_open_transactions(handle: Any, recording: Any) -> list[str]:
    """Abort the open transactions of a database, and return a description of each.

    A description holds the id, the tags and the last statement of the transaction, and the line
    that sent the statement if the statement was recorded. Returns an empty list for a target that
    cannot list transactions.
    """
    try:
        transactions = handle.open_transactions()
        if transactions:
            handle.abort_transactions()
    except spanemu.Unsupported:
        return []
    return [_describe(each, recording) for each in transactions]


def _describe(transaction: Any, recording: Any) -> str:
    parts = [f"transaction {transaction.id}"]
    tags = [tag for tag in (transaction.transaction_tag, transaction.request_tag) if tag]
    if tags:
        parts.append(f"tagged {', '.join(tags)}")
    statement = " ".join(transaction.last_statement.split())
    if statement:
        site = _call_site(transaction.last_statement, recording)
        parts.append(f"last statement: {statement}{site}")
    return ", ".join(parts)


def _call_site(statement: str, recording: Any) -> str:
    for query in reversed(recording.queries if recording is not None else ()):
        if query.sql == statement and query.site:
            return f" at {query.site}"
    return ""
