"""`python -m tests.fuzz.graphs`: graph queries with their tokens changed, run against rows.

Each is answered, or refused with a code that says why, long before its deadline.

exit 0   nothing that must not happen did
exit 1   it did; the findings are printed
"""

from __future__ import annotations

import argparse
import sys
from random import Random
from time import perf_counter

import grpc

from spanemu.base.rand import Randomness
from spanemu.frontend import wire
from tests.fuzz.corpus import GRAPHS
from tests.fuzz.ddl import Findings
from tests.fuzz.statements import mutated
from tests.fuzz.world import SPANNER, World, small_world
from tests.golden.runner import Case, golden_files, parse_golden

SECONDS_MAX = 5.0
EXPECTED = frozenset(
    {
        grpc.StatusCode.OK,
        grpc.StatusCode.INVALID_ARGUMENT,
        grpc.StatusCode.FAILED_PRECONDITION,
        grpc.StatusCode.NOT_FOUND,
        grpc.StatusCode.UNIMPLEMENTED,
        grpc.StatusCode.OUT_OF_RANGE,
        grpc.StatusCode.RESOURCE_EXHAUSTED,
    }
)


def valid_queries() -> tuple[str, ...]:
    """Return the queries of the corpus over its graph, and those of the parser's golden files."""
    parsed = (
        case.input
        for path in golden_files("parse")
        if path.stem.startswith("graph_")
        for case in parse_golden(path.read_text(encoding="utf-8"))
        if isinstance(case, Case) and case.command == "statement"
    )
    return (*GRAPHS, *GRAPHS, *GRAPHS, *parsed)


def run(world: World, count: int, seed: int) -> Findings:
    """Send `count` queries, each changed in another way."""
    random, corpus, findings = Random(seed), valid_queries(), Findings()
    for _ in range(count):
        sql = mutated(random, corpus)
        request = wire.ExecuteSqlRequest(session=world.session, sql=sql)
        began = perf_counter()
        reply = world.send(SPANNER + "ExecuteStreamingSql", request.SerializeToString())
        took = perf_counter() - began
        findings.codes[reply.code.name] += 1
        if reply.code not in EXPECTED or took > SECONDS_MAX:
            what = f"{reply.code.name} after {took:.1f} s: {reply.details}"
            findings.violations.append(f"{sql}\n    {what}")
    return findings


def main() -> int:
    """Run a campaign from the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.graphs", description=__doc__)
    parser.add_argument("--statements", type=int, default=20_000)
    parser.add_argument("--seed", type=int)
    options = parser.parse_args()
    seed = Randomness(options.seed).seed
    print(f"seed {seed}", flush=True)
    with small_world(embedded=True) as world:
        findings = run(world, options.statements, seed)
    print(dict(findings.codes))
    print(*findings.violations, sep="\n")
    return 1 if findings.violations else 0


if __name__ == "__main__":
    sys.exit(main())
