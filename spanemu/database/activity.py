"""What was asked of one database lately, noted as cheaply as can be for the tables of SPANNER_SYS.

    Meter       a statement, a batch or a read, from its arrival to the end of its rows
    Attempt     a commit that was asked for
    LockTable   keeps the waits itself (`txn.locks.waits`)

Here they are only noted; `NOTED_MAX` at a time they are added up
(`database.statistics.aggregator`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, NamedTuple, Protocol

from spanemu.base.call import Call, serving
from spanemu.base.clock import monotonic
from spanemu.base.errors import Code, SpannerError
from spanemu.database.options import CommitOptions, ReadWriteOptions
from spanemu.database.statements.results import (
    BatchOutcome,
    CommitOutcome,
    ResultStream,
    WrittenRows,
)
from spanemu.storage.split_map import SplitMap
from spanemu.txn.locks.holder import LockHolder
from spanemu.values.mutation import Mutation, WriteKind

NOTED_MAX = 128  # requests, or commits


class RequestRecord:
    """One statement, batch or read.

    `asked` is the request (of a batch, the requests) while it runs; what is left of it then is
    `texts` and `tag`. `at` is when it arrived by the emulator's clock, `began` and `seconds` are
    by `clock.monotonic`. `sources` are the plans that were run (`Prepared`, `ReadPlan`), and
    `transaction` the one it ran in, of which only `age` is kept: None outside of read-write ones.
    `code` tells how it failed, None if it did not; `call` is the request being served, by which it
    can be given up.
    """

    __slots__ = (
        "_log", "age", "asked", "at", "began", "call", "code", "is_partitioned_dml", "number",
        "partitioned", "rows", "scanned", "seconds", "session", "size", "sources", "tag", "texts",
        "transaction", "transaction_tag", "written",
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
        self, log: ActivityLog, asked: Any, session: str, at: int, partitioned: bool = False
    ) -> None:
        self._log = log
        self.asked = asked
        self.session = session
        self.at = at
        self.partitioned = partitioned
        self.transaction: Any = None
        self.code: Code | None = None
        self.call: Call | None = serving.call
        self.number = next(log.numbers)
        self.began = monotonic()
        log.running[self.number] = self

    def ended(self, stream: ResultStream, rows: int = 0, size: int = 0) -> None:
        """Everything was sent: so many rows, so many bytes."""
        run = stream.run
        self.scanned = rows if run is None else run.scanned
        self.written = stream.stats.row_count or 0
        self.sources = () if stream.source is None else (stream.source,)
        stream.meter = None
        self._over(rows, size)

    def batch_ended(self, outcome: BatchOutcome) -> None:
        """The statements of a batch were run, up to the first that failed."""
        results = outcome.results
        if isinstance(outcome.failure, SpannerError):
            self.code = outcome.failure.code
        self.scanned = sum(0 if one.run is None else one.run.scanned for one in results)
        self.written = sum(one.stats.row_count or 0 for one in results)
        self.sources = tuple(one.source for one in results)
        self._over(0, 0)

    def failed(self, failure: BaseException) -> None:
        """It broke off."""
        self.code = failure.code if isinstance(failure, SpannerError) else Code.INTERNAL
        self._without_end()

    def abandoned(self) -> None:
        """The rest of its rows is not wanted; if there was a rest."""
        if self.number in self._log.running:
            self.code = Code.CANCELLED
            self._without_end()

    def _without_end(self) -> None:
        self.scanned = self.written = 0
        self.sources = ()
        self._over(0, 0)

    def _over(self, rows: int, size: int) -> None:
        log, transaction, asked = self._log, self.transaction, self.asked
        if log.running.pop(self.number, None) is None:
            return
        self.seconds = monotonic() - self.began
        self.rows = rows
        self.size = size
        self.is_partitioned_dml = getattr(transaction, "is_partitioned", False)
        holder = getattr(transaction, "holder", None)
        self.age = None if holder is None else holder.age
        # What was asked may be large, and a transaction holds on to much.
        self.asked = self.transaction = self.call = None
        if asked.__class__ is tuple:
            if not asked:
                return  # It was refused.
            self.texts = tuple(one.sql for one in asked)
            asked = asked[0]
        else:
            self.texts = (getattr(asked, "sql", None),)
        self.tag = asked.request_tag
        self.transaction_tag = asked.transaction_tag
        requests = log.requests
        requests.append(self)
        if len(requests) >= NOTED_MAX:
            log.when_full()


@dataclass(slots=True)
class Progress:
    """How far a statement has got: partitions, those without rows among them, and rows.

    `updated` is when, in nanoseconds.
    """

    total: int
    updated: int
    complete: int = 0
    trivial: int = 0
    rows: int = 0

    def add(self, rows: int, at: int) -> None:
        """One more partition is complete."""
        self.complete += 1
        self.trivial += not rows
        self.rows += rows
        self.updated = at


Written = tuple[WriteKind | None, str, tuple[str, ...] | None]


class CommitRecord(NamedTuple):
    """A commit that was asked for. Seconds are those of the commit, and of the transaction.

    `mutations` are (kind, table, columns), None for deletes, each once; `rows` what was written.
    """

    at: int
    tag: str
    options: ReadWriteOptions
    mutations: tuple[Written, ...]
    age: tuple[int, int]
    commit_seconds: float
    seconds: float
    code: Code | None
    rows: WrittenRows


class Committing(Protocol):
    """A transaction that can be committed."""

    options: ReadWriteOptions
    holder: LockHolder
    written: WrittenRows  # when it was committed

    def commit(self, mutations: Sequence[Mutation], options: CommitOptions) -> CommitOutcome:
        """Commit."""
        ...


class ActivityLog:
    """What runs in a database, and what ran lately. Safe to use from several threads."""

    def __init__(self, split_map: SplitMap) -> None:
        self.split_map = split_map  # the splits of the database
        self.numbers = count(1)
        self.running: dict[int, RequestRecord] = {}
        self.requests: deque[RequestRecord] = deque()
        self.attempts: deque[CommitRecord] = deque()
        self.follower: Callable[[Iterable[RequestRecord]], object] | None = (
            None  # told what is taken
        )
        self.when_full: Callable[[], object] = self.forget  # takes away what was noted

    def cancel(self, query: int) -> bool:
        """Give up a statement that runs; False if there is none of that number."""
        meter = self.running.get(query)
        call = None if meter is None else meter.call
        if call is None:
            return False
        call.cancel()
        return True

    def commit(
        self,
        transaction: Committing,
        mutations: Sequence[Mutation],
        options: CommitOptions,
        at: int,
    ) -> CommitOutcome:
        """Commit a transaction, and note how that went."""
        holder = transaction.holder
        tag = holder.commit_tag = options.transaction_tag  # for those who wait for it, too
        # Of mutations, which may be large, only what they are about is kept.
        summary: dict[Written, None] = {}
        for one in mutations:
            summary[one.kind, one.table, one.columns] = None
        asked = at, tag, transaction.options, tuple(summary)
        began = monotonic()
        try:
            outcome = transaction.commit(mutations, options)
        except SpannerError as failure:
            self._note(asked, holder, began, failure.code, ())
            raise
        if outcome.timestamp is not None:  # It need not come again.
            # The answer is kept for a commit that comes again; what it wrote is not.
            written, transaction.written = transaction.written, ()
            self._note(asked, holder, began, None, written)
        return outcome

    def _note(
        self,
        asked: tuple[int, str, ReadWriteOptions, tuple[Written, ...]],
        holder: LockHolder,
        began: float,
        code: Code | None,
        written: WrittenRows,
    ) -> None:
        """A commit is over that `began` then, by `clock.monotonic`."""
        now = monotonic()
        seconds = now - began
        since = min(holder.began_at or began, began)
        attempts = self.attempts
        attempts.append(CommitRecord(*asked, holder.age, seconds, now - since, code, written))
        if len(attempts) >= NOTED_MAX:
            self.when_full()

    def forget(self) -> None:
        """Let go of what was noted; what runs goes on."""
        self.requests.clear()
        self.attempts.clear()
