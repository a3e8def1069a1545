"""Hotspots of a database in another process; `control.hotspots` says what each thing means."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import PathLike
from typing import Any

from spanemu.base.plain import from_plain
from spanemu.control.hotspots import Watch
from spanemu.stats.heatmap import Heatmap
from spanemu.stats.heatmap_file import save
from spanemu.stats.report import Report
from spanemu.stats.simulation import Simulation
from spanemu.stats.split_stats import SplitStat
from spanemu.wire_control.calls import Calls


class RemoteHotspots:
    """Offers what `Hotspots` does."""

    def __init__(self, calls: Calls, database: str) -> None:
        self._calls = calls
        self._database = database
        self._ignored: list[str] = []
        self._ask("StartHotspots")

    def watch(
        self,
        *,
        ignore: Sequence[str] = (),
        assume: Mapping[str, int | str] | None = None,
        operations: str = "w",
        nodes: int | None = None,
    ) -> Watch:
        """Forget what was seen and watch from now on, to the end of the block if it is one."""
        ignored = [*self._ignored, *ignore]
        options = {"assume": dict(assume or {}), "operations": operations, "nodes": nodes}
        reply = self._ask("WatchHotspots", ignore=ignored, **options)
        return _watch(self._calls, str(reply["watch"]))

    def report(self) -> Report:
        """What was seen since watching began."""
        return _report(self._ask("ReportHotspots", ignore=self._ignored))

    def reset(self) -> None:
        """Forget what was seen, and go on watching."""
        self._ask("ResetHotspots")

    def stop(self) -> None:
        """Look no further; what was seen can still be asked for."""
        self._ask("StopHotspots")

    def ignore(self, *entries: str) -> None:
        """Leave findings out of every report: rule ids, names, or "SPN802:AuditLog"."""
        self._ignored += entries

    @contextmanager
    def bulk_load(self) -> Iterator[None]:
        """A block whose writes are not judged, such as a load of fixtures in key order."""
        before = self.pause(True)
        try:
            yield
        finally:
            self.pause(before)

    def pause(self, paused: bool) -> bool:
        """Judge the writes from now on, or do not; what was the case before."""
        return bool(self._ask("PauseHotspots", paused=paused)["paused"])

    def split_stats(self, interval: str = "MINUTE") -> list[SplitStat]:
        """What SPANNER_SYS.SPLIT_STATS_TOP_`interval` shows."""
        rows = self._ask("SplitStats", interval=interval)["rows"]
        found: list[SplitStat] = from_plain(list[SplitStat], rows)
        return found

    def simulate(self, *, nodes: int = 8, qps: float | None = None) -> Simulation:
        """A replay of what was seen at `qps` rows a second on a number of nodes, by the minute."""
        reply = self._ask("Simulate", nodes=nodes, qps=qps)
        found: Simulation = from_plain(Simulation, reply["simulation"])
        return found

    def heatmap(self, path: str | PathLike[str] | None = None) -> Heatmap:
        """What was seen as a picture; with a path it is written there as HTML, PNG or text."""
        found: Heatmap = from_plain(Heatmap, self._ask("Heatmap")["heatmap"])
        if path is not None:
            save(path, found, self.report(), self.split_stats())
        return found

    def _ask(self, operation: str, **arguments: Any) -> dict[str, Any]:
        return self._calls(operation, database=self._database, **arguments)


def _watch(calls: Calls, id_: str) -> Watch:
    last: list[Report] = []  # what was seen when it stopped

    def report() -> Report:
        return last[0] if last else _report(calls("ReportWatch", watch=id_))

    def stop() -> None:
        if not last:
            last.append(_report(calls("StopWatch", watch=id_)))

    return Watch(report, stop)


def _report(reply: dict[str, Any]) -> Report:
    found: Report = from_plain(Report, reply["report"])
    return found
