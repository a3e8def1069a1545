"""The composition root: the only module that builds every part of an emulator.

Emulator
├── clock, randomness           shared by all databases
├── Instances                   the catalog
└── Endpoints                   every RPC, bound to the catalog
    ├── Server                  on a real port, for clients in any process
    ├── RestServer              on another port if asked for: the same as JSON over HTTP
    └── EmbeddedRegistry        for clients in this process, without sockets
"""

from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

from spanemu.admin.instances import CatalogSettings, Instances, NewDatabase, add_database
from spanemu.admin.offers import CatalogOffer
from spanemu.api import change_streams as streams
from spanemu.api import remote, transfers
from spanemu.api.handles import DatabaseHandle, EmulatorHandle, NamedDatabase
from spanemu.api.running import (
    Running,
    Served,
    dispatcher_of,
    hotspots_of,
    recorder_of,
    services_for_processes,
)
from spanemu.api.saving import keeper as keeping
from spanemu.base import serialization, suggestions
from spanemu.base.clock import NANOS_PER_SECOND, SystemClock
from spanemu.base.collector import Hold, heap
from spanemu.base.deferred import Once, deferred
from spanemu.base.errors import SpannerError
from spanemu.base.process import OwnProcess
from spanemu.base.rand import Randomness
from spanemu.base.resource_names import DatabaseName, InstanceName, check_database_id
from spanemu.config import (
    AUTO,
    DEFAULT_INSTANCE,
    DEFAULT_PROJECT,
    ConfigChanges,
    EmulatorConfig,
    HostPort,
    ProcessSettings,
)
from spanemu.control import change_streams as stream_control
from spanemu.control import injector, recorder
from spanemu.control import models as model_control
from spanemu.control import splits as split_control
from spanemu.control.clock import EmbeddedClock, as_datetime, nanos_of
from spanemu.control.databases import DatabaseDump, FilePath, LocalDatabase
from spanemu.control.emulator import EmulatorInfo, LocalEmulator, LocalSaving, ToolsOfTests
from spanemu.database.core import Environment
from spanemu.database.database import Database
from spanemu.explorer import exploration as explorer
from spanemu.explorer import remote as remote_explorer
from spanemu.explorer import settings as explorer_settings
from spanemu.frontend import interception
from spanemu.frontend.dispatch import Endpoints
from spanemu.frontend.services import endpoints_for
from spanemu.models import registry as model_registry
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL, DatabaseDialect, dialect_named
from spanemu.schema_source import SchemaRejected, SchemaStatement, Source, load_schema, rejected
from spanemu.telemetry import emulator_telemetry

if TYPE_CHECKING:
    from spanemu.control.hotspots import Hotspots
    from spanemu.telemetry.request_log import RequestRing


