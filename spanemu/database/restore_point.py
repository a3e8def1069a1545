"""A snapshot of a database, which the database can be restored to."""

from __future__ import annotations

from dataclasses import dataclass
from weakref import ReferenceType, ref

from spanemu.base.clock import ClockState
from spanemu.database.core import DatabaseCore
from spanemu.database.generation import Generation
from spanemu.database.splits.split_manager import SplittingState
from spanemu.schema.history import History
from spanemu.storage.garbage_collection import StoreSnapshot


@dataclass(frozen=True, eq=False, slots=True)
class DatabaseSnapshot:
    """A state to restore. A snapshot does not keep a dropped database in memory."""

    database: str
    core: ReferenceType[DatabaseCore]
    store: StoreSnapshot
    history: History[Generation]
    splitting: SplittingState
    clock: ClockState

    @classmethod
    def of(cls, core: DatabaseCore) -> DatabaseSnapshot:
        """Take a snapshot of the current state."""
        with core.store.mutex:
            store, history = core.store.snapshot(), core.history.copy()
            clock = core.environment.clock.state
            return cls(core.name, ref(core), store, history, core.splitting.state, clock)

    def release(self) -> None:
        """Release the snapshot, so that changes need not be recorded for it."""
        core = self.core()
        if core is not None:
            core.store.forget(self.store)


def check_own(core: DatabaseCore, snapshot: object) -> None:
    """Raise ValueError unless `snapshot` is a snapshot of this database."""
    if not isinstance(snapshot, DatabaseSnapshot):
        raise ValueError(f"{snapshot!r} is not a snapshot of {core.name}")
    if snapshot.core() is core:
        return
    if snapshot.database == core.name:
        raise ValueError(f"the snapshot is of an earlier database {core.name}, which was dropped")
    raise ValueError(f"the snapshot is of {snapshot.database}, not of {core.name}")
