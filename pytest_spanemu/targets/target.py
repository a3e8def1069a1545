"""The target that the tests run against, behind one interface.

    embedded     spanemu.Emulator               every capability
    subprocess   spanemu.Emulator.subprocess    all but explorations; recordings have no call sites
    external     spanemu.Emulator.attach        the same of a spanemu; of another server
                                                only Spanner's API: no snapshots, no clock, ...
    omni, cloud  real.OmniSpanner, CloudSpanner Spanner's API, and plans

A test that needs a capability that its target lacks is skipped or fails with the capability's name.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

import pytest

import spanemu
from pytest_spanemu.options import Dialect, InstanceConfigs, Isolation, Target
from pytest_spanemu.settings import Settings
from pytest_spanemu.targets import real
from pytest_spanemu.targets.resource_names import CLOUD_HOST

if TYPE_CHECKING:
    from google.cloud.spanner import Client

    from pytest_spanemu.public_types import (
        SpannerClock,
        SpannerFaults,
        SpannerHotspots,
        SpannerModels,
        SpannerRecorder,
    )
    from spanemu.api.handles import DatabaseHandle, NamedDatabase
    from spanemu.config import ConfigChanges
    from spanemu.schema_source import Source

SNAPSHOTS, CLOCK, FAULTS, RECORDING, HOTSPOTS, CHANGES, MODELS, PLANS, EXPLORATIONS = (
    "snapshots", "clock", "faults", "recording", "hotspots", "change streams", "models", "plans",
    "explorations",
)  # fmt: skip
METRICS_OFF = "SPANNER_DISABLE_BUILTIN_METRICS"
_ALL_CAPABILITIES = frozenset(
    {SNAPSHOTS, CLOCK, FAULTS, RECORDING, HOTSPOTS, CHANGES, MODELS, PLANS, EXPLORATIONS}
)
# The functions that an exploration orders run in the process of the emulator.
_OF_OTHER_PROCESSES = _ALL_CAPABILITIES - {EXPLORATIONS}
STARTED_HERE = frozenset(
    {Target.EMBEDDED, Target.SUBPROCESS}
)  # they end with the run, with all in them


class SpannerEmulator:
    """The emulator of a run, or the real Spanner in its place.

    Has the members of `spanemu.EmulatorHandle` (`uri`, `client()`, `create_database()`, `clock`,
    `faults`, ...), and also `target` and `capabilities`.
    """

    def __init__(self, handle: Any, settings: Settings, capabilities: frozenset[str]) -> None:
        self.handle = handle
        self.settings = settings
        self.target = settings.target
        self.capabilities = capabilities
        self.project: str = settings.project
        self.instance: str = settings.instance

    @property
    def host(self) -> str:
        """The host that clients connect to."""
        return str(self.handle.host)

    @property
    def port(self) -> int:
        """The port that clients connect to."""
        return int(self.handle.port)

    @property
    def host_port(self) -> str:
        """The address as HOST:PORT, the form of SPANNER_EMULATOR_HOST."""
        return str(self.handle.uri)

    def can(self, capability: str) -> bool:
        """Return whether the target has a capability, such as "clock"."""
        return capability in self.capabilities

    def capability_table(self) -> dict[str, bool]:
        """Return every capability, with True for those that the target has."""
        return {each: self.can(each) for each in sorted(_ALL_CAPABILITIES)}

    @property
    def is_started_here(self) -> bool:
        """True if the emulator was started by this run, and stops with it."""
        return self.target in STARTED_HERE

    @property
    def is_emulator(self) -> bool:
        """True if clients connect by SPANNER_EMULATOR_HOST, without credentials."""
        return self.target not in (Target.OMNI, Target.CLOUD)

    def sqlalchemy_url(self, database: str) -> str:
        """Return the SQLAlchemy URL of a database, by id or full resource name."""
        return str(self.handle.database(database).sqlalchemy_url())

    def jdbc_url(self, database: str) -> str:
        """Return the URL of a database for Spanner's JDBC driver."""
        return str(self.handle.database(database).jdbc_url())

    def environ(self, database: str) -> dict[str, str]:
        """Return the environment variables by which clients find a database."""
        return dict(self.handle.database(database).environ())

    @property
    def default_isolation(self) -> Isolation:
        """The isolation without a setting: restore, or truncate on targets without snapshots."""
        return Isolation.RESTORE if self.can(SNAPSHOTS) else Isolation.TRUNCATE

    # ------------------------------------------------------------------ members of EmulatorHandle

    @property
    def uri(self) -> str:
        """The address as HOST:PORT, the form of SPANNER_EMULATOR_HOST."""
        return self.host_port

    def client(self, project: str | None = None) -> Client:
        """Return the official `google.cloud.spanner.Client`, the same one each time."""
        return self.handle.client(project)

    def create_database(
        self,
        name: str,
        schema: Source | Iterable[Source] = (),
        *,
        dialect: str = Dialect.GOOGLESQL,
    ) -> DatabaseHandle:
        """Create a database from files or texts of DDL. Raises spanemu.SchemaRejected.

        `dialect` is "googlesql" or "postgresql".
        """
        database: DatabaseHandle = self.handle.create_database(name, schema, dialect=dialect)
        return database

    def database(self, name: str) -> DatabaseHandle:
        """Return the handle of an existing database, by id or full resource name."""
        database: DatabaseHandle = self.handle.database(name)
        return database

    @property
    def clock(self) -> SpannerClock:
        """The clock of the emulator."""
        clock: SpannerClock = self.handle.clock
        return clock

    @property
    def faults(self) -> SpannerFaults:
        """The fault injection of the emulator."""
        faults: SpannerFaults = self.handle.faults
        return faults

    @property
    def models(self) -> SpannerModels:
        """The answers to calls of models and remote functions, and the calls."""
        models: SpannerModels = self.handle.models
        return models

    def record(self, database: NamedDatabase | str) -> SpannerRecorder:
        """Return a recorder of the requests to a database, for use in a `with` statement."""
        recorder: SpannerRecorder = self.handle.record(database)
        return recorder

    def hotspots(self, database: NamedDatabase | str) -> SpannerHotspots:
        """Return the hotspot monitor of a database. Monitoring begins with the first call."""
        hotspots: SpannerHotspots = self.handle.hotspots(database)
        return hotspots

    if not TYPE_CHECKING:  # so that type checkers report unknown names

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):
                raise AttributeError(name)
            return getattr(self.handle, name)

    def __repr__(self) -> str:
        return f"<SpannerEmulator {self.target} at {self.host_port}>"


