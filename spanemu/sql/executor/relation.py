"""Compiled operators, and the batches of rows that they pass on."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any, Generic, TypeVar

from spanemu.base.deadline_checks import STEP_ITEMS_MAX, Batched, Tally, in_steps
from spanemu.base.record import dataclass
from spanemu.sql.executor.run import Row, Run
from spanemu.sql.resolved import ColumnRef, Expr, Literal, ParameterRef

Value = Callable[[Row, Run], Any]
BatchFunction = Callable[[Sequence[Row], Run], list[Any]]  # maps many rows at once
Rows = Callable[[Run], Iterable[Row]]
Layout = Mapping[int, int]


@dataclass(frozen=True, eq=False, slots=True)
class Relation:
    """A compiled operator. `rows(run)` returns its rows; `layout` maps column ids to row positions.

    Rows may hold more cells than the layout names: a scan passes stored rows on unchanged. `width`
    is the number of cells of a row.

    Stored rows and their values exist anyway, so that a statement which holds them needs memory for
    references only. `is_stored` says that each row is a stored row. Otherwise the statement makes
    the rows, and `fresh` are the positions of the cells whose values it makes; None for all cells.
    """

    rows: Rows
    layout: Layout
    width: int
    is_stored: bool = False
    fresh: frozenset[int] | None = None

    def with_rows(self, rows: Rows) -> Relation:
        """Return a relation with some of the rows of this one."""
        return Relation(rows, self.layout, self.width, self.is_stored, self.fresh)

    def with_layout(self, layout: Layout) -> Relation:
        """Return a relation with the same rows, whose columns have other ids."""
        return Relation(self.rows, layout, self.width, self.is_stored, self.fresh)

    def is_fresh(self, position: int) -> bool:
        """Return whether the statement makes the values of a cell."""
        return not self.is_stored and (self.fresh is None or position in self.fresh)


def fresh_cells(values: Sequence[Expr], below: Relation) -> frozenset[int]:
    """Return the positions of those of `values` that are made for each row of `below`."""
    return frozenset([n for n, value in enumerate(values) if _is_made(value, below)])


def _is_made(value: Expr, below: Relation) -> bool:
    if not isinstance(value, ColumnRef):
        return not isinstance(value, Literal | ParameterRef)
    position = below.layout.get(value.column.id)
    # An array of floats may be unpacked when it is read.
    return value.type.is_array or (position is not None and below.is_fresh(position))


def relation_of_keys(keys: Sequence[Expr], below: Relation) -> Relation:
    """Return a relation like the keys of the rows of `below`, for the account of their memory.

    A single key is a value without a tuple around it.
    """
    fresh = fresh_cells(keys, below)
    return Relation(below.rows, {}, len(keys), len(keys) == 1 and not fresh, fresh)


def fresh_in_pair(left: Relation, right: Relation) -> frozenset[int]:
    """Return the positions of the cells that are made in a left row with a right row appended."""
    return frozenset(
        [position for position in range(left.width) if left.is_fresh(position)]
        + [left.width + position for position in range(right.width) if right.is_fresh(position)]
    )


def joined_layout(left: Relation, right: Relation) -> dict[int, int]:
    """Return the layout of a left row with a right row appended."""
    return {
        **left.layout,
        **{column: left.width + position for column, position in right.layout.items()},
    }


BATCH_ROWS_MAX = STEP_ITEMS_MAX
_FULL_FIRST = 16
_HEAVY_ROWS_MIN = 4
_HEAVY_BYTES = 1 << 22  # characters, bytes and elements of the rows of a batch
_SIZED = frozenset({str, bytes, tuple})
T = TypeVar("T")  # a row, or a group of them


def batches(
    rows: Iterable[T], largest: int = BATCH_ROWS_MAX, tally: Tally | None = None
) -> Generator[list[T], bool | None]:
    """Yield `rows` in non-empty lists of at most `largest` rows."""
    return in_steps(rows, 1, largest, tally)


def full_batches(rows: Iterable[T]) -> Generator[list[T], bool | None]:
    """Yield `rows` in batches that start larger, for callers that consume every row."""
    return in_steps(rows, _FULL_FIRST, BATCH_ROWS_MAX)


class PeekedRows(Generic[T]):
    """Rows whose first row has already been read; false when there is no row."""

    __slots__ = ("_first", "_rest")

    def __init__(self, rows: Iterable[T]) -> None:
        self._rest = iter(rows)
        self._first = list(islice(self._rest, 1))

    def __bool__(self) -> bool:
        return bool(self._first)

    def __iter__(self) -> Iterator[T]:
        return chain(self._first, self._rest)


def map_batches(
    rows: Iterable[T],
    change: Callable[[list[T]], Iterable[Row]],
    largest: int = BATCH_ROWS_MAX,
    tally: Tally | None = None,
) -> Iterator[Row]:
    """Yield the rows that `change` returns for each batch of `rows`."""
    if tally is None and rows.__class__ is tuple and len(rows) <= _FULL_FIRST:
        return chain.from_iterable(map(change, (list(rows),))) if rows else iter(())
    return Batched(_changed(batches(rows, largest, tally), change))


def _changed(
    steps: Generator[list[T], bool | None], change: Callable[[list[T]], Iterable[Row]]
) -> Iterator[Iterable[Row]]:
    for batch in steps:
        changed = change(batch)
        yield changed
        while len(batch) >= _HEAVY_ROWS_MIN and _is_heavy(changed):
            try:
                changed = change(steps.send(True))
            except StopIteration:
                return
            yield changed


def _is_heavy(rows: Iterable[Row]) -> bool:
    """Return whether a batch of rows as large as the last row takes too much memory."""
    if not isinstance(rows, list) or not rows:
        return False
    last = rows[-1]
    if last.__class__ is not tuple:
        return False
    size = sum([len(cell) for cell in last if cell.__class__ in _SIZED])
    return size * len(rows) > _HEAVY_BYTES
