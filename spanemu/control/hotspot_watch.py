"""The observed writes of a block, and the assertions about them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from types import TracebackType
from typing import Self

from spanemu.base.process import OwnProcess
from spanemu.base.severity import Severity
from spanemu.control.operation import ControlInterface, operation
from spanemu.database.database import Database
from spanemu.hotspots.assumptions import Assumptions
from spanemu.hotspots.finding import Finding, KeySpaceStats
from spanemu.hotspots.report import Report
from spanemu.hotspots.thresholds import THRESHOLDS
from spanemu.hotspots.verdict import Level

# mypy: disable-error-code="empty-body"

__tracebackhide__ = True  # pytest then shows the caller's line

CONTENTION_RULES = ("SPN402", "SPN805")


class SpannerHotspotInsufficientData(UserWarning):
    """An assertion passed because too few rows were written to judge them."""


class HotspotsFound(AssertionError):
    """A failed assertion about hotspots; `findings` are the findings that contradict it."""

    def __init__(self, message: str, findings: Sequence[Finding] = ()) -> None:
        super().__init__(message)
        self.findings = tuple(findings)


class Watch(ControlInterface, Mapping[str, KeySpaceStats]):
    """The observed writes of a block: a context manager, and a mapping by table and index."""

    PATH = "watches/{watch}"
    SCOPE = "watch"

    def __init__(self) -> None:
        self._final: Report | None = None  # Once finished.

    @operation("ReportWatch", "GET", "report")
    def current_report(self) -> Report:
        """Return the report of the writes so far."""

    @operation("StopWatch", "POST :stop", "report", releases="watch")
    def finish(self) -> Report:
        """Stop watching, and return the final report."""

    def stop(self) -> None:
        """Stop watching, unless a later watch has replaced this watch."""
        if self._final is None:
            self._final = self.finish()

    def report(self) -> Report:
        """Return the report of the writes so far."""
        return self.current_report() if self._final is None else self._final

    @property
    def findings(self) -> list[Finding]:
        """The report's findings, worst first."""
        return self.report().findings

    def worst(self) -> Finding | None:
        """Return the worst finding, or None."""
        return next(iter(self.findings), None)

    # ------------------------------------------------------------------ assertions

    def assert_none(self, severity: str = "error", *, require_evidence: bool = False) -> None:
        """Raise HotspotsFound if there is a finding of a severity or a worse one.

        If too few rows were written to judge any table, the assertion passes with a warning; with
        `require_evidence` it fails.
        """
        report = self.report()
        limit = Severity(severity).rank
        findings = [each for each in report.findings if each.severity.rank <= limit]
        if findings:
            raise HotspotsFound("\n".join(map(_described, findings)), findings)
        judged = [s for s in report.spaces.values() if s.verdict is not Level.INSUFFICIENT]
        if not judged:
            said = _insufficient(report)
            if require_evidence:
                raise HotspotsFound(said)
            warnings.warn(SpannerHotspotInsufficientData(said), stacklevel=2)

    def assert_max_share(self, name: str, share: float) -> None:
        """Raise HotspotsFound if one of eight key ranges takes more than a share of the writes.

        `name` is a table or an index, `share` a number such as 0.5.
        """
        measured = self[name].share
        if measured is None:
            raise HotspotsFound(f"{name}: {self[name].commits} commits are too few to judge.")
        if measured > share:
            raise HotspotsFound(
                f"{name}: one range takes {measured:.2f} of the writes, at most {share} is allowed."
            )

    def assert_min_servers(self, name: str, servers: float) -> None:
        """Raise HotspotsFound if the writes to a table or index would keep fewer servers busy."""
        measured = self[name].effective_servers
        if measured is None:
            raise HotspotsFound(f"{name}: {self[name].commits} commits are too few to judge.")
        if measured < servers:
            raise HotspotsFound(
                f"{name}: the writes keep {measured:.1f} servers busy, not {servers} or more."
            )

    def assert_no_hot_row(self, share: float = 0.3) -> None:
        """Raise HotspotsFound if one row takes more than a share of the commits to its table."""
        for name, stats in self.report().spaces.items():
            enough = stats.summary.top_row_count >= THRESHOLDS.row_updates_min
            if enough and stats.summary.top_row_share > share:
                part = f"{stats.summary.top_row_share:.0%}"
                raise HotspotsFound(f"{name}: one row takes {part} of the commits.")

    def assert_lock_wait(self, max_share: float = 0.5) -> None:
        """Raise HotspotsFound if one row takes more than a share of its table's lock conflicts."""
        for finding in self.findings:
            if finding.rule in CONTENTION_RULES and finding.evidence.conflict_share > max_share:
                raise HotspotsFound(_described(finding), [finding])

    def assert_participants(self, max_mean: float = 3.0) -> None:
        """Raise HotspotsFound if the commits would touch more splits on average."""
        found = self.report().participants
        if found is not None and found > max_mean:
            raise HotspotsFound(
                f"A commit has {found:.1f} participants on average, at most {max_mean} are allowed."
            )

    # ------------------------------------------------------------------ protocols

    def __getitem__(self, name: str) -> KeySpaceStats:
        return self.report()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.report().spaces)

    def __len__(self) -> int:
        return len(self.report().spaces)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()


class EmbeddedWatch(Watch):
    """A watch on a database in this process."""

    _database = OwnProcess[Database]()

    def __init__(self, database: Database, assumptions: Assumptions) -> None:
        super().__init__()
        self._database = database
        self._assumptions = assumptions
        self._detector = database.hotspot_monitor.watch()

    def stop(self) -> None:
        if self._database.hotspot_monitor.detector is self._detector:
            self._database.hotspot_monitor.stop()

    def current_report(self) -> Report:
        return self._database.hotspot_monitor.report(self._detector, self._assumptions)

    def finish(self) -> Report:
        self.stop()
        return self.current_report()


def _described(finding: Finding) -> str:
    keys = " ".join(finding.samples)
    sources = "".join(f"  by: {source}\n" for source in finding.sources)
    return (
        f"{finding.name}: {finding.message}\n"
        f"  evidence: {finding.evidence}\n  keys: {keys}\n{sources}"
        f"  ceiling: about {finding.max_qps:,} writes/s, on any number of nodes\n"
        f"  fix: {finding.fix}"
    )


def _insufficient(report: Report) -> str:
    shown = ", ".join(f"{stats.commits} to {name}" for name, stats in report.spaces.items())
    return (
        f"Too few commits for a verdict ({shown or 'none'}): {THRESHOLDS.verdict_commits_min} are "
        "needed, and the commits so far show no order."
    )