class EmbeddedDatabase(LocalDatabase, DatabaseHandle):
    """A database of an emulator in this process."""

    def __init__(self, emulator: Emulator, name: DatabaseName, instances: Instances) -> None:
        database = instances.database(str(name))
        DatabaseHandle.__init__(self, emulator, name, database.schema.dialect)
        LocalDatabase.__init__(self, instances, emulator.clock, name)

    def _read_dialect(self) -> DatabaseDialect:
        return self._database().schema.dialect

    def ddl(self) -> list[str]:
        return self._database().ddl()

    def apply_schema(self, schema: Source | Iterable[Source]) -> None:
        """Run schema statements in order: all or none, unless existing data violates one of them.

        In that case the statements before it stay applied. Raises SchemaRejected.
        """
        database = self._database()
        statements = load_schema(schema, database.schema.dialect)
        try:
            outcome = database.apply_ddl([each.text_for(self.database_id) for each in statements])
        except SpannerError as failure:
            rejection = _find_rejected(database.clone(self.name), statements)
            if rejection is None:
                raise
            raise rejection from failure
        if outcome.failure is not None:
            at_fault = statements[len(outcome.commit_timestamps)]
            raise rejected(at_fault, outcome.failure) from outcome.failure

    def drop(self) -> None:
        self._instances.drop_database(self.name)

    def dump(self, path: FilePath = "", **options: Any) -> DatabaseDump:
        return self._transfers().dump(path, **options)

    def load(self, path: FilePath = "", **options: Any) -> int:
        return self._transfers().load(path, **options)

    def _transfers(self) -> transfers.LocalTransfers:
        return transfers.LocalTransfers(self._instances, self._path)

    def split_at(self, table: str, key: Sequence[Any]) -> None:
        self._database().split_at(table, serialization.raw_key(key))

    @property
    def splits(self) -> split_control.Splits:
        return split_control.Splits(self._database())

    def explore(
        self,
        actors: Mapping[str, Callable[..., Any]] | Sequence[Callable[..., Any]],
        **options: Any,
    ) -> explorer.Explored:
        """Run the interleavings of some functions, and return what was found.

        An actor is a function with one parameter, the official client's `Database`, or with none.
        `options` are those of `explorer.settings.Settings`. The rows stay as they are.
        """
        emulator: Any = self._emulator
        return explorer.Exploration(
            explorer.Emulated(
                self._database(),
                emulator.endpoints,
                emulator.randomness,
                emulator.clock,
                self.client(),
            ),
            actors,
            explorer_settings.Settings(**options),
        ).search()

    @property
    def change_streams(self) -> streams.ChangeStreamsHandle:
        control = stream_control.LocalChangeStreams(self._database())
        return streams.ChangeStreamsHandle(control)


def _changed(config: EmulatorConfig, changes: ConfigChanges) -> EmulatorConfig:
    """Return a configuration with other values. Raises TypeError for an unknown setting."""
    known = EmulatorConfig.__dataclass_fields__
    for name in changes:
        if name not in known:
            raise TypeError(
                f"there is no setting {name!r} of Emulator.{suggestions.did_you_mean(name, known)}"
            )
    return replace(config, **changes)


