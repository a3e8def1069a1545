"""The hotspots of one database: key ranges that take too much of its load.

    hotspots = emulator.hotspots(database)
    with hotspots.watch() as watched:
        for order in orders(300): place(order)
    watched.assert_none()
    hotspots.report().findings

A report covers the commits of the block, or, without a block, the commits since `emulator.hotspots`
was first called for the database. docs/hotspots.md explains the verdicts.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from math import inf
from os import PathLike
from typing import TYPE_CHECKING, Annotated, Any

from spanemu.base.process import OwnProcess
from spanemu.control import hotspot_watch
from spanemu.control.operation import ControlInterface, Held, operation
from spanemu.database.database import Database
from spanemu.hotspots import report as reports
from spanemu.hotspots import simulation, split_info
from spanemu.hotspots.assumptions import NODES_DEFAULT, Assumptions, entry_parts
from spanemu.hotspots.heatmap import files
from spanemu.hotspots.heatmap import heatmap as heatmaps
from spanemu.storage.split_settings import SERVERS_MAX

if TYPE_CHECKING:
    from spanemu.control.hotspot_watch import HotspotsFound, SpannerHotspotInsufficientData, Watch

# mypy: disable-error-code="empty-body"

# Users import all of these from here.
__all__ = [
    "Hotspots",
    "HotspotsFound",
    "HotspotsHandle",
    "SpannerHotspotInsufficientData",
    "SpannerHotspotsNotWatched",
    "Watch",
]

__tracebackhide__ = True  # pytest then shows the caller's line


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("spanemu.control.hotspot_watch"), name)


class SpannerHotspotsNotWatched(UserWarning):
    """A report is empty because the rows of the database were written before it was observed."""


class HotspotsHandle(ControlInterface):
    """The hotspots of a database, observed since the first handle for the database."""

    PATH = "{database}/hotspots"
    SCOPE = "database"

    def __init__(self) -> None:
        self._ignored: list[str] = []

    @operation("StartHotspots", "POST :start")
    def start(self) -> None:
        """Observe the database from now on, unless it is observed already."""

    def watch(
        self,
        *,
        ignore: Sequence[str] = (),
        assume: Mapping[str, int | str] | None = None,
        operations: str = "w",
        nodes: int | None = None,
    ) -> hotspot_watch.Watch:
        """Discard the observations and observe from now on; as a context manager, for a block.

        `ignore` names findings to leave out: rule ids, tables, indexes, or "SPN802:AuditLog".
        `assume` gives facts about production: how many distinct values a column has, as in
        {"Events.TenantId": "high"} or a number, and how many rows of an interleaved table each
        parent row has, as in {"Songs": 2_000_000}. `operations` is "w" to judge writes, "rw" to
        judge reads by key too. `nodes` is the planned number of nodes, with which the number of
        shards is compared; it defaults to the instance's, if that is more than one. Raises
        ValueError for a rule, table or column that does not exist.
        """
        entries = (ignore,) if isinstance(ignore, str) else tuple(ignore)
        return self._watch([*self._ignored, *entries], dict(assume or {}), operations, nodes)

    @operation("WatchHotspots", "POST :watch", "watch")
    def _watch(
        self,
        ignore: Sequence[str] = (),
        assume: Mapping[str, int | str] | None = None,
        operations: str = "w",
        nodes: int | None = None,
    ) -> Annotated[hotspot_watch.Watch, Held("watch", "stop")]:
        """Discard the observations and observe from now on."""

    def report(self) -> reports.Report:
        """Return the report of the observed writes.

        Warns with SpannerHotspotsNotWatched if nothing was observed although the database has rows:
        an empty report then does not mean that there is no hotspot.
        """
        report = self.current_report()
        if report.is_unwatched:
            warnings.warn(SpannerHotspotsNotWatched(*report.notes), stacklevel=2)
        return report

    def current_report(self) -> reports.Report:
        """Return the report of the observed writes, without a warning."""
        return self._report(self._ignored)

    @operation("ReportHotspots", "GET", "report")
    def _report(self, ignore: Sequence[str] = ()) -> reports.Report:
        """Return the report of the observed writes, without the ignored findings."""

    @operation("ResetHotspots", "POST :reset")
    def reset(self) -> None:
        """Discard the observations and continue watching."""

    @operation("StopHotspots", "POST :stop")
    def stop(self) -> None:
        """Stop watching; the report remains available."""

    @operation("PauseHotspots", "POST :pause", "paused")
    def pause(self, paused: bool) -> bool:
        """Pause or resume the judgement of writes, and return the previous state."""

    @operation("SplitStats", "GET :splitStats", "rows")
    def split_stats(self, interval: str = "MINUTE") -> list[split_info.SplitStat]:
        """Return the rows of SPANNER_SYS.SPLIT_STATS_TOP_`interval`.

        `interval` is MINUTE, 10MINUTE or HOUR. Raises ValueError for another interval.
        """

    @operation("Simulate", "POST :simulate", "simulation")
    def simulate(
        self, *, nodes: int | None = None, qps: float | None = None
    ) -> simulation.Simulation:
        """Return a simulation, by the minute, of the writes at `qps` rows a second.

        `nodes` defaults to that of `watch`, then to the instance's node count if above one, then
        to eight; `qps` defaults to half of the nodes' joint capacity. The simulation explains a
        finding; it is a model, not a measurement of Spanner. Raises ValueError for fewer nodes than
        one.
        """

    @operation("Heatmap", "GET :heatmap", "heatmap")
    def _drawn(self) -> heatmaps.Heatmap:
        """Return the heatmap of the observed writes."""

    def ignore(self, *entries: str) -> None:
        """Leave findings out of later reports: rule ids, names of tables, or "SPN802:AuditLog".

        Raises ValueError for a rule that does not exist.
        """
        self._ignored += _checked(entries)

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
        before: files.Earlier | None = None,
    ) -> heatmaps.Heatmap:
        """Return the heatmap of the observed writes; with `path`, write it as one HTML file.

        A path that ends with .png gets the image only, one with .txt the text of
        `heatmap().text()`. The same writes give the same bytes. `before` is an earlier heatmap, or
        the HTML file of one, with which the page compares the writes. Raises ValueError for a file
        that is not such a page, and OSError for a file that cannot be read.
        """
        drawing = self._drawn()
        if path is not None:
            report = self.current_report()
            from spanemu.lint import formats

            rules = formats.rules_as_html({finding.rule for finding in report.findings})
            files.save(path, files.Observed(drawing, report, self.split_stats(), rules), before)
        return drawing


class Hotspots(HotspotsHandle):
    """The hotspots of a database in this process. `nodes` is the node count of its instance."""

    _database = OwnProcess[Database]()

    def __init__(self, database: Database, nodes: int = 1) -> None:
        super().__init__()
        self._database = database
        self._nodes = nodes if nodes > 1 else None
        self.start()

    def start(self) -> None:
        if self._database.hotspot_monitor.detector is None:
            self._database.hotspot_monitor.watch()

    def _watch(
        self,
        ignore: Sequence[str] = (),
        assume: Mapping[str, int | str] | None = None,
        operations: str = "w",
        nodes: int | None = None,
    ) -> hotspot_watch.Watch:
        meant = self._nodes if nodes is None else nodes
        assumptions = Assumptions(_checked(ignore), dict(assume or {}), operations, meant)
        assumptions.check_names(self._database.schema)
        self._database.hotspot_monitor.assumptions = assumptions
        return hotspot_watch.EmbeddedWatch(self._database, assumptions)

    def _report(self, ignore: Sequence[str] = ()) -> reports.Report:
        monitor = self._database.hotspot_monitor
        detector = monitor.detector or monitor.watch()
        known = monitor.assumptions
        ignored = (*known.ignored, *_checked(ignore))
        return monitor.report(
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

    def split_stats(self, interval: str = "MINUTE") -> list[split_info.SplitStat]:
        clock = self._database.clock
        return self._database.hotspot_monitor.split_stats(clock.peek(), interval)

    def simulate(
        self, *, nodes: int | None = None, qps: float | None = None
    ) -> simulation.Simulation:
        meant = self._meant if nodes is None else nodes
        if not isinstance(meant, int) or not 1 <= meant <= SERVERS_MAX:
            raise ValueError(f"nodes={meant} of a simulation must be 1 to {SERVERS_MAX}")
        if not (qps is None or 0 < qps < inf):
            raise ValueError(f"qps={qps} of a simulation must be positive")
        monitor = self._database.hotspot_monitor
        return monitor.simulate(monitor.detector or monitor.watch(), meant, qps)

    def _drawn(self) -> heatmaps.Heatmap:
        monitor = self._database.hotspot_monitor
        return monitor.heatmap(monitor.detector or monitor.watch(), self._meant)

    @property
    def _meant(self) -> int:
        """The number of nodes to simulate where the call does not give one."""
        return self._database.hotspot_monitor.assumptions.nodes or self._nodes or NODES_DEFAULT


def _checked(entries: Sequence[str]) -> tuple[str, ...]:
    """Return the entries of `ignore` as a tuple. Raises ValueError for a rule that does not exist.

    A table or index that does not exist is accepted: the test may create it later.
    """
    for entry in entries:
        if not isinstance(entry, str) or not entry.strip(" :"):
            raise ValueError(f"ignore: {entry!r} is neither a rule, nor a table or an index")
        rule, _ = entry_parts(entry)
        if rule:
            _check_rule(rule)
    return tuple(entries)


def _check_rule(rule: str) -> None:
    from spanemu.lint.selection import UnknownRule, check_rule_name  # For tests that name a rule.

    try:
        check_rule_name(rule)
    except UnknownRule as problem:
        raise ValueError(f"ignore: {problem}") from None
