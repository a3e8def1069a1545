"""`python -m tests.stress.attacks`: every attack, ten times, and honest loaders beside some. Linux only.

exit 0   no client waits for more than 200 ms longer than without the attack, memory stays bounded,
         and the account of the server says in the end what it said before
exit 1   something of that is not so
"""

from __future__ import annotations

import argparse
import sys

from tests.stress.attacks.attacker import NOTHING
from tests.stress.attacks.campaign import ATTACKS, load_beside, run

ADDED_SECONDS_MAX = 0.2
LOADERS = 8


def main() -> int:
    """Run the campaign from the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.stress.attacks", description=__doc__)
    parser.add_argument("--only", default="", help="attacks whose names contain this")
    parser.add_argument("--repetitions", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=3.0, help="of a repetition")
    parser.add_argument("--tls", action="store_true")
    parser.add_argument(
        "--loaders", action="store_true", help="eight commits of 95 MiB beside each"
    )
    options = parser.parse_args()
    names = [name for name in (NOTHING, *ATTACKS) if options.only in name]
    problems = 0
    if options.loaders:
        for name in names:
            result = load_beside(name, LOADERS)
            print(name, *result or ["all commits succeeded"], sep="\n    ", flush=True)
            problems += len(result)
        return 1 if problems else 0
    for report in run(names, options.repetitions, options.seconds, is_secure=options.tls):
        if report.added > ADDED_SECONDS_MAX:
            report.problems.append(f"another client waited {report.added * 1000:.0f} ms longer")
        print(report, flush=True)
        problems += len(report.problems)
    print(f"{problems} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