class Emulator(EmulatorHandle):
    """An emulator in this process, listening from construction until `close`.

    Settings are the fields of `EmulatorConfig`, given as one object, as keywords, or both. Raises
    InvalidConfig, and CannotListen (PortTaken if the port is taken). Raises UnusableState or
    OSError for a directory with its state; `has_loaded` tells that it began with one. An emulator
    that is garbage-collected without `close` is closed in the background, with a ResourceWarning.
    After a fork the emulator belongs to the parent process: in the child, `close` does nothing and
    everything else raises ForkedHandle.
    """

    endpoints = OwnProcess[Endpoints]()
    _instances = OwnProcess[Instances]()
    _saving = OwnProcess[LocalSaving]()
    _running: Running | None = None

    def __init__(
        self, config: EmulatorConfig | None = None, **changes: Unpack[ConfigChanges]
    ) -> None:
        self.config = _changed(config or EmulatorConfig(), changes)
        super().__init__(self.config.project, self.config.instance)
        start = self.config.start_time
        clock = SystemClock(None if start is None else nanos_of(as_datetime(start)))
        self.randomness = Randomness(self.config.seed)
        hold: Hold | None = None
        if self.config.gc_freeze is True:
            # Before anything below exists: a dropped emulator is cyclic garbage.
            hold = heap.hold()
        self._models = Once(lambda: model_registry.ModelRegistry())
        environment = Environment(
            clock=clock,
            randomness=self.randomness,
            retention_nanos=round(self.config.version_retention_seconds * NANOS_PER_SECOND),
            limits=self.config.limits,
            has_database=lambda name: instances.find_database(name) is not None,
            offer_of=lambda name: None if instances.is_loading else CatalogOffer(instances, name),
            models=self._models,
        )
        # A local variable: `environment` must not keep a dropped emulator alive.
        self._instances = instances = Instances(
            clock,
            lambda name, dialect: Database.create(name, environment, dialect),
            CatalogSettings(
                self.config.instance_configs,
                self.config.databases_per_instance_max,
                self.config.limits,
                self.config.strict_instance_configs,
                self.config.check_editions,
                self.config.strict_database_limit,
            ),
        )
        if self.config.gc_freeze == AUTO:
            hold = heap.hold(instances.count_rows)
        self.endpoints = endpoints_for(self._instances)
        self._clock = EmbeddedClock(clock, self._instances, self.endpoints.watchers)
        self._faults = _faults(self.endpoints, instances, self.randomness)
        if self.config.abort_first_attempts:
            self.faults.abort_first_attempts().is_permanent = True
        self._telemetry = _telemetry(self.endpoints, instances)
        own = InstanceName(self.config.project, self.config.instance)
        tools = ToolsOfTests(self._faults, self._models)
        self._local = LocalEmulator(instances, self._clock, tools, self.randomness.seed, own)
        self._begin(clock, hold)

    @property
    def _explorations(self) -> Callable[[str], remote_explorer.Explorations]:
        """The maker of explorations for other processes; it holds no emulator."""
        instances, endpoints, randomness = self._instances, self.endpoints, self.randomness
        clock = self._clock

        def explorations(name: str) -> remote_explorer.Explorations:
            database = instances.database(name)
            return remote_explorer.Explorations(
                explorer.Emulated(database, endpoints, randomness, clock, None)
            )

        return explorations

    def _begin(self, clock: SystemClock, hold: Hold | None) -> None:
        """Load the state, if there is one, and listen."""
        instances, telemetry, keeper = self._instances, self._telemetry, None
        try:
            if self.config.has_directories:
                keeper = keeping.StateKeeper(self.config, instances)
            self._saving = LocalSaving(None if keeper is None else keeper.save)
            self._control = dispatcher_of(
                self._local,
                self.endpoints,
                explorations=self._explorations,
                request_log=lambda: telemetry().request_log,
                saving=self._saving,
            )
            for service in services_for_processes(self._control, self.config):
                self.endpoints.add_unintercepted_service(service)
            self.has_loaded = keeper is not None and keeper.load(clock)
            self._observe()
            served = Served(self.endpoints, self._control, telemetry, self._models, hold)
            self._running = Running(self.config, served, instances, keeper)
        except BaseException:
            if hold is not None:
                hold.release()
            if keeper is not None:
                keeper.close()
            raise

    def _observe(self) -> None:
        """Begin with what the configuration wants to know of the requests."""
        config = self.config
        if config.log_requests is not None:
            self._telemetry().log_to(sys.stderr, config.log_requests, config.log_slow_seconds)
        if config.metrics:
            self._telemetry().metrics.start()
        if config.tracer_provider is not None:
            self._telemetry().trace_with(config.tracer_provider)

    @classmethod
    def subprocess(cls, **settings: Unpack[ProcessSettings]) -> remote.RemoteEmulator:
        """Start an emulator in a separate process, which `close` ends.

        Settings are the fields of `EmulatorConfig` that `ProcessSettings` lists, as keywords.
        Raises StartFailed.
        """
        return remote.RemoteEmulator.start(**settings)

    @classmethod
    def attach(
        cls,
        uri: str,
        *,
        project: str = DEFAULT_PROJECT,
        instance: str = DEFAULT_INSTANCE,
        tls_ca: str | None = None,
    ) -> remote.RemoteEmulator:
        """Return a handle on the running emulator at HOST:PORT; `close` leaves it running.

        `tls_ca` is the file of certificates to trust if the emulator speaks TLS.
        """
        return remote.RemoteEmulator(uri, project=project, instance=instance, tls_ca=tls_ca)

    @property
    def address(self) -> HostPort:
        """The address of the gRPC server."""
        return self._serving.address

    @property
    def rest_address(self) -> HostPort | None:
        """The address of the REST interface, None without REST."""
        return self._serving.rest_address

    @property
    def uri(self) -> str:
        return str(self.address.reachable)

    @property
    def rest_uri(self) -> str | None:
        """The URI of the REST interface, None without REST."""
        scheme = "http" if self.config.tls_cert is None else "https"
        return None if self.rest_address is None else f"{scheme}://{self.rest_address.reachable}"

    @property
    def _serving(self) -> Running:
        assert self._running is not None
        return self._running

    @property
    def clock(self) -> EmbeddedClock:
        return self._clock

    @property
    def faults(self) -> injector.EmbeddedFaults:
        return self._faults()

    @property
    def models(self) -> model_control.EmbeddedModels:
        return model_control.EmbeddedModels(self._models())

    @property
    def has_models(self) -> bool:
        """Return whether a test or a statement has used `models` yet."""
        return self._models.made is not None

    @property
    def request_log(self) -> RequestRing:
        return self._telemetry().request_log

    def create_database(
        self,
        name: str,
        schema: Source | Iterable[Source] = (),
        *,
        dialect: str = GOOGLE_STANDARD_SQL.option,
    ) -> EmbeddedDatabase:
        target, own = self.resolve(name), dialect_named(dialect)
        statements = load_schema(schema, own)
        self.create_instance(target.parent)
        check_database_id(target.database)
        self._instances.check_room(target, limited=False)
        try:
            texts = tuple(each.text_for(target.database) for each in statements)
            new = NewDatabase(extra_statements=texts, dialect=own)
            add_database(self._instances, target, new, limited=False)
        except SpannerError as failure:
            empty = self._instances.new_database(str(target), own)
            rejection = _find_rejected(empty, statements)
            if rejection is None:
                raise
            raise rejection from failure
        return self.database(str(target))

    def save(self) -> str:
        self._check_open()
        return self._saving.save()

    def record(self, database: NamedDatabase | str) -> recorder.EmbeddedRecorder:
        return recorder_of(self._instances, self.endpoints, self.name_of(database))

    def hotspots(self, database: NamedDatabase | str) -> Hotspots:
        return hotspots_of(self._instances, self.name_of(database))

    def create_instance(self, name: InstanceName | None = None) -> None:
        """Create an instance, by default the emulator's own, unless the instance exists.

        Raises ValueError if the emulator is closed.
        """
        self._check_open()
        self._instances.ensure_instance(name or InstanceName(self.project, self.instance))

    def database(self, name: str) -> EmbeddedDatabase:
        return EmbeddedDatabase(self, self.resolve(name), self._instances)

    def info(self) -> EmulatorInfo:
        return self._local.info()

    def reset(self) -> None:
        self._local.reset()

    def close(self, *, save: bool = True) -> None:
        """Stop listening, fail the running requests, save the state and drop all databases.

        Without `save`, the directories of the configuration keep the state that they have. Raises
        OSError if the state cannot be saved.
        """
        self._closed = True
        if self._running is not None:
            self._running.stop(save=save)

    def __del__(self) -> None:
        running = self._running
        if running is None or not running.needs_stop or sys.is_finalizing():
            return
        # Garbage collection runs on any thread, which may hold locks that ending a request needs.
        threading.Thread(target=running.stop, name="spanemu-close", daemon=True).start()
        text = f"{self!r} was garbage-collected without close()"
        warnings.warn(text, ResourceWarning, stacklevel=2, source=self)


def _faults(
    endpoints: Endpoints, instances: Instances, randomness: Randomness
) -> Once[injector.EmbeddedFaults]:
    """Return the faults of an emulator, made on first use."""
    switch = partial(deferred(lambda: interception.intercept), endpoints)
    return Once(lambda: injector.EmbeddedFaults(instances, endpoints.names, switch, randomness))


def _telemetry(
    endpoints: Endpoints, instances: Instances
) -> Once[emulator_telemetry.EmulatorTelemetry]:
    """Return the telemetry of an emulator, made on first use."""
    return Once(lambda: emulator_telemetry.EmulatorTelemetry(endpoints, instances))


def _find_rejected(trial: Database, statements: list[SchemaStatement]) -> SchemaRejected | None:
    """Find the rejected statement by running the statements separately in a trial database.

    Closes `trial`. Returns None if every statement succeeds there.
    """
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
