"""The handles on an emulator and its databases, wherever the emulator runs.

    EmulatorHandle
    ├── Emulator            in this process (`spanemu.api.embedded`)
    └── RemoteEmulator      in another process (`spanemu.api.remote`)
    DatabaseHandle          one database of either emulator

Data is read and written through the official client library, which `client()` returns; the
handles add the operations that only an emulator offers.
"""

from __future__ import annotations

import os
import threading
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self

from google.cloud.spanner import Client
from google.cloud.spanner_admin_database_v1 import DatabaseDialect as ClientDialect
from google.cloud.spanner_v1.database import Database

from spanemu.api import change_streams as streams
from spanemu.api.client import official_async_database, official_client, official_database
from spanemu.base.resource_names import DatabaseName, InstanceName
from spanemu.control import faults as fault_control
from spanemu.control import models as model_control
from spanemu.control import recording
from spanemu.control import request_log as requests
from spanemu.control import splits as split_control
from spanemu.control.clock import EmulatorClock
from spanemu.control.databases import DatabaseControl, TransferControl
from spanemu.control.emulator import EmulatorControl
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL, DatabaseDialect
from spanemu.schema_source import Source

if TYPE_CHECKING:
    from spanemu.control.hotspots import HotspotsHandle


class NamedDatabase(Protocol):
    """A database with its full name: a `DatabaseHandle`, or the official client's `Database`."""

    @property
    def name(self) -> str: ...


