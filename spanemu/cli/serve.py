"""`spanemu serve`: runs an emulator on a port until a signal stops it.

exit 0   stopped by SIGTERM or SIGINT
exit 2   the command line, a schema or the state in a data directory is invalid
exit 3   the port is in use, or the host is not an address of this machine
exit 4   the state cannot be saved
"""

from __future__ import annotations

import os
import re
import socket
import sys
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import Literal, Unpack

import click

import spanemu
from spanemu.api.endpoint_file import publish
from spanemu.api.saving.directory import UnusableState
from spanemu.api.variables import misspelt_note, misspelt_variables
from spanemu.base.collector import Pause, age_objects, heap
from spanemu.base.limits import CHANGE_STREAM_HEARTBEAT_MILLIS_MIN, DEFAULT_LIMITS, Limits
from spanemu.base.resource_names import InstanceName
from spanemu.cli import init_files, lifecycle, process
from spanemu.cli.commands import Ids, dialect_option, strict_heartbeats_option, with_variables
from spanemu.cli.instance_options import InstanceOptions, instance_options, instance_rules
from spanemu.cli.telemetry_options import TelemetryOptions, telemetry_config, telemetry_options
from spanemu.config import (
    AUTO,
    DEFAULT_INSTANCE,
    DEFAULT_PROJECT,
    DEFAULT_RETENTION_SECONDS,
    GRPC_SERVERS,
    H2,
    PORT_MAX,
    EmulatorConfig,
    HostPort,
    InvalidConfig,
)
from spanemu.control.clock import as_datetime

EXIT_USAGE = 2
EXIT_CANNOT_LISTEN = 3
DEFAULT_REST_PORT = 9020
REST_OFF = "off"
_FREEZES: dict[str, bool | Literal["auto"]] = {AUTO: AUTO, "on": True, "off": False}
_INVALID_FILES = (
    spanemu.SpannerError,
    init_files.InitFileRejected,
    OSError,
    UnicodeDecodeError,
)


class Options(InstanceOptions, TelemetryOptions):
    """The values of the options, by click's parameter names."""

    host_port: str
    grpc_server: str
    rest_host_port: str | None
    rest_port: int | None
    allowed_hosts: tuple[str, ...]
    console: str
    remote_control: bool
    project: str
    instance: str | None
    databases: tuple[str, ...]
    dialect: str
    schemas: tuple[Path, ...]
    init_dir: Path | None
    data_dir: Path | None
    import_from: Path | None
    export_on_exit: str | None
    edited: bool
    endpoint_file: Path | None
    seed: int | None
    start_time: str | None
    version_retention_seconds: float
    gc_freeze: str
    all_cpus: bool
    abort_share: float
    partition_churn_seconds: float | None
    strict_heartbeats: bool
    tls_cert: str | None
    tls_key: str | None
    ready_lines: str
    stop_on_stdin_end: bool


