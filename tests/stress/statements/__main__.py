"""`python -m tests.stress.statements`: every bomb against a server with a memory limit of 1 GiB. Linux only.

exit 0 when the server survives all of them, answers with Spanner's codes, and keeps nobody else
waiting for more than 200 ms; and when it survives ten clients that send bombs at once. 1 when not.
"""

from __future__ import annotations

import argparse
import sys

from tests.stress.statements.bombs import BOMBS, MEMORY
from tests.stress.statements.campaign import campaign, crowd

WAIT_SECONDS_MAX = 0.2
CLIENTS = 10
CROWD_SECONDS = 30.0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.stress.statements", description=__doc__)
    parser.add_argument("--seconds", type=float, default=10.0, help="deadline of a bomb")
    parser.add_argument("--only", default="", help="bombs whose names contain this")
    options = parser.parse_args()
    verdict = campaign([bomb for bomb in BOMBS if options.only in bomb.name], options.seconds)
    if verdict.longest_wait > WAIT_SECONDS_MAX:
        verdict.problems.append(f"another client waited {verdict.longest_wait * 1000:.0f} ms")
    if not options.only:
        verdict.problems += crowd([b for b in BOMBS if MEMORY in b.codes], CLIENTS, CROWD_SECONDS)
    print(verdict)
    return 1 if verdict.problems else 0


if __name__ == "__main__":
    sys.exit(main())
