"""Rows on their way to a client, and what accompanies them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from spanemu.base.record import Record, record
from spanemu.values.types import Type

# (tree, the rows' new states, None for those deleted, how many there were if these are a sample)
WrittenRows = Sequence[tuple[int, Sequence[Any], int]]


@record
class TransactionInfo(Record):
    """What a reply says of its transaction: `id` only when this request began it.

    `read_timestamp` is in nanoseconds, None unless asked for. `precommit_token` is set on
    read-write transactions of multiplexed sessions, with its sequence number.
    """

    id: bytes = b""
    read_timestamp: int | None = None
    precommit_token: tuple[bytes, int] | None = None


NO_TRANSACTION = TransactionInfo()  # named in the reply


@dataclass(slots=True)
class ResultStats:
    """Known when the rows are exhausted.

    `row_count` is exact for DML; for partitioned DML it is a lower bound. `plan` is the tree of
    a PLAN or PROFILE request (`sql.plan.operator_display.PlanTree`), `query_stats` its figures.
    """

    row_count: int | None = None
    row_count_is_lower_bound: bool = False
    plan: Any = None
    query_stats: Mapping[str, str] | None = None


class RowsMeter(Protocol):
    """Who is to be told when a stream is over, once."""

    def ended(self, stream: ResultStream, rows: int = 0, size: int = 0) -> None:
        """Everything was sent: so many rows, so many bytes."""
        ...

    def failed(self, failure: BaseException) -> None:
        """It broke off."""
        ...

    def abandoned(self) -> None:
        """The rest of it is not wanted."""
        ...


@dataclass(slots=True)
class ResultStream:
    """The answer to a read or a statement.

    `columns` are (name, type) pairs. `rows` may be lazy: it must be exhausted or closed, and
    `hotspots` is complete only then. An error may surface while iterating. `repeatable_at` is the
    timestamp read at, set only if the same request at that timestamp gives the same rows in the
    same order: a broken stream can then be resumed by running it again. For a query that means
    by the same plan, which `plan_serial` names. `source` is what the rows come from, a statement
    (`query_engine.Prepared`) with its `run`, or a `reads.ReadPlan`.
    """

    columns: tuple[tuple[str, Type], ...]
    rows: Iterator[tuple[Any, ...]]
    transaction: TransactionInfo = NO_TRANSACTION
    stats: ResultStats = field(default_factory=ResultStats)
    undeclared_parameters: tuple[tuple[str, Type], ...] = ()
    is_dml: bool = False
    repeatable_at: int | None = None
    plan_serial: int = 0
    source: Any = None
    run: Any = None
    meter: RowsMeter | None = None


@record
class CommitOutcome(Record):
    """`timestamp` in nanoseconds; `mutation_count` as Spanner counts, when asked for.

    `retry_token` is set instead of a timestamp when a multiplexed session's commit must be
    repeated with that precommit token.
    """

    timestamp: int | None
    mutation_count: int | None = None
    retry_token: tuple[bytes, int] | None = None
    snapshot_timestamp: int | None = None


@dataclass(frozen=True, slots=True)
class BatchOutcome:
    """ExecuteBatchDml: the results of the statements that succeeded, and the first failure."""

    results: tuple[ResultStream, ...]
    failure: Exception | None
    transaction: TransactionInfo = NO_TRANSACTION


@dataclass(frozen=True, slots=True)
class Partition:
    """A share of a partitioned read or query; `token` is opaque to the client."""

    token: bytes
