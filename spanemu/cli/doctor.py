"""`spanemu doctor`: checks the installation, the environment, the ports and the configuration.

exit 0   no problem
exit 1   a problem that keeps spanemu or its clients from working
"""

from __future__ import annotations

import os
import platform
import socket
import sys
from collections.abc import Iterator, Mapping
from enum import Enum
from importlib.metadata import PackageNotFoundError, entry_points, version
from pathlib import Path
from typing import Unpack

import click

import spanemu
from spanemu.api.endpoint_file import Endpoint, InvalidEndpointFile
from spanemu.api.probe import Unreachable, is_spanemu, probe_grpc, probe_rest
from spanemu.api.variables import KNOWN, misspelt_note, misspelt_variables
from spanemu.base.record import NamedTuple
from spanemu.cli.commands import VARIABLE_PREFIX
from spanemu.cli.target import (
    EMULATOR_HOST,
    ENDPOINT_FILE,
    GRPC_PORT,
    REST_PORT,
    TargetOptions,
    find_target,
    target_options,
)
from spanemu.config import HostPort, InvalidConfig

EXIT_PROBLEM = 1
PROBE_SECONDS = 3.0
PYTHON_MIN = (3, 11)
REQUIRED = ("google-cloud-spanner", "grpcio", "protobuf", "click", "google-re2", "sortedcontainers")
OPTIONAL = {
    "pytest": "the pytest plugin",
    "tldextract": "NET.PUBLIC_SUFFIX and NET.REG_DOMAIN (spanemu[functions])",
    "zstandard": "ZSTD functions (spanemu[functions])",
    "fastavro": "dump and load of Avro (spanemu[avro])",
    "prompt_toolkit": "the line editor of spanemu sql (spanemu[sql])",
    "grpcio-reflection": "server reflection (spanemu[reflection])",
    "opentelemetry-exporter-otlp-proto-http": "traces (spanemu[otel])",
    "sqlalchemy-spanner": "SQLAlchemy (spanemu[sqlalchemy])",
    "django-google-spanner": "Django (spanemu[django])",
}
CONFIGURATION_FILES = ("pyproject.toml", "pytest.ini", "tox.ini", "setup.cfg")

NO_FAKER = "no:faker"
FAKER_NOTE = (
    "Faker's own pytest plugin takes 0.09 to 0.35 s of processor time in each pytest process; "
    f"spanemu does not need it: addopts = -p {NO_FAKER}"
)


class Verdict(Enum):
    """The result of a check, with the mark in front of its line."""

    GOOD = "ok"
    NOTE = "note"
    PROBLEM = "FAIL"


class Finding(NamedTuple):
    """A line of the report."""

    verdict: Verdict
    text: str


GOOD, NOTE, PROBLEM = Verdict


@click.command()
@target_options
def doctor(**given: Unpack[TargetOptions]) -> None:
    """Check the installation, the environment, the ports and the configuration."""
    has_problem = False
    for title, findings in (
        ("Versions", _versions()),
        ("Environment", _environment(os.environ)),
        ("Server", _server(given)),
        ("Ports", _ports()),
        ("Configuration", _configuration(Path.cwd())),
    ):
        click.secho(title, bold=True)
        for verdict, text in findings:
            has_problem |= verdict is PROBLEM
            click.echo(f"  {verdict.value:<4}  {text}")
    if has_problem:
        sys.exit(EXIT_PROBLEM)


# ---------------------------------------------------------------------------- versions


def _versions() -> Iterator[Finding]:
    python = f"Python {platform.python_version()} on {platform.platform()} ({sys.executable})"
    yield Finding(GOOD if sys.version_info >= PYTHON_MIN else PROBLEM, python)
    yield Finding(GOOD, f"spanemu {spanemu.__version__} ({Path(spanemu.__file__).parent})")
    for name in REQUIRED:
        installed = _version(name)
        if installed is None:
            yield Finding(PROBLEM, f"{name} is not installed")
        else:
            yield Finding(GOOD, f"{name} {installed}")
    for name, purpose in OPTIONAL.items():
        installed = _version(name)
        shown = "not installed" if installed is None else installed
        yield Finding(NOTE if installed is None else GOOD, f"{name} {shown}: for {purpose}")
    if _version("pytest") and not any(
        entry.value.startswith("pytest_spanemu") for entry in entry_points(group="pytest11")
    ):
        yield Finding(PROBLEM, "pytest does not find the plugin: spanemu is not installed here")


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


# ---------------------------------------------------------------------------- environment


