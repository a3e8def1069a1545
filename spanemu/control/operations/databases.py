"""Operations on one database; `database` is its full name."""

from __future__ import annotations

from typing import Any

from spanemu.base.resource_names import DatabaseName
from spanemu.control.operations.control import Control


def snapshot(control: Control, database: str) -> dict[str, Any]:
    """Take a snapshot and return its id."""
    return {"snapshot": control.snapshots.keep(control.database(database).snapshot())}


def restore(control: Control, database: str, snapshot: str) -> None:
    """Restore a snapshot of the same database, and the clock to its state at the snapshot."""
    state = control.snapshots.get(snapshot)
    control.database(database).restore(state)
    control.clock.come_back(state.clock)


def forget(control: Control, database: str, snapshot: str) -> None:
    """Release a snapshot."""
    control.database(database).forget(control.snapshots.get(snapshot))
    control.snapshots.release(snapshot)


def settle(control: Control, database: str) -> None:
    """Make the current schema and rows visible at every timestamp, however old."""
    control.database(database).forget_history()


def clone(control: Control, database: str, name: str) -> None:
    """Create database `name`, a full name, with the schema and rows of `database`."""
    control.instances.clone_database(control.database(database), DatabaseName.parse(name))


def layout(control: Control, database: str, servers: bool = False) -> dict[str, Any]:
    """Return a drawing of splits and rows, and of servers if asked."""
    return {"layout": control.database(database).physical_layout(servers=servers)}


def open_transactions(control: Control, database: str) -> dict[str, Any]:
    """Return the open read-write transactions."""
    return {"transactions": control.database(database).sessions.open_transactions()}


def abort_transactions(control: Control, database: str) -> None:
    """Abort every open read-write transaction."""
    control.database(database).abort_transactions()
