"""Gives tests their databases, watched as the run's reports need it, and writes down what they did.

enter    the keeper of the template's isolation gives a database
watch    its requests and hotspots, where somebody will be told of them
tell     figures, hotspots and what was left open go to the test's page of the book
leave    the keeper undoes what the test did
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
from pytest_spanemu.asserts.hotspots import unreported_findings
from pytest_spanemu.databases.isolation import IsolationStrategy, create_strategy
from pytest_spanemu.databases.observation import Observation
from pytest_spanemu.databases.template import Template
from pytest_spanemu.report.details import details_of, findings_of
from pytest_spanemu.report.figures import Figures
from pytest_spanemu.report.pictures import picture_of
from pytest_spanemu.report.run_report import RunReport
from pytest_spanemu.setting_values import Isolation
from pytest_spanemu.settings import Settings
from pytest_spanemu.targets.target import HOTSPOTS, PLANS, RECORDING, SpannerEmulator


def leftovers(handle: Any, recording: Any) -> list[str]:
    """The transactions that are still open, one text each; they are aborted.

    Each text has the id, tags and last statement, and the line that sent it if it was recorded. A
    target that cannot list transactions has none.
    """
    try:
        found = handle.open_transactions()
        if found:
            handle.abort_transactions()
    except spanemu.Unsupported:
        return []
    return [_told(each, recording) for each in found]


def _told(transaction: Any, recording: Any) -> str:
    parts = [f"transaction {transaction.id}"]
    tags = [tag for tag in (transaction.transaction_tag, transaction.request_tag) if tag]
    if tags:
        parts.append(f"tagged {', '.join(tags)}")
    statement = " ".join(transaction.last_statement.split())
    if statement:
        site = _site(transaction.last_statement, recording)
        parts.append(f"last statement: {statement}{site}")
    return ", ".join(parts)


def _site(statement: str, recording: Any) -> str:
    for query in reversed(recording.queries if recording is not None else ()):
        if query.sql == statement and query.site:
            return f" at {query.site}"
    return ""


COMMITS_JUDGED_MIN = 5  # No rule of the detector speaks below, so most tests need no report.
_TOLD = (  # a word of `fail_on`, its title, where the figures have the texts, what to do
    ("hotspot", "hotspots", "hotspots",
     "--spanner-report=html:PATH has the evidence and a fix; the marker "
     'spanner_hotspots(expect=["TABLE"]) names known ones.'),
    ("full-scan", "full scans", "scans",
     "Filter by a key or an indexed column, or add an index for the filter."),
    ("open-transaction", "transactions left open", "left_open",
     "Commit them or roll them back; locks are held until then."),
)  # fmt: skip


_LINT_ADVICE = (
    "Told once, by the first test of the schema. `spanemu lint --explain ID` has the reason; a "
    "comment `-- spanemu: ignore=ID` in the schema lets it pass."
)


class DatabaseAllocator:
    """The keepers of a run's templates, and what tests do between `enter` and `leave`."""

    def __init__(self, config: pytest.Config, settings: Settings, report: RunReport) -> None:
        self._config = config
        self._settings = settings
        self._report = report
        self._strategies: dict[tuple[int, Isolation], tuple[Template, IsolationStrategy]] = {}
        self._numbers = count(1)
        self._is_told = settings.report.are_wanted
        self._fails_on = [row for row in _TOLD if row[0] in settings.fail_on]

    def strategy(self, template: Template, isolation: Isolation) -> IsolationStrategy:
        """Who gives tests their databases from a template, and undoes what they did."""
        key = (id(template), isolation)
        if key not in self._strategies:
            strategy = create_strategy(isolation, template, self._another_id)
            self._strategies[key] = template, strategy
        return self._strategies[key][1]

    def _another_id(self) -> str:
        return f"{self._settings.database_prefix}-{next(self._numbers)}"

    def close(self, template: Template) -> None:
        """A template goes, and its keepers with it."""
        for key, (kept, strategy) in list(self._strategies.items()):
            if kept is template:
                del self._strategies[key]
                with contextlib.suppress(Exception):  # A test may have dropped the database.
                    strategy.close()

    @contextmanager
    def allocate(
        self, template: Template, isolation: Isolation | None, test: str
    ) -> Iterator[Observation]:
        """A test's database, for as long as the block runs."""
        emulator = template.emulator
        mode = isolation or self._settings.isolation or emulator.default_isolation
        strategy = self.strategy(template, mode)  # Made once, and so not charged to a test.
        began = perf_counter()
        handle = strategy.enter()
        entered = perf_counter() - began
        observation = self._observed(emulator, handle)
        try:
            yield observation
        finally:
            page = self._report.page(test)
            try:
                self._write_down(observation, page)
            finally:
                began = perf_counter()
                strategy.leave()
                if observation.moves_clock:
                    emulator.clock.reset()
            page.setup_seconds += entered + perf_counter() - began

    def finish(self, node: Any, budget: Mapping[str, int]) -> None:
        """Take the figures of a test as they are now; fail it for what the run's `fail_on` names.

        `node` is the test, or the module or session that a shared database belongs to. A finding
        that the test has failed for is no second failure.
        """
        test: str = node.nodeid
        page = self._report.page(test)
        if budget:
            page.take_budget(budget)
        hook = self._config.hook.pytest_spanemu_report_row
        if hook.get_hookimpls():
            page.remarks += hook(config=self._config, test=test, figures=page.to_json())
        told = []
        for _, title, name, advice in self._fails_on:
            texts = unreported_findings(node, getattr(page, name))
            if texts:
                told.append(_listed(title, texts, advice))
        if self._report.lint:  # The first test of a schema fails for it, and the others go on.
            lint, self._report.lint = self._report.lint, []
            told.append(_listed("the schema", lint, _LINT_ADVICE))
        if told:
            pytest.fail("\n".join(told), pytrace=False)

    # ------------------------------------------------------------------ what is watched

    def _observed(self, emulator: SpannerEmulator, handle: Any) -> Observation:
        observation = Observation(emulator, handle)
        told, fail_on = self._is_told, self._settings.fail_on
        if (told or "full-scan" in fail_on) and emulator.can(RECORDING):
            _ = observation.recording
        if (told or "hotspot" in fail_on) and emulator.can(HOTSPOTS):
            _ = observation.hotspots
        return observation

    def _write_down(self, observation: Observation, page: Figures) -> None:
        observation.end()
        recorded = observation.recorded
        if recorded is not None:
            page.take_recording(recorded)
        commits = COMMITS_JUDGED_MIN if recorded is None else len(recorded.commits)
        if observation.watched is not None and commits >= COMMITS_JUDGED_MIN:
            page.take_hotspots(observation.watched.report(), observation.known_hotspots)
        if self._settings.report.html:
            self._tell_all(observation, page, commits)
        page.left_open += leftovers(observation.handle, recorded)

    def _tell_all(self, observation: Observation, page: Figures, commits: int) -> None:
        """What the HTML report shows of a test besides its figures."""
        details: dict[str, Any] = {}
        emulator = observation.emulator
        if observation.recorded is not None:
            database = observation.handle.client() if emulator.can(PLANS) else None
            details |= details_of(observation.recorded, database)
        if observation.watched is not None and commits >= COMMITS_JUDGED_MIN:
            details["findings"] = findings_of(observation.watched.report())
            self._report.add_pictures(page.test, [picture_of(observation.watched)])
        page.databases.append(details)


def _listed(title: str, texts: Sequence[str], advice: str) -> str:
    """A text whose first line, which is all that a summary shows, has the first of them."""
    first, *others = texts
    return "\n".join([f"{title}: {first}", *(f"  {text}" for text in others), advice])
