"""Hotspots of a database in another process; `control.hotspots` documents the methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from spanemu.base.serialization import from_plain
from spanemu.control.hotspots import HotspotsHandle, Watch
from spanemu.control.ignored import checked
from spanemu.hotspots.heatmap.heatmap import Heatmap
from spanemu.hotspots.report import Report
from spanemu.hotspots.simulation import Simulation
from spanemu.hotspots.split_info import SplitStat
from spanemu.wire_control.calls import Calls


class RemoteHotspots(HotspotsHandle):
    """The hotspots of a database in another process."""

    def __init__(self, calls: Calls, database: str) -> None:
        super().__init__()
        self._calls = calls
        self._database = database
        self._ask("StartHotspots")

    def watch(
        self,
        *,
        ignore: Sequence[str] = (),
        assume: Mapping[str, int | str] | None = None,
        operations: str = "w",
        nodes: int | None = None,
    ) -> Watch:
        ignored = [*self._ignored, *checked(ignore)]
        options = {"assume": dict(assume or {}), "operations": operations, "nodes": nodes}
        reply = self._ask("WatchHotspots", ignore=ignored, **options)
        return _watch(self._calls, str(reply["watch"]))

    def current_report(self) -> Report:
        return _report(self._ask("ReportHotspots", ignore=self._ignored))

    def reset(self) -> None:
        self._ask("ResetHotspots")

    def stop(self) -> None:
        self._ask("StopHotspots")

    def pause(self, paused: bool) -> bool:
        return bool(self._ask("PauseHotspots", paused=paused)["paused"])

    def split_stats(self, interval: str = "MINUTE") -> list[SplitStat]:
        rows = self._ask("SplitStats", interval=interval)["rows"]
        result: list[SplitStat] = from_plain(list[SplitStat], rows)
        return result

    def simulate(self, *, nodes: int | None = None, qps: float | None = None) -> Simulation:
        reply = self._ask("Simulate", nodes=nodes, qps=qps)
        result: Simulation = from_plain(Simulation, reply["simulation"])
        return result

    def _drawn(self) -> Heatmap:
        result: Heatmap = from_plain(Heatmap, self._ask("Heatmap")["heatmap"])
        return result

    def _ask(self, operation: str, **arguments: Any) -> dict[str, Any]:
        return self._calls(operation, database=self._database, **arguments)


def _watch(calls: Calls, id_: str) -> Watch:
    last: list[Report] = []  # the final report, once stopped

    def report() -> Report:
        return last[0] if last else _report(calls("ReportWatch", watch=id_))

    def stop() -> None:
        if not last:
            last.append(_report(calls("StopWatch", watch=id_)))

    return Watch(report, stop)


def _report(reply: dict[str, Any]) -> Report:
    result: Report = from_plain(Report, reply["report"])
    return result
