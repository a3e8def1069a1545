"""The handle of a read-write transaction: its statements, reads and commit.

The requests of a transaction take turns. Not here: the transaction's states (`lifecycle`), locking
and buffering (`txn`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

from spanemu.base.call import current_annotations
from spanemu.base.errors import SpannerError
from spanemu.database import errors
from spanemu.database.core import DatabaseCore
from spanemu.database.generation import Generation
from spanemu.database.options import (
    CommitOptions,
    Isolation,
    QueryMode,
    ReadRequest,
    ReadWriteOptions,
    StatementRequest,
)
from spanemu.database.statements import dml
from spanemu.database.statements.placed_tables import NO_USE, check_use
from spanemu.database.statements.query_engine import (
    Prepared,
    explain_only,
    prepare_dml,
    prepare_locking,
    run_query,
)
from spanemu.database.statements.reads import read_plan
from spanemu.database.statements.results import (
    BatchOutcome,
    CommitOutcome,
    ResultStream,
    TransactionInfo,
)
from spanemu.database.transactions import one_row_commit
from spanemu.database.transactions.lifecycle import (
    TransactionLifecycle,
    serialized,
    validate_mutation_key,
)
from spanemu.database.transactions.replay import Replays
from spanemu.storage.change_log import BY_CLIENT, ChangeOrigin
from spanemu.storage.split_map import SplitLocation, SplitMap
from spanemu.txn import commit as committing
from spanemu.txn import reader as locking
from spanemu.txn.errors import TooManyMutations, TransactionAborted
from spanemu.txn.locks.holder import COMMITTED, LockHolder, State
from spanemu.txn.read_write import Reads, TransactionWorkspace
from spanemu.values.mutation import Mutation

ROWS_READ_AHEAD_MAX = 1_000

Row = tuple[Any, ...]
_PESSIMISTIC = Reads.PESSIMISTIC  # read faster than an attribute of the enumeration


def read_ahead(rows: Iterator[Row], check: Callable[[], None]) -> Iterator[Row]:
    """Return `rows` with the first of them read now.

    `check` raises if the rows read are not valid any more, because the transaction was aborted.
    """
    first = list(islice(rows, ROWS_READ_AHEAD_MAX))
    check()
    return iter(first) if len(first) < ROWS_READ_AHEAD_MAX else _streamed(first, rows, check)


def _streamed(first: list[Row], rest: Iterator[Row], check: Callable[[], None]) -> Iterator[Row]:
    yield from first
    yield from rest
    check()


class ReadWriteTransaction(TransactionLifecycle):
    """A read-write transaction of a session."""

    def info(self, *, begun: bool) -> TransactionInfo:
        """Return the transaction id if this request began the transaction."""
        return TransactionInfo(self.id if begun else b"")

    @serialized("begin")
    def announce(self, mutation_key: Mutation) -> TransactionInfo:
        """Return the answer to a begin request with a mutation key."""
        validate_mutation_key(self._core, self._valid_generation(), mutation_key)
        token = None if self._tokens is None else self._tokens.next()
        return TransactionInfo(self.id, None, token)

    def describe(self, result: ResultStream | None, *, begun: bool) -> ResultStream:
        """Attach the transaction id and a precommit token to a result."""
        assert result is not None
        tokens = self._tokens
        if begun or tokens is not None:
            token = None if tokens is None else tokens.next()
            result.transaction = TransactionInfo(self.id if begun else b"", None, token)
        return result

    # ------------------------------------------------------------------ statements

    @serialized("execute a statement")
    def execute(self, request: StatementRequest) -> ResultStream:
        """Run a query or DML statement."""
        if request.directed_read is not None:
            raise errors.DirectedReadNotAllowed()
        self.holder.client.last_request = request
        if self._replays is not None:
            known = self._replays.find(request)
            if known is not None:
                return known.answer()
        if self._last_statement_seen:
            raise errors.AfterLastStatement(self.id.decode())
        prepared = prepare_locking(self._valid_generation(), request, self._core.statistics)
        if prepared.feature is not None:
            self._core.require(prepared.feature)
        if prepared.placed is not NO_USE or self._placed_change:
            check_use(prepared.placed, self._statements_run, self._placed_change)
        if not prepared.is_dml:
            result = self._query(prepared, request)
        else:
            result = self._dml(prepared, request)
        self._record(prepared)
        return result

    @serialized("execute a batch")
    def execute_batch(
        self, requests: Sequence[StatementRequest], seqno: int, last_statements: bool
    ) -> BatchOutcome:
        """Run DML statements in order, up to the first that fails."""
        if not requests:
            raise errors.EmptyBatch()
        self.holder.client.last_request = requests[-1]
        if self._replays is not None:
            known = self._replays.find_batch(requests, seqno)
            if known is not None:
                return known
        if self._last_statement_seen:
            raise errors.AfterLastStatement(self.id.decode())
        replays = self._take_seqno(seqno)
        outcome = self._run_batch(requests)
        self._last_statement_seen = self._last_statement_seen or last_statements
        replays.keep_batch(requests, seqno, outcome)
        return outcome

    @serialized("read")
    def read(self, request: ReadRequest) -> ResultStream:
        """Read rows by key."""
        if request.directed_read is not None:
            raise errors.DirectedReadNotAllowed()
        self.holder.client.last_request = request
        self._check_readable()
        if self._last_statement_seen:
            raise errors.AfterLastStatement(self.id.decode())
        plan = read_plan(self._valid_generation(), request)
        transaction = self._statement()
        if transaction.pending:
            dml.refuse_pending_columns(transaction, plan.table, plan.index, plan.reads)
        rows = plan.rows(request, locking.TransactionReader(transaction), transaction.context)
        return ResultStream(plan.columns, read_ahead(rows, self.holder.check), source=plan)

    def _query(self, prepared: Prepared, request: StatementRequest) -> ResultStream:
        self._check_readable()
        transaction = self._statement()
        dml.refuse_pending_plan(transaction, prepared, self._generation.schema)
        reader = locking.TransactionReader(transaction, lock_scanned=prepared.locks_exclusively)
        result = run_query(prepared, request, reader, transaction.context)
        result.rows = read_ahead(result.rows, self.holder.check)
        return result

    def _dml(self, prepared: Prepared, request: StatementRequest) -> ResultStream:
        if self._failure is not None:
            raise self._failure.fresh()
        if request.mode is QueryMode.PLAN:
            return explain_only(prepared, request)
        replays = self._take_seqno(request.seqno)
        try:
            result = self._run_dml(prepared, request)
        except TransactionAborted:
            raise
        except SpannerError as failure:
            replays.keep_failure(request, failure)
            raise
        self._last_statement_seen = self._last_statement_seen or request.last_statement
        return replays.keep(request, result)

    def _take_seqno(self, seqno: int) -> Replays:
        """Record the sequence number of a DML request; a number that is too low ends the
        transaction.
        """
        replays = self._replays
        if replays is None:
            replays = self._replays = Replays(seqno)
        elif seqno < replays.highest:
            failure = errors.SeqnoOutOfOrder(seqno, replays.highest)
            self._invalidate(failure)
            raise failure
        replays.highest = seqno
        return replays

    def _run_dml(self, prepared: Prepared, request: StatementRequest) -> ResultStream:
        transaction = self._statement()
        if transaction.pending:
            dml.refuse_pending_plan(transaction, prepared, self._generation.schema)
        reader = locking.TransactionReader(
            transaction, lock_scanned=prepared.locks_exclusively, writes=True
        )
        done = dml.execute_dml(prepared, request, transaction, reader, self._generation)
        if done.violation is not None:
            self._invalidate(done.violation)
            raise done.violation.fresh()
        self._mutation_count += done.mutations
        if self.holder.state is State.ABORTED:
            self.holder.check()
        return done.result

    def _run_batch(self, requests: Sequence[StatementRequest]) -> BatchOutcome:
        if self._failure is not None:
            raise self._failure.fresh()
        results: list[ResultStream] = []
        for number, request in enumerate(requests):
            try:
                prepared = prepare_dml(
                    self._valid_generation(), request, self._core.statistics, number
                )
                self._core.require(prepared.feature)
                check_use(prepared.placed, self._statements_run, self._placed_change)
                results.append(self._run_dml(prepared, request))
                self._record(prepared)
            except TransactionAborted:
                raise
            except SpannerError as failure:
                return BatchOutcome(tuple(results), failure)
        return BatchOutcome(tuple(results), None)

    def _record(self, prepared: Prepared) -> None:
        """Record that a statement has run, for the rules of tables with a placement key."""
        self._statements_run += 1
        self._placed_change = prepared.placed.changed

    # ------------------------------------------------------------------ ending

    @serialized("commit", ends=True)
    def commit(self, mutations: Sequence[Mutation], options: CommitOptions) -> CommitOutcome:
        """Apply the buffered writes and `mutations` at a single timestamp.

        A repeated commit gets the same answer.
        """
        if self._committed is not None:
            return self._committed
        if self._failure is not None:
            raise self._failure.fresh()
        tokens = self._tokens
        if tokens is not None:
            newer = tokens.newer_than(options.precommit_token, mutations)
            if newer is not None:
                return CommitOutcome(None, retry_token=newer)
            # Some clients send the mutations again with the newer token, others do not.
            mutations = mutations or tokens.kept
        try:
            outcome = self._commit(mutations, options)
        except TransactionAborted as lost:
            self._abort(lost.reason)
            raise
        except SpannerError as failure:
            self._invalidate(failure)
            raise
        except BaseException:
            self._abort("Its commit was interrupted.")
            raise
        self._committed = outcome
        self._drop_state()
        return outcome

    def _commit(self, mutations: Sequence[Mutation], options: CommitOptions) -> CommitOutcome:
        generation = self._valid_generation()
        if len(mutations) == 1:
            at_once = self._commit_at_once(generation, mutations[0], options)
            if at_once is not None:
                return at_once
        transaction = self._statement() if mutations or self._work is None else self._work
        count = self._mutation_count
        transaction.begin_commit()
        self.holder.client.commits = True
        if mutations:
            count += committing.buffer_mutations(transaction, generation.rules, mutations)
        if count > (limit := self._core.environment.limits.mutations_per_commit):
            raise TooManyMutations(count, limit)
        transaction.lock_writes()
        with self._core.store.mutex:
            if self._core.closed:
                self._core.check_open()  # The database was dropped while locks were waited for.
            if self._core.history.current is not generation:
                self._valid_generation()  # A schema change has come in while locks were waited for.
            self.locks.begin_commit(self.holder)
            watched = self._core.store.change_log is not None
            origin = self._origin(options.transaction_tag) if watched else None
            at = committing.apply(transaction, generation.schema, origin)
            observer, written = self._core.commit_observer, transaction.buffer
            if observer is not None:
                known = observer.attributed_trees
                if known is not None and not known >= written.trees.keys():
                    observer.attribute_commit(self.holder.client.last_request, mutations, written)
        if self._core.splitting.keeps_commits or current_annotations() is not None:
            self._annotate_commit(transaction, count)
        self.locks.release(self.holder, COMMITTED)
        snapshot_at = transaction.snapshot_at
        if snapshot_at is not None and self.options.isolation is not Isolation.REPEATABLE_READ:
            snapshot_at = None
        stats = count if options.return_stats else None
        self.written = transaction.buffer.sample()
        return CommitOutcome(at, stats, None, snapshot_at, self.options.control)

    def _commit_at_once(
        self, generation: Generation, mutation: Mutation, options: CommitOptions
    ) -> CommitOutcome | None:
        """Commit one row in one step; return None if that is not possible.

        A transaction without an id consists of the commit alone, which was tried before.
        """
        work = self._work
        if not self.id or (work is not None and not work.is_blank):
            return None
        if self.options.reads is not _PESSIMISTIC:
            return None
        row = one_row_commit.committed_row(
            self._core, generation, self.holder, mutation, self._mutation_count
        )
        if row is None:
            return None
        if work is None:
            self.holder.begin(next(self._core.ages))
        at, mutations, self.written, _ = row
        stats = self._mutation_count + mutations if options.return_stats else None
        return CommitOutcome(at, stats, None, None, self.options.control)

    def _origin(self, tag: str) -> ChangeOrigin:
        """Return the properties that change streams record; `tag` is the tag of the commit."""
        tag, excluded = tag or self.holder.client.tag, self.options.exclude_from_change_streams
        return ChangeOrigin(tag, excluded=excluded) if tag or excluded else BY_CLIENT

    def _annotate_commit(self, transaction: TransactionWorkspace, count: int) -> None:
        """Record the mutation count and the participants of a commit, while it holds its locks."""
        touched = participants_of(self._core.store.split_map, transaction)
        annotations = current_annotations()
        if annotations is not None:
            annotations["mutations"] = count
            annotations["participants"] = len(touched)
        if self._core.splitting.keeps_commits:
            self._core.splitting.last_commit = touched


def participants_of(split_map: SplitMap, transaction: TransactionWorkspace) -> list[SplitLocation]:
    """Return the splits that take part in a commit, in key order.

    A transaction whose rows all lie in a single split commits there. With several splits, each is a
    participant of a two-phase commit, whatever its server ("life of reads and writes"). A split
    takes part if a row in it was written, or was read in a way that the commit must validate or
    protect.
    """
    holder = transaction.holder
    rows = [*holder.rows, *((tree, key) for tree, key, _ in transaction.buffer.entries())]
    ranges = [
        *holder.ranges,
        *((tree, low, high) for tree, low, high, _ in transaction.recorded_reads),
    ]
    return sorted({*split_map.splits_with_keys(rows), *split_map.splits_overlapping(ranges)})


_OLDEST = 0  # The ages of clients' transactions start at 1.


def interfere(core: DatabaseCore, statements: Sequence[str]) -> None:
    """Run DML statements in a transaction older than any other, and commit the transaction.

    Conflicting transactions are wounded, so that a test can make a client's transaction lose.
    Raises NotDml and the errors of the statements.
    """
    while True:
        attempt = ReadWriteTransaction(
            core, b"", ReadWriteOptions(), holder=LockHolder(since=_OLDEST)
        )
        try:
            for number, sql in enumerate(statements):
                if not attempt.execute(StatementRequest(sql, seqno=number + 1)).is_dml:
                    raise errors.NotDml(number, sql)
            attempt.commit((), CommitOptions())
        except TransactionAborted:
            continue  # Another conflicting write of a test committed first.
        except BaseException:
            attempt.rollback()
            raise
        return
