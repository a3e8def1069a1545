"""What the operations work on: one emulator, and what its remote clients hold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from operator import methodcaller
from typing import Any

from spanemu.admin.instances import Instances
from spanemu.control.clock import EmbeddedClock
from spanemu.control.faults import Faults
from spanemu.control.operations.held import HandleRegistry
from spanemu.control.recorder import Recorder
from spanemu.database.content import DatabaseSnapshot
from spanemu.database.database import Database


@dataclass(frozen=True, slots=True)
class Control:
    """The parts of an emulator. `recorder` and `hotspots` make theirs for a database's full name;
    the latter is a function because the detector is imported for those who watch.
    """

    instances: Instances
    clock: EmbeddedClock
    faults: Faults
    recorder: Callable[[str], Recorder]
    hotspots: Callable[[str], Any]
    snapshots: HandleRegistry[DatabaseSnapshot] = field(
        default_factory=lambda: HandleRegistry("snapshot", DatabaseSnapshot.release)
    )
    recordings: HandleRegistry[Recorder] = field(
        default_factory=lambda: HandleRegistry("recording", Recorder.stop)
    )
    watches: HandleRegistry[Any] = field(
        default_factory=lambda: HandleRegistry("watch", methodcaller("stop"))
    )

    def database(self, name: str) -> Database:
        """Return the database of a full name. Raises InvalidName, or NOT_FOUND errors."""
        return self.instances.database(name)
