"""`python -m tests.fuzz`: a long campaign over a real port.

exit 0   nothing that must not happen did
exit 1   it did; the findings are printed, one example for each cause
"""

from __future__ import annotations

import argparse
import os
import sys

from spanemu.base.clock import monotonic
from spanemu.base.rand import Randomness
from tests.fuzz.campaign import Campaign, Findings, run_watched
from tests.fuzz.world import small_world


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--calls", type=int, default=20_000)
    parser.add_argument("--seed", type=int, help="repeat an earlier campaign")
    parser.add_argument("--first", type=int, default=0, help="the number of the first call")
    parser.add_argument("--embedded", action="store_true", help="without the port")
    options = parser.parse_args()
    seed = Randomness(options.seed).seed
    print(f"seed {seed}", flush=True)
    started = monotonic()
    with small_world(embedded=options.embedded) as world:
        try:
            findings = run_watched(Campaign(world, seed), options.calls, options.first)
        except AssertionError as problem:
            print(problem, problem.__cause__ or "", flush=True)
            os._exit(1)  # The thread that hangs would keep the process.
    print(f"{options.calls} calls in {monotonic() - started:.0f} s")
    return report(findings)


def report(findings: Findings) -> int:
    print(", ".join(f"{count} {code}" for code, count in findings.statuses.most_common()))
    seconds, slowest = findings.slowest
    print(f"slowest: {seconds:.2f} s, {slowest[:300]}")
    print(findings)
    return 1 if findings.violations else 0


if __name__ == "__main__":
    sys.exit(main())