@with_variables
@click.command()
@click.option(
    "--host-port",
    default="localhost:9010",
    show_default=True,
    metavar="HOST:PORT",
    help="Listen here; port 0 chooses a free port.",
)
@click.option(
    "--grpc-server",
    type=click.Choice(GRPC_SERVERS),
    default=H2,
    show_default=True,
    help="Serve gRPC with spanemu's own server, or with that of gRPC's library, which is slower.",
)
@click.option(
    "--rest-host-port",
    metavar="HOST:PORT|off",
    help="Serve REST here. [default: port 9020 of the same host; any free port beside port 0]",
)
@click.option("--rest-port", type=int, metavar="PORT", help="Serve REST at this port.")
@click.option(
    "--allowed-host",
    "allowed_hosts",
    type=Ids(),
    multiple=True,
    metavar="NAME",
    help="Accept REST requests for this host name, besides localhost and addresses. Repeatable.",
)
@click.option(
    "--console",
    type=click.Choice(["on", "off"]),
    default="on",
    show_default=True,
    help="Serve the web console below /console/ of the REST port.",
)
@click.option(
    "--remote-control",
    is_flag=True,
    help="Accept control operations (snapshots, faults, the clock) from other machines, too.",
)
@click.option(
    "--project",
    default=DEFAULT_PROJECT,
    show_default=True,
    metavar="ID",
    help="The project of --instance.",
)
@click.option("--instance", metavar="ID", help="Create this instance at the start.")
@instance_options
@click.option(
    "--database",
    "databases",
    type=Ids(),
    multiple=True,
    metavar="ID",
    help="Create this database in the instance. Repeatable.",
)
@dialect_option
@click.option(
    "--schema",
    "schemas",
    multiple=True,
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Apply this DDL file to each --database. Repeatable.",
)
@click.option(
    "--init-dir",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Run the .sql and .ddl files of this directory; those of a subdirectory DATABASE there.",
)
@click.option(
    "--data-dir",
    type=click.Path(path_type=Path, file_okay=False),
    help="Begin with the state in this directory, and save the state there at the end.",
)
@click.option(
    "--import",
    "import_from",
    type=click.Path(path_type=Path, file_okay=False),
    help="Begin with the state that another server saved in this directory.",
)
@click.option(
    "--export-on-exit",
    is_flag=False,
    flag_value="",
    metavar="[DIRECTORY]",
    help="Save the state in this directory at the end. [default: that of --import]",
)
@click.option(
    "--edited",
    is_flag=True,
    help="Load a state whose files were changed on purpose, instead of refusing it as damaged.",
)
@click.option(
    "--endpoint-file",
    type=click.Path(path_type=Path),
    help="Write the server's address to this file, as JSON.",
)
@click.option("--seed", type=int, help="Seed of all random choices; repeats an earlier run.")
@click.option("--start-time", metavar="TIME", help="The time at the start: 2026-01-01T00:00Z.")
@click.option(
    "--version-retention-seconds", type=float, default=DEFAULT_RETENTION_SECONDS, hidden=True
)
@click.option(
    "--gc-freeze",
    type=click.Choice(list(_FREEZES)),
    default="on",  # The process is the emulator's own.
    show_default=True,
    help="Let full garbage collections skip what stays: on; auto, while there are many rows; off.",
)
@click.option("--all-cpus", is_flag=True, help="Use all CPUs. A single CPU is usually faster.")
@click.option(
    "--abort-share",
    type=click.FloatRange(0, 1),
    default=0.0,
    metavar="SHARE",
    help="Abort this share of the commits, between 0 and 1, to exercise retries.",
)
@click.option(
    "--partition-churn-seconds",
    type=float,
    metavar="SECONDS",
    help="Change the partitions of all change streams at this interval, to exercise readers.",
)
@strict_heartbeats_option
@click.option("--tls-cert", metavar="FILE", help="Speak TLS with this certificate, in PEM format.")
@click.option("--tls-key", metavar="FILE", help="The key of the certificate, in PEM format.")
@telemetry_options
@click.option(
    "--ready-lines",
    type=click.Choice(list(lifecycle.READY_LINES)),
    default=lifecycle.OWN,
    hidden=True,
)
@click.option("--stop-on-stdin-end", is_flag=True, hidden=True)
def serve(**given: Unpack[Options]) -> None:
    """Run an emulator on a port until it is stopped.

    Without --instance the emulator starts empty; clients may use any project and create instances.
    """
    if given["schemas"] and not given["databases"]:
        raise click.UsageError("--schema needs a --database to apply it to.")
    for name, meant in misspelt_variables(os.environ):
        click.echo(f"spanemu: {misspelt_note(name, meant)}", err=True)
    config = _config(given)
    process.share_one_arena()
    process.allow_descriptors()
    if not given["all_cpus"]:
        process.keep_to_one_cpu()
    with lifecycle.stop_signal(given["stop_on_stdin_end"]) as wait_for_stop, ExitStack() as stack:
        has_wish = given["rest_host_port"] is not None or given["rest_port"] is not None
        emulator = _start(config, given["ready_lines"], must_have_rest=has_wish)
        stack.callback(lifecycle.send_spans, config.tracer_provider)
        stack.callback(lifecycle.close, emulator)
        lifecycle.warn(emulator)
        created = _create(emulator, given)
        if given["abort_share"]:
            emulator.faults.abort_rate(given["abort_share"]).is_permanent = True
        if (path := given["endpoint_file"]) is not None:
            _publish(emulator, path, stack)
        lifecycle.announce(emulator, created, given["ready_lines"])
        wait_for_stop()
    lifecycle.leave()


def _config(given: Options) -> EmulatorConfig:
    start = given["start_time"]
    try:
        return EmulatorConfig(
            host_port=given["host_port"],
            grpc_server=given["grpc_server"],
            rest_host_port=_rest_host_port(given),
            allowed_hosts=given["allowed_hosts"],
            console=given["console"] == "on",
            remote_control=given["remote_control"],
            project=given["project"],
            instance=given["instance"] or DEFAULT_INSTANCE,
            **instance_rules(given),
            seed=given["seed"],
            start_time=None if start is None else _start_time(start),
            version_retention_seconds=given["version_retention_seconds"],
            limits=_limits(given),
            gc_freeze=_FREEZES[given["gc_freeze"]],
            partition_churn_seconds=given["partition_churn_seconds"],
            data_dir=given["data_dir"],
            import_from=given["import_from"],
            export_on_exit=_export_directory(given),
            edited=given["edited"],
            tls_cert=given["tls_cert"],
            tls_key=given["tls_key"],
            embedded_channel=False,
            **telemetry_config(given),
        )
    except ValueError as error:  # including InvalidConfig
        raise click.UsageError(_with_options(str(error))) from error


def _start_time(text: str) -> datetime:
    try:
        return as_datetime(text)
    except ValueError as problem:
        raise InvalidConfig(f"start_time: {problem}") from problem


def _with_options(message: str) -> str:
    """Return a message about settings with the options in place of their names."""
    options = {option.name: option.opts[-1] for option in serve.params if option.name}
    return re.sub(r"\b[a-z]+(?:_[a-z]+)+\b", lambda name: options.get(name[0], name[0]), message)


