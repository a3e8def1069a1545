"""The statistics of a period: the costliest cells of each kind by themselves, the rest as a sum."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar

from spanemu.database.statistics.cells import Cell, Requests, Transactions, Waits
from spanemu.database.statistics.column_accesses import Touched
from spanemu.storage.layout import TreeId

TOP_MAX = 100  # cells of a kind that a period keeps by themselves

Alike = tuple[Any, ...]
Place = tuple[TreeId, bytes, bool]  # (tree, key, True for the range that begins with the key)

K = TypeVar("K")
KeyT = TypeVar("KeyT", bound=Hashable)
C = TypeVar("C", bound=Cell)


class Family(Generic[KeyT, C]):
    """Cells of a kind by what their records have in common.

    `rest` is the sum of the cells that cost too little to keep, if any, and `touched` counts their
    uses of columns.
    """

    __slots__ = ("cells", "rest", "touched")

    def __init__(self) -> None:
        self.cells: dict[KeyT, C] = {}
        self.rest: C | None = None
        self.touched: dict[Touched, int] = {}

    @property
    def is_crowded(self) -> bool:
        """True when the least costly half should be summed up."""
        return len(self.cells) > 2 * TOP_MAX

    def put(self, key: KeyT, cell: C) -> None:
        """Add a sealed cell, which belongs to this family from now on."""
        existing = self.cells.setdefault(key, cell)
        if existing is not cell:
            existing.add(cell)

    def cut(self, done: Callable[[C], Iterator[tuple[Touched, int]]]) -> None:
        """Keep the costliest of the sealed cells; `done` yields the column uses of a cell, with
        counts.
        """
        costly = sorted(self.cells.items(), key=lambda item: -item[1].seconds)
        for _, cell in costly[TOP_MAX:]:
            for touched, times in done(cell):
                self.touched[touched] = self.touched.get(touched, 0) + times
            self._sum_up(cell)
        self.cells = dict(costly[:TOP_MAX])

    def absorb(self, other: Family[KeyT, C]) -> None:
        """Add the cells of another family."""
        for key, cell in other.cells.items():
            self.put(key, cell)
        for touched, times in other.touched.items():
            self.touched[touched] = self.touched.get(touched, 0) + times
        if other.rest is not None:
            self._sum_up(other.rest)

    def all(self) -> Iterator[C]:
        """Yield every cell, and the sum of the rest."""
        yield from self.cells.values()
        if self.rest is not None:
            yield self.rest

    def _sum_up(self, cell: C) -> None:
        if self.rest is None:
            self.rest = cell
        else:
            self.rest.add(cell)


class Period:
    """A minute, ten minutes, or an hour."""

    __slots__ = ("is_open", "queries", "reads", "transactions", "waits")

    def __init__(self) -> None:
        self.is_open = False  # True if a cell is not sealed.
        self.queries: Family[Alike, Requests] = Family()
        self.reads: Family[Alike, Requests] = Family()
        self.transactions: Family[Alike, Transactions] = Family()
        self.waits: Family[Place, Waits] = Family()

    @property
    def families(self) -> tuple[Family[Any, Any], ...]:
        return self.queries, self.reads, self.transactions, self.waits

    def __len__(self) -> int:
        """Return the number of cells."""
        return sum(len(family.cells) for family in self.families)

    def absorb(self, other: Period) -> None:
        """Add another period; both are sealed."""
        for family, added in zip(self.families, other.families, strict=True):
            family.absorb(added)
        self.cut()

    def cut(self) -> None:
        """Sum up the least costly cells of crowded families; all cells are sealed."""
        for family in (self.queries, self.reads):
            if family.is_crowded:
                family.cut(requested)
        if self.transactions.is_crowded:
            self.transactions.cut(mutated)
        if self.waits.is_crowded:
            self.waits.cut(_nothing)


def requested(cell: Requests) -> Iterator[tuple[Touched, int]]:
    """Yield the columns that requests used, and how often."""
    for touched in cell.touched:
        yield touched, cell.count


def mutated(cell: Transactions) -> Iterator[tuple[Touched, int]]:
    """Yield the columns that mutations wrote, and how often."""
    if cell.changes and cell.succeeded:
        yield cell.changes, cell.succeeded


def _nothing(cell: Waits) -> Iterator[tuple[Touched, int]]:
    return iter(())


# (end in nanoseconds, the periods within) of intervals, the latest first; all are sealed
IntervalPeriods = Sequence[tuple[int, Sequence[Period]]]


def costliest(groups: Mapping[K, list[C]]) -> list[tuple[K, list[C]]]:
    """Return the groups with the longest total time, the longest first."""
    costs = {key: sum(cell.seconds for cell in cells) for key, cells in groups.items()}
    return sorted(groups.items(), key=lambda item: -costs[item[0]])[:TOP_MAX]


Row = Mapping[str, Any]

_HOUR = 3600
# For how many seconds intervals are kept, by their own length in seconds.
KEPT_SECONDS: Mapping[int, int] = {60: 6 * _HOUR, 600: 96 * _HOUR, _HOUR: 720 * _HOUR}


def average(total: float, count: int) -> float:
    """Return the mean; 0 if `count` is 0."""
    return total / count if count else 0.0
