"""What a test holds: an emulator and its databases, wherever they run.

    EmulatorHandle
    ├── Emulator            in this process (`spanemu.api.embedded`)
    └── RemoteEmulator      in another one (`spanemu.api.remote`)
    DatabaseHandle          one database of either

The data goes through the official client library, which `client()` hands out; the handles add
what only an emulator can do.
"""

from __future__ import annotations

import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self

from google.cloud.spanner import Client
from google.cloud.spanner_v1.database import Database

from spanemu.api.client import official_async_database, official_client, official_database
from spanemu.base.resource_names import DatabaseName, InstanceName
from spanemu.control.clock import EmulatorClock
from spanemu.control.faults import Faults
from spanemu.control.recorder import Recorder
from spanemu.control.splits import SplitsHandle
from spanemu.database.transactions.listing import OpenTransaction
from spanemu.schema_source import Source
from spanemu.wire_control.faults import RemoteFaults
from spanemu.wire_control.recording import RemoteRecorder

if TYPE_CHECKING:
    from spanemu.control.hotspots import HotspotsHandle


class NamedDatabase(Protocol):
    """What knows its full name: a `DatabaseHandle`, or the official client's `Database`."""

    @property
    def name(self) -> str: ...


class DatabaseHandle(ABC):
    """One database. Safe to use from several threads."""

    def __init__(self, emulator: EmulatorHandle, name: DatabaseName) -> None:
        self._emulator = emulator
        self._path = name
        self._mutex = threading.Lock()  # Guards the field below.
        self._clients: dict[int, Any] = {}  # by process: those of a parent are of no use

    @property
    def name(self) -> str:
        """projects/P/instances/I/databases/D"""
        return str(self._path)

    @property
    def database_id(self) -> str:
        """The last part of the name."""
        return self._path.database

    def client(self, **options: Any) -> Database:
        """The official client's `Database` object; the same one each time.

        With `options` (a session pool, a database role, ...: those of `Instance.database`) it
        is a new one.
        """
        with self._mutex:
            known = self._clients.get(os.getpid())
            if known is None or options:
                found = official_database(
                    self._emulator.client(self._path.project),
                    self._path.instance,
                    self._path.database,
                    **options,
                )
                if not options:
                    self._clients[os.getpid()] = found
                return found
            return known

    async def async_client(self, **options: Any) -> Any:
        """A `Database` of the official client for asyncio, for the event loop that runs.

        `options` are those of its `Instance.database`. Raises ModuleNotFoundError where the client
        library has none yet; there it is experimental.
        """
        path = self._path
        return await official_async_database(
            self._emulator.uri, path.project, path.instance, path.database, **options
        )

    def sqlalchemy_url(self) -> str:
        """A URL for `sqlalchemy.create_engine` that needs no environment variable."""
        # The dialect leaves the endpoint out unless the host is literally this one.
        port = self._emulator.port
        return f"spanner+spanner://x:AnonymousCredentials@localhost:{port}/{self.name}"

    def jdbc_url(self) -> str:
        """A URL for Spanner's JDBC driver."""
        return f"jdbc:cloudspanner://{self._emulator.uri}/{self.name};usePlainText=true"

    def environ(self) -> dict[str, str]:
        """The environment in which code that makes its own client finds this database."""
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
        """The statements that would create the schema anew."""

    @abstractmethod
    def apply_schema(self, schema: Source | Iterable[Source]) -> None:
        """Run schema statements in order.

        Takes what `EmulatorHandle.create_database` takes. Raises `SchemaRejected`; statements
        before the one at fault may have been applied.
        """

    @abstractmethod
    def drop(self) -> None:
        """Drop the database; if it is gone already, do nothing."""

    @abstractmethod
    def snapshot(self) -> Any:
        """The present state, for `restore`. Costs nothing."""

    @abstractmethod
    def restore(self, snapshot: Any) -> None:
        """Go back to a snapshot of this database. Sessions and clients stay usable.

        Where the clock was moved since, it goes back with the rows (`EmulatorClock.reset`).
        Raises ValueError for another database's, and one that an earlier restore has passed.
        """

    @abstractmethod
    def forget(self, snapshot: Any) -> None:
        """Give a snapshot up, so that changes need not be remembered for it.

        Raises ValueError for another database's.
        """

    @abstractmethod
    def settle(self) -> None:
        """Let the schema and rows of now be older than any time, as if nobody had ever made them.

        Every stale read finds them, and the clock may be set to any time. Costs a look at every
        row; does nothing while there are snapshots.
        """

    @abstractmethod
    def clone(self, name: str) -> DatabaseHandle:
        """A new database of that name with the present schema and rows."""

    @abstractmethod
    def open_transactions(self) -> Sequence[OpenTransaction]:
        """Read-write transactions that have not ended, the oldest first.

        Each tells its id, age, session, tags, last statement and locks, as attributes and as text.
        """

    @abstractmethod
    def abort_transactions(self) -> None:
        """Abort every open read-write transaction; sessions live on."""

    @abstractmethod
    def layout(self, *, servers: bool = False) -> str:
        """A drawing of the splits and rows as they are stored; with `servers`, who has them."""

    @abstractmethod
    def split_at(self, table: str, key: Sequence[Any]) -> None:
        """Put a split boundary before the row of a root table with that key, there or not.

        `key` holds Python values of the whole primary key. Raises `SpannerError`s for a table
        that does not exist, one that is interleaved, and a key that does not fit.
        """

    @property
    @abstractmethod
    def splits(self) -> SplitsHandle:
        """Its splits and servers, in a test's hands: boundaries, moves, load, participants."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"


class EmulatorHandle(ABC):
    """An emulator; a context manager that closes it. Safe to use from several threads."""

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
        """HOST:PORT, as SPANNER_EMULATOR_HOST wants it."""

    @property
    def host(self) -> str:
        """The host part of `uri`."""
        return self.uri.rpartition(":")[0]

    @property
    def port(self) -> int:
        """The port part of `uri`."""
        return int(self.uri.rpartition(":")[2])

    @abstractmethod
    def create_database(self, name: str, schema: Source | Iterable[Source] = ()) -> DatabaseHandle:
        """Create a database, and its instance if need be.

        `name` is an id in the default instance or a full resource name. `schema` is one or
        several of: the path of a file, DDL text. Raises `SchemaRejected` with the place of the
        statement at fault.
        """

    @abstractmethod
    def database(self, name: str) -> DatabaseHandle:
        """A handle on a database that exists, by id or full resource name."""

    @abstractmethod
    def close(self) -> None:
        """Stop it. Closing twice does nothing."""

    def client(self, project: str | None = None) -> Client:
        """The official `google.cloud.spanner.Client`, one per project.

        Raises ValueError when the emulator is closed: clients look for a server for half a minute.
        """
        self._check_open()
        wanted = project or self.project
        key = os.getpid(), wanted
        with self._clients_mutex:
            if key not in self._clients:
                self._clients[key] = official_client(self.uri, wanted)
            return self._clients[key]

    def _check_open(self) -> None:
        if self._closed:
            raise ValueError(f"the emulator at {self.uri} is closed")

    @property
    @abstractmethod
    def clock(self) -> EmulatorClock:
        """The time that everything in it goes by."""

    @property
    @abstractmethod
    def faults(self) -> Faults | RemoteFaults:
        """Failures to bring about on purpose."""

    @abstractmethod
    def record(self, database: NamedDatabase | str) -> Recorder | RemoteRecorder:
        """What the clients of a database do while the block that this opens runs."""

    @abstractmethod
    def hotspots(self, database: NamedDatabase | str) -> HotspotsHandle:
        """Where the load on a database concentrates."""

    def name_of(self, database: NamedDatabase | str) -> str:
        """The full name of a database: of a handle, of the official client's, or of an id."""
        return str(self.resolve(database if isinstance(database, str) else database.name))

    def resolve(self, name: str) -> DatabaseName:
        """The full name of a database given by id or by full name. Raises InvalidName."""
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
