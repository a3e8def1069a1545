"""Sums over similar records: requests, transactions, lock waits.

An open cell takes in records together with their plans, their mutations and some of their rows. It
takes many similar records at a time, field by field, so that little Python code runs for each of
them. Sealing a cell resolves them to names and sums, so that a minute that is over keeps no plans
or rows in memory. Sealed cells can be added to each other.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from operator import attrgetter, mul
from typing import Any, ClassVar, Protocol, Self, TypeVar

from spanemu.base.errors import Code
from spanemu.database.activity import CommitRecord, RequestRecord
from spanemu.database.statements.results import WrittenRows
from spanemu.database.statistics.column_accesses import NOTHING, Touched
from spanemu.database.statistics.weight import WriteSizes
from spanemu.txn.locks.waits import LockRequest, LockWait
from spanemu.txn.read_write import Reads
from spanemu.values.mutation import Shape

T = TypeVar("T")

_SCALE = 1e-6
_GROWTH = 1.4
_FINITE = 64
BOUNDS = [_SCALE * _GROWTH**power for power in range(_FINITE + 1)]
FIELDS = (
    "COUNT", "MEAN", "SUM_OF_SQUARED_DEVIATION", "NUM_FINITE_BUCKETS", "GROWTH_FACTOR", "SCALE",
    "BUCKET_COUNTS",
)  # fmt: skip


class Latencies(Protocol):
    """The sums over seconds, with a count for each bucket."""

    count: int
    seconds: float
    squares: float

    @property
    def buckets(self) -> Mapping[int, int]: ...


def distribution(cell: Latencies) -> list[tuple[Any, ...]]:
    """Return the array of a single struct that the tables show for similar records."""
    counts = [cell.buckets.get(bucket, 0) for bucket in range(_FINITE + 2)]
    mean = cell.seconds / cell.count if cell.count else 0.0
    spread = max(0.0, cell.squares - cell.seconds * mean)
    return [(cell.count, mean, spread, _FINITE, _GROWTH, _SCALE, counts)]


def as_json(array: Sequence[tuple[Any, ...]], fields: Sequence[str]) -> str:
    """Return an array of structs as JSON text, a single struct as an object."""
    objects = [dict(zip(fields, one, strict=True)) for one in array]
    return json.dumps(objects)


def distribution_json(array: Sequence[tuple[Any, ...]]) -> str:
    """Return a distribution as JSON text, which is a single object."""
    return json.dumps(dict(zip(FIELDS, array[0], strict=True)))


SAMPLES_MAX = 16  # commits of a cell whose rows are measured, to estimate all
LOCK_REQUESTS_MAX = 64

_REFUSED = (Code.FAILED_PRECONDITION, Code.ALREADY_EXISTS, Code.NOT_FOUND)

_bucket_of = partial(bisect_right, BOUNDS)
_reads_of = attrgetter("reads")
_figures_of = attrgetter("rows", "size", "scanned", "written", "seconds", "code", "age")

Touches = Callable[[Any], Touched]  # the columns that a plan uses
TouchesOfMutations = Callable[[Sequence[Shape]], Touched]


class Cell:
    """The sums over similar records. `seconds` is their duration, `buckets` a histogram of
    durations.

    `squares` is the sum of the squared seconds.
    """

    __slots__ = ("buckets", "count", "seconds", "squares")
    SUMS: ClassVar[tuple[str, ...]] = ("count", "seconds", "squares")

    def __init__(self) -> None:
        for name in self.SUMS:
            setattr(self, name, 0)
        self.buckets: dict[int, int] = {}

    count: int
    seconds: float
    squares: float

    @classmethod
    def of(cls, cells: Iterable[Self]) -> Self:
        """Return the sum of several sealed cells."""
        total = cls()
        for cell in cells:
            total.add(cell)
        return total

    def add(self, other: Self) -> None:
        """Add the sums of another cell, which is sealed."""
        for name in self.SUMS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self._add_buckets(other.buckets)

    def _take(self, seconds: Sequence[float]) -> None:
        """Count records that took so many seconds each."""
        self.count += len(seconds)
        self.seconds += sum(seconds)
        self.squares += sum(map(mul, seconds, seconds))
        self._add_buckets(Counter(map(_bucket_of, seconds)))

    def _add_buckets(self, counts: Mapping[int, int]) -> None:
        buckets = self.buckets
        for bucket, count in counts.items():
            buckets[bucket] = buckets.get(bucket, 0) + count


class Requests(Cell):
    """Similar statements, batches or reads."""

    __slots__ = (
        "cancelled", "failed", "failed_seconds", "in_read_write", "is_partitioned_dml",
        "partitioned", "planning", "rows", "scanned", "size", "sources", "tag", "texts",
        "timed_out", "touched", "waited", "written",
    )  # fmt: skip
    SUMS = (
        *Cell.SUMS, "cancelled", "failed", "failed_seconds", "in_read_write", "planning", "rows",
        "scanned", "size", "timed_out", "waited", "written",
    )  # fmt: skip
    cancelled: int
    failed: int
    failed_seconds: float
    in_read_write: int
    planning: float
    rows: int
    scanned: int
    size: int
    timed_out: int
    waited: float
    written: int

    def __init__(
        self,
        texts: tuple[str | None, ...] = (),
        tag: str = "",
        partitioned: bool = False,
        is_partitioned_dml: bool = False,
        sources: tuple[Any, ...] = (),
    ) -> None:
        super().__init__()
        self.texts = texts
        self.tag = tag
        self.partitioned = partitioned
        self.is_partitioned_dml = is_partitioned_dml
        self.sources = sources
        self.touched: tuple[Touched, ...] = ()  # for each source

    @property
    def key(self) -> tuple[Any, ...]:
        """The values that the records have in common, once the cell is sealed."""
        return self.texts, self.tag, self.partitioned, self.is_partitioned_dml, self.touched

    def plan(self, since: float) -> None:
        """Add the planning time of plans that were prepared for the request begun at `since`.

        A plan that was prepared for a request occurs in a new cell first.
        """
        for source in self.sources:
            if getattr(source, "prepared_at", -1.0) >= since:
                self.planning += source.prepared_in

    def take(self, records: Sequence[RequestRecord]) -> None:
        """Add requests."""
        figures = zip(*map(_figures_of, records), strict=True)
        rows, sizes, scanned, written, seconds, codes, ages = figures
        self._take(seconds)
        self.rows += sum(rows)
        self.size += sum(sizes)
        self.scanned += sum(scanned)
        self.written += sum(written)
        self.in_read_write += len(ages) - ages.count(None)
        if codes.count(None) < len(codes):
            for code, taken in zip(codes, seconds, strict=True):
                if code is not None:
                    self._fail(code, taken)

    def _fail(self, code: Code, seconds: float) -> None:
        """Count a failed request."""
        self.failed += 1
        self.failed_seconds += seconds
        self.cancelled += code is Code.CANCELLED
        self.timed_out += code is Code.DEADLINE_EXCEEDED

    def seal(self, touches: Touches) -> None:
        """Resolve the plans to columns, and release the plans."""
        if self.sources:
            self.touched = tuple(map(touches, self.sources))
            self.sources = ()


class Transactions(Cell):
    """The sums over similar attempts at transactions.

    `seconds` begin with the first request of each. `written` are rows and bytes by table.
    """

    __slots__ = (
        "_sampled",
        "_samples",
        "_trees",
        "aborted",
        "again",
        "changes",
        "commit_seconds",
        "commits",
        "mutations",
        "optimistic",
        "participants",
        "pessimistic",
        "refused",
        "repeatable",
        "sources",
        "succeeded",
        "tag",
        "touched",
        "written",
    )  # fmt: skip
    SUMS = (
        *Cell.SUMS, "aborted", "again", "commit_seconds", "commits", "optimistic", "participants",
        "pessimistic", "refused", "repeatable", "succeeded",
    )  # fmt: skip
    aborted: int
    again: int
    commit_seconds: float
    commits: int
    optimistic: int
    participants: float
    pessimistic: int
    refused: int
    repeatable: int
    succeeded: int

    def __init__(
        self,
        tag: str = "",
        sources: tuple[Any, ...] = (),
        mutations: tuple[Shape, ...] = (),
    ) -> None:
        super().__init__()
        self.tag = tag
        self.sources = sources
        self.mutations = mutations
        self.touched = self.changes = NOTHING  # of the whole transaction; of its mutations
        self.written: dict[str, tuple[int, float]] = {}
        self._samples: list[WrittenRows] = []
        self._sampled = 0  # commits that the samples represent
        self._trees: defaultdict[int, float] = defaultdict(float)  # rows that remain, by tree

    @property
    def key(self) -> tuple[Any, ...]:
        """The values that the records have in common, once the cell is sealed."""
        return self.tag, self.touched, self.changes

    def commit(self, records: Sequence[CommitRecord]) -> None:
        """Add commit requests."""
        _, _, options, _, ages, commit_seconds, seconds, codes, rows = zip(*records, strict=True)
        self._take(seconds)
        self.commits += len(records)
        self.commit_seconds += sum(commit_seconds)
        self.again += sum([first != last for first, last in ages])
        by_code = _tally(codes)
        self.succeeded += by_code[None]
        self.aborted += by_code[Code.ABORTED]
        self.refused += sum([by_code[code] for code in _REFUSED])
        by_reads = _tally(tuple(map(_reads_of, options)))
        self.pessimistic += by_reads[Reads.PESSIMISTIC]
        self.optimistic += by_reads[Reads.OPTIMISTIC]
        self.repeatable += by_reads[Reads.REPEATABLE]
        self._sampled += len(rows)
        self._samples += rows[: SAMPLES_MAX - len(self._samples)]
        trees = self._trees
        for tree, states, count in chain.from_iterable(rows):
            if count and None not in states:
                trees[tree] += count
            elif left := len(states) - states.count(None):
                trees[tree] += left * count / len(states)

    def abort(self, age: tuple[int, int], seconds: float) -> None:
        """Add an attempt that was aborted before its commit."""
        self._take((seconds,))
        self.again += age[0] != age[1]
        self.aborted += 1
        self.pessimistic += 1

    def seal(self, touches: Touches, mutated: TouchesOfMutations, weighed: WriteSizes) -> None:
        """Resolve plans and rows to columns and bytes, and release the plans and rows."""
        if self.sources or self.mutations:
            self.changes = mutated(self.mutations)
            self.touched = Touched.joined([self.changes, *map(touches, self.sources)])
            self.sources = self.mutations = ()
        if self._samples:
            looked_at = sum(map(weighed.participants, self._samples))
            self.participants += looked_at * self._sampled / len(self._samples)
            for name, written in weighed.by_table(self._samples, self._trees).items():
                self._write(name, *written)
            self._samples, self._sampled, self._trees = [], 0, defaultdict(float)

    def add(self, other: Self) -> None:
        super().add(other)
        for name, written in other.written.items():
            self._write(name, *written)

    def _write(self, table: str, rows: int, size: float) -> None:
        had, weight = self.written.get(table, (0, 0.0))
        self.written[table] = had + rows, weight + size


def _tally(values: tuple[T, ...]) -> Counter[T]:
    """Return how often each value occurs. Mostly, all values are the same."""
    first = values[0]
    if values.count(first) == len(values):
        return Counter({first: len(values)})
    return Counter(values)


class Waits(Cell):
    """Lock waits for a key, or for the range that begins with the key."""

    __slots__ = ("requests",)

    def __init__(self) -> None:
        super().__init__()
        self.requests: dict[LockRequest, None] = {}  # distinct, in order

    def wait(self, record: LockWait) -> None:
        """Add a lock wait."""
        self.count += 1
        self.seconds += record.seconds
        self._ask(record.requests)

    def add(self, other: Self) -> None:
        super().add(other)
        self._ask(other.requests)

    def _ask(self, requests: Iterable[LockRequest]) -> None:
        for request in requests:
            if len(self.requests) < LOCK_REQUESTS_MAX:
                self.requests[request] = None
