"""A session that carries a database role: each request is checked before it runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from spanemu.base.errors import SpannerError
from spanemu.database.options import (
    CommitOptions,
    ReadRequest,
    Selector,
    StatementRequest,
    TransactionOptions,
)
from spanemu.database.sessions.access import Access
from spanemu.database.sessions.session import Session, SessionSpec
from spanemu.database.statements.results import (
    BatchOutcome,
    CommitOutcome,
    Partition,
    ResultStream,
    TransactionInfo,
)
from spanemu.database.transactions.registry import Transactions
from spanemu.values.mutation import Mutation


class RoleSession(Session):
    """A session whose requests are limited to the privileges of its role."""

    def __init__(
        self,
        name: str,
        spec: SessionSpec,
        transactions: Transactions,
        create_time: int,
        access: Access,
    ) -> None:
        super().__init__(name, spec, transactions, create_time)
        self._access = access

    def begin(
        self, options: TransactionOptions, mutation_key: Mutation | None = None
    ) -> TransactionInfo:
        """Begin a transaction; raise PrivilegeMissing if its mutation key is not permitted."""
        if mutation_key is not None:
            self._access.check_writes((mutation_key,))
        return super().begin(options, mutation_key)

    def execute(
        self,
        request: StatementRequest,
        selector: Selector | None,
        partition_token: bytes = b"",
    ) -> ResultStream:
        """Run one statement."""
        self._access.check_statement(request)
        return super().execute(replace(request, role=self.role), selector, partition_token)

    def execute_batch(
        self,
        requests: Sequence[StatementRequest],
        selector: Selector,
        seqno: int,
        last_statements: bool = False,
    ) -> BatchOutcome:
        """Run DML statements in order; run none of them if one is not permitted."""
        for request in requests:
            self._access.check_statement(request)
        return super().execute_batch(requests, selector, seqno, last_statements)

    def read(
        self, request: ReadRequest, selector: Selector | None, partition_token: bytes = b""
    ) -> ResultStream:
        """Read rows by key."""
        self._access.check_read(request)
        return super().read(request, selector, partition_token)

    def commit(
        self, selector: Selector, mutations: Sequence[Mutation], options: CommitOptions
    ) -> CommitOutcome:
        """Commit a transaction."""
        self._access.check_writes(mutations)
        return super().commit(selector, mutations, options)

    def batch_write(
        self,
        groups: Sequence[Sequence[Mutation] | SpannerError],
        exclude_from_change_streams: bool = False,
    ) -> Iterator[tuple[int, SpannerError | None, int | None]]:
        """Commit each group by itself; a group that is not permitted fails by itself."""
        checked = [self._checked(group) for group in groups]
        return super().batch_write(checked, exclude_from_change_streams)

    def _checked(
        self, group: Sequence[Mutation] | SpannerError
    ) -> Sequence[Mutation] | SpannerError:
        if isinstance(group, SpannerError):
            return group
        try:
            self._access.check_writes(group)
        except SpannerError as refused:
            return refused
        return group

    def partition_read(
        self, request: ReadRequest, selector: Selector, max_partitions: int
    ) -> tuple[tuple[Partition, ...], TransactionInfo]:
        """Cut a read into partitions."""
        self._access.check_read(request)
        return super().partition_read(request, selector, max_partitions)

    def partition_query(
        self,
        request: StatementRequest,
        selector: Selector,
        max_partitions: int,
    ) -> tuple[tuple[Partition, ...], TransactionInfo]:
        """Cut a query into partitions."""
        self._access.check_statement(request)
        return super().partition_query(request, selector, max_partitions)
