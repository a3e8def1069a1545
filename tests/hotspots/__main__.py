"""`python -m tests.hotspots [--seeds N] [--only TEXT]`: the table, and what is wrong in it."""

from __future__ import annotations

import argparse
import sys

from tests.hotspots.campaign import problems, run
from tests.hotspots.workloads import WORKLOADS

parser = argparse.ArgumentParser(prog="tests.hotspots", description=__doc__)
parser.add_argument("--seeds", type=int, default=300)
parser.add_argument("--only", default="")
options = parser.parse_args()

print("| workload | commits | share | rho | expected | verdicts |")
print("|---|---|---|---|---|---|")
tallies = []
for tally in run([w for w in WORKLOADS if options.only in w.name], range(options.seeds)):
    tallies.append(tally)
    print(tally.line(), flush=True)
wrong = problems(tallies)
print("\n".join(wrong) or f"all as expected over {options.seeds} seeds")
sys.exit(1 if wrong else 0)
