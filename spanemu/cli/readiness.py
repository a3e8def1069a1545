"""What a server says about itself when it is ready: its lines, its endpoint file, a warning."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

import click

import spanemu
from spanemu.api.endpoint_file import Endpoint

IN_CONTAINER = "SPANEMU_IN_CONTAINER"  # set where all addresses are those of a container
# The lines that tools wait for, by the program that prints them. Some tools read the text before
# the address as well, and expect a program's name in front.
OWN, GATEWAY, EMULATOR = "spanemu", "gateway_main", "emulator_main"
READY_LINES: Mapping[str, Sequence[str]] = {
    OWN: (
        "Cloud Spanner emulator running.",
        "REST server listening at {rest}",
        "gRPC server listening at {grpc}",
    ),
    GATEWAY: (
        "spanemu: Cloud Spanner emulator running.",
        "spanemu: REST server listening at {rest}",
        "spanemu: gRPC server listening at {grpc}",
    ),
    EMULATOR: ("spanemu: Cloud Spanner Emulator running.", "spanemu: Server address: {grpc}"),
}


def warn(emulator: spanemu.Emulator) -> None:
    """Warn if other machines can reach the emulator, outside of a container."""
    if not emulator.address.is_loopback and not os.environ.get(IN_CONTAINER):
        click.echo("spanemu: reachable from other machines, without authentication.", err=True)


def announce(emulator: spanemu.Emulator, created: list[str], lines: str) -> None:
    """Print the address, the seed and the created resources.

    Wrappers of Google's emulator wait for its three lines, which come in the same order.
    """
    for line in READY_LINES[lines]:
        if emulator.rest_address is not None or "{rest}" not in line:
            click.echo(line.format(grpc=emulator.address, rest=emulator.rest_address))
    if (tls_ca := _tls_ca(emulator)) is None:
        click.echo(f"export SPANNER_EMULATOR_HOST={emulator.uri}")
    else:  # With that variable, clients would send plain text.
        click.echo(f"export GRPC_DEFAULT_SSL_ROOTS_FILE_PATH={tls_ca}")
    click.echo(f"Seed {emulator.randomness.seed}")
    for name in created:
        click.echo(f"Created {name}")
    if emulator.rest_uri is not None and emulator.config.console:
        click.echo(f"Console at {emulator.rest_uri}/console/")


def endpoint_of(emulator: spanemu.Emulator) -> Endpoint:
    """Return the contents of the endpoint file."""
    started = emulator.clock.now.replace(microsecond=0)
    return Endpoint(
        uri=emulator.uri,
        pid=os.getpid(),
        project_id=emulator.project,
        instance_id=emulator.instance,
        started_at=started.isoformat().replace("+00:00", "Z"),
        rest_uri=emulator.rest_uri,
        tls_ca=_tls_ca(emulator),
    )


def _tls_ca(emulator: spanemu.Emulator) -> str | None:
    """Return the absolute path of the server's certificate, None without TLS."""
    certificate = emulator.config.tls_cert
    return None if certificate is None else os.path.abspath(certificate)
