"""The official client library, connected to an emulator and to nothing else.

The clients ignore the environment (SPANNER_EMULATOR_HOST, credentials, a project), so that one
process can use several emulators.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from threading import Thread
from typing import Any

from google.api_core.exceptions import GoogleAPICallError
from google.auth.credentials import AnonymousCredentials
from google.cloud.spanner import Client
from google.rpc.error_details_pb2 import ErrorInfo
from google.rpc.status_pb2 import Status


def official_client(uri: str, project: str, tls_ca: str | None = None, **options: Any) -> Client:
    """Return a client for the emulator at `uri`; `options` are those of `Client`'s constructor.

    `tls_ca` is the file of certificates to trust, None for an emulator without TLS.
    """
    client = _connected_client(Client, uri, project, **options)
    if tls_ca is not None:
        # The library speaks plain text with emulators, and TLS without credentials with Omni.
        client._emulator_host, client._instance_type = None, "omni"
        client._ca_certificate, client._use_plain_text = tls_ca, False
    return client


async def official_async_database(
    uri: str, project: str, instance: str, database: str, **options: Any
) -> Any:
    """Return a `Database` of the asyncio client, bound to the running event loop.

    Raises ModuleNotFoundError if the installed client library has no asyncio client.
    """
    # Imported on demand: most programs never use the asyncio client.
    client = import_module("google.cloud.spanner_v1._async.client").Client
    return (
        await _connected_client(client, uri, project)
        .instance(instance)
        .database(database, **options)
    )


def _connected_client(kind: Any, uri: str, project: str, **options: Any) -> Any:
    """Return a client of class `kind` whose endpoint is the emulator at `uri`."""
    client = kind(
        project=project,
        credentials=AnonymousCredentials(),
        client_options={"api_endpoint": uri},
        disable_builtin_metrics=True,
        **options,
    )
    # SPANNER_EMULATOR_HOST takes precedence over the argument, so overwrite the host it set.
    client._emulator_host = uri
    client._host = uri
    return client


def official_database(client: Client, instance: str, database: str, **options: Any) -> Any:
    """Return the client's `Database` object; `options` are those of `Instance.database`."""
    handle = client.instance(instance).database(database, **options)
    # The library starts a thread per database, which sleeps for ten minutes at a time, to renew
    # a session that outlives any test run. Thousands of tests would keep thousands of threads.
    sessions = getattr(handle, "_sessions_manager", None)
    if sessions is not None and hasattr(sessions, "_build_maintenance_thread"):
        sessions._build_maintenance_thread = _idle_thread
    return handle


def through_channel(database: Any, wrapped: Callable[[Any], Any]) -> None:
    """Let a new `Database` send its requests through a channel around its own."""
    transport = database.spanner_api.transport
    channel = wrapped(transport.grpc_channel)
    database._spanner_api = type(database.spanner_api)(transport=type(transport)(channel=channel))


def server_message(problem: GoogleAPICallError) -> str:
    """Return the server's error message without the request id that newer clients append."""
    return str(problem.message).partition(", request_id")[0]


def message_with_position(problem: GoogleAPICallError) -> str:
    """Return the server's error message, with the position that PostgreSQL databases send beside
    it.

    The message then ends as those of GoogleSQL do: "[at 1:8]".
    """
    message = server_message(problem)
    for metadata in _metadata(problem):
        if "position" in metadata:
            return f"{message} [at {metadata['position']}]"
    return message


def _metadata(problem: GoogleAPICallError) -> Iterator[Mapping[str, str]]:
    """Yield the metadata of each ErrorInfo of a failed request or operation."""
    for detail in problem.details or ():
        if hasattr(detail, "metadata"):
            yield detail.metadata
    for error in problem.errors:
        if isinstance(error, Status):  # of an operation
            for packed in error.details:
                info = ErrorInfo()
                if packed.Unpack(info):
                    yield info.metadata


def _idle_thread() -> Thread:
    return Thread(target=_do_nothing, daemon=True)


def _do_nothing() -> None:
    """Return at once: the session needs no maintenance."""
