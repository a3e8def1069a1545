"""Who is told of what happens in the store; the store itself keeps no statistics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Any, Protocol

from spanemu.storage.layout import TreeId
from spanemu.storage.versions import Version

TreeWrite = tuple[TreeId, bytes, tuple[Any, ...] | None]  # None removes the row

# Rows that were written, one thing behind the other: of each its tree, its key and its new version.
# An object for each row would be walked through by every garbage collection.
Journal = Sequence[Any]
JOURNAL_ROWS = 256  # that are told of together, or some more
JOURNAL_FIELDS = 3
JOURNAL_MAX = JOURNAL_ROWS * JOURNAL_FIELDS


class ReadKind(StrEnum):
    """What rows are read for."""

    SNAPSHOT = "snapshot"  # a read-only transaction: no locks
    TRANSACTION = "transaction"  # a read-write transaction
    DML = "dml"  # a statement that changes rows


class StoreObserver(Protocol):
    """Told once of each commit, some time after it is visible, and of what clients read.

    `request` is the request that is being served, whatever the reader knows of it.
    """

    def on_writes(self, journal: Journal) -> None:
        """Some commits wrote rows. Told under the store's mutex."""
        ...

    def on_get(self, tree: TreeId, key: bytes) -> None:
        """A row was asked for by its key."""
        ...

    def on_scan(
        self, tree: TreeId, rows: Iterator[tuple[Any, ...]], reading: ReadKind, request: object
    ) -> Iterator[tuple[Any, ...]]:
        """`rows` of one tree are about to be read: the same rows, looked at as they go by."""
        ...


class CompositeObserver:
    """Several observers as one."""

    def __init__(self, all_of_them: Sequence[StoreObserver]) -> None:
        self.all = tuple(all_of_them)

    def on_writes(self, journal: Journal) -> None:
        """Tell each of what was written."""
        for each in self.all:
            each.on_writes(journal)

    def on_get(self, tree: TreeId, key: bytes) -> None:
        """Tell each of a row that was asked for."""
        for each in self.all:
            each.on_get(tree, key)

    def on_scan(
        self, tree: TreeId, rows: Iterator[tuple[Any, ...]], reading: ReadKind, request: object
    ) -> Iterator[tuple[Any, ...]]:
        """Have each look at the rows as they go by."""
        for each in self.all:
            rows = each.on_scan(tree, rows, reading, request)
        return rows


def journal_columns(
    journal: Journal,
) -> tuple[Sequence[TreeId], Sequence[bytes], Sequence[Version]]:
    """Trees, keys and versions of the rows."""
    return journal[::JOURNAL_FIELDS], journal[1::JOURNAL_FIELDS], journal[2::JOURNAL_FIELDS]


def replace_observer(
    present: StoreObserver | None, gone: StoreObserver | None, new: StoreObserver | None
) -> StoreObserver | None:
    """Who observes, once `gone` does no longer and `new` does; None for nobody."""
    before = present.all if isinstance(present, CompositeObserver) else (present,)
    after = [each for each in before if each is not None and each is not gone]
    if new is not None:
        after.append(new)
    if len(after) > 1:
        return CompositeObserver(after)
    return after[0] if after else None
