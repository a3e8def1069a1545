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
    """What was seen since watching began."""
    return _report(_ignoring(control, database, ignore).current_report())


def reset_hotspots(control: Control, database: str) -> None:
    """Forget what was seen, and go on watching."""
    control.hotspots(database).reset()


def stop_hotspots(control: Control, database: str) -> None:
    """Look no further; what was seen can still be asked for."""
    control.hotspots(database).stop()


def pause_hotspots(control: Control, database: str, paused: bool) -> dict[str, Any]:
    """Judge the writes from now on, or do not; how it was before."""
    return {"paused": control.hotspots(database).pause(paused)}


class WatchOptions(TypedDict, total=False):
    """What `Hotspots.watch` takes."""

    ignore: list[str]
    assume: Mapping[str, int | str]
    operations: str
    nodes: int | None


def watch_hotspots(
    control: Control, database: str, **options: Unpack[WatchOptions]
) -> dict[str, Any]:
    """Forget what was seen and watch from now on: the id of a watch."""
    watch = control.hotspots(database).watch(**options)
    return {"watch": control.watches.keep(watch)}


def report_watch(control: Control, watch: str) -> dict[str, Any]:
    """What a watch saw so far."""
    return _report(control.watches.get(watch).report())


def stop_watch(control: Control, watch: str) -> dict[str, Any]:
    """The same for the last time."""
    stopped = control.watches.release(watch)
    stopped.stop()
    return _report(stopped.report())


def split_stats(control: Control, database: str, interval: str = "MINUTE") -> dict[str, Any]:
    """Rows of SPANNER_SYS.SPLIT_STATS_TOP_`interval`."""
    return {"rows": control.hotspots(database).split_stats(interval)}


def simulate(
    control: Control, database: str, nodes: int | None = None, qps: float | None = None
) -> dict[str, Any]:
    """A replay of what was seen."""
    return {"simulation": control.hotspots(database).simulate(nodes=nodes, qps=qps)}


def heatmap(control: Control, database: str) -> dict[str, Any]:
    """What was seen as a picture, as figures."""
    return {"heatmap": control.hotspots(database).heatmap()}


def _ignoring(control: Control, database: str, ignore: list[str]) -> Any:
    found = control.hotspots(database)
    found.ignore(*ignore)
    return found


def _report(report: Any) -> dict[str, Any]:
    return {"report": report}
