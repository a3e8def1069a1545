"""`python -m tests.hotspots [--seeds N] [--only TEXT]`: print the table and its errors."""

from __future__ import annotations

import argparse
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from tests.hotspots.campaign import problems, run
from tests.hotspots.workloads import WORKLOADS


def table_of(name: str, seeds: int) -> tuple[list[str], list[str]]:
    """Return the lines of one workload, and its errors."""
    tallies = list(run([each for each in WORKLOADS if each.name == name], range(seeds)))
    return [tally.line() for tally in tallies], problems(tallies)


def main() -> None:
    parser = argparse.ArgumentParser(prog="tests.hotspots", description=__doc__)
    parser.add_argument("--seeds", type=int, default=300)
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes")
    options = parser.parse_args()
    names = [workload.name for workload in WORKLOADS if options.only in workload.name]
    print("| workload | commits | share | rho | expected | verdicts |")
    print("|---|---|---|---|---|---|")
    wrong: list[str] = []
    with ProcessPoolExecutor(options.jobs) as pool:
        for lines, result in pool.map(partial(table_of, seeds=options.seeds), names):
            print("\n".join(lines), flush=True)
            wrong += result
    print("\n".join(wrong) or f"all as expected over {options.seeds} seeds")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
