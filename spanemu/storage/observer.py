"""Observers of reads and writes; the store itself keeps no statistics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any, Protocol

from spanemu.storage.layout import TreeId
from spanemu.storage.versions import Version
from spanemu.values.key import ByteRange

TreeWrite = tuple[TreeId, bytes, tuple[Any, ...] | None]  # None removes the row
CellMasks = Mapping[tuple[TreeId, bytes], int]  # of the rows of which only some cells are written
ALL_CELLS: CellMasks = {}

# Written rows as one flat sequence: tree, key and new version of the first row, then of the next.
# One object for each row would be visited by every run of Python's garbage collector.
Journal = Sequence[Any]
JOURNAL_ROWS = 256  # rows reported together, at least
JOURNAL_FIELDS = 3
JOURNAL_MAX = JOURNAL_ROWS * JOURNAL_FIELDS


class ReadKind(StrEnum):
    """The kind of transaction or statement that reads rows."""

    SNAPSHOT = "snapshot"  # a read-only transaction: no locks
    TRANSACTION = "transaction"  # a read-write transaction
    DML = "dml"  # a statement that changes rows


class StoreObserver(Protocol):
    """A receiver of each commit, some time after it is visible, and of the reads of clients.

    `request` is the request in progress, if the reader knows it.
    """

    def on_writes(self, journal: Journal) -> None:
        """Record rows written by some commits. The caller holds the store's mutex."""
        ...

    def on_get(self, tree: TreeId, key: bytes) -> None:
        """Record that a row was read by its key."""
        ...

    def on_scan(
        self, tree: TreeId, rows: Iterator[tuple[Any, ...]], reading: ReadKind, request: object
    ) -> Iterator[tuple[Any, ...]]:
        """Yield `rows`, which are read from one tree, and record how many were read."""
        ...


class StoreExplorer(Protocol):
    """A scheduler of transactions, which learns the cells that each request reads and writes."""

    def read(
        self, tree: TreeId, ranges: Sequence[ByteRange] | None, cells: int, at: int | None
    ) -> None:
        """Record a read without locks; `ranges` is None for the whole tree.

        `at` is the timestamp, None if the request in progress chooses it.
        """
        ...

    def validated(
        self, tree: TreeId, low: bytes, high: bytes, cells: int, *, is_write: bool = False
    ) -> None:
        """Record that a commit validates cells that it has read or is about to write."""
        ...

    def wrote(self, writes: Sequence[TreeWrite], cells: CellMasks, at: int) -> None:
        """Record a commit that is about to be applied. The caller holds the store's mutex."""
        ...

    def generated(self, kind: str, value: Any) -> None:
        """Record a value that the database has generated, such as a sequence's."""
        ...

    def sequence_read(self) -> None:
        """Record that the state of a sequence was read."""
        ...


class Follower(Protocol):
    """A receiver of the rows of one tree, as soon as each commit is visible."""

    def wrote(self, key: bytes, row: tuple[Any, ...] | None) -> None:
        """Record that a row was written, or deleted. The caller holds the store's mutex."""
        ...

    def schema_changed(self) -> None:
        """Record that the schema has changed. The caller holds the store's mutex."""
        ...


Followers = dict[TreeId, Follower]


def inform(followers: Followers, writes: Sequence[TreeWrite]) -> None:
    """Report the rows of a commit. The caller holds the store's mutex."""
    for tree, key, row in writes:
        follower = followers.get(tree)
        if follower is not None:
            follower.wrote(key, row)


class CompositeObserver:
    """Several observers combined into one."""

    def __init__(self, observers: Sequence[StoreObserver]) -> None:
        self.all = tuple(observers)

    def on_writes(self, journal: Journal) -> None:
        """Report written rows to each observer."""
        for each in self.all:
            each.on_writes(journal)

    def on_get(self, tree: TreeId, key: bytes) -> None:
        """Report a read by key to each observer."""
        for each in self.all:
            each.on_get(tree, key)

    def on_scan(
        self, tree: TreeId, rows: Iterator[tuple[Any, ...]], reading: ReadKind, request: object
    ) -> Iterator[tuple[Any, ...]]:
        """Yield `rows` through each observer in turn."""
        for each in self.all:
            rows = each.on_scan(tree, rows, reading, request)
        return rows


def journal_columns(
    journal: Journal,
) -> tuple[Sequence[TreeId], Sequence[bytes], Sequence[Version]]:
    """Return the trees, keys and versions of the rows in a journal."""
    return journal[::JOURNAL_FIELDS], journal[1::JOURNAL_FIELDS], journal[2::JOURNAL_FIELDS]


def replace_observer(
    present: StoreObserver | None, removed: StoreObserver | None, new: StoreObserver | None
) -> StoreObserver | None:
    """Return the observer of `present` without `removed` and with `new`, or None without any."""
    before = present.all if isinstance(present, CompositeObserver) else (present,)
    after = [each for each in before if each is not None and each is not removed]
    if new is not None:
        after.append(new)
    if len(after) > 1:
        return CompositeObserver(after)
    return after[0] if after else None
