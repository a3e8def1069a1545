"""Explorations of two and of four transfers: processor time, steps a second, memory a schedule.

`SPANEMU_BENCHMARK_SCHEDULES` sets another number of schedules for the search of four.
"""

from __future__ import annotations

import os

from rich.console import Console

from tests.benchmarks import anchor

SCHEDULES = 10_000


def main(rounds: int = 20) -> None:
    schedules = os.environ.get("SPANEMU_BENCHMARK_SCHEDULES", str(SCHEDULES))
    numbers = anchor.run_in_turns("explorer", max(1, rounds // 10), schedules)
    rows = [
        ("pair_seconds", "two actors, one transaction each, s", ".3f", "< 0.25"),
        ("pair_schedules", "  schedules", ".0f", ""),
        ("steps", "steps a second", ",.0f", "> 4,000"),
        ("schedules", "  schedules", ",.0f", ""),
        ("growth", "  growth of the process, bytes a schedule", ",.0f", "< 2,048"),
    ]
    Console(width=120).print(anchor.table("Explorations; processor time", numbers, rows))
