"""Operations on one database; `database` is its full name."""

from __future__ import annotations

from typing import Any

from spanemu.base.resource_names import DatabaseName
from spanemu.control.operations.control import Control


def snapshot(control: Control, database: str) -> dict[str, Any]:
    """Remember the present state: the id of a snapshot."""
    return {"snapshot": control.snapshots.keep(control.database(database).snapshot())}


def restore(control: Control, database: str, snapshot: str) -> None:
    """Go back to a snapshot of the same database, and the clock to its state then."""
    state = control.snapshots.get(snapshot)
    control.database(database).restore(state)
    control.clock.come_back(state.clock)


def forget(control: Control, database: str, snapshot: str) -> None:
    """Give a snapshot up."""
    control.database(database).forget(control.snapshots.get(snapshot))
    control.snapshots.release(snapshot)


def settle(control: Control, database: str) -> None:
    """Let the schema and rows of now be older than any time."""
    control.database(database).settle()


def clone(control: Control, database: str, name: str) -> None:
    """A new database, by its full name, with the schema and rows of this one."""
    control.instances.clone_database(control.database(database), DatabaseName.parse(name))


def layout(control: Control, database: str, servers: bool = False) -> dict[str, Any]:
    """A drawing of splits and rows, and perhaps of servers."""
    return {"layout": control.database(database).physical_layout(servers=servers)}


def open_transactions(control: Control, database: str) -> dict[str, Any]:
    """Read-write transactions that have not ended."""
    return {"transactions": control.database(database).sessions.open_transactions()}


def abort_transactions(control: Control, database: str) -> None:
    """Abort every open read-write transaction."""
    control.database(database).abort_transactions()
