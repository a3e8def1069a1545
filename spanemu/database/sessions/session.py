"""A session: the requests of one client, each in the transaction that its selector names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import methodcaller
from typing import Any, TypeVar

from spanemu.base.call import annotate, reset_annotations
from spanemu.base.errors import SpannerError
from spanemu.base.limits import MULTIPLEXED_SESSION_AGE_MAX_NANOS, SESSION_IDLE_MAX_NANOS
from spanemu.database.activity import RequestRecord
from spanemu.database.filters import Fields
from spanemu.database.options import (
    Begin,
    CommitOptions,
    PartitionedDml,
    ReadOnly,
    ReadRequest,
    ReadWriteOptions,
    Selector,
    SingleUse,
    StatementRequest,
    TransactionOptions,
)
from spanemu.database.sessions.errors import PartitionNeedsReadOnlyTransaction
from spanemu.database.statements.results import (
    BatchOutcome,
    CommitOutcome,
    Partition,
    ResultStream,
    TransactionInfo,
)
from spanemu.database.transactions.errors import DmlSingleUse, NotReadWrite
from spanemu.database.transactions.read_write import ReadWriteTransaction
from spanemu.database.transactions.registry import Transaction, Transactions
from spanemu.database.transactions.snapshot import SnapshotTransaction
from spanemu.values.mutation import Mutation

T = TypeVar("T")
_STRONG = SingleUse(ReadOnly())


@dataclass(frozen=True, slots=True)
class SessionSpec:
    """What a caller asks of a new session."""

    labels: Mapping[str, str]
    multiplexed: bool = False
    role: str = ""


class Session:
    """One session. Times are in nanoseconds."""

    def __init__(
        self, name: str, spec: SessionSpec, transactions: Transactions, create_time: int
    ) -> None:
        self.name = name
        self.labels = spec.labels
        self.multiplexed = spec.multiplexed
        self.role = spec.role
        self.create_time = create_time
        self.live_from(create_time)
        self.transactions = transactions
        self._activity = transactions.activity

    def live_from(self, now: int) -> None:
        """Be as if made at `now`: used ones live on, multiplexed ones for so long and no longer."""
        self.last_use_time = now
        age_max = MULTIPLEXED_SESSION_AGE_MAX_NANOS if self.multiplexed else SESSION_IDLE_MAX_NANOS
        self.ends_at = now + age_max

    def fields(self) -> Fields:
        """What a list filter can ask about."""
        labels = {f"labels.{key}": value for key, value in self.labels.items()}
        return {"name": self.name, **labels}

    def close(self, why: str) -> None:
        """Give up the session's transactions. Those of multiplexed sessions are shared."""
        if not self.multiplexed:
            self.transactions.close(why)

    # ------------------------------------------------------------------ requests

    def begin(
        self, options: TransactionOptions, mutation_key: Mutation | None = None
    ) -> TransactionInfo:
        """Begin a transaction. `mutation_key` tells of one that will hold only mutations."""
        transaction = self.transactions.begin(options, self.name)
        annotate("transaction", transaction.id)
        if mutation_key is not None and isinstance(transaction, ReadWriteTransaction):
            return transaction.announce(mutation_key)
        return transaction.info(begun=True)

    def execute(
        self,
        request: StatementRequest,
        selector: Selector | None,
        partition_token: bytes = b"",
    ) -> ResultStream:
        """Run one statement."""
        if partition_token:
            return self._run_partition(
                selector, request, lambda found: found.execute_partition(request, partition_token)
            )
        return self._run(selector or _STRONG, request, methodcaller("execute", request))

    def execute_batch(
        self,
        requests: Sequence[StatementRequest],
        selector: Selector,
        seqno: int,
        last_statements: bool = False,
    ) -> BatchOutcome:
        """Run DML statements in order, up to the first that fails."""

        def run(found: Transaction) -> BatchOutcome:
            return found.execute_batch(requests, seqno, last_statements)

        begun = isinstance(selector, Begin)
        transaction = self._select(selector)
        meter = RequestRecord(self._activity, tuple(requests), self.name, self.last_use_time)
        meter.transaction = transaction
        try:
            outcome = (
                self.transactions.run_first_request(transaction, run) if begun else run(transaction)
            )
        except BaseException as failure:
            meter.failed(failure)
            if begun:
                self.transactions.abandon(transaction)
            raise
        meter.batch_ended(outcome)
        if begun and outcome.failure is not None and not outcome.results:
            self.transactions.abandon(transaction)
        elif outcome.results:
            transaction.describe(outcome.results[0], begun=begun)
        return outcome

    def read(
        self, request: ReadRequest, selector: Selector | None, partition_token: bytes = b""
    ) -> ResultStream:
        """Read rows by key."""
        if partition_token:
            return self._run_partition(
                selector, request, lambda found: found.read_partition(request, partition_token)
            )
        return self._run(selector or _STRONG, request, methodcaller("read", request))

    def commit(
        self, selector: Selector, mutations: Sequence[Mutation], options: CommitOptions
    ) -> CommitOutcome:
        """Commit a transaction with `mutations` on top of its DML."""
        if isinstance(selector, SingleUse):
            if not isinstance(selector.options, ReadWriteOptions):
                raise NotReadWrite("single-use read-only or partitioned-dml")
            return self._commit_at_once(selector.options, mutations, options)
        transaction = self._select(selector)
        if isinstance(transaction, ReadWriteTransaction):
            return self._activity.commit(transaction, mutations, options, self.last_use_time)
        return transaction.commit(mutations, options)  # It refuses.

    def _commit_at_once(
        self, options: ReadWriteOptions, mutations: Sequence[Mutation], asked: CommitOptions
    ) -> CommitOutcome:
        """Commit a transaction that is nothing but this commit."""
        commit = partial(
            self._activity.commit, mutations=mutations, options=asked, at=self.last_use_time
        )
        return self.transactions.run_first_request(self.transactions.single_use(options), commit)

    def rollback(self, transaction_id: bytes) -> None:
        """End a transaction without effect; fine for one that is unknown or ended badly."""
        self.transactions.rollback(transaction_id)

    def batch_write(
        self,
        groups: Sequence[Sequence[Mutation] | SpannerError],
        exclude_from_change_streams: bool = False,
    ) -> Iterator[tuple[int, SpannerError | None, int | None]]:
        """Commit each group by itself: (its place, failure, commit timestamp in nanoseconds).

        A group that its sender got wrong stands as the failure that it is to be answered with.
        """
        options = ReadWriteOptions(exclude_from_change_streams=exclude_from_change_streams)
        asked = CommitOptions()
        for place, group in enumerate(groups):
            reset_annotations()
            try:
                if isinstance(group, SpannerError):
                    raise group
                outcome = self._commit_at_once(options, group, asked)
            except SpannerError as failure:
                annotate("failure", failure.code.name)
                yield place, failure, None
            else:
                yield place, None, outcome.timestamp

    def partition_read(
        self, request: ReadRequest, selector: Selector, max_partitions: int
    ) -> tuple[tuple[Partition, ...], TransactionInfo]:
        """Cut a read into shares that can be read independently."""
        return self._cut(selector, lambda found: found.partition_read(request, max_partitions))

    def partition_query(
        self,
        request: StatementRequest,
        selector: Selector,
        max_partitions: int,
    ) -> tuple[tuple[Partition, ...], TransactionInfo]:
        """Cut a query into shares that can be run independently."""
        return self._cut(selector, lambda found: found.partition_query(request, max_partitions))

    # ------------------------------------------------------------------ which transaction

    def _select(self, selector: Selector) -> Transaction:
        if isinstance(selector, Begin):
            transaction = self.transactions.begin(selector.options, self.name)
            annotate("transaction", transaction.id)
            return transaction
        if isinstance(selector, SingleUse):
            if not isinstance(selector.options, ReadOnly):
                raise DmlSingleUse()
            return self.transactions.temporary(selector.options)
        return self.transactions.get(selector.id)

    def _run(
        self,
        selector: Selector,
        asked: StatementRequest | ReadRequest,
        request: Callable[[Any], ResultStream],
        partitioned: bool = False,
    ) -> ResultStream:
        begun = isinstance(selector, Begin)
        transaction = self._select(selector)
        meter = RequestRecord(self._activity, asked, self.name, self.last_use_time, partitioned)
        meter.transaction = transaction
        try:
            if begun:
                result = self.transactions.run_first_request(transaction, request)
            else:
                result = request(transaction)
            stream = transaction.describe(result, begun=begun)
        except BaseException as failure:
            meter.failed(failure)
            if begun:
                self.transactions.abandon(transaction)
            raise
        stream.meter = meter
        return stream

    def _run_partition(
        self,
        selector: Selector | None,
        asked: StatementRequest | ReadRequest,
        request: Callable[[SnapshotTransaction], ResultStream],
    ) -> ResultStream:
        if selector is None or isinstance(selector, Begin | SingleUse):
            raise PartitionNeedsReadOnlyTransaction()
        return self._run(selector, asked, lambda found: request(self._snapshot(found)), True)

    def _cut(
        self,
        selector: Selector,
        cut: Callable[[SnapshotTransaction], tuple[Partition, ...]],
    ) -> tuple[tuple[Partition, ...], TransactionInfo]:
        if isinstance(selector, SingleUse) or (
            isinstance(selector, Begin)
            and isinstance(selector.options, ReadWriteOptions | PartitionedDml)
        ):
            raise PartitionNeedsReadOnlyTransaction()
        transaction = self._snapshot(self._select(selector))
        return cut(transaction), transaction.info(begun=isinstance(selector, Begin))

    @staticmethod
    def _snapshot(transaction: Transaction) -> SnapshotTransaction:
        if not isinstance(transaction, SnapshotTransaction):
            raise PartitionNeedsReadOnlyTransaction()
        return transaction
