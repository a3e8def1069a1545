"""The server that a command is about: the options that name it, and where else it may be named.

A command line names the server by --endpoint-file or --host-port. Without them, the server is that
of the file in SPANEMU_ENDPOINT_FILE, then that of SPANNER_EMULATOR_HOST, then localhost:9010.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypedDict

import click

from spanemu.api import probe
from spanemu.api.endpoint_file import Endpoint, InvalidEndpointFile, reading_problem
from spanemu.base.resource_names import InstanceName
from spanemu.config import DEFAULT_INSTANCE, DEFAULT_PROJECT, HostPort, InvalidConfig

GRPC_PORT = 9010
REST_PORT = 9020
DEFAULT_HOST_PORT = f"localhost:{GRPC_PORT}"
OFF = "off"

ENDPOINT_FILE = "SPANEMU_ENDPOINT_FILE"
EMULATOR_HOST = "SPANNER_EMULATOR_HOST"
REST_HOST = "SPANNER_EMULATOR_REST_HOST"
TLS_CA = "SPANEMU_TLS_CA"
TLS_CERT = "SPANEMU_TLS_CERT"  # of a server on this machine


PROBE_SECONDS = 5.0


class TargetMissing(click.UsageError):
    """An endpoint file that does not exist or is invalid: the server may not have started."""


@dataclass(frozen=True, slots=True)
class Target:
    """The addresses of a server; `rest` is None if it has no REST port. `source` names the server.

    `own` is the instance of the server's own databases, None if only the server knows it. `tls_ca`
    is the file of certificates to trust, None for a server without TLS.
    """

    uri: str
    rest: str | None
    source: str
    own: InstanceName | None = None
    tls_ca: str | None = None

    @property
    def rest_url(self) -> str | None:
        """The address of the REST port as a URL."""
        if self.rest is None or "://" in self.rest:
            return self.rest
        return f"http{'' if self.tls_ca is None else 's'}://{self.rest}"

    @property
    def project(self) -> str:
        """The project of the server's own databases."""
        return DEFAULT_PROJECT if self.own is None else self.own.project

    @property
    def instance(self) -> str:
        """The instance of the server's own databases."""
        return DEFAULT_INSTANCE if self.own is None else self.own.instance


class TargetOptions(TypedDict):
    """The values of the options that name a server."""

    endpoint_file: Path | None
    host_port: str | None
    rest_host_port: str | None
    tls_ca: str | None


_OPTIONS = (
    click.option(
        "--endpoint-file",
        type=click.Path(path_type=Path),
        help="The file that `spanemu serve --endpoint-file` wrote.",
    ),
    click.option("--host-port", metavar="HOST:PORT", help="The gRPC address of the server."),
    click.option(
        "--rest-host-port", metavar="HOST:PORT|off", help="The REST address of the server."
    ),
    click.option(
        "--tls-ca",
        metavar="FILE",
        envvar=[TLS_CA, TLS_CERT],
        help="The certificates to trust, if the server speaks TLS: its own, or its authority's.",
    ),
)


def target_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that name a server to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def find_target(given: TargetOptions) -> Target:
    """Return the server that a command line names. Raises TargetMissing or click.UsageError."""
    target = _named(given)
    if (rest := given["rest_host_port"]) is not None:
        target = replace(target, rest=None if rest == OFF else _checked(rest, "--rest-host-port"))
    if given["tls_ca"] is not None:
        target = replace(target, tls_ca=given["tls_ca"])
    return target


def check_answers(target: Target) -> None:
    """Return if the server answers; without this check, clients would retry for long.

    Raises Unreachable.
    """
    probe.probe_grpc(target.uri, PROBE_SECONDS, target.tls_ca)


def _named(given: TargetOptions) -> Target:
    if (path := given["endpoint_file"]) is not None:
        return _of_file(path, "--endpoint-file")
    if given["host_port"] is not None:
        return _of_address(given["host_port"], "--host-port")
    if variable := os.environ.get(ENDPOINT_FILE):
        return _of_file(Path(variable), ENDPOINT_FILE)
    if variable := os.environ.get(EMULATOR_HOST):
        return _of_address(variable, EMULATOR_HOST)
    return _of_address(DEFAULT_HOST_PORT, "the default address")


def _of_file(path: Path, source: str) -> Target:
    try:
        endpoint = Endpoint.read(path)
    except (OSError, InvalidEndpointFile) as problem:
        raise TargetMissing(f"{source}: {reading_problem(problem, path)}") from problem
    source = f"{source} {path}"
    own = InstanceName(endpoint.project_id, endpoint.instance_id)
    return Target(endpoint.uri, endpoint.rest_uri, source, own, endpoint.tls_ca)


def _of_address(text: str, source: str) -> Target:
    """Return a server by its gRPC address; REST is expected at the port that goes with 9010."""
    uri = _checked(text, source)
    rest = os.environ.get(REST_HOST)
    address = HostPort.parse(uri)
    if rest is None and address.port == GRPC_PORT:
        rest = str(HostPort(address.host, REST_PORT))
    return Target(uri, rest, source)


def _checked(text: str, source: str) -> str:
    try:
        return str(HostPort.parse(text).reachable)
    except InvalidConfig as problem:
        raise click.UsageError(f"{source}: {problem}") from problem