class DatabaseHandle(DatabaseControl, TransferControl):
    """A handle on one database. Safe to use from several threads."""

    def __init__(
        self, emulator: EmulatorHandle, name: DatabaseName, dialect: DatabaseDialect | None
    ) -> None:
        self._emulator = emulator
        self._path = name
        self._known_dialect = dialect  # None if unknown yet
        self._mutex = threading.Lock()  # Guards the field below.
        self._clients: dict[int, Any] = {}  # By process id: a forked child cannot use its parent's.

    @property
    def name(self) -> str:
        """projects/P/instances/I/databases/D"""
        return str(self._path)

    @property
    def database_id(self) -> str:
        """The last part of the name."""
        return self._path.database

    @property
    def dialect(self) -> str:
        """The SQL dialect of the database: "googlesql" or "postgresql"."""
        if self._known_dialect is None:
            self._known_dialect = self._read_dialect()
        return self._known_dialect.option

    @abstractmethod
    def _read_dialect(self) -> DatabaseDialect:
        """Return the dialect of the database. Raises an error if the database does not exist."""

    def client(self, **options: Any) -> Database:
        """Return the official client's `Database` object, the same object for every call.

        With `options` (a session pool, a database role, ...: those of `Instance.database`), return
        a new object.
        """
        with self._mutex:
            cached = self._clients.get(os.getpid())
            if cached is None or options:
                database = official_database(
                    self._emulator.client(self._path.project),
                    self._path.instance,
                    self._path.database,
                    **self._client_options() | options,
                )
                if not options:
                    self._clients[os.getpid()] = database
                return database
            return cached

    async def async_client(self, **options: Any) -> Any:
        """Return a `Database` of the official asyncio client, bound to the running event loop.

        `options` are those of the client's `Instance.database`. Raises ModuleNotFoundError if the
        installed client library has no asyncio client. The asyncio client is experimental.
        """
        path = self._path
        return await official_async_database(
            self._emulator.uri,
            path.project,
            path.instance,
            path.database,
            **self._client_options() | options,
        )

    def _client_options(self) -> dict[str, Any]:
        """Return the options of the client's `Database` that depend on the database.

        A client that knows the dialect need not ask the server.
        """
        dialect = self._known_dialect
        return {} if dialect is None else {"database_dialect": ClientDialect(dialect.number)}

    def sqlalchemy_url(self) -> str:
        """Return a URL for `sqlalchemy.create_engine` that needs no environment variable."""
        # The dialect ignores the endpoint unless the host is literally `localhost`.
        port = self._emulator.port
        return f"spanner+spanner://x:AnonymousCredentials@localhost:{port}/{self.name}"

    def jdbc_url(self) -> str:
        """Return a URL for Spanner's JDBC driver."""
        return f"jdbc:cloudspanner://{self._emulator.uri}/{self.name};usePlainText=true"

    def environ(self) -> dict[str, str]:
        """Return the environment variables that direct any Spanner client to this database."""
        return {
            "SPANNER_EMULATOR_HOST": self._emulator.uri,
            "GOOGLE_CLOUD_PROJECT": self._path.project,
            "SPANNER_PROJECT_ID": self._path.project,
            "SPANNER_INSTANCE_ID": self._path.instance,
            "SPANNER_DATABASE_ID": self._path.database,
            "SPANNER_DISABLE_BUILTIN_METRICS": "true",
        }

    @abstractmethod
    def ddl(self) -> list[str]:
        """Return the DDL statements that create the current schema in an empty database."""

    @abstractmethod
    def apply_schema(self, schema: Source | Iterable[Source]) -> None:
        """Run schema statements in order.

        `schema` is that of `EmulatorHandle.create_database`. Raises `SchemaRejected`; statements
        before the rejected statement may have been applied.
        """

    @abstractmethod
    def drop(self) -> None:
        """Drop the database. Does nothing if the database does not exist."""

    def clone(self, name: str) -> DatabaseHandle:
        """Create database `name` with the current schema and rows, and return its handle."""
        target = str(self._emulator.resolve(name))
        self._clone(target)
        return self._emulator.database(target)

    @abstractmethod
    def split_at(self, table: str, key: Sequence[Any]) -> None:
        """Add a split boundary at `key` of a root table, whether or not that row exists.

        `key` holds Python values of the whole primary key. Raises a
        `SpannerError` for a table that does not exist, an interleaved table, and a key that does
        not match the primary key's types.
        """

    @property
    @abstractmethod
    def splits(self) -> split_control.SplitsHandle:
        """The splits and servers of the database, for tests to inspect and change."""

    @property
    @abstractmethod
    def change_streams(self) -> streams.ChangeStreamsHandle:
        """The change streams of the database by name, for tests to read and churn."""

    def change_stream(self, name: str) -> streams.ChangeStreamHandle:
        """Return a change stream, whose records tests read without the partition protocol."""
        return self.change_streams[name]

    @abstractmethod
    def explore(self, actors: Any, **options: Any) -> Any:
        """Run the interleavings of some functions, and return what was found."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"


class EmulatorHandle(EmulatorControl):
    """A handle on an emulator; as a context manager, it closes the emulator at the end.

    Safe to use from several threads.
    """

    _tls_ca: str | None = None  # the file of certificates to trust, if clients use TLS

    def __init__(self, project: str, instance: str) -> None:
        self.project = project
        self.instance = instance
        self._closed = False
        self._clients_mutex = threading.Lock()  # Guards the field below.
        # By process and project: a forked child cannot use the connections of its parent.
        self._clients: dict[tuple[int, str], Client] = {}

    @property
    @abstractmethod
    def uri(self) -> str:
        """HOST:PORT, the value for SPANNER_EMULATOR_HOST."""

    @property
    def host(self) -> str:
        """The host part of `uri`."""
        return self.uri.rpartition(":")[0]

    @property
    def port(self) -> int:
        """The port part of `uri`."""
        return int(self.uri.rpartition(":")[2])

    @abstractmethod
    def create_database(
        self,
        name: str,
        schema: Source | Iterable[Source] = (),
        *,
        dialect: str = GOOGLE_STANDARD_SQL.option,
    ) -> DatabaseHandle:
        """Create a database, and its instance if it does not exist.

        `name` is an id in the default instance or a full resource name. `schema` is a
        file path, DDL text, or several of these, in the SQL dialect `dialect`: "googlesql" or
        "postgresql". Raises `SchemaRejected` with the position of the rejected statement, and
        `UnknownDialect`.
        """

    @abstractmethod
    def database(self, name: str) -> DatabaseHandle:
        """Return a handle on an existing database, given by id or full resource name."""

    @abstractmethod
    def close(self) -> None:
        """Stop the emulator. Closing twice does nothing."""

    def client(self, project: str | None = None) -> Client:
        """Return the official `google.cloud.spanner.Client` of a project, the same for every call.

        Raises ValueError if the emulator is closed, because a client without a server would retry
        for half a minute.
        """
        self._check_open()
        project = project or self.project
        key = os.getpid(), project
        with self._clients_mutex:
            if key not in self._clients:
                self._clients[key] = official_client(self.uri, project, self._tls_ca)
            return self._clients[key]

    def _check_open(self) -> None:
        if self._closed:
            raise ValueError(f"the emulator at {self.uri} is closed")

    @property
    @abstractmethod
    def clock(self) -> EmulatorClock:
        """The emulator's clock, which all its databases use."""

    @property
    @abstractmethod
    def faults(self) -> fault_control.Faults:
        """The fault injection of this emulator."""

    @property
    @abstractmethod
    def models(self) -> model_control.ModelControl:
        """The answers to calls of models and remote functions, and the calls."""

    @property
    @abstractmethod
    def request_log(self) -> requests.RequestLog:
        """The latest requests of all clients, recorded from the first call on."""

    @abstractmethod
    def save(self) -> str:
        """Save the state in the data directory, and return the folder of the saved state.

        The saved state has every commit before the call. Raises ValueError for an emulator without
        a data directory.
        """

    @abstractmethod
    def record(self, database: NamedDatabase | str) -> recording.Recorder:
        """Return a context manager that records the requests of a database's clients."""

    @abstractmethod
    def hotspots(self, database: NamedDatabase | str) -> HotspotsHandle:
        """Return the hotspots of a database, which is observed from the first call on."""

    def name_of(self, database: NamedDatabase | str) -> str:
        """Return the full name of a database, given by handle, client object, id or full name."""
        return str(self.resolve(database if isinstance(database, str) else database.name))

    def resolve(self, name: str) -> DatabaseName:
        """Return the full name of a database given by id or full name. Raises InvalidName."""
        if "/" in name:
            return DatabaseName.parse(name)
        return InstanceName(self.project, self.instance).database(name)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} at {self.uri}>"
