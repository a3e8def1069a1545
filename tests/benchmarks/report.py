"""A report over 100,000 writes with its page of 500 ranges: CPU time, size, and the same bytes."""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

import spanemu

TABLES = 5  # which have a hundred ranges each
ROWS, ROWS_PER_COMMIT = 100_000, 500
GOAL_SECONDS, GOAL_BYTES = 2.0, 2_000_000


def main(rounds: int = 1) -> None:
    ddl = [
        f"CREATE TABLE T{number} (Id STRING(36) NOT NULL, V INT64) PRIMARY KEY (Id)"
        for number in range(TABLES)
    ]
    with spanemu.Emulator() as emulator, tempfile.TemporaryDirectory() as folder:
        handle = emulator.create_database("report", schema=ddl)
        hotspots = emulator.hotspots(handle)
        with hotspots.watch():
            write(handle.client())
        pages = [Path(folder, name) for name in ("one.html", "two.html")]
        reported, report = timed(hotspots.report)
        drawn, heatmap = timed(lambda: hotspots.heatmap(pages[0]))
        hotspots.heatmap(pages[1])
        first, two = (page.read_bytes() for page in pages)
    table = Table(title=f"A report over {ROWS:,} writes")
    for column in ("what", "found", "goal"):
        table.add_column(column, justify="left" if column == "what" else "right")
    table.add_row("tables with a verdict", f"{len(report.spaces)}", f"{TABLES}")
    table.add_row("ranges", f"{sum(len(band.starts) for band in heatmap.bands)}", "500")
    table.add_row("findings, s", f"{reported:.2f}", "")
    table.add_row("page, s", f"{drawn:.2f}", f"< {GOAL_SECONDS:.0f} with the findings")
    table.add_row("page, bytes", f"{len(first):,}", f"< {GOAL_BYTES:,}")
    table.add_row("the same bytes again", "yes" if first == two else "no", "yes")
    Console().print(table)


def write(client: Any) -> None:
    chance = random.Random(1)
    for number in range(ROWS // ROWS_PER_COMMIT):
        rows = [(f"{chance.getrandbits(128):032x}", number) for _ in range(ROWS_PER_COMMIT)]
        with client.batch() as batch:
            batch.insert(f"T{number % TABLES}", ("Id", "V"), rows)


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return seconds of CPU time, and what came of it."""
    began = time.process_time()
    found = work()
    return time.process_time() - began, found
