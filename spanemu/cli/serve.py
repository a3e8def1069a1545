"""`spanemu serve`: an emulator on a port until it is told to stop.

exit 0   stopped by SIGTERM or SIGINT
exit 2   the command line or a schema is wrong
exit 3   the port is taken, or the host is not of this machine
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TypedDict, Unpack

import click

import spanemu
from spanemu.api.endpoint_file import Endpoint, published
from spanemu.base.clock import monotonic
from spanemu.base.limits import DEFAULT_LIMITS, Limits
from spanemu.base.resource_names import InstanceName
from spanemu.cli.home_cpu import keep_to_one_cpu
from spanemu.cli.process_memory import memory_limit, share_one_arena, statement_memory_bytes
from spanemu.config import (
    DEFAULT_INSTANCE,
    DEFAULT_INSTANCE_CONFIGS,
    DEFAULT_PROJECT,
    DEFAULT_RETENTION_SECONDS,
    EmulatorConfig,
)
from spanemu.control.clock import as_datetime

EXIT_USAGE = 2
EXIT_CANNOT_LISTEN = 3
CLOSE_SECONDS_MAX = 1.0
LEAVE_SECONDS_MAX = 0.5


class Options(TypedDict):
    """The flags, by the names that click passes them."""

    host_port: str
    rest_port: int | None
    project: str
    instance: str | None
    instance_configs: tuple[str, ...]
    strict_instance_configs: bool
    databases: tuple[str, ...]
    schemas: tuple[Path, ...]
    endpoint_file: Path | None
    seed: int | None
    start_time: str | None
    version_retention_seconds: float
    all_cpus: bool
    stop_on_stdin_end: bool


@click.command()
@click.option(
    "--host-port",
    default="localhost:9010",
    show_default=True,
    metavar="HOST:PORT",
    help="Where to listen; port 0 takes a free one.",
)
@click.option("--rest-port", type=int, metavar="PORT", help="Accepted; nothing listens there.")
@click.option(
    "--project", default=DEFAULT_PROJECT, show_default=True, metavar="ID", help="Of --instance."
)
@click.option("--instance", metavar="ID", help="Create this instance at the start.")
@click.option(
    "--instance-config",
    "instance_configs",
    multiple=True,
    metavar="ID",
    help="List this configuration from the start (regional-us-central1, say). Repeatable.",
)
@click.option(
    "--strict-instance-configs",
    is_flag=True,
    help="Refuse instances whose configuration Google does not publish.",
)
@click.option(
    "--database",
    "databases",
    multiple=True,
    metavar="ID",
    help="Create this database in it. Repeatable.",
)
@click.option(
    "--schema",
    "schemas",
    multiple=True,
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="DDL that each of the databases begins with. Repeatable.",
)
@click.option(
    "--endpoint-file", type=click.Path(path_type=Path), help="Write where it listens, as JSON."
)
@click.option("--seed", type=int, help="Repeat the chance of an earlier run, which printed it.")
@click.option("--start-time", metavar="TIME", help="What time it is then: 2026-01-01T00:00Z.")
@click.option(
    "--version-retention-seconds", type=float, default=DEFAULT_RETENTION_SECONDS, hidden=True
)
@click.option("--all-cpus", is_flag=True, help="Use all CPUs. One is mostly faster.")
@click.option("--stop-on-stdin-end", is_flag=True, hidden=True)
def serve(**given: Unpack[Options]) -> None:
    """Run an emulator on a port until it is stopped.

    Without --instance it starts empty; clients may use any project and create the rest.
    """
    if given["schemas"] and not given["databases"]:
        raise click.UsageError("--schema needs a --database to apply it to.")
    config = _config(given)
    share_one_arena()
    if not given["all_cpus"]:
        keep_to_one_cpu()
    with stop_signal(given["stop_on_stdin_end"]) as wait_for_stop, ExitStack() as stack:
        emulator = _start(config)
        stack.callback(_close, emulator)
        _warn(emulator, given["rest_port"])
        created = _create(emulator, given)
        if (path := given["endpoint_file"]) is not None:
            _publish(emulator, path, stack)
        _announce(emulator, created)
        wait_for_stop()
    _leave()


@contextmanager
def stop_signal(or_stdin_end: bool) -> Iterator[Callable[[], None]]:
    """A function that waits until SIGTERM or SIGINT; a signal that comes earlier counts too.

    A pipe rather than an Event: a handler may run while this thread holds the Event's lock.
    """
    reader, writer = os.pipe()

    def stop(*_: object) -> None:
        with suppress(OSError):
            os.write(writer, b".")

    before = {each: signal.signal(each, stop) for each in (signal.SIGTERM, signal.SIGINT)}
    if or_stdin_end:
        threading.Thread(target=_at_stdin_end, args=(stop,), daemon=True).start()
    try:
        yield lambda: _wait(reader)
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def _wait(reader: int) -> None:
    os.read(reader, 1)


def _at_stdin_end(stop: Callable[[], None]) -> None:
    """Descriptor 0 itself: a buffered reader would hold a lock that the exit needs."""
    with suppress(OSError):
        while os.read(0, 4096):
            pass
    stop()


def _config(given: Options) -> EmulatorConfig:
    start = given["start_time"]
    try:
        return EmulatorConfig(
            host_port=given["host_port"],
            project=given["project"],
            instance=given["instance"] or DEFAULT_INSTANCE,
            instance_configs=DEFAULT_INSTANCE_CONFIGS
            | {config: config for config in given["instance_configs"]},
            strict_instance_configs=given["strict_instance_configs"],
            seed=given["seed"],
            start_time=None if start is None else as_datetime(start),
            version_retention_seconds=given["version_retention_seconds"],
            limits=_limits(),
            embedded_channel=False,
        )
    except ValueError as problem:  # InvalidConfig among them
        raise click.UsageError(str(problem)) from problem


def _limits() -> Limits:
    """Return Spanner's limits, with less memory for a statement where the process has little."""
    wanted = DEFAULT_LIMITS.statement_memory_bytes
    return Limits(statement_memory_bytes=statement_memory_bytes(wanted, memory_limit()))


