"""Calls of an embedded emulator with a clock in each stage: the argument is the number of each.

Prints the microseconds of each stage by RPC, as JSON. The client's own time is that outside of all
stages.
"""

from __future__ import annotations

import json
import sys

from tests.benchmarks import latency, targets
from tests.benchmarks.stages import StageClock, install


def main() -> None:
    clock = StageClock()
    install(clock)
    with targets.embedded() as database:
        for work in (latency.insert_commit, latency.select_by_key):
            for _ in range(int(sys.argv[1])):
                work(database)
    print(json.dumps({rpc: clock.medians(rpc) for rpc in clock.laps}))


if __name__ == "__main__":
    main()
