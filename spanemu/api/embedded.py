"""The composition root: the only module that builds every part of an emulator.

Emulator
├── clock, randomness           one of each, shared by all databases
├── Instances                   the catalog
└── Endpoints                   every RPC, bound to the catalog
    ├── Server                  on a real port, for everybody
    └── EmbeddedRegistry        for clients in this process, without sockets
"""

from __future__ import annotations

import os
import sys
import threading
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

from spanemu.admin.database_administration import add_database
from spanemu.admin.errors.databases import DatabaseAlreadyExists, TooManyDatabases
from spanemu.admin.instances import CatalogSettings, Instances
from spanemu.api.handles import DatabaseHandle, EmulatorHandle, NamedDatabase
from spanemu.api.remote import RemoteEmulator
from spanemu.base.clock import SystemClock
from spanemu.base.errors import SpannerError
from spanemu.base.nanos import NANOS_PER_SECOND
from spanemu.base.process import OwnProcess
from spanemu.base.rand import Randomness
from spanemu.base.raw_key import raw_key
from spanemu.base.resource_ids import InvalidDatabaseId
from spanemu.base.resource_names import DatabaseName, InstanceName
from spanemu.config import (
    DEFAULT_INSTANCE,
    DEFAULT_PROJECT,
    ConfigChanges,
    EmulatorConfig,
    HostPort,
    ProcessSettings,
)
from spanemu.control.clock import EmbeddedClock, as_datetime, nanos_of
from spanemu.control.faults import Faults
from spanemu.control.operations.control import Control
from spanemu.control.operations.table import OPERATIONS, perform
from spanemu.control.recorder import Recorder
from spanemu.control.splits import Splits
from spanemu.database.database import Database
from spanemu.database.environment import Environment
from spanemu.database.transactions.listing import OpenTransaction
from spanemu.frontend.control import control_service
from spanemu.frontend.dispatch import Endpoints
from spanemu.frontend.embedded import EmbeddedRegistry
from spanemu.frontend.rpc import Rpc
from spanemu.frontend.server import Server
from spanemu.frontend.services import endpoints_for
from spanemu.schema_source import SchemaRejected, SchemaStatement, Source, load_schema, rejected

if TYPE_CHECKING:
    from spanemu.control.hotspots import Hotspots

# One for all emulators of this process, which may end in any order.
_EMBEDDED = EmbeddedRegistry()


class EmbeddedDatabase(DatabaseHandle):
    """A database of an emulator in this process."""

    _instances = OwnProcess[Instances]()

    def __init__(self, emulator: Emulator, name: DatabaseName, instances: Instances) -> None:
        super().__init__(emulator, name)
        self._instances = instances
        self._clock = emulator.clock

    def ddl(self) -> list[str]:
        """The statements that would create the schema anew."""
        return self._database().ddl()

    def apply_schema(self, schema: Source | Iterable[Source]) -> None:
        """Run schema statements in order; all or none, unless data refuses one."""
        statements = load_schema(schema)
        database = self._database()
        try:
            outcome = database.apply_ddl([each.text_for(self.database_id) for each in statements])
        except SpannerError as failure:
            blamed = _blamed(database.clone(self.name), statements)
            if blamed is None:
                raise
            raise blamed from failure
        if outcome.failure is not None:
            at_fault = statements[len(outcome.commit_timestamps)]
            raise rejected(at_fault, outcome.failure) from outcome.failure

    def drop(self) -> None:
        """Drop the database; if it is gone already, do nothing."""
        self._instances.drop_database(self.name)

    def snapshot(self) -> Any:
        """The present state, for `restore`. Costs nothing."""
        return self._database().snapshot()

    def restore(self, snapshot: Any) -> None:
        """Go back to a snapshot of this database. Sessions and clients stay usable."""
        self._database().restore(snapshot)
        self._clock.come_back(snapshot.clock)

    def forget(self, snapshot: Any) -> None:
        """Give a snapshot up, so that changes need not be remembered for it."""
        self._database().forget(snapshot)

    def settle(self) -> None:
        """Let the schema and rows of now be older than any time."""
        self._database().settle()

    def clone(self, name: str) -> DatabaseHandle:
        """A new database of that name with the present schema and rows."""
        target = self._emulator.resolve(name)
        self._instances.clone_database(self._database(), target)
        return self._emulator.database(str(target))

    def open_transactions(self) -> Sequence[OpenTransaction]:
        """Read-write transactions that have not ended, the oldest first, and their locks."""
        return self._database().sessions.open_transactions()

    def abort_transactions(self) -> None:
        """Abort every open read-write transaction, as the service may; sessions live on."""
        self._database().abort_transactions()

    def layout(self, *, servers: bool = False) -> str:
        """A drawing of the splits and rows as they are stored."""
        return self._database().physical_layout(servers=servers)

    def split_at(self, table: str, key: Sequence[Any]) -> None:
        """Put a split boundary before the row of a root table with that key, there or not."""
        self._database().split_at(table, raw_key(key))

    @property
    def splits(self) -> Splits:
        """Its splits and servers, in a test's hands."""
        return Splits(self._database())

    def _database(self) -> Database:
        return self._instances.database(self.name)