def _start(config: EmulatorConfig) -> spanemu.Emulator:
    # gRPC would add lines of its own to what is said here about a taken port.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    # What the imports leave in memory stays to the end: looking through it again and again
    # for garbage makes up a sixth of the start, and slows down every later collection.
    gc.disable()
    try:
        return spanemu.Emulator(config)
    except spanemu.CannotListen as problem:
        click.echo(f"spanemu: {problem}", err=True)
        sys.exit(EXIT_CANNOT_LISTEN)
    finally:
        gc.freeze()
        gc.enable()


def _create(emulator: spanemu.Emulator, given: Options) -> list[str]:
    """The names of the instance and the databases that were asked for, and are there now."""
    if given["instance"] is None and not given["databases"]:
        return []
    emulator.create_instance()
    names = [str(InstanceName(emulator.project, emulator.instance))]
    try:
        names += [
            emulator.create_database(database, given["schemas"]).name
            for database in given["databases"]
        ]
    except (spanemu.SpannerError, OSError, UnicodeDecodeError) as problem:
        click.echo(f"spanemu: {problem}", err=True)
        sys.exit(EXIT_USAGE)
    return names


def _warn(emulator: spanemu.Emulator, rest_port: int | None) -> None:
    if rest_port is not None:
        refusal = spanemu.Unsupported("The REST gateway")
        click.echo(f"spanemu: {refusal} Nothing listens at port {rest_port}.", err=True)
    if not emulator.address.is_loopback:
        click.echo(
            "spanemu: reachable from other machines, and asks nobody who they are.", err=True
        )


def _announce(emulator: spanemu.Emulator, created: list[str]) -> None:
    """The first three lines are what wrappers of Google's emulator wait for; keep them."""
    click.echo("Cloud Spanner emulator running.")
    click.echo(f"gRPC server listening at {emulator.address}")
    click.echo(f"export SPANNER_EMULATOR_HOST={emulator.uri}")
    click.echo(f"Seed {emulator.randomness.seed}")
    for name in created:
        click.echo(f"Created {name}")


def _endpoint(emulator: spanemu.Emulator) -> Endpoint:
    started = emulator.clock.now.replace(microsecond=0)
    return Endpoint(
        uri=emulator.uri,
        pid=os.getpid(),
        project_id=emulator.project,
        instance_id=emulator.instance,
        started_at=started.isoformat().replace("+00:00", "Z"),
    )


def _publish(emulator: spanemu.Emulator, path: Path, stack: ExitStack) -> None:
    try:
        stack.enter_context(published(_endpoint(emulator), path))
    except OSError as problem:
        click.echo(f"spanemu: cannot write the endpoint file: {problem}", err=True)
        sys.exit(EXIT_USAGE)


def _close(emulator: spanemu.Emulator) -> None:
    closer = threading.Thread(target=emulator.close, daemon=True)
    closer.start()
    closer.join(CLOSE_SECONDS_MAX)


def _leave() -> None:
    """End now, even if some request will not let go of its thread, which Python would wait for."""
    deadline = monotonic() + LEAVE_SECONDS_MAX
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join(max(0.0, deadline - monotonic()))
            if thread.is_alive():
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(0)
