"""The official client library, pointed at an emulator and at nothing else.

What the environment says (SPANNER_EMULATOR_HOST, credentials, a project) does not matter here:
one process can talk to several emulators.
"""

from __future__ import annotations

from importlib import import_module
from threading import Thread
from typing import Any

from google.api_core.exceptions import GoogleAPICallError
from google.auth.credentials import AnonymousCredentials
from google.cloud.spanner import Client


def official_client(uri: str, project: str, **options: Any) -> Client:
    """A `google.cloud.spanner.Client` for the emulator at `uri`; `options` are its own."""
    return _pointed(Client, uri, project, **options)


async def official_async_database(
    uri: str, project: str, instance: str, database: str, **options: Any
) -> Any:
    """A `Database` of the client for asyncio, which lives in the event loop that runs.

    Raises ModuleNotFoundError where the client library has none.
    """
    # Most programs never want it.
    client = import_module("google.cloud.spanner_v1._async.client").Client
    return await _pointed(client, uri, project).instance(instance).database(database, **options)


def _pointed(kind: Any, uri: str, project: str, **options: Any) -> Any:
    """A client of either kind for the emulator at `uri`."""
    client = kind(
        project=project,
        credentials=AnonymousCredentials(),
        client_options={"api_endpoint": uri},
        disable_builtin_metrics=True,
        **options,
    )
    # The variable would win over the argument, so what it may have set is put right.
    client._emulator_host = uri
    client._host = uri
    return client


def official_database(client: Client, instance: str, database: str, **options: Any) -> Any:
    """A `google.cloud.spanner_v1.database.Database`; `options` are those of its constructor."""
    handle = client.instance(instance).database(database, **options)
    # The library starts a thread per database that sleeps for ten minutes at a time, to renew
    # a session that lives longer than any test run. Thousands of tests would keep thousands.
    sessions = getattr(handle, "_sessions_manager", None)
    if sessions is not None and hasattr(sessions, "_build_maintenance_thread"):
        sessions._build_maintenance_thread = _idle_thread
    return handle


def told(problem: GoogleAPICallError) -> str:
    """What a server said, without the id that newer clients append for Google's support."""
    return str(problem.message).partition(", request_id")[0]


def _idle_thread() -> Thread:
    return Thread(target=_nothing, daemon=True)


def _nothing() -> None:
    """What there is to maintain."""
