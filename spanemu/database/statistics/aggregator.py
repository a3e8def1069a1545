"""What ran in a database, kept by the minute for as long as Spanner's tables show it.

    activity, lock log  --fold-->  minutes  --roll-->  ten minutes  --roll-->  hours

Records are noted one by one on the path of requests, and folded many at a time: a fold finds the
cell of what is alike and adds to it, with no call of a function for most records. What is alike
has the same text or plan, the same tag, the same mutations; what those mean (columns, bytes,
splits) is worked out when a minute is over, once for many.

Each record is in one period. A minute that is too old, or one too many, becomes part of its ten
minutes, and those of their hour: the tables of long intervals add up shorter periods.
"""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice, repeat
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from spanemu.base.errors import Code
from spanemu.base.nanos import NANOS_PER_SECOND
from spanemu.database.activity import ActivityLog, CommitRecord, RequestRecord
from spanemu.database.statistics.cells import BOUNDS, Cell, Requests, Transactions, Waits
from spanemu.database.statistics.column_accesses import (
    NOTHING,
    Touched,
    touched_by,
    touched_by_mutations,
)
from spanemu.database.statistics.period import KEPT_SECONDS, Family, Found, Period, Row
from spanemu.database.statistics.weight import Weighed
from spanemu.hotspots.split_info import INTERVALS
from spanemu.schema.schema import Schema
from spanemu.txn.locks.holder import YOUNGEST
from spanemu.txn.locks.waits import LockLog, LockWait

CELLS_MAX = 2_000  # of all minutes, of all ten minutes, and of all hours
PENDING_MAX = 512  # transactions that have not ended
STATEMENTS_MAX = 64  # of a transaction that tell what it does, repetitions aside

_LEVELS = tuple(INTERVALS.values())  # seconds
_MINUTE = _LEVELS[0] * NANOS_PER_SECOND
_NO_PERIOD = Period()

Age = tuple[int, int]
Table = Callable[[Found, Schema], Iterable[Row]]
T = TypeVar("T")
KeyT = TypeVar("KeyT", bound=Hashable)
C = TypeVar("C", bound=Cell)


