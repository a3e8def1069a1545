"""python -m tests.differential --queries 2000 --seed N"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import SystemRandom

from tests.differential import corpus, wrong
from tests.differential.campaign import differences
from tests.differential.oracle import Oracle, random_expression, shown
from tests.differential.pipes import in_standard_syntax, random_pipes
from tests.differential.statements import Statement, random_statement
from tests.differential.targets import Target, reference, subject

Pair = tuple[Target, Target]


def main() -> int:
    """Run, print each difference as it is found; 1 if there is one."""
    arguments = argparse.ArgumentParser(prog="python -m tests.differential", description=__doc__)
    arguments.add_argument("--queries", type=int, default=2000)
    arguments.add_argument("--seed", type=int, default=None)
    arguments.add_argument("--rows", type=int, default=1, help="the seed of the tables' rows")
    arguments.add_argument("--no-shrink", action="store_true")
    arguments.add_argument("--oracle", action="store_true", help="expressions, against ZetaSQL")
    arguments.add_argument("--pipes", action="store_true", help="pipe syntax, against standard")
    arguments.add_argument("--write-corpus", action="store_true", help="store what agrees instead")
    arguments.add_argument("--write-wrong", metavar="FILE", help="store how these fail instead")
    given = arguments.parse_args()
    first = SystemRandom().randrange(1_000_000_000) if given.seed is None else given.seed
    print(f"seed {first}", flush=True)
    began = time.monotonic()
    count = 0
    seeds = range(first, first + given.queries)
    make, pair = _compared(given)
    with pair[0] as ours, pair[1] as theirs:
        if given.write_corpus:
            print(f"{corpus.write(ours, theirs, seeds)} statements in {corpus.PATH.name}")
            return 0
        if given.write_wrong:
            statements = Path(given.write_wrong).read_text(encoding="utf-8").splitlines()
            print(f"{wrong.add(ours, theirs, statements)} statements in {wrong.PATH.name}")
            return 0
        shrink = not (given.no_shrink or given.pipes)
        result = differences(ours, theirs, seeds, shrink=shrink, make=make)
        for difference in result:
            count += 1
            print(difference, flush=True)
    print(f"{given.queries} queries, {count} differ, {time.monotonic() - began:.0f} s")
    return 1 if count else 0


def _compared(given: argparse.Namespace) -> tuple[Callable[[int], Statement], Pair]:
    """Return what makes the statement of a seed, and who is asked."""
    if given.oracle:
        return random_expression, (shown(), Oracle())
    if given.pipes:
        return random_pipes, (subject(given.rows), in_standard_syntax(given.rows))
    return random_statement, (subject(given.rows), reference(given.rows))


if __name__ == "__main__":
    sys.exit(main())
