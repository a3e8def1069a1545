"""The beginning and the end of `spanemu serve`.

A server that is ready prints its lines and writes its endpoint file. A signal asks for its end, and
it exits within a bound.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import click

import spanemu
from spanemu.api.endpoint_file import Endpoint
from spanemu.base.clock import monotonic

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
# The options by which a program's command line chooses the addresses of gRPC and REST.
PORT_OPTIONS: Mapping[str, tuple[str, str]] = {
    OWN: ("--host-port {address}", "--rest-host-port {address}"),
    GATEWAY: ("--grpc_port {port}", "--http_port {port}"),
    EMULATOR: ("--host_port {address}", ""),  # which serves no REST
}

CLOSE_SECONDS_MAX = 1.0
SEND_SECONDS_MAX = 2.0
SAVE_SECONDS_MAX = 3_600.0
LEAVE_SECONDS_MAX = 0.5
EXIT_NOT_SAVED = 4
STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)


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


@contextmanager
def stop_signal(or_stdin_end: bool) -> Iterator[Callable[[], None]]:
    """Yield a function that waits for SIGTERM or SIGINT, or returns at once after an earlier one.

    Python writes the number of a signal to a pipe as soon as the signal arrives. It runs a signal
    handler later, between two instructions: a handler of a signal that arrives just before this
    thread reads the pipe would not run at all.
    """
    reader, writer = os.pipe()
    if sys.platform != "win32":
        os.set_blocking(writer, False)  # as Python demands

    def stop() -> None:
        with suppress(OSError):
            os.write(writer, bytes([signal.SIGTERM]))

    previous = {number: signal.signal(number, _do_nothing) for number in STOP_SIGNALS}
    previous_pipe = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    if or_stdin_end:
        threading.Thread(target=_at_stdin_end, args=(stop,), daemon=True).start()
    try:
        yield lambda: _wait(reader)
    finally:
        signal.set_wakeup_fd(previous_pipe)
        for number, handler in previous.items():
            signal.signal(number, handler)


def _do_nothing(*_: object) -> None:
    """Handle a signal, whose number is in the pipe already."""


def _wait(reader: int) -> None:
    while os.read(reader, 1)[0] not in STOP_SIGNALS:
        pass


def _at_stdin_end(stop: Callable[[], None]) -> None:
    """Call `stop` when standard input ends.

    Reads descriptor 0 directly, because a buffered reader would hold a lock that the exit needs.
    """
    with suppress(OSError):
        while os.read(0, 4096):
            pass
    stop()


def close(emulator: spanemu.Emulator) -> None:
    """Close an emulator; end the process with EXIT_NOT_SAVED if its state cannot be saved."""
    problems: list[OSError] = []

    def close_and_note() -> None:
        try:
            emulator.close()
        except OSError as problem:
            problems.append(problem)

    closer = threading.Thread(target=close_and_note, daemon=True)
    closer.start()
    closer.join(SAVE_SECONDS_MAX if emulator.config.keeps_state else CLOSE_SECONDS_MAX)
    for problem in problems:
        click.echo(f"spanemu: the state is not saved: {problem}", err=True)
        leave(EXIT_NOT_SAVED)


def send_spans(provider: Any) -> None:
    """Send the spans of the last requests, if a collector takes them soon."""
    if provider is None:
        return
    sender = threading.Thread(target=provider.force_flush, daemon=True)
    sender.start()
    sender.join(SEND_SECONDS_MAX)


def leave(code: int = 0) -> None:
    """Exit soon, even if a request still holds a thread, for which Python would wait.

    Return if no thread does and `code` is 0.
    """
    deadline = monotonic() + LEAVE_SECONDS_MAX
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join(max(0.0, deadline - monotonic()))
            if thread.is_alive():
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(code)
    if code:
        sys.exit(code)