class Emulator(EmulatorHandle):
    """An emulator in this process, listening from construction until `close`.

    Settings are the fields of `EmulatorConfig`, given as one object, as keywords, or both.
    Raises InvalidConfig, and CannotListen (PortTaken, when the port is taken). An emulator that
    is dropped without `close` is closed in the background, with a ResourceWarning. After a fork it
    stays with the parent process: in the child `close` does nothing, and everything else raises
    ForkedHandle.
    """

    endpoints = OwnProcess[Endpoints]()
    _instances = OwnProcess[Instances]()
    _running: _Running | None = None

    def __init__(
        self, config: EmulatorConfig | None = None, **changes: Unpack[ConfigChanges]
    ) -> None:
        self.config = replace(config or EmulatorConfig(), **changes)
        super().__init__(self.config.project, self.config.instance)
        start = self.config.start_time
        clock = SystemClock(None if start is None else nanos_of(as_datetime(start)))
        self.randomness = Randomness(self.config.seed)
        environment = Environment(
            clock=clock,
            randomness=self.randomness,
            retention_nanos=round(self.config.version_retention_seconds * NANOS_PER_SECOND),
            limits=self.config.limits,
        )
        self._instances = Instances(
            clock,
            lambda name: Database(name, environment),
            CatalogSettings(
                self.config.instance_configs,
                self.config.databases_per_instance_max,
                self.config.limits,
                self.config.strict_instance_configs,
            ),
        )
        self.endpoints = endpoints_for(self._instances)
        self._clock = EmbeddedClock(clock, self._instances, self.endpoints.watchers)
        self._faults = Faults(
            self._instances, self.endpoints.names, self.endpoints.intercept, self.randomness
        )
        if self.config.abort_first_attempts:
            self._faults.abort_first_attempts().is_permanent = True
        control = Control(
            self._instances,
            self._clock,
            self._faults,
            partial(_recorder, self._instances, self.endpoints),
            partial(_hotspots, self._instances),
        )
        self.endpoints.add_unintercepted_service(
            control_service(OPERATIONS, partial(perform, control))
        )
        server = Server(self.endpoints)
        address = HostPort.parse(self.config.host_port)
        self.address = replace(address, port=server.start(self.config.host_port))
        if self.config.embedded_channel:
            _EMBEDDED.register(self.uri, self.endpoints)
        self._running = _Running(self.uri, server, self._instances)

    @classmethod
    def subprocess(cls, **settings: Unpack[ProcessSettings]) -> RemoteEmulator:
        """Start an emulator in a process of its own, which `close` ends.

        Settings are the fields of `EmulatorConfig` that `ProcessSettings` lists, as keywords.
        Raises StartFailed.
        """
        return RemoteEmulator.start(**settings)

    @classmethod
    def attach(
        cls, uri: str, *, project: str = DEFAULT_PROJECT, instance: str = DEFAULT_INSTANCE
    ) -> RemoteEmulator:
        """The emulator at HOST:PORT, started by somebody else; `close` leaves it running."""
        return RemoteEmulator(uri, project=project, instance=instance)

    @property
    def uri(self) -> str:
        """HOST:PORT, as SPANNER_EMULATOR_HOST wants it."""
        return str(self.address.reachable)

    @property
    def clock(self) -> EmbeddedClock:
        """The time that everything in it goes by."""
        return self._clock

    @property
    def faults(self) -> Faults:
        """Failures to bring about on purpose."""
        return self._faults

    def create_database(
        self, name: str, schema: Source | Iterable[Source] = ()
    ) -> EmbeddedDatabase:
        """Create a database, and its instance if need be.

        `name` is an id in the default instance or a full resource name. `schema` is one or
        several of: the path of a file, DDL text. Raises `SchemaRejected` with the place of the
        statement at fault.
        """
        target = self.resolve(name)
        statements = load_schema(schema)
        self.create_instance(target.parent)
        try:
            texts = [each.text_for(target.database) for each in statements]
            add_database(self._instances, target, texts)
        except SpannerError as failure:
            blamed = None
            if not isinstance(failure, _OF_THE_NAME):
                blamed = _blamed(self._instances.new_database(str(target)), statements)
            if blamed is None:
                raise
            raise blamed from failure
        return self.database(str(target))

    def record(self, database: NamedDatabase | str) -> Recorder:
        """What the clients of a database do while the block that this opens runs."""
        return _recorder(self._instances, self.endpoints, self.name_of(database))

    def hotspots(self, database: NamedDatabase | str) -> Hotspots:
        """Where the writes to a database concentrate, from the first call for it on."""
        return _hotspots(self._instances, self.name_of(database))

    def create_instance(self, name: InstanceName | None = None) -> None:
        """Create an instance, the default one without a name; if it is there, do nothing.

        Raises ValueError when the emulator is closed.
        """
        self._check_open()
        self._instances.ensure_instance(name or InstanceName(self.project, self.instance))

    def database(self, name: str) -> EmbeddedDatabase:
        """A handle on a database that exists, by id or full resource name."""
        target = self.resolve(name)
        self._instances.database(str(target))
        return EmbeddedDatabase(self, target, self._instances)

    def close(self) -> None:
        """Stop listening, fail what is still running, drop everything."""
        self._closed = True
        if self._running is not None:
            self._running.stop()

    def __del__(self) -> None:
        running = self._running
        if running is None or not running.needs_stop or sys.is_finalizing():
            return
        # Garbage is collected on any thread, which may hold locks that the end of a request needs.
        threading.Thread(target=running.stop, name="spanemu-close", daemon=True).start()
        text = f"{self!r} was dropped without close()"
        warnings.warn(text, ResourceWarning, stacklevel=2, source=self)


