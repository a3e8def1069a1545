"""`spanemu serve` with a clock in each stage: the arguments are a file, then those of `serve`.

When the server ends, the file gets the microseconds of each stage by RPC, as JSON.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from spanemu.cli import main
from tests.benchmarks.stages import StageClock, install


def serve() -> None:
    report, arguments = Path(sys.argv[1]), sys.argv[2:]
    clock = StageClock()
    install(clock)
    try:
        main(arguments)
    finally:
        report.write_text(json.dumps({rpc: clock.medians(rpc) for rpc in clock.laps}))


if __name__ == "__main__":
    serve()