@contextmanager
def start_target(settings: Settings) -> Iterator[SpannerEmulator]:
    """Yield the target of the settings. Start an emulator of this run, and stop it at the end."""
    handle = _HANDLES[settings.target](settings)
    with handle, _no_metrics():
        try:
            capabilities = _capabilities(handle, settings.target)
        except spanemu.SpannerError as problem:
            raise pytest.fail.Exception(
                f"spanner: no server answers at {settings.host}, the address of target "
                f"{settings.target} by --spanner-host or SPANNER_EMULATOR_HOST: {problem}",
                pytrace=False,
            ) from None
        yield SpannerEmulator(handle, settings, capabilities)


@contextmanager
def start_embedded(
    settings: Settings, **changes: Unpack[ConfigChanges]
) -> Iterator[SpannerEmulator]:
    """Yield an emulator in this process, independent of the run's target. Stop it at the end."""
    changes.setdefault("seed", settings.seed)
    changes.setdefault("strict_instance_configs", _is_strict(settings))
    changes.setdefault("gc_freeze", settings.gc_freeze.setting)
    handle = spanemu.Emulator(**changes)
    own = replace(
        settings, target=Target.EMBEDDED, project=handle.project, instance=handle.instance
    )
    with handle, _no_metrics():
        yield SpannerEmulator(handle, own, _ALL_CAPABILITIES)


def _embedded(settings: Settings) -> Any:
    return spanemu.Emulator(**_emulator_settings(settings), gc_freeze=settings.gc_freeze.setting)


def _subprocess(settings: Settings) -> Any:
    return spanemu.Emulator.subprocess(**_emulator_settings(settings))


def _external(settings: Settings) -> Any:
    return spanemu.Emulator.attach(settings.host or "", **_names(settings))


def _omni(settings: Settings) -> Any:
    return real.OmniSpanner(settings.host or "", **_names(settings))


def _cloud(settings: Settings) -> Any:
    return real.CloudSpanner(settings.host or CLOUD_HOST, **_names(settings))


_HANDLES: dict[Target, Callable[[Settings], Any]] = {
    Target.EMBEDDED: _embedded,
    Target.SUBPROCESS: _subprocess,
    Target.EXTERNAL: _external,
    Target.OMNI: _omni,
    Target.CLOUD: _cloud,
}


def _emulator_settings(settings: Settings) -> Any:
    return {
        "seed": settings.seed,
        "strict_instance_configs": _is_strict(settings),
        **_names(settings),
    }


def _is_strict(settings: Settings) -> bool:
    return settings.instance_configs is InstanceConfigs.PUBLISHED


def _names(settings: Settings) -> Any:
    return {"project": settings.project, "instance": settings.instance}


def _capabilities(handle: Any, target: Target) -> frozenset[str]:
    """Return the capabilities of a target. Try the clock of an external target."""
    if target is Target.EMBEDDED:
        return _ALL_CAPABILITIES
    if target is Target.SUBPROCESS:
        return _OF_OTHER_PROCESSES
    if target is not Target.EXTERNAL:
        return frozenset({PLANS})
    try:
        _ = handle.clock.now
    except spanemu.Unsupported:
        return frozenset()
    return _OF_OTHER_PROCESSES


@contextmanager
def _no_metrics() -> Iterator[None]:
    """Switch off the metrics of every client in the process, also of clients that ORMs create.

    Without a network, a client that sends metrics delays the end of the process by half a minute.
    """
    before = os.environ.get(METRICS_OFF)
    os.environ[METRICS_OFF] = "true"
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(METRICS_OFF, None)
        else:
            os.environ[METRICS_OFF] = before