class _Running:
    """The part of an emulator that outlives a handle that is dropped: server and catalog."""

    def __init__(self, uri: str, server: Server, instances: Instances) -> None:
        self._uri = uri
        self._server = server
        self._instances = instances
        self._process = os.getpid()
        self._mutex = threading.Lock()  # Guards the field below.
        self._stopped = False

    @property
    def needs_stop(self) -> bool:
        """Return whether the emulator still runs, and in this process."""
        return not self._stopped and self._process == os.getpid()

    def stop(self) -> None:
        """Stop listening, fail what is still running, drop everything.

        In a forked child this does nothing: stopping the copy of a gRPC server never ends.
        """
        if self._process != os.getpid():
            return
        with self._mutex:
            if self._stopped:
                return
            self._stopped = True
        _EMBEDDED.unregister(self._uri)
        self._server.stop()
        self._instances.close()  # Last, so that no waiting commit slips through as locks go.


def _recorder(instances: Instances, endpoints: Endpoints, name: str) -> Recorder:
    return Recorder(
        name, lambda method, request: Rpc(method, request, instances), endpoints.watchers
    )


def _hotspots(instances: Instances, name: str) -> Hotspots:
    from spanemu.control.hotspots import Hotspots

    parent = str(DatabaseName.parse(name).parent)
    return Hotspots(instances.database(name), instances.instance(parent).node_count)


# Failures to create a database that have to do with its name, not with its schema.
_OF_THE_NAME = (DatabaseAlreadyExists, TooManyDatabases, InvalidDatabaseId)


def _blamed(trial: Database, statements: list[SchemaStatement]) -> SchemaRejected | None:
    """Find the statement at fault by running them one by one in a database for the purpose."""
    database = DatabaseName.parse(trial.name).database
    try:
        for statement in statements:
            try:
                refusal = trial.apply_ddl([statement.text_for(database)]).failure
            except SpannerError as problem:
                refusal = problem
            if refusal is not None:
                return rejected(statement, refusal)
    finally:
        trial.close()
    return None
