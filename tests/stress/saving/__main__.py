"""`python -m tests.stress.saving`: a long run. exit 0 when all went well, 1 when not."""

from __future__ import annotations

import argparse
import sys

from tests.stress.saving.campaign import campaign


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.stress.saving", description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    verdict = campaign(**vars(parser.parse_args()))
    print(verdict)
    return 1 if verdict.problems else 0


if __name__ == "__main__":
    sys.exit(main())
