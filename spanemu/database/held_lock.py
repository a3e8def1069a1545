"""Locks as text, in the notation of the "Lock statistics" page: `Exclusive Albums(2,1) Title`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from spanemu.database.physical import locked_columns, locked_key_text
from spanemu.schema.indexes import TableOrIndex
from spanemu.schema.schema import Schema
from spanemu.storage.layout import TreeId, tree_of
from spanemu.txn.locks.modes import Lock, mode_name
from spanemu.txn.locks.waits import Request

Sources = Mapping[TreeId, TableOrIndex]


@dataclass(frozen=True, slots=True)
class HeldLock:
    """A lock, in the notation of the "Lock statistics" page.

    `key` names a row, `Albums(2,1)`, or a range by its start, `Albums(2,1+)`. `columns` are the
    locked columns: `_exists` stands for the existence of the row, and no columns mean all.
    `waiters` are the ids of the transactions that wait until the lock is released.
    """

    key: str
    mode: str
    columns: tuple[str, ...]
    waiters: tuple[str, ...] = ()

    def __str__(self) -> str:
        text = f"{self.mode} {self.key}" + (f" {', '.join(self.columns)}" if self.columns else "")
        return f"{text}, for which {', '.join(self.waiters)} waits" if self.waiters else text


def sources_of(schema: Schema) -> Sources:
    """Return the tables and indexes of a schema by their trees."""
    return {tree_of(source): source for source in schema.tables_and_indexes()}


def described(
    sources: Sources, tree: TreeId, request: Request, waiters: tuple[str, ...] = ()
) -> HeldLock | None:
    """Return a held or requested lock as text; None for a dropped table or index."""
    source = sources.get(tree)
    if source is None:
        return None
    low, high, lock = request
    key = locked_key_text(source, low, is_range=high is not None)
    return HeldLock(key, mode_name(lock), tuple(locked_columns(source, lock)), waiters)


def conflicts(first: Request, second: Request) -> bool:
    """Return whether two locks of a tree have a row in common and exclude each other there."""
    (low, high, lock), (other_low, other_high, other) = first, second
    meets = (low < other_high if other_high is not None else low <= other_low) and (
        other_low < high if high is not None else other_low <= low
    )
    return meets and excludes(lock, other)


def excludes(lock: Lock, other: Lock) -> bool:
    """Return whether two transactions cannot hold the locks on a row at the same time."""
    return bool(lock[0] & other[1] or lock[1] & other[0])
