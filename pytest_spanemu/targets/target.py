"""What the tests run against, behind one face: an emulator here, one in a process of its own, or
whatever listens at an address.

    embedded     spanemu.Emulator               everything
    subprocess   spanemu.Emulator.subprocess    everything; recordings know no calling lines
    external     spanemu.Emulator.attach        of a spanemu everything; of others what any
                                                Spanner can: no snapshots, no clock...
    omni, cloud  real.OmniSpanner, CloudSpanner the same, and plans

Each says which capabilities it has; what a test asks beyond them is skipped or refused by name,
never passed over.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

import pytest

import spanemu
from pytest_spanemu.setting_values import InstanceConfigs, Isolation, Target
from pytest_spanemu.settings import Settings
from pytest_spanemu.targets.real import CLOUD_HOST, CloudSpanner, OmniSpanner

if TYPE_CHECKING:
    from google.cloud.spanner import Client

    from pytest_spanemu.public_types import (
        SpannerClock,
        SpannerFaults,
        SpannerHotspots,
        SpannerRecorder,
    )
    from spanemu.api.handles import DatabaseHandle, NamedDatabase
    from spanemu.config import ConfigChanges
    from spanemu.schema_source import Source

SNAPSHOTS, CLOCK, FAULTS, RECORDING, HOTSPOTS, PLANS = (
    "snapshots", "clock", "faults", "recording", "hotspots", "plans",
)  # fmt: skip
METRICS_OFF = "SPANNER_DISABLE_BUILTIN_METRICS"
_EVERYTHING = frozenset({SNAPSHOTS, CLOCK, FAULTS, RECORDING, HOTSPOTS, PLANS})
STARTED_HERE = frozenset(
    {Target.EMBEDDED, Target.SUBPROCESS}
)  # they end with the run, with all in them


class SpannerEmulator:
    """The emulator of a run, or what stands in for it.

    Offers what `spanemu.EmulatorHandle` does (`uri`, `client()`, `create_database()`, `clock`,
    `faults`, ...) and knows its `target` and `capabilities`.
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
        """The host clients dial."""
        return str(self.handle.host)

    @property
    def port(self) -> int:
        """The port clients dial."""
        return int(self.handle.port)

    @property
    def host_port(self) -> str:
        """HOST:PORT, as SPANNER_EMULATOR_HOST wants it."""
        return str(self.handle.uri)

    def can(self, capability: str) -> bool:
        """Whether the target has a capability."""
        return capability in self.capabilities

    def capability_table(self) -> dict[str, bool]:
        """Every capability, and whether the target has it."""
        return {each: self.can(each) for each in sorted(_EVERYTHING)}

    @property
    def is_started_here(self) -> bool:
        """Whether it was started for this run, and ends with it."""
        return self.target in STARTED_HERE

    @property
    def is_emulator(self) -> bool:
        """Whether clients reach it as they reach an emulator."""
        return self.target not in (Target.OMNI, Target.CLOUD)

    def sqlalchemy_url(self, database: str) -> str:
        """Where SQLAlchemy finds a database, by id or full name."""
        return str(self.handle.database(database).sqlalchemy_url())

    def jdbc_url(self, database: str) -> str:
        """Where Spanner's JDBC driver finds a database."""
        return str(self.handle.database(database).jdbc_url())

    def environ(self, database: str) -> dict[str, str]:
        """The environment in which other programs find a database."""
        return dict(self.handle.database(database).environ())

    @property
    def default_isolation(self) -> Isolation:
        """How tests are kept apart when nothing says so."""
        return Isolation.RESTORE if self.can(SNAPSHOTS) else Isolation.TRUNCATE

    # ------------------------------------------------------------------ as EmulatorHandle has it

    @property
    def uri(self) -> str:
        """HOST:PORT, as SPANNER_EMULATOR_HOST wants it."""
        return self.host_port

    def client(self, project: str | None = None) -> Client:
        """Return the official `google.cloud.spanner.Client`, the same one each time."""
        return self.handle.client(project)

    def create_database(self, name: str, schema: Source | Iterable[Source] = ()) -> DatabaseHandle:
        """Create a database from files or texts of DDL. Raises spanemu.SchemaRejected."""
        made: DatabaseHandle = self.handle.create_database(name, schema)
        return made

    def database(self, name: str) -> DatabaseHandle:
        """Return a handle on a database that exists, by id or full resource name."""
        found: DatabaseHandle = self.handle.database(name)
        return found

    @property
    def clock(self) -> SpannerClock:
        """The clock of the emulator."""
        clock: SpannerClock = self.handle.clock
        return clock

    @property
    def faults(self) -> SpannerFaults:
        """The faults that are installed, and the verbs to install more."""
        faults: SpannerFaults = self.handle.faults
        return faults

    def record(self, database: NamedDatabase | str) -> SpannerRecorder:
        """Record what the clients of a database do while the block that this opens runs."""
        recorder: SpannerRecorder = self.handle.record(database)
        return recorder

    def hotspots(self, database: NamedDatabase | str) -> SpannerHotspots:
        """Return where the writes to a database concentrate, from the first call for it on."""
        found: SpannerHotspots = self.handle.hotspots(database)
        return found

    if not TYPE_CHECKING:  # A type checker is to find unknown names by itself.

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):
                raise AttributeError(name)
            return getattr(self.handle, name)

    def __repr__(self) -> str:
        return f"<SpannerEmulator {self.target} at {self.host_port}>"


