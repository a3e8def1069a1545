"""`python -m tests.stress.dumps`: a gigabyte in each dialect. exit 0 when all went well, 1 when not. Linux."""

from __future__ import annotations

import argparse
import sys

from tests.stress.dumps.campaign import DIALECTS, FORMATS, campaign


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.stress.dumps", description=__doc__)
    parser.add_argument("--megabytes", type=float, default=1_000)
    parser.add_argument("--formats", nargs="+", choices=FORMATS, default=FORMATS)
    parser.add_argument("--dialects", nargs="+", choices=DIALECTS, default=DIALECTS)
    _, problems = campaign(**vars(parser.parse_args()))
    print(*problems, sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
