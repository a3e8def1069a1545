"""A transaction as its writes need it: rows to look at, and rows to put."""

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
    """The transaction, as its writes need it."""

    context: Context
    deleted: set[tuple[TreeId, bytes]]  # rows that earlier statements deleted by themselves

    def get(self, tree: TreeId, key: bytes, lock: Lock = READ_ROW) -> Row | None:
        """The row as this transaction sees it; locks it for what it reads and will write."""
        ...

    def lock_all(self, tree: TreeId, keys: Iterable[bytes], lock: Lock) -> None:
        """Lock rows that `get` will be asked for, many at a time."""
        ...

    def exists(self, tree: TreeId, key: bytes) -> bool:
        """Whether there seems to be such a row. Locks nothing: to be asked again."""
        ...

    def below(self, tree: TreeId, key: bytes) -> Row | None:
        """The row as it is without this transaction. Locks nothing."""
        ...

    def items(
        self, tree: TreeId, ranges: Sequence[ByteRange] | None, lock: Lock = READ_ROW
    ) -> Iterator[tuple[bytes, Row]]:
        """Rows of a range as this transaction sees them; locks the range likewise."""
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
        """Remember that a buffered row waits for the commit timestamp.

        `timestamp_key_range` is where its key will be, when that waits as well.
        """
        ...
