"""The command line of the campaigns that send one statement after another."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from spanemu.base.rand import Randomness
from tests.fuzz.ddl import Findings


def run(
    name: str, document: str | None, statements: int, campaign: Callable[[int, int], Findings]
) -> int:
    """Run `campaign(seed, statements)`, print its findings, and return the exit code.

    `name` is the module of the campaign, `document` its docstring, and `statements` the default.
    """
    parser = argparse.ArgumentParser(prog=f"python -m tests.fuzz.{name}", description=document)
    parser.add_argument("--statements", type=int, default=statements)
    parser.add_argument("--seed", type=int)
    options = parser.parse_args()
    seed = Randomness(options.seed).seed
    print(f"seed {seed}", flush=True)
    findings = campaign(seed, options.statements)
    print(", ".join(f"{count} {code}" for code, count in findings.codes.most_common()))
    print(*findings.violations, f"{len(findings.violations)} violations", sep="\n")
    return 1 if findings.violations else 0
