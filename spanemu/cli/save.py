"""`spanemu save`: saves the state of a running server in its data directory.

exit 0   the state is saved
exit 1   the server has no data directory, does not answer, or cannot write
exit 2   the command line is invalid
"""

from __future__ import annotations

import sys
from typing import Unpack

import click

from spanemu.api.remote import RemoteEmulator
from spanemu.base.errors import SpannerError
from spanemu.cli.target import TargetOptions, find_target, target_options

EXIT_NOT_SAVED = 1


@click.command()
@target_options
@click.option("-q", "--quiet", is_flag=True, help="Print nothing.")
def save(quiet: bool, **given: Unpack[TargetOptions]) -> None:
    """Save the state of a running server in its data directory."""
    target = find_target(given)
    emulator = RemoteEmulator(target.uri, tls_ca=target.tls_ca)
    try:
        folder = emulator.save()
    except (SpannerError, ValueError) as problem:
        click.echo(f"spanemu: {problem}", err=True)
        sys.exit(EXIT_NOT_SAVED)
    finally:
        emulator.close()
    if not quiet:
        click.echo(folder)
