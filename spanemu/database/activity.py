"""The recent activity of a database, recorded cheaply for the tables of SPANNER_SYS.

    RequestRecord   a statement, a batch or a read, from its arrival to the end of its rows
    CommitRecord    a commit request
    LockTable       records lock waits itself (`txn.locks.waits`)

The log only records; every `RECORDS_MAX` records `database.statistics.aggregator` aggregates them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from itertools import count, repeat
from typing import Any, Protocol, TypeVar

from spanemu.base.call import Call, serving
from spanemu.base.clock import monotonic
from spanemu.base.errors import Code, SpannerError
from spanemu.base.record import NamedTuple, dataclass
from spanemu.database.options import (
    CommitOptions,
    ReadRequest,
    ReadWriteOptions,
    StatementRequest,
)
from spanemu.database.statements.results import (
    BatchOutcome,
    CommitOutcome,
    ResultStream,
    WrittenRows,
)
from spanemu.storage.split_map import SplitMap
from spanemu.txn.locks.holder import COMMITTED, LockHolder
from spanemu.values.mutation import Mutation, Shape

T = TypeVar("T")

# Requests, or commits: so few that the garbage collector, which starts after 700 new objects,
# seldom visits a record.
RECORDS_MAX = 64

_OF_READ = (None,)  # the texts of a read


class RequestRecord:
    """The record of a statement, a batch or a read.

    `request` is the request while it runs (for a batch, the requests); afterwards `texts` and `tag`
    remain of it. `at` is the arrival time by the emulator's clock; `began` and `seconds` are by
    `clock.monotonic`. `sources` are the plans that were run (`Prepared`, `ReadPlan`). `transaction`
    is the transaction of the request, of which only `age` is kept: None outside of read-write
    transactions. `code` is the code of the failure, or None. `call` is the call being served, by
    which the request can be cancelled.
    """

    __slots__ = (
        "_log", "age", "at", "began", "call", "code", "is_partitioned_dml", "number",
        "partitioned", "request", "rows", "scanned", "seconds", "session", "size", "sources",
        "tag", "texts", "transaction", "transaction_tag", "written",
    )  # fmt: skip
    texts: tuple[str | None, ...]
    tag: str
    transaction_tag: str
    is_partitioned_dml: bool
    age: tuple[int, int] | None
    rows: int
    size: int
    seconds: float

    def __init__(
        self, log: ActivityLog, request: Any, session: str, at: int, transaction: Any = None
    ) -> None:
        self._log = log
        self.request = request
        self.session = session
        self.at = at
        self.partitioned = False
        self.transaction = transaction
        self.code: Code | None = None
        self.call: Call | None = serving.call
        self.number = next(log.numbers)
        self.began = monotonic()
        log.running[self.number] = self

    def ended(self, stream: ResultStream, rows: int = 0, size: int = 0) -> None:
        """Record the end of a request after all of its rows were sent."""
        run = stream.run
        self.scanned = rows if run is None else run.scanned
        self.written = stream.stats.row_count or 0
        self.sources = () if stream.source is None else (stream.source,)
        stream.recorder = None
        self._finish(rows, size)

    def batch_ended(self, outcome: BatchOutcome) -> None:
        """Record the end of a batch, which runs up to the first statement that fails."""
        results = outcome.results
        if isinstance(outcome.failure, SpannerError):
            self.code = outcome.failure.code
        self.scanned = sum(0 if result.run is None else result.run.scanned for result in results)
        self.written = sum(result.stats.row_count or 0 for result in results)
        self.sources = tuple(result.source for result in results)
        self._finish(0, 0)

    def failed(self, failure: BaseException) -> None:
        """Record the failure of a request."""
        self.code = failure.code if isinstance(failure, SpannerError) else Code.INTERNAL
        self._finish_incomplete()

    def abandoned(self) -> None:
        """Record that the client cancelled the stream, unless the stream has ended."""
        if self.number in self._log.running:
            self.code = Code.CANCELLED
            self._finish_incomplete()

    def _finish_incomplete(self) -> None:
        self.scanned = self.written = 0
        self.sources = ()
        self._finish(0, 0)

    def _finish(self, rows: int, size: int) -> None:
        log = self._log
        if log.running.pop(self.number, None) is None:
            return
        self.seconds = monotonic() - self.began
        self.rows = rows
        self.size = size
        call = self.call
        if call is not None and call.facts is not None:
            call.facts |= {"rows": rows, "bytes": size, "written": self.written}
        transaction, request = self.transaction, self.request
        # Requests and transactions may be large: release them.
        self.request = self.transaction = self.call = None
        if transaction is None:
            self.is_partitioned_dml, self.age = False, None
        else:
            self.is_partitioned_dml, holder = transaction.is_partitioned, transaction.holder
            self.age = None if holder is None else holder.age
        if request.__class__ is StatementRequest:
            self.texts = (request.sql,)
        elif request.__class__ is ReadRequest:
            self.texts = _OF_READ
        elif not request:
            return  # An empty batch was refused.
        else:
            self.texts = tuple([statement.sql for statement in request])
            request = request[0]
        self.tag = request.request_tag
        self.transaction_tag = request.transaction_tag
        requests = log.requests
        requests.append(self)
        if len(requests) >= RECORDS_MAX:
            log.when_full()


@dataclass(slots=True)
class Progress:
    """The progress of a partitioned statement.

    `total` and `complete` count partitions, `trivial` the complete ones without rows. `updated` is
    the time of the last change in nanoseconds.
    """

    total: int
    updated: int
    complete: int = 0
    trivial: int = 0
    rows: int = 0

    def add(self, rows: int, at: int) -> None:
        """Record the completion of a partition."""
        self.complete += 1
        self.trivial += not rows
        self.rows += rows
        self.updated = at


class CommitRecord(NamedTuple):
    """A commit request. `commit_seconds` is the duration of the commit, `seconds` that of the
    transaction.

    `mutations` are the distinct shapes of the request's mutations, `rows` the rows written.
    """

    at: int
    tag: str
    options: ReadWriteOptions
    mutations: tuple[Shape, ...]
    age: tuple[int, int]
    commit_seconds: float
    seconds: float
    code: Code | None
    rows: WrittenRows


class Committing(Protocol):
    """A transaction that is being committed."""

    options: ReadWriteOptions
    holder: LockHolder
    written: WrittenRows  # set by the commit

    def commit(self, mutations: Sequence[Mutation], options: CommitOptions) -> CommitOutcome:
        """Commit the transaction with `mutations` on top of its DML."""
        ...


class ActivityLog:
    """The running requests of a database, and records of recent ones. Safe to use from several
    threads.
    """

    def __init__(self, split_map: SplitMap) -> None:
        self.split_map = split_map  # the splits of the database
        self.numbers = count(1)
        self.running: dict[int, RequestRecord] = {}
        self.requests: deque[RequestRecord] = deque()
        self.commits: deque[CommitRecord] = deque()
        # Receives the records that are aggregated.
        self.follower: Callable[[Iterable[RequestRecord]], object] | None = None
        self.when_full: Callable[[], object] = self.forget  # aggregates and removes the records

    def cancel(self, query: int) -> bool:
        """Cancel a running statement; return False if no statement has that number."""
        record = self.running.get(query)
        call = None if record is None else record.call
        if call is None:
            return False
        call.cancel()
        return True

    def record_commit(
        self,
        transaction: Committing,
        mutations: Sequence[Mutation],
        options: CommitOptions,
        at: int,
    ) -> CommitOutcome:
        """Commit a transaction, and record the commit, unless it must be repeated.

        `at` is the arrival time of the request.
        """
        holder, began = transaction.holder, monotonic()
        # The tag is also shown to transactions that wait for this one.
        tag = holder.client.commit_tag = options.transaction_tag
        is_over = False
        code: Code | None = None
        written: WrittenRows = ()
        try:
            outcome = transaction.commit(mutations, options)
            if holder.state is COMMITTED:
                # The outcome is kept for a repeated commit; the written rows are not.
                is_over, written, transaction.written = True, transaction.written, ()
            return outcome
        except SpannerError as failure:
            is_over, code = True, failure.code
            raise
        finally:
            if is_over:
                now = monotonic()
                since = min(holder.client.began_at or began, began)
                # Mutations may be large: keep only their kinds, tables and columns.
                summary: dict[Shape, None] = {}
                for mutation in mutations:
                    summary[mutation.kind, mutation.table, mutation.columns] = None
                self.add_commit(
                    CommitRecord(
                        at,
                        tag,
                        transaction.options,
                        tuple(summary),
                        holder.age,
                        now - began,
                        now - since,
                        code,
                        written,
                    )
                )

    def add_commit(self, commit: CommitRecord) -> None:
        """Record a commit that is over."""
        self.commits.append(commit)
        if len(self.commits) >= RECORDS_MAX:
            self.when_full()

    def forget(self) -> None:
        """Remove the records; running requests stay."""
        self.requests.clear()
        self.commits.clear()


def taken(records: deque[T]) -> list[T]:
    """Remove and return the records made until now; other threads may append meanwhile."""
    return list(map(deque.popleft, repeat(records, len(records))))
