"""A session: the requests of a client, each run in the transaction that its selector names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from operator import methodcaller
from typing import Any, TypeVar

from spanemu.base.call import annotate, reset_annotations
from spanemu.base.errors import SpannerError
from spanemu.base.limits import MULTIPLEXED_SESSION_AGE_MAX_NANOS, SESSION_IDLE_MAX_NANOS
from spanemu.base.record import dataclass
from spanemu.database import errors, filters, sql_failures
from spanemu.database.activity import RequestRecord
from spanemu.database.options import (
    Begin,
    CommitOptions,
    Existing,
    PartitionedDml,
    ReadOnly,
    ReadRequest,
    ReadWriteOptions,
    Selector,
    SingleUse,
    StatementRequest,
    TransactionOptions,
)
from spanemu.database.statements.results import (
    BatchOutcome,
    CommitOutcome,
    Partition,
    ResultStream,
    TransactionInfo,
)
from spanemu.database.transactions import one_row_commit
from spanemu.database.transactions.read_write import ReadWriteTransaction
from spanemu.database.transactions.registry import Transaction, Transactions
from spanemu.database.transactions.snapshot import SnapshotTransaction
from spanemu.values.mutation import Mutation

T = TypeVar("T")
_STRONG = SingleUse(ReadOnly())


@dataclass(frozen=True, slots=True)
class SessionSpec:
    """The properties of a session that the caller chooses."""

    labels: Mapping[str, str]
    multiplexed: bool = False
    role: str = ""


class Session:
    """A session of a database. Times are in nanoseconds."""

    def __init__(
        self, name: str, spec: SessionSpec, transactions: Transactions, create_time: int
    ) -> None:
        self.name = name
        self.labels = spec.labels
        self.multiplexed = spec.multiplexed
        self.role = spec.role
        self.create_time = create_time
        self.restart_lifetime(create_time)
        self.transactions = transactions
        self._activity = transactions.activity

    def restart_lifetime(self, now: int) -> None:
        """Restart the session's lifetime at `now`.

        A regular session expires an hour after its last use, a multiplexed session 28 days after
        its creation.
        """
        self.last_use_time = now
        age_max = MULTIPLEXED_SESSION_AGE_MAX_NANOS if self.multiplexed else SESSION_IDLE_MAX_NANOS
        self.ends_at = now + age_max

    def fields(self) -> filters.Fields:
        """Return the fields that a list filter can refer to."""
        labels = {f"labels.{key}": value for key, value in self.labels.items()}
        return {"name": self.name, **labels}

    def close(self, why: str) -> None:
        """End the session's transactions, unless they are shared by all multiplexed sessions."""
        if not self.multiplexed:
            self.transactions.close(why)

    # ------------------------------------------------------------------ requests

    def begin(
        self, options: TransactionOptions, mutation_key: Mutation | None = None
    ) -> TransactionInfo:
        """Begin a transaction; `mutation_key` announces that it will hold only mutations."""
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
        """Run a query or DML statement, or one partition of a query."""
        if partition_token:
            return self._run_partition(
                selector, request, lambda handle: handle.execute_partition(request, partition_token)
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

        def run(handle: Transaction) -> BatchOutcome:
            return handle.execute_batch(requests, seqno, last_statements)

        begun = isinstance(selector, Begin)
        transaction = self._select(selector)
        record = RequestRecord(
            self._activity, tuple(requests), self.name, self.last_use_time, transaction
        )
        try:
            outcome = (
                self.transactions.run_first_request(transaction, run) if begun else run(transaction)
            )
        except BaseException as failure:
            record.failed(failure)
            if begun:
                self.transactions.abandon(transaction)
            sql_failures.report(failure, self.transactions.dialect)
            raise
        record.batch_ended(outcome)
        if outcome.failure is not None:
            sql_failures.report(outcome.failure, self.transactions.dialect)
        if begun and outcome.failure is not None and not outcome.results:
            self.transactions.abandon(transaction)
        elif outcome.results:
            transaction.describe(outcome.results[0], begun=begun)
        return outcome

    def read(
        self, request: ReadRequest, selector: Selector | None, partition_token: bytes = b""
    ) -> ResultStream:
        """Read rows by key, or one partition of a read."""
        if partition_token:
            return self._run_partition(
                selector, request, lambda handle: handle.read_partition(request, partition_token)
            )
        return self._run(selector or _STRONG, request, methodcaller("read", request))

    def commit(
        self, selector: Selector, mutations: Sequence[Mutation], options: CommitOptions
    ) -> CommitOutcome:
        """Commit a transaction with `mutations` on top of its DML."""
        if isinstance(selector, SingleUse):
            at_once = one_row_commit.commit_at_once(
                self.transactions.core, selector.options, mutations, options, self.last_use_time
            )
            return at_once or self._commit_alone(selector.options, mutations, options)
        transaction = self._select(selector)
        if isinstance(transaction, ReadWriteTransaction):
            return self._commit(transaction, mutations, options)
        return transaction.commit(mutations, options)  # Raises: the kind cannot commit.

    def _commit(
        self,
        transaction: ReadWriteTransaction,
        mutations: Sequence[Mutation],
        options: CommitOptions,
    ) -> CommitOutcome:
        return self._activity.record_commit(transaction, mutations, options, self.last_use_time)

    def _commit_alone(
        self,
        options: TransactionOptions,
        mutations: Sequence[Mutation],
        commit_options: CommitOptions,
    ) -> CommitOutcome:
        """Commit a transaction that consists of this commit only."""
        if not isinstance(options, ReadWriteOptions):
            raise errors.NotReadWrite("single-use read-only or partitioned-dml")
        commit = partial(self._commit, mutations=mutations, options=commit_options)
        return self.transactions.run_first_request(self.transactions.single_use(options), commit)

    def rollback(self, transaction_id: bytes) -> None:
        """Roll a transaction back; an unknown, aborted or failed transaction is no error."""
        self.transactions.rollback(transaction_id)

    def batch_write(
        self,
        groups: Iterable[Sequence[Mutation] | SpannerError],
        exclude_from_change_streams: bool = False,
        transaction_tag: str = "",
    ) -> Iterator[tuple[int, SpannerError | None, int | None]]:
        """Commit each group separately; yield (group index, failure, commit timestamp in
        nanoseconds).

        An invalid group is represented by the error to answer it with.
        """
        options = ReadWriteOptions(exclude_from_change_streams=exclude_from_change_streams)
        selector = SingleUse(options)
        commit_options = CommitOptions(transaction_tag=transaction_tag)
        for index, group in enumerate(groups):
            if index:
                self.transactions.pause(f"group {index + 1}")
            reset_annotations()
            try:
                if isinstance(group, SpannerError):
                    raise group
                # A guard has checked all groups before (`access_policy`).
                outcome = Session.commit(self, selector, group, commit_options)
            except SpannerError as failure:
                annotate("failure", failure.code.name)
                yield index, failure, None
            else:
                yield index, None, outcome.timestamp

    def partition_read(
        self, request: ReadRequest, selector: Selector, max_partitions: int
    ) -> tuple[tuple[Partition, ...], TransactionInfo]:
        """Cut a read into partitions that can be read independently."""
        return self._cut(selector, lambda handle: handle.partition_read(request, max_partitions))

    def partition_query(
        self,
        request: StatementRequest,
        selector: Selector,
        max_partitions: int,
    ) -> tuple[tuple[Partition, ...], TransactionInfo]:
        """Cut a query into partitions that can be run independently."""
        try:
            return self._cut(
                selector, lambda handle: handle.partition_query(request, max_partitions)
            )
        except SpannerError as failure:
            sql_failures.report(failure, self.transactions.dialect)
            raise

    # ------------------------------------------------------------------ transaction selection

    def _select(self, selector: Selector) -> Transaction:
        if isinstance(selector, Existing):
            return self.transactions.get(selector.id)
        if isinstance(selector, SingleUse):
            if not isinstance(selector.options, ReadOnly):
                raise errors.DmlSingleUse()
            return self.transactions.temporary(selector.options)
        transaction = self.transactions.begin(selector.options, self.name)
        annotate("transaction", transaction.id)
        return transaction

    def _run(
        self,
        selector: Selector,
        request: StatementRequest | ReadRequest,
        run: Callable[[Any], ResultStream],
        partitioned: bool = False,
    ) -> ResultStream:
        begun = isinstance(selector, Begin)
        transaction = self._select(selector)
        record = RequestRecord(self._activity, request, self.name, self.last_use_time, transaction)
        if partitioned:
            record.partitioned = True
        try:
            if begun:
                result = self.transactions.run_first_request(transaction, run)
            else:
                result = run(transaction)
            stream = transaction.describe(result, begun=begun)
        except BaseException as failure:
            record.failed(failure)
            if begun:
                self.transactions.abandon(transaction)
            if isinstance(request, StatementRequest):
                sql_failures.report(failure, self.transactions.dialect)
            raise
        stream.recorder = record
        return stream

    def _run_partition(
        self,
        selector: Selector | None,
        request: StatementRequest | ReadRequest,
        run: Callable[[SnapshotTransaction], ResultStream],
    ) -> ResultStream:
        if selector is None or isinstance(selector, Begin | SingleUse):
            raise errors.PartitionNeedsReadOnlyTransaction()
        return self._run(selector, request, lambda handle: run(self._snapshot(handle)), True)

    def _cut(
        self,
        selector: Selector,
        cut: Callable[[SnapshotTransaction], tuple[Partition, ...]],
    ) -> tuple[tuple[Partition, ...], TransactionInfo]:
        if isinstance(selector, SingleUse) or (
            isinstance(selector, Begin)
            and isinstance(selector.options, ReadWriteOptions | PartitionedDml)
        ):
            raise errors.PartitionNeedsReadOnlyTransaction()
        transaction = self._snapshot(self._select(selector))
        return cut(transaction), transaction.info(begun=isinstance(selector, Begin))

    @staticmethod
    def _snapshot(transaction: Transaction) -> SnapshotTransaction:
        if not isinstance(transaction, SnapshotTransaction):
            raise errors.PartitionNeedsReadOnlyTransaction()
        return transaction
