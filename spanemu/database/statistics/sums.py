"""Statistics of requests by the minute, kept as long as Spanner's tables show them.

    activity, lock log  --aggregate-->  minutes  --roll-->  ten minutes  --roll-->  hours

`aggregate` takes many records at a time: it groups similar records, and adds each group to its
cell. Similar records have the same text or plan, the same tag and the same mutations; their
columns, bytes and splits are computed once for many, when a minute is over.

Each record is in a single period. A minute that is too old, or beyond the limit of cells, is merged
into its ten minutes, and ten minutes into their hour: the tables of long intervals add up shorter
periods.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from operator import attrgetter
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from spanemu.base.clock import INTERVALS, NANOS_PER_SECOND
from spanemu.base.errors import Code
from spanemu.database.activity import ActivityLog, CommitRecord, RequestRecord, taken
from spanemu.database.statistics.cells import Cell, Requests, Transactions, Waits
from spanemu.database.statistics.column_accesses import (
    NOTHING,
    Touched,
    touched_by,
    touched_by_mutations,
)
from spanemu.database.statistics.period import (
    KEPT_SECONDS,
    Alike,
    Family,
    IntervalPeriods,
    Period,
    Row,
)
from spanemu.database.statistics.weight import WriteSizes
from spanemu.schema.schema import Schema
from spanemu.txn.locks.holder import YOUNGEST
from spanemu.txn.locks.waits import LockLog, LockWait

CELLS_MAX = 2_000  # of all minutes, of all ten minutes, and of all hours
PENDING_MAX = 512  # transactions that have not ended
STATEMENTS_MAX = 64  # recorded of a transaction, repetitions aside

_LEVELS = tuple(INTERVALS.values())  # seconds
_MINUTE = _LEVELS[0] * NANOS_PER_SECOND
_alike = attrgetter("texts", "tag", "partitioned", "is_partitioned_dml", "sources")

Age = tuple[int, int]
StatisticsTable = Callable[[IntervalPeriods, Schema], Iterable[Row]]
KeyT = TypeVar("KeyT", bound=Hashable)
C = TypeVar("C", bound=Cell)


class Sums:
    """The sums of a database.

    Names are resolved by the schema current when a minute is over; `schema` returns the current
    schema. The aggregator's mutex guards the sums.
    """

    def __init__(self, log: ActivityLog, waits: LockLog, schema: Callable[[], Schema]) -> None:
        self._log = log
        self._waits = waits
        self._schema = schema
        self._levels: tuple[dict[int, Period], ...] = tuple({} for _ in _LEVELS)
        self._latest = 0  # the minute of the last aggregated record
        self._pending: dict[
            Age, list[RequestRecord]
        ] = {}  # requests of transactions that have not ended
        self._waited: dict[Age | None, list[LockWait]] = {}
        self._touched: WeakKeyDictionary[Any, Touched] = WeakKeyDictionary()
        self._weighed: tuple[Schema, WriteSizes] | None = None

    def clear(self) -> None:
        """Delete all sums, because the database was restored."""
        for periods in self._levels:
            periods.clear()
        self._latest = 0  # The clock may be set back.
        self._pending.clear()
        self._waited.clear()

    def rows(self, table: StatisticsTable, interval: str, now: int) -> list[Row]:
        """Return the rows of a table as of `now`, in nanoseconds, for intervals that have ended."""
        for period in self._levels[0].values():
            self._seal(period)
        return list(table(self._intervals(INTERVALS[interval], now), self._schema()))

    # ------------------------------------------------------------------ aggregation

    def aggregate(self) -> None:
        """Add the records made so far to the sums."""
        # A transaction's statements and waits are recorded before its end, so they are complete.
        commits = taken(self._log.commits)
        requests = taken(self._log.requests)
        if self._log.follower is not None:
            self._log.follower(requests)
        for wait in self._waits.drain():
            self._aggregate_wait(wait)
        aborted = self._aggregate_requests(requests)
        self._aggregate_commits(commits)
        for age in aborted:
            self._aggregate_aborted(age, self._pending.pop(age, ()))
        if len(self._pending) > PENDING_MAX:
            _forget_oldest(self._pending)
        if len(self._waited) > PENDING_MAX:
            _forget_oldest(self._waited)

    def _minute(self, minute: int) -> Period:
        """Return the period of a minute, open for additions."""
        minutes = self._levels[0]
        if minute > self._latest:
            self._latest = minute
            for over in minutes.values():
                self._seal(over)
            self._roll()
        period = minutes.get(minute)
        if period is None:
            period = minutes[minute] = Period()
        period.is_open = True
        return period

    def _put(self, period: Period, family: Family[KeyT, C], key: KeyT, cell: C) -> C:
        """Add a new cell to a period."""
        if family.is_crowded:
            self._seal(period)
            period.is_open = True
        family.cells[key] = cell
        return cell

    def _aggregate_requests(self, requests: Iterable[RequestRecord]) -> list[Age]:
        """Aggregate requests; return the ages of the aborted transactions."""
        groups: defaultdict[tuple[int, Alike], list[RequestRecord]] = defaultdict(list)
        pending, waited = self._pending, self._waited
        aborted: list[Age] = []
        for request in requests:
            age, code = request.age, request.code
            if age is not None and age != YOUNGEST:
                done = pending.setdefault(age, [])
                if len(done) < STATEMENTS_MAX and not (
                    done and done[-1].sources == request.sources
                ):
                    done.append(request)
                if code is Code.ABORTED:
                    aborted.append(age)
            is_read = request.texts[0] is None
            if not request.sources if is_read else code and request.is_partitioned_dml:
                continue  # Spanner does not show them.
            groups[request.at // _MINUTE, _alike(request)].append(request)
        for (minute, key), similar in groups.items():
            period = self._minute(minute)
            family = period.queries if key[0][0] is not None else period.reads
            cell = family.cells.get(key)
            if cell is None:
                cell = self._put(period, family, key, Requests(*key))
                cell.plan(similar[0].began)
            cell.take(similar)
            if waited:
                waits = (_within(waited.get(request.age, ()), request) for request in similar)
                cell.waited += sum(waits)
        return aborted

    def _aggregate_commits(self, commits: Iterable[CommitRecord]) -> None:
        groups: defaultdict[tuple[int, Alike], list[CommitRecord]] = defaultdict(list)
        pending, waited = self._pending, self._waited
        has_requests = bool(pending or waited)
        for commit in commits:
            tag = commit.tag
            sources: tuple[Any, ...] = ()
            if has_requests:
                waited.pop(commit.age, None)
                if commit.age in pending:
                    tag, sources = _done(pending.pop(commit.age), tag)
            groups[commit.at // _MINUTE, (tag, sources, commit.mutations)].append(commit)
        for (minute, key), similar in groups.items():
            period = self._minute(minute)
            family = period.transactions
            cell = family.cells.get(key) or self._put(period, family, key, Transactions(*key))
            cell.commit(similar)

    def _aggregate_aborted(self, age: Age, requests: Sequence[RequestRecord]) -> None:
        """Count a transaction that was aborted before its commit as an attempt."""
        if requests:
            first, last = requests[0], requests[-1]
            tag, sources = _done(requests, "")
            period = self._minute(last.at // _MINUTE)
            family, key = period.transactions, (tag, sources, ())
            cell = family.cells.get(key) or self._put(period, family, key, Transactions(*key))
            cell.abort(age, last.began + last.seconds - first.began)

    def _aggregate_wait(self, wait: LockWait) -> None:
        if wait.age != YOUNGEST:
            self._waited.setdefault(wait.age, []).append(wait)
        period = self._minute(wait.at // _MINUTE)
        family, key = period.waits, (wait.tree, wait.key, wait.is_range)
        cell = family.cells.get(key) or self._put(period, family, key, Waits())
        cell.wait(wait)

    # ------------------------------------------------------------------ ended periods

    def _seal(self, period: Period) -> None:
        """Resolve the cells of a period to names and sums, and release the rest."""
        if not period.is_open:
            return
        period.is_open = False
        schema = self._schema()
        for family in (period.queries, period.reads):
            requests, family.cells = list(family.cells.values()), {}
            for cell in requests:
                cell.seal(self._touches)
                family.put(cell.key, cell)
        mutated = partial(touched_by_mutations, schema=schema)
        weighed = self._weigher(schema)
        transactions, period.transactions.cells = list(period.transactions.cells.values()), {}
        for transaction in transactions:
            transaction.seal(self._touches, mutated, weighed)
            period.transactions.put(transaction.key, transaction)
        period.cut()

    def _touches(self, source: Any) -> Touched:
        if source is None:
            return NOTHING
        touched = self._touched.get(source)
        if touched is None:
            touched = self._touched[source] = touched_by(source)
        return touched

    def _weigher(self, schema: Schema) -> WriteSizes:
        if self._weighed is None or self._weighed[0] is not schema:
            self._weighed = schema, WriteSizes(schema, self._log.split_map)
        return self._weighed[1]

    def _roll(self) -> None:
        """Merge periods that are too old into longer ones, and delete those older than any
        interval.
        """
        for level, (periods, seconds) in enumerate(zip(self._levels, _LEVELS, strict=True)):
            length = seconds * NANOS_PER_SECOND
            kept = KEPT_SECONDS[seconds] * NANOS_PER_SECOND
            cells = sum(map(len, periods.values()))
            for number in sorted(periods):
                is_old = number * length < self._latest * _MINUTE - kept
                if not is_old and cells <= CELLS_MAX:
                    break
                period = periods.pop(number)
                cells -= len(period)
                if level + 1 < len(_LEVELS):
                    longer = number * seconds // _LEVELS[level + 1]
                    self._levels[level + 1].setdefault(longer, Period()).absorb(period)

    def _intervals(self, seconds: int, now: int) -> IntervalPeriods:
        """Return the periods of each visible interval that has ended, the latest first."""
        length = seconds * NANOS_PER_SECOND
        last = now - now % length
        first = last - KEPT_SECONDS[seconds] * NANOS_PER_SECOND
        by_end: dict[int, list[Period]] = {}
        for start, period in self._starts(seconds):
            if first <= start < last:
                by_end.setdefault(start - start % length + length, []).append(period)
        return sorted(by_end.items(), reverse=True, key=lambda item: item[0])

    def _starts(self, seconds: int) -> Iterator[tuple[int, Period]]:
        """Yield (start in nanoseconds, period) of all periods no longer than `seconds`."""
        for periods, length in zip(self._levels, _LEVELS, strict=True):
            if length <= seconds:
                for number, period in periods.items():
                    yield number * length * NANOS_PER_SECOND, period


def _forget_oldest(held: dict[Any, Any]) -> None:
    """Drop transactions that ended without a commit; half of them, so that this is rare."""
    for age in list(islice(held, PENDING_MAX // 2)):
        del held[age]


def _done(requests: Iterable[RequestRecord], tag: str) -> tuple[str, tuple[Any, ...]]:
    """Return a transaction's tag, and its distinct statements and reads."""
    sources: dict[Any, None] = {}
    for request in requests:
        tag = tag or request.transaction_tag
        for source in request.sources:
            sources[source] = None
    return tag, tuple(sources)


def _within(waits: Iterable[LockWait], request: RequestRecord) -> float:
    """Return the seconds that a request waited for locks."""
    over = request.began + request.seconds
    return sum(wait.seconds for wait in waits if request.began <= wait.ended <= over)
