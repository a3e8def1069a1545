"""The endpoints that are measured side by side, each as a `Database` of the official client.

official      Google's emulator, where the Google Cloud CLI has it installed
null-server   a gRPC server in Python, in a process of its own, that answers without working
null-channel  a channel inside this process that answers without working (`null`)
standalone    spanemu in a process of its own
embedded      spanemu inside this process
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager

import grpc
from google.api_core.client_options import ClientOptions
from google.auth.credentials import AnonymousCredentials
from google.cloud import spanner

import spanemu
from tests.benchmarks import null
from tests.installed import official_binary

DDL = [
    "CREATE TABLE Users (Id INT64 NOT NULL, Name STRING(100), Age INT64) PRIMARY KEY (Id)",
]
ROWS = 1_000


def free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def process(
    command: list[str], port: int, environ: dict[str, str] | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """Yield a server process, up when its port answers."""
    running = subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **(environ or {})},
    )
    try:
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            with closing(socket.socket()) as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.02)
        yield running
    finally:
        running.terminate()
        running.wait(10)


def client_at(address: str) -> spanner.Client:
    """Return the official client, talking to an emulator at `address`."""
    os.environ["SPANNER_DISABLE_BUILTIN_METRICS"] = "true"
    before = os.environ.get("SPANNER_EMULATOR_HOST")
    os.environ["SPANNER_EMULATOR_HOST"] = address
    try:
        return spanner.Client(
            project="bench",
            credentials=AnonymousCredentials(),
            client_options=ClientOptions(api_endpoint=address),
            disable_builtin_metrics=True,
        )
    finally:
        if before is None:
            del os.environ["SPANNER_EMULATOR_HOST"]
        else:
            os.environ["SPANNER_EMULATOR_HOST"] = before


def fresh_database(client: spanner.Client, rows: int = ROWS) -> spanner.database.Database:
    """Return a new instance and database with `rows` users in it."""
    config = next(iter(client.list_instance_configs())).name
    instance = client.instance("bench", configuration_name=config, node_count=1)
    instance.create().result(60)
    database = instance.database("bench", ddl_statements=DDL)
    database.create().result(60)
    columns = ("Id", "Name", "Age")
    for start in range(0, rows, 1_000):
        with database.batch() as batch:
            ids = range(start, min(rows, start + 1_000))
            batch.insert("Users", columns, [(n, f"user {n}", n % 90) for n in ids])
    return database


@contextmanager
def official() -> Iterator[spanner.database.Database | None]:
    binary = official_binary()
    if binary is None:
        yield None
        return
    port = free_port()
    with process([str(binary), "--host_port", f"127.0.0.1:{port}"], port):
        yield fresh_database(client_at(f"127.0.0.1:{port}"))


@contextmanager
def null_server() -> Iterator[spanner.database.Database]:
    port = free_port()
    with process([sys.executable, "-m", "tests.benchmarks.null", str(port)], port):
        yield client_at(f"127.0.0.1:{port}").instance("bench").database("bench")


@contextmanager
def null_channel() -> Iterator[spanner.database.Database]:
    address = "127.0.0.1:1"
    real = grpc.insecure_channel
    grpc.insecure_channel = lambda target, *rest, **more: (
        null.NullChannel() if target == address else real(target, *rest, **more)
    )
    try:
        database = client_at(address).instance("bench").database("bench")
        _ = database.spanner_api
        yield database
    finally:
        grpc.insecure_channel = real


@contextmanager
def standalone() -> Iterator[spanner.database.Database]:
    port = free_port()
    command = [sys.executable, "-m", "spanemu", "serve", "--host-port", f"127.0.0.1:{port}"]
    with process(command, port):
        yield fresh_database(client_at(f"127.0.0.1:{port}"))


@contextmanager
def embedded() -> Iterator[spanner.database.Database]:
    with spanemu.Emulator() as emulator:
        yield fresh_database(emulator.client())


@contextmanager
def all_targets() -> Iterator[dict[str, spanner.database.Database]]:
    """Yield every target that can be had here, all up at once."""
    result: dict[str, spanner.database.Database] = {}
    with ExitStack() as stack:
        for open_target in (official, null_server, null_channel, standalone, embedded):
            database = stack.enter_context(open_target())
            if database is not None:
                result[open_target.__name__.replace("_", "-")] = database
        yield result
