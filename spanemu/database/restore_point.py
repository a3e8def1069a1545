"""A state of a database to come back to, and whose it is."""

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
    """A state of a database to come back to. It does not keep a dropped database in memory."""

    database: str
    core: ReferenceType[DatabaseCore]
    store: StoreSnapshot
    history: History[Generation]
    splitting: SplittingState
    clock: ClockState

    @classmethod
    def of(cls, core: DatabaseCore) -> DatabaseSnapshot:
        """The present state."""
        with core.store.mutex:
            store, history = core.store.snapshot(), core.history.copy()
            clock = core.environment.clock.state
            return cls(core.name, ref(core), store, history, core.splitting.state, clock)

    def give_up(self) -> None:
        """Nobody comes back to this state: changes need not be remembered for it."""
        core = self.core()
        if core is not None:
            core.store.forget(self.store)


def check_own(core: DatabaseCore, snapshot: object) -> None:
    """Raise ValueError for what is no snapshot, or one of another database."""
    if not isinstance(snapshot, DatabaseSnapshot):
        raise ValueError(f"{snapshot!r} is no snapshot: {core.name} goes back to what it gave")
    if snapshot.core() is core:
        return
    if snapshot.database == core.name:
        raise ValueError(f"the snapshot is of an earlier database {core.name}, which was dropped")
    raise ValueError(f"the snapshot is of {snapshot.database}, not of {core.name}")
