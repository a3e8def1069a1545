"""What any transaction can be asked to do, as the session asks it; kinds refuse what they must."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from spanemu.database.options import CommitOptions, ReadRequest, StatementRequest
from spanemu.database.statements.results import (
    BatchOutcome,
    CommitOutcome,
    ResultStream,
    TransactionInfo,
)
from spanemu.values.mutation import Mutation


class Transaction(Protocol):
    """A handle on one transaction."""

    id: bytes

    def info(self, *, begun: bool) -> TransactionInfo:
        """What a reply says of it; its id only in the reply to the request that began it."""
        ...

    def describe(self, result: ResultStream | None, *, begun: bool) -> ResultStream:
        """Put `info` into a result on its way out."""
        ...

    def execute(self, request: StatementRequest) -> ResultStream:
        """Run one statement."""
        ...

    def execute_batch(
        self, requests: Sequence[StatementRequest], seqno: int, last_statements: bool
    ) -> BatchOutcome:
        """Run DML statements in order."""
        ...

    def read(self, request: ReadRequest) -> ResultStream:
        """Read rows by key."""
        ...

    def commit(self, mutations: Sequence[Mutation], options: CommitOptions) -> CommitOutcome:
        """Commit."""
        ...

    def rollback(self) -> None:
        """End without effect."""
        ...

    def abort(self, why: str) -> None:
        """Take the transaction's locks away; its next request fails with ABORTED."""
        ...
