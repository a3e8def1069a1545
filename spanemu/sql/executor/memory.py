"""The account of the memory that the operators of one run hold.

    run.held    bytes of rows and keys that are dropped once the correlated part or the statement
                that holds them has been evaluated
    run.kept    bytes of rows that live until the run ends: spools and common tables

An operator accounts for a batch of rows at a time, by the size of a sample, and only from its
`FREE_ROWS`th row on, so that small statements pay nothing. Values that neighbouring rows share,
such as the cell of an outer row or a constant, are not counted, and neither are stored rows and
their values, which exist without the statement.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, TypeVar

from spanemu.base.deadline_checks import interruptible, interruptible_stream
from spanemu.base.process import headroom
from spanemu.sql.executor.relation import Relation, full_batches
from spanemu.sql.executor.run import Run
from spanemu.sql.functions.errors import StatementTooLarge
from spanemu.values.json import Json

FREE_ROWS = 16
REFERENCE_BYTES = 8  # of an item of a list
ENTRY_BYTES = 100  # of an entry of a hash table, including its slot

_OBJECT_BYTES = 56
_NUMBER_BYTES = 32
_RISE_BYTES = 4 * 1024 * 1024  # that a run may take before it is looked at again
_LARGE = 1 << 16  # from so many rows or keys on, freeing takes a while
_PART = 1 << 13
_FEW = 16  # up to so many items of a value are all measured

T = TypeVar("T")


class MemoryAccount:
    """The memory account of one operator of a compiled plan.

    `overhead` is the number of bytes that the operator adds to each row. The rows are those of the
    relation `of`, if that is known: of its stored rows, and of values in them, an operator holds
    references only.
    """

    __slots__ = ("_fresh", "_is_stored", "_limit", "_operator", "_overhead")

    def __init__(
        self, operator: str, overhead: int, limit: int, of: Relation | None = None
    ) -> None:
        self._operator = operator
        self._overhead = overhead
        self._limit = limit
        self._is_stored = of is not None and of.is_stored
        self._fresh = None if of is None else of.fresh

    @property
    def limit(self) -> int:
        """The number of bytes that a run may hold in all its operators."""
        return self._limit

    def take(self, items: Sequence[Any], run: Run) -> None:
        """Account for rows or keys. Raise StatementTooLarge if the run exceeds its limit."""
        if items:
            self.take_like(items, len(items), run)

    def take_like(self, items: Sequence[Any], count: int, run: Run) -> None:
        """Account for `count` items; `items` is a sample of them."""
        position = run.held % len(items)  # so that the sample varies from batch to batch
        size = self._size_beside(items[position], items[position - 1])
        self.take_bytes(count * (self._overhead + size), run)

    def take_keyed(self, rows: Sequence[Any], keys: Sequence[Any], run: Run) -> None:
        """Account for rows and their keys; cells of a row in its key are counted once."""
        if not rows:
            return
        position = run.held % len(rows)
        row, key = rows[position], keys[position]
        size = self._size_beside(row, rows[position - 1]) + _size_of_key(key, row)
        self.take_bytes(len(rows) * (self._overhead + size), run)

    def _size_beside(self, item: Any, neighbour: Any) -> int:
        """Return what an item adds, without the cells that it shares with its neighbour."""
        if self._is_stored:
            return 0
        if item.__class__ is not tuple or neighbour.__class__ is not tuple:
            return size_of(item)
        pairs = list(zip(item, neighbour, strict=False))
        if self._fresh is not None:
            pairs = [pairs[position] for position in self._fresh]
        is_single = item is neighbour
        inside = sum([size_of(cell) for cell, other in pairs if is_single or cell is not other])
        return _OBJECT_BYTES + REFERENCE_BYTES * len(item) + inside

    def size_of_keyed(self, row: Any, key: Any) -> int:
        """Return what a row and its key add, without the overhead."""
        return self._size_beside(row, row) + _size_of_key(key, row)

    def take_bytes(self, size: int, run: Run) -> None:
        """Account for `size` bytes. Raise StatementTooLarge if the run exceeds its limit."""
        run.held += size
        if run.held + run.kept > run.watermark:
            self._rise(run, run.held + run.kept)

    def _rise(self, run: Run, total: int) -> None:
        """Let a run hold more. Raises StatementTooLarge or ProcessOutOfMemory."""
        if total > self._limit:
            raise StatementTooLarge(self._operator, self._limit)
        headroom.check()
        run.watermark = min(total + _RISE_BYTES, self._limit)

    def gather(self, rows: Iterable[T], run: Run) -> list[T]:
        """Return `rows` as a list, and account for them."""
        source = iter(rows)
        gathered = list(islice(source, FREE_ROWS))
        if len(gathered) == FREE_ROWS:
            self.take(gathered, run)
            try:
                for batch in full_batches(source):
                    self.take(batch, run)
                    gathered += batch
            except BaseException:
                free_in_parts(gathered)
                raise
        return gathered


def keep(run: Run, held_before: int) -> None:
    """Count what the run has come to hold since `held_before` as kept until the run ends."""
    run.kept += run.held - held_before
    run.held = held_before


def freed_after_use(rows: list[T]) -> Iterable[T]:
    """Return `rows` for the operator above; large lists are freed once it has consumed them."""
    return interruptible(rows) if len(rows) < _LARGE else _handed_out(rows)


def _handed_out(rows: list[T]) -> Iterator[T]:
    try:
        yield from interruptible_stream(rows)
    finally:
        free_in_parts(rows)


def free_in_parts(container: list[Any] | dict[Any, Any] | set[Any]) -> None:
    """Free the contents of a large container that is no longer needed, part by part.

    Python frees a container in one step, in which no other thread runs.
    """
    if len(container) < _LARGE:
        return
    if isinstance(container, list):
        while container:
            del container[-_PART:]
    else:
        pop = container.popitem if isinstance(container, dict) else container.pop
        while container:
            pop()


def _size_of_key(key: Any, row: Any) -> int:
    """Return what a key adds to its row."""
    if any(cell is key for cell in row):
        return 0
    if key.__class__ is not tuple:
        return size_of(key)
    inside = sum([size_of(part) for part in key if not any(cell is part for cell in row)])
    return _OBJECT_BYTES + REFERENCE_BYTES * len(key) + inside


def size_of(value: Any) -> int:
    """Return the approximate size of a value in memory."""
    kind = value.__class__
    if kind is str or kind is bytes:
        return _OBJECT_BYTES + len(value)
    if kind is tuple or kind is list:
        return _OBJECT_BYTES + _items_size(value)
    if kind is dict:
        return _OBJECT_BYTES + len(value) * (
            ENTRY_BYTES + size_of(next(iter(value.values()), None))
        )
    if kind is Json:
        return _OBJECT_BYTES + size_of(value.value if value.source is None else value.source)
    if value is None or kind is bool:
        return 0
    own_parts = getattr(value, "size_parts", None)  # of a graph element
    return _NUMBER_BYTES if own_parts is None else _OBJECT_BYTES + size_of(own_parts)


def _items_size(items: Sequence[Any]) -> int:
    count = len(items)
    if count <= _FEW:
        return REFERENCE_BYTES * count + sum([size_of(item) for item in items])
    return count * (REFERENCE_BYTES + size_of(items[count // 2]))
