"""Partitioned DML: one statement that commits by itself, as often as it has partitions.

Here every statement is one partition, applied at one timestamp; Spanner promises no more than
that each row is visited at least once.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

from spanemu.database.core import DatabaseCore
from spanemu.database.errors import (
    BatchDmlNotAllowed,
    DirectedReadNotAllowed,
    NotPartitionableDml,
    NotReadWrite,
    PartitionedDmlOnly,
    PartitionedDmlUsedTwice,
)
from spanemu.database.options import (
    CommitOptions,
    QueryMode,
    ReadRequest,
    ReadWrite,
    StatementRequest,
)
from spanemu.database.query_engine import Prepared, prepare
from spanemu.database.read_write import ReadWriteTransaction
from spanemu.database.results import BatchOutcome, CommitOutcome, ResultStream, TransactionInfo
from spanemu.sql.analyzer.resolved import InsertStatement
from spanemu.sql.plan.partitionable import why_not_partitionable
from spanemu.txn.errors import TransactionAborted
from spanemu.txn.read_only import SnapshotReader
from spanemu.values.mutation import Mutation


class PartitionedDmlTransaction:
    """A transaction for one UPDATE or DELETE that needs no atomicity."""

    def __init__(self, core: DatabaseCore, id_: bytes) -> None:
        self.id = id_
        self._core = core
        self._mutex = threading.Lock()  # Guards `_used`.
        self._used = False

    def info(self, *, begun: bool) -> TransactionInfo:
        """Its id when this request began it."""
        return TransactionInfo(self.id if begun else b"")

    def describe(self, result: ResultStream | None, *, begun: bool) -> ResultStream:
        """Put `info` into a result on its way out."""
        assert result is not None
        result.transaction = self.info(begun=begun)
        return result

    def execute(self, request: StatementRequest) -> ResultStream:
        """Run the statement; its row count is a lower bound."""
        if request.directed_read:
            raise DirectedReadNotAllowed()
        self._core.check_open()
        reader = SnapshotReader(self._core.store, self._core.store.read_timestamp())
        prepared = prepare(self._core.generation, request, reader)
        self._check(prepared, request)
        with self._mutex:
            if self._used:
                raise PartitionedDmlUsedTwice(self.id.decode("ascii"))
            self._used = True
        result = self._run(request)
        result.stats.row_count_is_lower_bound = True
        return result

    def _run(self, request: StatementRequest) -> ResultStream:
        """Again and again until no other transaction is in the way."""
        age: int | None = None
        while True:
            attempt = ReadWriteTransaction(self._core, b"", ReadWrite(), inherits=age)
            try:
                result = attempt.execute(request)
                attempt.commit((), CommitOptions())
            except TransactionAborted:
                age = attempt.age
            except BaseException:
                attempt.rollback()
                raise
            else:
                return result

    @staticmethod
    def _check(prepared: Prepared, request: StatementRequest) -> None:
        if not prepared.is_dml:
            raise PartitionedDmlOnly()
        if isinstance(prepared.statement, InsertStatement):
            raise NotPartitionableDml("INSERT is not supported for Partitioned DML", request.sql)
        if prepared.columns:
            raise NotPartitionableDml(
                "THEN RETURN is not supported for Partitioned DML", request.sql
            )
        if request.mode is not QueryMode.NORMAL:
            raise NotPartitionableDml(
                f"Query mode {request.mode.upper()} is not supported for Partitioned DML",
                request.sql,
            )
        if why_not_partitionable(prepared.executable.plan):
            raise NotPartitionableDml(
                "Partitioned DML only supports fully partitionable statements", request.sql
            )

    def execute_batch(
        self, requests: Sequence[StatementRequest], seqno: int, last_statements: bool
    ) -> BatchOutcome:
        """Refused: one statement only."""
        raise BatchDmlNotAllowed()

    def read(self, request: ReadRequest) -> ResultStream:
        """Refused: DML only."""
        raise PartitionedDmlOnly()

    def commit(self, mutations: Sequence[Mutation], options: CommitOptions) -> CommitOutcome:
        """Refused: the statement committed by itself."""
        raise NotReadWrite("partitioned-dml")

    def rollback(self) -> None:
        """Refused: the statement committed by itself."""
        raise NotReadWrite("partitioned-dml")

    def abort(self, why: str) -> None:
        """Nothing is held between requests."""