def _environment(variables: Mapping[str, str]) -> Iterator[Finding]:
    for name, value in sorted(variables.items()):
        if name in KNOWN and name.startswith(VARIABLE_PREFIX):
            yield Finding(GOOD, f"{name}={value}")
    for name, meant in misspelt_variables(variables):
        yield Finding(PROBLEM, misspelt_note(name, meant))
    host = variables.get(EMULATOR_HOST)
    if host is None:
        yield Finding(NOTE, f"{EMULATOR_HOST} is not set: clients would connect to Google")
    else:
        try:
            HostPort.parse(host)
        except InvalidConfig as problem:
            yield Finding(PROBLEM, f"{EMULATOR_HOST}: {problem}")
        else:
            yield Finding(GOOD, f"{EMULATOR_HOST}={host}")
    yield from _proxy(variables)


def _proxy(variables: Mapping[str, str]) -> Iterator[Finding]:
    """Yield the proxy that gRPC would use even for this machine."""
    for name in ("grpc_proxy", "https_proxy", "http_proxy"):
        if variables.get(name):
            exempt = variables.get("no_grpc_proxy") or variables.get("no_proxy") or ""
            is_exempt = "localhost" in exempt or exempt.strip() == "*"
            text = f"{name}={variables[name]}"
            if is_exempt:
                yield Finding(GOOD, f"{text}, but not for localhost")
            else:
                yield Finding(NOTE, f"{text}: set no_proxy=localhost,127.0.0.1 for gRPC clients")
            return


# ---------------------------------------------------------------------------- server and ports


def _server(given: TargetOptions) -> Iterator[Finding]:
    try:
        target = find_target(given)
    except click.UsageError as problem:
        yield Finding(PROBLEM, problem.message)
        return
    named = any(given.values()) or ENDPOINT_FILE in os.environ or EMULATOR_HOST in os.environ
    try:
        probe_grpc(target.uri, PROBE_SECONDS, target.tls_ca)
    except Unreachable as problem:
        trust = "" if target.tls_ca is None else f", trusting {target.tls_ca}"
        where = f"nothing answers at {target.uri} ({target.source}{trust}): {problem}"
        yield Finding(PROBLEM if named else NOTE, where)
        return
    is_own = is_spanemu(target.uri, PROBE_SECONDS, target.tls_ca)
    kind = "spanemu" if is_own else "another Spanner server"
    tls = "" if target.tls_ca is None else f" with TLS, trusted by {target.tls_ca}"
    yield Finding(GOOD, f"{kind} answers gRPC{tls} at {target.uri} ({target.source})")
    if target.rest is None:
        return
    try:
        probe_rest(target.rest, PROBE_SECONDS, target.tls_ca)
        yield Finding(GOOD, f"REST answers at {target.rest}")
    except Unreachable as problem:
        yield Finding(NOTE, str(problem))


def _ports() -> Iterator[Finding]:
    for port, purpose in ((GRPC_PORT, "gRPC"), (REST_PORT, "REST")):
        with socket.socket() as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                trial.bind(("127.0.0.1", port))
                yield Finding(GOOD, f"port {port} ({purpose}) is free")
            except OSError:
                yield Finding(NOTE, f"port {port} ({purpose}) is in use")


# ---------------------------------------------------------------------------- configuration


def _configuration(directory: Path) -> Iterator[Finding]:
    path = os.environ.get(ENDPOINT_FILE)
    if path:
        yield _endpoint_file(Path(path))
    nothing = with_faker = True
    for folder in (directory, *directory.parents):
        for name in CONFIGURATION_FILES:
            lines = _lines_of(folder / name)
            with_faker &= not any(NO_FAKER in line for line in lines)
            settings = _settings_in(lines)
            if settings:
                nothing = False
                yield Finding(GOOD, f"{folder / name}: {', '.join(settings)}")
        if (folder / CONFIGURATION_FILES[0]).exists():
            break
    if with_faker and entry_points(group="pytest11", name="faker"):
        yield Finding(NOTE, FAKER_NOTE)
    if nothing:
        yield Finding(NOTE, f"no settings of spanemu in {directory} or above: defaults apply")


def _lines_of(path: Path) -> list[str]:
    """Return the lines of a configuration file, none if it cannot be read."""
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return []


def _settings_in(lines: list[str]) -> list[str]:
    """Return the names of spanemu's settings in a configuration file, in order."""
    names = []
    for line in lines:
        name = line.split("=")[0].strip()
        if ("=" in line and name.startswith("spanner_")) or name.startswith("[tool.spanemu"):
            names.append(name)
    return names


def _endpoint_file(path: Path) -> Finding:
    try:
        endpoint = Endpoint.read(path)
    except FileNotFoundError:
        return Finding(NOTE, f"{path} does not exist: no server runs")
    except (OSError, InvalidEndpointFile) as problem:
        return Finding(PROBLEM, str(problem))
    return Finding(GOOD, f"{path}: process {endpoint.pid}, started at {endpoint.started_at}")