class StatisticsAggregator:
    """The sums of one database. Safe to use from several threads.

    What meanings are by the schema of when a minute is over; `schema` gives the one of now.
    """

    def __init__(self, log: ActivityLog, waits: LockLog, schema: Callable[[], Schema]) -> None:
        self._log = log
        self._waits = waits
        self._schema = schema
        self._mutex = threading.Lock()  # Guards all that follows.
        self._levels: tuple[dict[int, Period], ...] = tuple({} for _ in _LEVELS)
        self._latest = 0  # the minute of what was folded last
        self._pending: dict[
            Age, list[RequestRecord]
        ] = {}  # what transactions did that have not ended
        self._waited: dict[Age, list[LockWait]] = {}
        self._touched: WeakKeyDictionary[Any, Touched] = WeakKeyDictionary()
        self._weighed: tuple[Schema, Weighed] | None = None
        log.when_full = self.fold

    def fold(self) -> None:
        """Add up what was noted, unless that is being done."""
        if self._mutex.acquire(blocking=False):
            try:
                self._fold()
            finally:
                self._mutex.release()

    def catch_up(self) -> None:
        """Add up all that was noted until now."""
        with self._mutex:
            self._fold()

    def forget(self) -> None:
        """Nothing has run: the database was restored. Whoever follows has seen it run."""
        with self._mutex:
            if self._log.follower is not None:
                self._log.follower(_taken(self._log.requests))
            self._log.forget()
            self._waits.drain()
            for periods in self._levels:
                periods.clear()
            self._latest = 0  # The clock may be set back.
            self._pending.clear()
            self._waited.clear()

    def look(self, table: Table, interval: str, now: int) -> list[Row]:
        """Rows of a table as of `now`, in nanoseconds: of intervals that have ended."""
        with self._mutex:
            self._fold()
            for period in self._levels[0].values():
                self._seal(period)
            return list(table(self._found(INTERVALS[interval], now), self._schema()))

    # ------------------------------------------------------------------ folding

    def _fold(self) -> None:
        # A transaction's statements and waits are noted before its end is, so they are all there.
        attempts = _taken(self._log.attempts)
        requests = _taken(self._log.requests)
        if self._log.follower is not None:
            self._log.follower(requests)
        for wait in self._waits.drain():
            self._fold_wait(wait)
        aborted = self._fold_requests(requests)
        self._fold_attempts(attempts)
        for age in aborted:
            self._fold_aborted(age, self._pending.pop(age, ()))
        if len(self._pending) > PENDING_MAX:
            _forget_oldest(self._pending)
        if len(self._waited) > PENDING_MAX:
            _forget_oldest(self._waited)

    def _minute(self, minute: int) -> Period:
        """The period of a minute, about to be added to."""
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
        """A cell that is new to a period."""
        if family.is_crowded:
            self._seal(period)
            period.is_open = True
        family.cells[key] = cell
        return cell

    def _fold_requests(self, requests: Iterable[RequestRecord]) -> list[Age]:
        """The ages of those that were aborted come back."""
        minute, period = -1, _NO_PERIOD
        pending, waited = self._pending, self._waited
        aborted: list[Age] = []
        for one in requests:
            age, code, seconds = one.age, one.code, one.seconds
            if age is not None and age != YOUNGEST:
                done = pending.setdefault(age, [])
                if len(done) < STATEMENTS_MAX and not (done and done[-1].sources == one.sources):
                    done.append(one)
                if code is Code.ABORTED:
                    aborted.append(age)
            is_read = one.texts[0] is None
            if not one.sources if is_read else code and one.is_partitioned_dml:
                continue  # Spanner does not show these.
            if one.at // _MINUTE != minute:
                minute = one.at // _MINUTE
                period = self._minute(minute)
            family = period.reads if is_read else period.queries
            key = one.texts, one.tag, one.partitioned, one.is_partitioned_dml, one.sources
            cell = family.cells.get(key)
            if cell is None:
                cell = self._put(period, family, key, Requests(*key))
                cell.plan(one.began)
            cell.count += 1
            cell.rows += one.rows
            cell.size += one.size
            cell.scanned += one.scanned
            cell.written += one.written
            cell.seconds += seconds
            cell.squares += seconds * seconds
            bucket = bisect_right(BOUNDS, seconds)
            cell.buckets[bucket] = cell.buckets.get(bucket, 0) + 1
            if code is not None:
                cell.fail(code, seconds)
            if age is not None:
                cell.in_read_write += 1
                if age in waited:
                    cell.waited += _within(waited[age], one)
        return aborted

    def _fold_attempts(self, attempts: Iterable[CommitRecord]) -> None:
        minute, period = -1, _NO_PERIOD
        pending, waited = self._pending, self._waited
        for one in attempts:
            age, tag = one.age, one.tag
            waited.pop(age, None)
            sources: tuple[Any, ...] = ()
            if age in pending:
                tag, sources = _done(pending.pop(age), tag)
            if one.at // _MINUTE != minute:
                minute = one.at // _MINUTE
                period = self._minute(minute)
            family = period.transactions
            key = tag, sources, one.mutations
            cell = family.cells.get(key) or self._put(period, family, key, Transactions(*key))
            cell.commit(one)

    def _fold_aborted(self, age: Age, requests: Sequence[RequestRecord]) -> None:
        """A transaction that was aborted before its commit is an attempt, too."""
        if requests:
            first, last = requests[0], requests[-1]
            tag, sources = _done(requests, "")
            period = self._minute(last.at // _MINUTE)
            family, key = period.transactions, (tag, sources, ())
            cell = family.cells.get(key) or self._put(period, family, key, Transactions(*key))
            cell.abort(age, last.began + last.seconds - first.began)

    def _fold_wait(self, wait: LockWait) -> None:
        if wait.age != YOUNGEST:
            self._waited.setdefault(wait.age, []).append(wait)
        period = self._minute(wait.at // _MINUTE)
        family, key = period.waits, (wait.tree, wait.key, wait.is_range)
        cell = family.cells.get(key) or self._put(period, family, key, Waits())
        cell.wait(wait)

    # ------------------------------------------------------------------ what is over

    def _seal(self, period: Period) -> None:
        """Keep what the cells of a period come to, and let go of the rest."""
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
        for each in transactions:
            each.seal(self._touches, mutated, weighed)
            period.transactions.put(each.key, each)
        period.cut()

    def _touches(self, source: Any) -> Touched:
        if source is None:
            return NOTHING
        found = self._touched.get(source)
        if found is None:
            found = self._touched[source] = touched_by(source)
        return found

    def _weigher(self, schema: Schema) -> Weighed:
        if self._weighed is None or self._weighed[0] is not schema:
            self._weighed = schema, Weighed(schema, self._log.split_map)
        return self._weighed[1]

    def _roll(self) -> None:
        """Make what is too old part of something longer, and forget what is older than all."""
        for place, (periods, seconds) in enumerate(zip(self._levels, _LEVELS, strict=True)):
            length = seconds * NANOS_PER_SECOND
            kept = KEPT_SECONDS[seconds] * NANOS_PER_SECOND
            cells = sum(map(len, periods.values()))
            for number in sorted(periods):
                is_old = number * length < self._latest * _MINUTE - kept
                if not is_old and cells <= CELLS_MAX:
                    break
                period = periods.pop(number)
                cells -= len(period)
                if place + 1 < len(_LEVELS):
                    longer = number * seconds // _LEVELS[place + 1]
                    self._levels[place + 1].setdefault(longer, Period()).absorb(period)

    def _found(self, seconds: int, now: int) -> Found:
        """The periods of each interval that has ended and is still shown, the latest first."""
        length = seconds * NANOS_PER_SECOND
        last = now - now % length
        first = last - KEPT_SECONDS[seconds] * NANOS_PER_SECOND
        found: dict[int, list[Period]] = {}
        for start, period in self._starts(seconds):
            if first <= start < last:
                found.setdefault(start - start % length + length, []).append(period)
        return sorted(found.items(), reverse=True, key=lambda item: item[0])

    def _starts(self, seconds: int) -> Iterator[tuple[int, Period]]:
        """(start in nanoseconds, period) of all that are no longer than so many seconds."""
        for periods, each in zip(self._levels, _LEVELS, strict=True):
            if each <= seconds:
                for number, period in periods.items():
                    yield number * each * NANOS_PER_SECOND, period


def _forget_oldest(held: dict[Age, Any]) -> None:
    """Let go of transactions that ended without a commit; half of them, to do it seldom."""
    for age in list(islice(held, PENDING_MAX // 2)):
        del held[age]


def _taken(noted: deque[T]) -> list[T]:
    """What was noted until now, which others go on doing."""
    return list(map(deque.popleft, repeat(noted, len(noted))))


def _done(requests: Iterable[RequestRecord], tag: str) -> tuple[str, tuple[Any, ...]]:
    """A transaction's tag, and what it ran, each once."""
    sources: dict[Any, None] = {}
    for request in requests:
        tag = tag or request.transaction_tag
        for source in request.sources:
            sources[source] = None
    return tag, tuple(sources)


def _within(waits: Iterable[LockWait], one: RequestRecord) -> float:
    """Seconds that a request waited for locks."""
    over = one.began + one.seconds
    return sum(wait.seconds for wait in waits if one.began <= wait.ended <= over)
