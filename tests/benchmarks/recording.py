"""What it costs a request to be recorded, and a write to be looked at for hotspots.

The same work in turn on databases of one emulator that nobody watches, that are recorded, and that
are recorded and looked at, as the plugin's report has it.
"""

from __future__ import annotations

from operator import sub
from statistics import median

from rich.console import Console
from rich.table import Table

import spanemu
from tests.benchmarks.latency import measure
from tests.benchmarks.targets import DDL, ROWS


def main(rounds: int = 20) -> None:
    with spanemu.Emulator() as emulator:
        handles = {
            name: emulator.create_database(name, schema=DDL)
            for name in ("plain", "recorded", "both")
        }
        for handle in handles.values():
            with handle.client().batch() as batch:
                batch.insert("Users", ("Id", "Name", "Age"), [(n, "x", 1) for n in range(ROWS)])
        recorders = [emulator.record(handles[name]).start() for name in ("recorded", "both")]
        watch = emulator.hotspots(handles["both"])
        result = measure({name: handle.client() for name, handle in handles.items()}, rounds)
        watch.stop()
        for recorder in recorders:
            recorder.stop()
    table = Table(title="Medians in microseconds")
    for column in ("work", "plain", "recording adds", "hotspots add"):
        table.add_column(column, justify="left" if column == "work" else "right")
    for name, by_target in result.items():
        plain, recorded, both = (by_target[each] for each in handles)
        added = (_difference(recorded, plain), _difference(both, recorded))
        table.add_row(name, f"{median(plain):,.0f}", *(f"{each:+,.0f}" for each in added))
    Console().print(table)


def _difference(one: list[float], other: list[float]) -> float:
    """Return how much longer one takes than the other: the median of the rounds."""
    difference: float = median(map(sub, one, other))
    return difference