@contextmanager
def running(settings: Settings) -> Iterator[SpannerEmulator]:
    """The target, started if it is ours to start, and ended with the block."""
    handle = _HANDLES[settings.target](settings)
    with handle, _no_metrics():
        try:
            capabilities = _capabilities(handle, settings.target)
        except spanemu.SpannerError as problem:
            raise pytest.fail.Exception(
                f"spanner: nothing answers at {settings.host}, where --spanner-host or "
                f"SPANNER_EMULATOR_HOST says that target {settings.target} listens: {problem}",
                pytrace=False,
            ) from None
        yield SpannerEmulator(handle, settings, capabilities)


@contextmanager
def embedded(settings: Settings, **changes: Unpack[ConfigChanges]) -> Iterator[SpannerEmulator]:
    """An emulator in this process, whatever the run's target is; ended with the block."""
    changes.setdefault("seed", settings.seed)
    changes.setdefault("strict_instance_configs", _is_strict(settings))
    handle = spanemu.Emulator(**changes)
    own = replace(
        settings, target=Target.EMBEDDED, project=handle.project, instance=handle.instance
    )
    with handle, _no_metrics():
        yield SpannerEmulator(handle, own, _EVERYTHING)


def _embedded(settings: Settings) -> Any:
    return spanemu.Emulator(**_emulator_settings(settings))


def _subprocess(settings: Settings) -> Any:
    return spanemu.Emulator.subprocess(**_emulator_settings(settings))


def _external(settings: Settings) -> Any:
    return spanemu.Emulator.attach(settings.host or "", **_names(settings))


def _omni(settings: Settings) -> Any:
    return OmniSpanner(settings.host or "", **_names(settings))


def _cloud(settings: Settings) -> Any:
    return CloudSpanner(settings.host or CLOUD_HOST, **_names(settings))


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
    """What a target can; of an external one that depends on what it is."""
    if target in STARTED_HERE:
        return _EVERYTHING
    if target is not Target.EXTERNAL:
        return frozenset({PLANS})
    try:
        _ = handle.clock.now
    except spanemu.Unsupported:
        return frozenset()
    return _EVERYTHING


@contextmanager
def _no_metrics() -> Iterator[None]:
    """Clients that others make (an ORM's, the code's own) send no metrics to Cloud Monitoring.

    Without a network such a client holds the end of the process up for half a minute.
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
