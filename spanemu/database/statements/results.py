"""Results on their way to a client: rows, statistics and transaction information."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from spanemu.base.record import Record, dataclass, record
from spanemu.database import sql_failures
from spanemu.database.options import Isolation, ReadLockMode
from spanemu.schema.dialect import DatabaseDialect
from spanemu.values.types import Type

# (tree, new states of the rows with None for deleted rows, row count if the states are a sample)
WrittenRows = Sequence[tuple[int, Sequence[Any], int]]


@record
class TransactionInfo(Record):
    """The part of a reply about its transaction; `id` is set only if this request began it.

    `read_timestamp` is in nanoseconds, None unless asked for. `precommit_token` is set on
    read-write transactions of multiplexed sessions, with its sequence number.
    """

    id: bytes = b""
    read_timestamp: int | None = None
    precommit_token: tuple[bytes, int] | None = None


NO_TRANSACTION = TransactionInfo()


@dataclass(slots=True, eq=False)
class ResultStats:
    """Statistics of a result, complete when the rows are exhausted.

    `row_count` is exact for DML; for partitioned DML it is a lower bound. `plan` is the tree of a
    PLAN or PROFILE request (`sql.plan.operator_display.PlanTree`), `query_stats` its figures.
    """

    row_count: int | None = None
    row_count_is_lower_bound: bool = False
    plan: Any = None
    query_stats: Mapping[str, str] | None = None


NO_STATS = ResultStats()  # of most results; nobody changes it


class StreamRecorder(Protocol):
    """The receiver of the end of a stream, called once."""

    def ended(self, stream: ResultStream, rows: int = 0, size: int = 0) -> None:
        """Record that all rows were sent."""
        ...

    def failed(self, failure: BaseException) -> None:
        """Record a failure of the stream."""
        ...

    def abandoned(self) -> None:
        """Record that the client cancelled the stream."""
        ...


@dataclass(slots=True)
class ResultStream:
    """The answer to a read or a statement.

    `columns` are (name, type) pairs. `rows` may be lazy: it must be exhausted or closed, and
    `stats` is complete only then. An error may surface while iterating. `repeatable_at` is the read
    timestamp, set only if the same request at that timestamp returns the same rows in the same
    order: a broken stream can then be resumed by running it again. For a query the plan must be the
    same too, which `plan_serial` identifies. `source` is the origin of the rows: a statement
    (`query_engine.Prepared`) with its `run`, or a `reads.ReadPlan`.
    """

    columns: tuple[tuple[str, Type], ...]
    rows: Iterator[tuple[Any, ...]]
    transaction: TransactionInfo = NO_TRANSACTION
    stats: ResultStats = NO_STATS
    undeclared_parameters: tuple[tuple[str, Type], ...] = ()
    is_dml: bool = False
    repeatable_at: int | None = None
    plan_serial: int = 0
    source: Any = None
    run: Any = None
    recorder: StreamRecorder | None = None
    dialect: DatabaseDialect | None = None  # of a query

    def failed(self, failure: BaseException) -> None:
        """Record a failure of the rows, and report it as the dialect of the query does."""
        if self.recorder is not None:
            self.recorder.failed(failure)
        if self.dialect is not None:
            sql_failures.report(failure, self.dialect)


@record
class CommitOutcome(Record):
    """The result of a commit: `timestamp` in nanoseconds, `mutation_count` if asked for.

    `control` are the isolation level and the lock mode in effect, None before the commit.
    `retry_token` is set instead of a timestamp when a multiplexed session's commit must be repeated
    with that precommit token.
    """

    timestamp: int | None
    mutation_count: int | None = None
    retry_token: tuple[bytes, int] | None = None
    snapshot_timestamp: int | None = None
    control: tuple[Isolation, ReadLockMode] | None = None


@dataclass(frozen=True, slots=True)
class BatchOutcome:
    """The result of ExecuteBatchDml: results of the successful statements, and the first
    failure.
    """

    results: tuple[ResultStream, ...]
    failure: Exception | None
    transaction: TransactionInfo = NO_TRANSACTION


@dataclass(frozen=True, slots=True)
class Partition:
    """A partition of a read or query; `token` is opaque to the client."""

    token: bytes
