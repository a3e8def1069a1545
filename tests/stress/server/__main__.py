"""`python -m tests.stress.server`: a long run. exit 0 when all went well, 1 when not."""

from __future__ import annotations

import argparse
import sys

from tests.stress.server.campaign import Plan, campaign


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.stress.server", description=__doc__)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--threads", type=int, default=200)
    parser.add_argument("--databases", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    verdict = campaign(Plan(**vars(parser.parse_args())))
    print(verdict)
    return 1 if verdict.problems else 0


if __name__ == "__main__":
    sys.exit(main())
