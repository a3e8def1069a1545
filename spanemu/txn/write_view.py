"""The interface through which writes read and change a transaction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from spanemu.sql.executor.reader import ByteRange
from spanemu.sql.functions.registry import Context
from spanemu.storage.layout import TreeId
from spanemu.txn.locks.modes import READ_ROW, Cells, Lock
from spanemu.txn.rules import Row
from spanemu.values.cell_mask import WHOLE_ROW


class WriteView(Protocol):
    """A transaction as writes see it."""

    context: Context
    deleted: set[tuple[TreeId, bytes]]  # rows that earlier statements deleted, without cascades

    def get(self, tree: TreeId, key: bytes, lock: Lock = READ_ROW) -> Row | None:
        """Return the row as this transaction sees it, with `lock` taken."""
        ...

    def lock_all(self, tree: TreeId, keys: Iterable[bytes], lock: Lock) -> None:
        """Lock rows that `get` will read, many at a time."""
        ...

    def exists(self, tree: TreeId, key: bytes) -> bool:
        """Return whether the row seems to exist. Takes no lock, so the answer may change."""
        ...

    def committed(self, tree: TreeId, key: bytes) -> Row | None:
        """Return the row without the transaction's own writes. Takes no lock."""
        ...

    def items(
        self, tree: TreeId, ranges: Sequence[ByteRange] | None, lock: Lock = READ_ROW
    ) -> Iterator[tuple[bytes, Row]]:
        """Yield the keys and rows of ranges as this transaction sees them, with `lock` taken."""
        ...

    def put(
        self,
        tree: TreeId,
        key: bytes,
        row: Row | None,
        written: Cells = WHOLE_ROW,
        base: Row | None = None,
    ) -> None:
        """Buffer the new state of a row, of which the cells `written` differ from `base`."""
        ...

    def mark_pending(
        self, tree: TreeId, key: bytes, timestamp_key_range: ByteRange | None = None
    ) -> None:
        """Record that a buffered row waits for the commit timestamp.

        `timestamp_key_range` is the range that its key will fall into, if the key waits as well.
        """
        ...
