"""The everyday costs of this checkout beside those of an older one: `--anchor PATH`.

A cold run starts four workers without any bytecode, and the row below it is the same without
spanemu: in both, each worker imports Google's client.
"""

from __future__ import annotations

from rich.console import Console

from tests.benchmarks import anchor

SLOWER_MAX = "now / anchor <= 1.05"
ROUNDS_PER_PROCESS = 4


def main(rounds: int = 20) -> None:
    numbers = anchor.run_in_turns("everyday", max(1, rounds // ROUNDS_PER_PROCESS))
    rows = [(name, name, ",.0f", SLOWER_MAX) for name in numbers["now"][0]]
    title = "Everyday costs, microseconds"
    Console(width=120).print(anchor.table(title, numbers, rows))
