"""`spanemu health`: checks whether a server answers, for scripts and containers.

exit 0   the gRPC port answers, and the REST port if the server has one
exit 1   the server does not answer, or not within the time of --wait
exit 2   the command line is invalid
"""

from __future__ import annotations

import sys
import threading
from typing import Unpack

import click

from spanemu.api.probe import Unreachable, probe_grpc, probe_rest
from spanemu.base.clock import monotonic
from spanemu.cli.target import (
    Target,
    TargetMissing,
    TargetOptions,
    find_target,
    target_options,
)

EXIT_UNHEALTHY = 1
PROBE_SECONDS = 5.0
PAUSE_SECONDS = 0.1


class Options(TargetOptions):
    """The values of the options, by click's parameter names."""

    wait: float
    quiet: bool


@click.command()
@target_options
@click.option(
    "--wait",
    type=click.FloatRange(min=0),
    default=0.0,
    metavar="SECONDS",
    help="Wait so long for the server to answer.",
)
@click.option("-q", "--quiet", is_flag=True, help="Print nothing; the exit code is the answer.")
def health(**given: Unpack[Options]) -> None:
    """Check that a server answers on its gRPC port and its REST port."""
    deadline, pause = monotonic() + given["wait"], threading.Event()
    while True:
        try:
            target = find_target(given)
            _probe(target)
        except (Unreachable, TargetMissing) as problem:
            if monotonic() + PAUSE_SECONDS < deadline:
                pause.wait(PAUSE_SECONDS)
                continue
            if not given["quiet"]:
                text = problem.message if isinstance(problem, TargetMissing) else problem
                click.echo(f"spanemu: {text}", err=True)
            sys.exit(EXIT_UNHEALTHY)
        if not given["quiet"]:
            rest = "" if target.rest is None else f", REST at {target.rest}"
            click.echo(f"SERVING: gRPC at {target.uri}{rest}")
        return


def _probe(target: Target) -> None:
    probe_grpc(target.uri, PROBE_SECONDS, target.tls_ca)
    if target.rest is not None:
        probe_rest(target.rest, PROBE_SECONDS, target.tls_ca)
