"""`python -m tests.stress.plugin`: 10,000 tests on 4 workers. exit 0 when all went well, 1 when not."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.stress.plugin.campaign import Plan, campaign


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.stress.plugin", description=__doc__)
    parser.add_argument("--tests", type=int, default=10_000)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    with tempfile.TemporaryDirectory(prefix="plugin-stress-") as directory:
        verdict = campaign(Plan(**vars(parser.parse_args())), Path(directory))
    print(verdict)
    return 1 if verdict.problems else 0


if __name__ == "__main__":
    sys.exit(main())
