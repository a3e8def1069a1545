"""Who is told of what happens in the store; the store itself keeps no statistics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Any, Protocol

from spanemu.storage.layout import TreeId

TreeWrite = tuple[TreeId, bytes, tuple[Any, ...] | None]  # None removes the row


class Reading(StrEnum):
    """What rows are read for."""

    SNAPSHOT = "snapshot"  # a read-only transaction: no locks
    TRANSACTION = "transaction"  # a read-write transaction
    DML = "dml"  # a statement that changes rows


class StoreObserver(Protocol):
    """Told once of each commit, after it is visible, and of what clients read.

    `asked` is the request that is being served, whatever the reader knows of it.
    """

    def committed(self, writes: Sequence[TreeWrite], at: int) -> None:
        """`writes` became visible at `at` (nanoseconds)."""
        ...

    def got(self, tree: TreeId, key: bytes) -> None:
        """A row was asked for by its key."""
        ...

    def scanning(
        self, tree: TreeId, rows: Iterator[tuple[Any, ...]], reading: Reading, asked: object
    ) -> Iterator[tuple[Any, ...]]:
        """`rows` of one tree are about to be read: the same rows, looked at as they go by."""
        ...
