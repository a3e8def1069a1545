"""python -m tests.differential.graphs --statements 10000 --seed N"""

from __future__ import annotations

import argparse
import sys
import time
from random import SystemRandom

from tests.differential.graphs.campaign import Campaign


def main() -> int:
    """Run, print each difference as it is found; 1 if there is one."""
    arguments = argparse.ArgumentParser(
        prog="python -m tests.differential.graphs", description=__doc__
    )
    arguments.add_argument("--statements", type=int, default=10_000)
    arguments.add_argument("--seed", type=int, default=None)
    given = arguments.parse_args()
    first = SystemRandom().randrange(1_000_000_000) if given.seed is None else given.seed
    print(f"seed {first}", flush=True)
    began, count = time.monotonic(), 0
    with Campaign() as campaign:
        for difference in campaign.differences(range(first, first + given.statements)):
            count += 1
            print(difference, flush=True)
    print(f"{given.statements} statements, {count} differ, {time.monotonic() - began:.0f} s")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
