"""Hotspots of one database, for a test: watch what it writes, then ask, or assert.

    hotspots = emulator.hotspots(database)
    with hotspots.watch() as watched:
        for order in orders(300): place(order)
    watched.assert_none()
    hotspots.report().findings

A report covers the commits of the block alone, or without a block the commits since
`emulator.hotspots` was first called for the database: what was written before is not in it.
docs/hotspots.md says what the verdicts mean and how they are reached.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from math import inf
from os import PathLike
from types import TracebackType
from typing import Self

from spanemu.base.process import OwnProcess
from spanemu.base.severity import Severity
from spanemu.control.ignored import checked
from spanemu.database.database import Database
from spanemu.hotspots.assumptions import Assumptions
from spanemu.hotspots.finding import Finding, KeySpaceStats
from spanemu.hotspots.heatmap.file import save
from spanemu.hotspots.heatmap.heatmap import Heatmap
from spanemu.hotspots.heatmap.page import Earlier
from spanemu.hotspots.report import Report
from spanemu.hotspots.simulation import Simulation
from spanemu.hotspots.split_info import SplitStat
from spanemu.hotspots.stream_analysis import NODES_DEFAULT
from spanemu.hotspots.thresholds import THRESHOLDS
from spanemu.hotspots.verdict import Level

__tracebackhide__ = True  # pytest then shows the caller's line

CONTENTION_RULES = ("SPN402", "SPN805")


class SpannerHotspotInsufficientData(UserWarning):
    """An assertion held because too little was written to say otherwise."""


class SpannerHotspotsNotWatched(UserWarning):
    """A report is empty because the rows of the database were written while nothing was watched."""


class HotspotsFound(AssertionError):
    """An assertion about hotspots does not hold; `findings` are those that speak against it."""

    def __init__(self, message: str, findings: Sequence[Finding] = ()) -> None:
        super().__init__(message)
        self.findings = tuple(findings)


class Watch(Mapping[str, KeySpaceStats]):
    """The observed writes of a block: a context manager, and a mapping by table and index.

    `report` returns the current report and `stop` ends the watch, wherever the database runs.
    """

    def __init__(self, report: Callable[[], Report], stop: Callable[[], None]) -> None:
        self._report = report
        self._stop = stop

    def stop(self) -> None:
        """Stop watching, unless a later watch has replaced this watch."""
        self._stop()

    def report(self) -> Report:
        """Return the report of the writes so far."""
        return self._report()

    @property
    def findings(self) -> list[Finding]:
        """The report's findings, worst first."""
        return self.report().findings

    def worst(self) -> Finding | None:
        """Return the worst finding, or None."""
        return next(iter(self.findings), None)

    # ------------------------------------------------------------------ assertions

    def assert_none(self, severity: str = "error", *, require_evidence: bool = False) -> None:
        """Raise HotspotsFound for findings of that severity or above.

        When nothing was written often enough to be judged, it passes with a warning, or with
        `require_evidence` fails.
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
        """Raise unless the fullest of eight ranges takes at most that part of the writes."""
        found = self[name].share
        if found is None:
            raise HotspotsFound(f"{name}: {self[name].commits} commits are too few to tell.")
        if found > share:
            raise HotspotsFound(f"{name}: one range takes {found:.2f} of the writes, not {share}.")

    def assert_min_servers(self, name: str, servers: float) -> None:
        """Raise unless the writes could keep that many servers busy."""
        found = self[name].effective_servers
        if found is None:
            raise HotspotsFound(f"{name}: {self[name].commits} commits are too few to tell.")
        if found < servers:
            raise HotspotsFound(f"{name}: the writes keep {found:.1f} servers busy, not {servers}.")

    def assert_no_hot_row(self, share: float = 0.3) -> None:
        """Raise when one row takes more than that part of a table's or index's commits."""
        for name, stats in self.report().spaces.items():
            enough = stats.summary.top_row_count >= THRESHOLDS.row_updates_min
            if enough and stats.summary.top_row_share > share:
                part = f"{stats.summary.top_row_share:.0%}"
                raise HotspotsFound(f"{name}: one row takes {part} of the commits.")

    def assert_lock_wait(self, max_share: float = 0.5) -> None:
        """Raise when one row takes more than that part of the conflicts about a table's rows."""
        for finding in self.findings:
            if finding.rule in CONTENTION_RULES and finding.evidence.conflict_share > max_share:
                raise HotspotsFound(_described(finding), [finding])

    def assert_participants(self, max_mean: float = 3.0) -> None:
        """Raise when a commit would touch more splits than that on average."""
        found = self.report().participants
        if found is not None and found > max_mean:
            raise HotspotsFound(
                f"A commit has {found:.1f} participants on average, not {max_mean}."
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


class HotspotsHandle(ABC):
    """The hotspots of a database, here or in another process.

    Watching begins with the first handle for a database.
    """

    def __init__(self) -> None:
        self._ignored: list[str] = []

    @abstractmethod
    def watch(
        self,
        *,
        ignore: Sequence[str] = (),
        assume: Mapping[str, int | str] | None = None,
        operations: str = "w",
        nodes: int | None = None,
    ) -> Watch:
        """Forget what was seen and watch from now on, to the end of the block if it is one.

        `ignore` holds rule ids, names of tables and indexes, or "SPN802:AuditLog". `assume` says
        how many values a column has in production: {"Events.TenantId": "high"}, or a number; and
        of a table that is interleaved how many rows a parent row has: {"Songs": 2_000_000}.
        `operations` are judged: "w" for writes, "rw" for reads by key too. `nodes` is what the
        instance will have, which shards are counted against; without it, what it has, if that is
        more than one. Raises ValueError, for rules, tables and columns that there are not as well.
        """

    def report(self) -> Report:
        """Return what was seen since watching began.

        Warns with SpannerHotspotsNotWatched when that is nothing while the database has rows: an
        empty report then does not mean that there is no hotspot.
        """
        found = self.current_report()
        if found.is_unwatched:
            warnings.warn(SpannerHotspotsNotWatched(*found.notes), stacklevel=2)
        return found

    @abstractmethod
    def current_report(self) -> Report:
        """Return the same without a warning."""

    @abstractmethod
    def reset(self) -> None:
        """Discard the observations and continue watching."""

    @abstractmethod
    def stop(self) -> None:
        """Stop watching; the report remains available."""

    @abstractmethod
    def pause(self, paused: bool) -> bool:
        """Pause or resume the judgement of writes, and return the previous state."""

    @abstractmethod
    def split_stats(self, interval: str = "MINUTE") -> list[SplitStat]:
        """Return the rows of SPANNER_SYS.SPLIT_STATS_TOP_`interval`. Raises ValueError."""

    @abstractmethod
    def simulate(self, *, nodes: int | None = None, qps: float | None = None) -> Simulation:
        """Return a replay, by the minute, of the writes at `qps` rows a second on `nodes` nodes.

        `nodes` defaults to that of `watch`, then to the instance's node count if above one, then
        to eight; `qps` defaults to half of the nodes' joint capacity. The simulation explains a
        finding; it is a model, not a measurement of Spanner. Raises ValueError without a node.
        """

    @abstractmethod
    def _drawn(self) -> Heatmap:
        """Return the heatmap of the observed writes."""

    def ignore(self, *entries: str) -> None:
        """Leave findings out of every report: rule ids, names, or "SPN802:AuditLog".

        Raises ValueError for a rule that there is not.
        """
        self._ignored += checked(entries)

    @contextmanager
    def bulk_load(self) -> Iterator[None]:
        """Exclude the writes of a block from judgement, such as fixtures loaded in key order."""
        before = self.pause(True)
        try:
            yield
        finally:
            self.pause(before)

    def heatmap(
        self,
        path: str | PathLike[str] | None = None,
        *,
        before: Earlier | None = None,
    ) -> Heatmap:
        """Return the heatmap of the observed writes; with `path`, write it as one HTML file.

        To a .png only the image is written, to a .txt the text that `heatmap().text()` gives for
        terminals. The same writes make the same bytes. The page compares them with an earlier run
        when it is given that: a heatmap, or the page that was written of it. Raises ValueError
        for a file that is no such page, OSError for one that cannot be read.
        """
        drawing = self._drawn()
        if path is not None:
            save(path, drawing, self.current_report(), self.split_stats(), before)
        return drawing


class Hotspots(HotspotsHandle):
    """The hotspots of a database in this process. `nodes` are those of its instance."""

    _database = OwnProcess[Database]()

    def __init__(self, database: Database, nodes: int = 1) -> None:
        super().__init__()
        self._database = database
        self._nodes = nodes if nodes > 1 else None
        if database.hotspot_monitor.detector is None:
            database.hotspot_monitor.watch()

    def watch(
        self,
        *,
        ignore: Sequence[str] = (),
        assume: Mapping[str, int | str] | None = None,
        operations: str = "w",
        nodes: int | None = None,
    ) -> Watch:
        heat = self._database.hotspot_monitor
        ignored = (*self._ignored, *checked(ignore))
        meant = self._nodes if nodes is None else nodes
        assumptions = Assumptions(ignored, dict(assume or {}), operations, meant)
        assumptions.check_names(self._database.schema)
        heat.assumptions, detector = assumptions, heat.watch()

        def report() -> Report:
            return self._database.hotspot_monitor.report(detector, assumptions)

        def stop() -> None:
            if self._database.hotspot_monitor.detector is detector:
                self._database.hotspot_monitor.stop()

        return Watch(report, stop)

    def current_report(self) -> Report:
        heat = self._database.hotspot_monitor
        detector = heat.detector or heat.watch()
        known = heat.assumptions
        ignored = (*known.ignored, *self._ignored)
        return heat.report(
            detector, replace(known, ignored=ignored, nodes=known.nodes or self._nodes)
        )

    def reset(self) -> None:
        self._database.hotspot_monitor.watch()

    def stop(self) -> None:
        self._database.hotspot_monitor.stop()

    def pause(self, paused: bool) -> bool:
        detector = self._database.hotspot_monitor.detector
        if detector is None:
            return paused
        return detector.pause(paused)

    def split_stats(self, interval: str = "MINUTE") -> list[SplitStat]:
        clock = self._database.clock
        return self._database.hotspot_monitor.split_stats(clock.peek(), interval)

    def simulate(self, *, nodes: int | None = None, qps: float | None = None) -> Simulation:
        meant = self._meant if nodes is None else nodes
        if not isinstance(meant, int) or meant < 1 or not (qps is None or 0 < qps < inf):
            raise ValueError(f"a simulation takes a node at least and writes: {meant}, {qps}")
        heat = self._database.hotspot_monitor
        return heat.simulate(heat.detector or heat.watch(), meant, qps)

    def _drawn(self) -> Heatmap:
        heat = self._database.hotspot_monitor
        return heat.heatmap(heat.detector or heat.watch(), self._meant)

    @property
    def _meant(self) -> int:
        """The number of nodes to simulate where the call does not give one."""
        return self._database.hotspot_monitor.assumptions.nodes or self._nodes or NODES_DEFAULT


def _described(finding: Finding) -> str:
    kind = "table" if finding.table == finding.object else "index"
    keys = " ".join(finding.samples)
    sources = "".join(f"  by: {source}\n" for source in finding.sources)
    return (
        f"{finding.rule} {finding.reason} {kind} {finding.object}: {finding.message}\n"
        f"  evidence: {finding.evidence}\n  keys: {keys}\n{sources}"
        f"  ceiling: about {finding.max_qps:,} writes/s, whatever the number of nodes\n"
        f"  fix: {finding.fix}"
    )


def _insufficient(report: Report) -> str:
    shown = ", ".join(f"{stats.commits} to {name}" for name, stats in report.spaces.items())
    return (
        f"Too few commits to judge ({shown or 'none'}); {THRESHOLDS.judged_min} are needed, and "
        "the order of those there were tells nothing."
    )
