"""python -m tests.stress.isolation --seeds 500 --operations 200 [--first 0] [--seed 17]

`--seed` plays one seed and prints its whole history; `--dialect postgresql` plays in databases of
that dialect.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter

from tests.dialects import DIALECTS
from tests.stress.isolation.campaign import Simulation, tally


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.stress.isolation")
    parser.add_argument("--seeds", type=int, default=100, help="how many seeds to play")
    parser.add_argument("--first", type=int, default=0, help="the first of them")
    parser.add_argument("--operations", type=int, default=60, help="operations of each")
    parser.add_argument("--seed", type=int, help="play this one alone, and print its history")
    parser.add_argument("--dialect", choices=DIALECTS, default=DIALECTS[0])
    options = parser.parse_args()
    seeds = range(options.first, options.first + options.seeds)
    ends: Counter[str] = Counter()
    for seed in seeds if options.seed is None else [options.seed]:
        simulation = Simulation(seed, options.operations, options.dialect)
        try:
            ends.update(tally(simulation.run()))
        except BaseException as failure:
            print(simulation.history)
            print(f"{type(failure).__name__}: {failure}")
            again = f"--seed {seed} --operations {options.operations} --dialect {options.dialect}"
            print(f"seed {seed} fails: {again}")
            raise
        if options.seed is not None:
            print(simulation.history)
    print(", ".join(f"{count} {ending}" for ending, count in sorted(ends.items())))
    return 0


sys.exit(main())