def _export_directory(given: Options) -> Path | None:
    """Return where to save the state at the end, None for nowhere. Raises click.UsageError."""
    if given["export_on_exit"] is None:
        return None
    directory = given["export_on_exit"] or given["import_from"]
    if directory is None:
        raise click.UsageError("--export-on-exit needs a directory, its own or that of --import.")
    return Path(directory)


def _rest_host_port(given: Options) -> str | None:
    """Return where to serve REST, None for nowhere. Raises InvalidConfig."""
    chosen, port = given["rest_host_port"], given["rest_port"]
    if chosen is not None and port is not None:
        raise click.UsageError("--rest-host-port and --rest-port exclude each other.")
    if chosen is not None:
        return None if chosen == REST_OFF else chosen
    try:
        grpc = HostPort.parse(given["host_port"])
    except InvalidConfig as problem:
        raise InvalidConfig(f"--host-port: {problem}") from problem
    if port is None:
        port = DEFAULT_REST_PORT if grpc.port else 0
    return str(HostPort(grpc.host, port))


def _limits(given: Options) -> Limits:
    """Return Spanner's limits, with less memory for a statement where the process has little."""
    known, is_strict = DEFAULT_LIMITS, given["strict_heartbeats"]
    memory = process.statement_memory_bytes(known.statement_memory_bytes, process.heed_limits())
    least = CHANGE_STREAM_HEARTBEAT_MILLIS_MIN if is_strict else known.heartbeat_millis_min
    return Limits(statement_memory_bytes=memory, heartbeat_millis_min=least)


def _start(config: EmulatorConfig, program: str, *, must_have_rest: bool) -> spanemu.Emulator:
    # Imported objects stay in memory to the end. Collecting garbage among them takes a sixth of
    # the start-up time and slows down every later collection.
    with Pause():
        try:
            emulator = _emulator(config, program, must_have_rest=must_have_rest)
        except spanemu.InvalidConfig as error:
            raise click.UsageError(str(error)) from error
        except spanemu.CannotListen as error:
            click.echo(f"spanemu: {error}{_another_port(error, config, program)}", err=True)
            sys.exit(EXIT_CANNOT_LISTEN)
        except (UnusableState, OSError) as error:
            click.echo(f"spanemu: {error}", err=True)
            sys.exit(EXIT_USAGE)
        if config.gc_freeze == AUTO:
            age_objects()
        heap.freeze()  # Does nothing unless an emulator needs it already.
    return emulator


_PORTS_TRIED = 100


def _another_port(error: spanemu.CannotListen, config: EmulatorConfig, program: str) -> str:
    """Return the option of a program with the next free port, or "" if no port is at fault."""
    if not isinstance(error, spanemu.PortTaken):
        return ""
    taken = HostPort.parse(error.host_port)
    grpc, rest = lifecycle.PORT_OPTIONS[program]
    option = grpc if error.host_port == config.host_port else rest
    for port in range(taken.port + 1, min(taken.port + _PORTS_TRIED, PORT_MAX)):
        with socket.socket() as trial:
            if trial.connect_ex((taken.reachable.host, port)):
                return f". Free: {option.format(address=HostPort(taken.host, port), port=port)}"
    return f". Any free port: {option.format(address=HostPort(taken.host, 0), port=0)}"


def _emulator(config: EmulatorConfig, program: str, *, must_have_rest: bool) -> spanemu.Emulator:
    """Return an emulator, without REST where only its default port is taken."""
    try:
        return spanemu.Emulator(config)
    except spanemu.PortTaken as error:
        if must_have_rest or error.host_port == config.host_port:
            raise
        another = _another_port(error, config, program)
        click.echo(f"spanemu: no REST: {error}{another}", err=True)
    return spanemu.Emulator(config, rest_host_port=None)


def _create(emulator: spanemu.Emulator, given: Options) -> list[str]:
    """Create the requested instance and databases, and return their names."""
    names = []
    if given["instance"] is not None or given["databases"]:
        emulator.create_instance()
        names = [str(InstanceName(emulator.project, emulator.instance))]
    try:
        names += [
            emulator.create_database(database, given["schemas"], dialect=given["dialect"]).name
            for database in given["databases"]
            if not (emulator.has_loaded and _has(emulator, database))
        ]
        if (directory := given["init_dir"]) is not None and not emulator.has_loaded:
            names += init_files.run_init_files(
                emulator, directory, given["databases"], given["dialect"]
            )
    except _INVALID_FILES as error:
        click.echo(f"spanemu: {error}", err=True)
        sys.exit(EXIT_USAGE)
    return names


def _has(emulator: spanemu.Emulator, database: str) -> bool:
    """Return whether a database was loaded with the state of the emulator."""
    try:
        emulator.database(database)
    except spanemu.SpannerError:
        return False
    return True


def _publish(emulator: spanemu.Emulator, path: Path, stack: ExitStack) -> None:
    try:
        stack.enter_context(publish(lifecycle.endpoint_of(emulator), path))
    except OSError as error:
        click.echo(f"spanemu: cannot write the endpoint file: {error}", err=True)
        sys.exit(EXIT_USAGE)
