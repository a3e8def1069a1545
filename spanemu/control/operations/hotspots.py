"""Operations on hotspots. Reports are `hotspots.report.Report`, simulations
`hotspots.simulation`'s."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict, Unpack

from spanemu.control.operations.control import Control


def start_hotspots(control: Control, database: str) -> None:
    """Watch a database from now on, unless it is watched already."""
    control.hotspots(database)


def report_hotspots(control: Control, database: str, ignore: list[str]) -> dict[str, Any]:
    """Return the report since watching began."""
    return _report(_ignoring(control, database, ignore).current_report())


def reset_hotspots(control: Control, database: str) -> None:
    """Discard the observations and continue watching."""
    control.hotspots(database).reset()


def stop_hotspots(control: Control, database: str) -> None:
    """Stop watching; the report remains available."""
    control.hotspots(database).stop()


def pause_hotspots(control: Control, database: str, paused: bool) -> dict[str, Any]:
    """Pause or resume the judgement of writes, and return the previous state."""
    return {"paused": control.hotspots(database).pause(paused)}


class WatchOptions(TypedDict, total=False):
    """The options of `Hotspots.watch`."""

    ignore: list[str]
    assume: Mapping[str, int | str]
    operations: str
    nodes: int | None


def watch_hotspots(
    control: Control, database: str, **options: Unpack[WatchOptions]
) -> dict[str, Any]:
    """Discard the observations, watch from now on, and return the id of the watch."""
    watch = control.hotspots(database).watch(**options)
    return {"watch": control.watches.keep(watch)}


def report_watch(control: Control, watch: str) -> dict[str, Any]:
    """Return the current report of a watch."""
    return _report(control.watches.get(watch).report())


def stop_watch(control: Control, watch: str) -> dict[str, Any]:
    """Stop a watch and return its final report."""
    stopped = control.watches.release(watch)
    stopped.stop()
    return _report(stopped.report())


def split_stats(control: Control, database: str, interval: str = "MINUTE") -> dict[str, Any]:
    """Return the rows of SPANNER_SYS.SPLIT_STATS_TOP_`interval`."""
    return {"rows": control.hotspots(database).split_stats(interval)}


def simulate(
    control: Control, database: str, nodes: int | None = None, qps: float | None = None
) -> dict[str, Any]:
    """Return a simulated replay of the observed writes."""
    return {"simulation": control.hotspots(database).simulate(nodes=nodes, qps=qps)}


def heatmap(control: Control, database: str) -> dict[str, Any]:
    """Return the data of the heatmap."""
    return {"heatmap": control.hotspots(database).heatmap()}


def _ignoring(control: Control, database: str, ignore: list[str]) -> Any:
    found = control.hotspots(database)
    found.ignore(*ignore)
    return found


def _report(report: Any) -> dict[str, Any]:
    return {"report": report}
