"""Partitioned DML: a statement that is applied and committed partition by partition.

Each split of the table is a partition. Each partition is a transaction of its own, repeated until
no other transaction aborts it, and applied at its own timestamp. When a partition fails, the
partitions before it stay applied. The number of mutations is not limited. A statement that finds
its rows by an index is a single partition.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

from spanemu.base.limits import PARTITIONED_DML_CONCURRENT_MAX
from spanemu.database import errors
from spanemu.database.activity import Progress
from spanemu.database.core import DatabaseCore
from spanemu.database.generation import Generation
from spanemu.database.options import (
    CommitOptions,
    QueryMode,
    ReadRequest,
    StatementRequest,
)
from spanemu.database.statements import partitions as partitioning
from spanemu.database.statements.context import StatementContext
from spanemu.database.statements.dml import execute_dml
from spanemu.database.statements.query_engine import Prepared, prepare
from spanemu.database.statements.results import (
    BatchOutcome,
    CommitOutcome,
    ResultStream,
    TransactionInfo,
)
from spanemu.sql.executor.run import ByteRange
from spanemu.sql.plan.nodes import Scan
from spanemu.sql.plan.partitionable import dml_partitioning_obstacle
from spanemu.sql.plan.statements import DmlPlan
from spanemu.sql.plan.traverse import walk
from spanemu.storage.change_log import BY_CLIENT, ChangeOrigin
from spanemu.storage.layout import EVERYTHING, tree_of
from spanemu.txn.commit import apply
from spanemu.txn.errors import TransactionAborted
from spanemu.txn.locks.holder import LockHolder, State
from spanemu.txn.read_only import SnapshotReader
from spanemu.txn.read_write import Reads, TransactionWorkspace
from spanemu.txn.reader import PartitionReader, TransactionReader
from spanemu.values.mutation import Mutation


class _Partition:
    """The execution of the statement on one partition, in a transaction of its own."""

    def __init__(
        self,
        core: DatabaseCore,
        request: StatementRequest,
        partition: Sequence[ByteRange],
        origin: ChangeOrigin,
    ) -> None:
        self._core = core
        self._request = request
        self._ranges = partition
        self._origin = origin

    def run(self) -> ResultStream:
        """Run the statement on the partition; repeat it until no other transaction aborts it."""
        first = number = next(self._core.ages)
        while True:
            try:
                return self._attempt(LockHolder((first, number)))
            except TransactionAborted:
                number = next(self._core.ages)

    def _attempt(self, holder: LockHolder) -> ResultStream:
        core, generation = self._core, self._core.generation
        core.check_open()
        holder.client.busy += 1
        context = StatementContext(core, generation.schema, writable=True)
        transaction = TransactionWorkspace(
            core.store, core.locks, holder, context, Reads.PESSIMISTIC
        )
        if core.locks.explorer is not None:
            core.locks.explorer.began(holder, is_atomic=True)
        try:
            result = self._execute(transaction, generation)
            transaction.lock_writes()
            with core.store.mutex:
                core.check_open()
                if core.generation is not generation:
                    raise TransactionAborted("The database schema has changed.")
                core.locks.begin_commit(holder)
                watched = core.store.change_log is not None
                apply(transaction, generation.schema, self._origin if watched else None)
        except BaseException:
            core.locks.release(holder, State.ROLLED_BACK)
            raise
        core.locks.release(holder, State.COMMITTED)
        return result

    def _execute(self, transaction: TransactionWorkspace, generation: Generation) -> ResultStream:
        prepared = prepare(generation, self._request, self._core.statistics, by_partition=True)
        rows = TransactionReader(transaction, lock_scanned=prepared.locks_exclusively, writes=True)
        plan = prepared.executable.plan
        assert isinstance(plan, DmlPlan)
        # A statement that scans an index has a single partition.
        reader = PartitionReader(rows, {tree_of(plan.table)}, self._ranges)
        done = execute_dml(prepared, self._request, transaction, reader, generation)
        if done.violation is not None:
            raise done.violation.fresh()
        return done.result


class PartitionedDmlTransaction:
    """A transaction for a single UPDATE or DELETE that needs no atomicity.

    `origin` holds what change streams record of it; its tag is that of the statement.
    """

    is_partitioned = True
    holder = None  # Each of its partitions has its own.

    def __init__(self, core: DatabaseCore, id_: bytes, origin: ChangeOrigin = BY_CLIENT) -> None:
        self.id = id_
        self._core = core
        self._origin = origin
        self._mutex = threading.Lock()  # Guards `_used`.
        self._used = False

    def info(self, *, begun: bool) -> TransactionInfo:
        """Return the transaction id if this request began the transaction."""
        return TransactionInfo(self.id if begun else b"")

    def describe(self, result: ResultStream | None, *, begun: bool) -> ResultStream:
        """Attach `info` to a result."""
        assert result is not None
        result.transaction = self.info(begun=begun)
        return result

    def execute(self, request: StatementRequest) -> ResultStream:
        """Run the statement; its row count is a lower bound."""
        if request.directed_read is not None:
            raise errors.DirectedReadNotAllowed()
        self._core.check_open()
        reader = SnapshotReader(self._core.store, self._core.store.read_timestamp())
        prepared = prepare(self._core.generation, request, reader, by_partition=True)
        self._core.require(prepared.feature)
        self._check(prepared, request)
        plan = prepared.executable.plan
        assert isinstance(plan, DmlPlan)
        running = self._core.partitioned_dml
        with self._mutex:
            if self._used:
                raise errors.PartitionedDmlUsedTwice(self.id.decode("ascii"))
            if len(running) >= PARTITIONED_DML_CONCURRENT_MAX:
                raise errors.TooManyPartitionedDml(PARTITIONED_DML_CONCURRENT_MAX)
            self._used = True
            partitions = self._partitions(plan)
            running[self.id] = Progress(len(partitions), self._core.store.clock.peek())
        try:
            return self._run(request, partitions, running[self.id])
        finally:
            del running[self.id]

    def _run(
        self,
        request: StatementRequest,
        partitions: Sequence[Sequence[ByteRange]],
        progress: Progress,
    ) -> ResultStream:
        """Run the partitions one after another."""
        origin = self._origin._replace(tag=request.transaction_tag)
        explorer = self._core.locks.explorer
        for number, partition in enumerate(partitions):
            if number and explorer is not None:
                explorer.next_transaction(f"partition {number + 1} of {len(partitions)}")
            result = _Partition(self._core, request, partition, origin).run()
            progress.add(result.stats.row_count or 0, self._core.store.clock.peek())
        result.stats.row_count = progress.rows
        result.stats.row_count_is_lower_bound = True
        return result

    def _partitions(self, plan: DmlPlan) -> Sequence[Sequence[ByteRange]]:
        if any(isinstance(node, Scan) and node.index is not None for node in walk(plan.root)):
            return [EVERYTHING]
        return partitioning.partition_ranges(self._core.store, plan.table, EVERYTHING)

    @staticmethod
    def _check(prepared: Prepared, request: StatementRequest) -> None:
        if not prepared.is_dml:
            raise errors.PartitionedDmlOnly()
        if prepared.is_insert:
            raise errors.NotPartitionableDml(
                "INSERT is not supported for Partitioned DML", request.sql
            )
        if prepared.columns:
            raise errors.PartitionedReturning(request.sql)
        if request.mode is not QueryMode.NORMAL:
            raise errors.NotPartitionableDml(
                f"Query mode {request.mode.upper()} is not supported for Partitioned DML",
                request.sql,
            )
        if dml_partitioning_obstacle(prepared.executable.plan):
            raise errors.NotPartitionableDml(
                "Partitioned DML only supports fully partitionable statements", request.sql
            )

    def execute_batch(
        self, requests: Sequence[StatementRequest], seqno: int, last_statements: bool
    ) -> BatchOutcome:
        """Raise BatchDmlNotAllowed: the transaction runs a single statement."""
        raise errors.BatchDmlNotAllowed()

    def read(self, request: ReadRequest) -> ResultStream:
        """Raise PartitionedDmlOnly."""
        raise errors.PartitionedDmlOnly()

    def commit(self, mutations: Sequence[Mutation], options: CommitOptions) -> CommitOutcome:
        """Raise NotReadWrite: the statement has committed itself."""
        raise errors.NotReadWrite("partitioned-dml")

    def rollback(self) -> None:
        """Raise NotReadWrite: the statement has committed itself."""
        raise errors.NotReadWrite("partitioned-dml")

    def abort(self, why: str) -> None:
        """Do nothing, because the transaction holds nothing between requests."""
