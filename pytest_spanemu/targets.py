"""What the tests run against, behind one face: an emulator here, one in a process of its own, or
whatever listens at an address.

    embedded     spanemu.Emulator               everything
    subprocess   spanemu.Emulator.subprocess    everything; recordings know no calling lines
    external     spanemu.Emulator.attach        what any Spanner can: no snapshots, no clock...

Each says which capabilities it has; what a test asks beyond them is skipped or refused by name,
never passed over.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import spanemu
from pytest_spanemu.options import Isolation, Settings, Target

SNAPSHOTS, CLOCK, FAULTS, RECORDING, HOTSPOTS, PLANS = (
    "snapshots", "clock", "faults", "recording", "hotspots", "plans",
)  # fmt: skip
METRICS_OFF = "SPANNER_DISABLE_BUILTIN_METRICS"
_EVERYTHING = frozenset({SNAPSHOTS, CLOCK, FAULTS, RECORDING, HOTSPOTS, PLANS})
CAPABILITIES: dict[Target, frozenset[str]] = {
    Target.EMBEDDED: _EVERYTHING,
    Target.SUBPROCESS: _EVERYTHING,
    Target.EXTERNAL: frozenset(),
}


class SpannerEmulator:
    """The emulator of a run, or what stands in for it.

    Offers what `spanemu.EmulatorHandle` does (`uri`, `client()`, `create_database()`, `clock`,
    `faults`, ...) and knows its `target` and `capabilities`.
    """

    def __init__(self, handle: Any, settings: Settings) -> None:
        self.handle = handle
        self.settings = settings
        self.target = settings.target
        self.capabilities = CAPABILITIES[settings.target]
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

    @property
    def default_isolation(self) -> Isolation:
        """How tests are kept apart when nothing says so."""
        return Isolation.RESTORE if self.can(SNAPSHOTS) else Isolation.TRUNCATE

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.handle, name)

    def __repr__(self) -> str:
        return f"<SpannerEmulator {self.target} at {self.host_port}>"


@contextmanager
def running(settings: Settings) -> Iterator[SpannerEmulator]:
    """The target, started if it is ours to start, and ended with the block."""
    names = {"project": settings.project, "instance": settings.instance}
    handle: Any
    if settings.target is Target.EMBEDDED:
        handle = spanemu.Emulator(seed=settings.seed, **names)  # type: ignore[arg-type]
    elif settings.target is Target.SUBPROCESS:
        handle = spanemu.Emulator.subprocess(seed=settings.seed, **names)
    else:
        handle = spanemu.Emulator.attach(settings.host or "", **names)
    with handle, _no_metrics():
        yield SpannerEmulator(handle, settings)


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
