"""Threads that call an embedded emulator at the same time: throughput, and the slowest calls."""

from __future__ import annotations

from rich.console import Console

from tests.benchmarks import anchor
from tests.benchmarks.programs.threads import THREADS

_TARGETS = {"embedded": "embedded", "null": "null channel"}
_FIGURES = [
    ("calls", "calls a second", ",.0f"),
    ("processor_us", "processor time of a call, µs", ",.0f"),
    ("p50", "median, ms", ".2f"),
    ("p99", "99th percentile, ms", ".2f"),
    ("processor_p99", "the same in processor time, ms", ".2f"),
]


def main(rounds: int = 20) -> None:
    numbers = anchor.run_in_turns("threads", max(1, rounds // 5))
    rows = [
        (
            f"{target}_{threads}_{figure}",
            f"{label}, {threads} threads: {text}" if threads > 1 else f"{label}: {text}",
            form,
            "< 10" if (target, threads, figure) == ("embedded", THREADS, "p99") else "",
        )
        for target, label in _TARGETS.items()
        for threads in (1, THREADS)
        for figure, text, form in _FIGURES
    ]
    title = "SELECT by key through the official client, on one thread and on several"
    Console(width=120).print(anchor.table(title, numbers, rows))
