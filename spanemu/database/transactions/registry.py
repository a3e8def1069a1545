"""The transactions of a session, or of all multiplexed sessions of a database, by id.

    regular      a new read-write transaction replaces the one before; read-only transactions
                 coexist; the newest `TRANSACTIONS_PER_SESSION_MAX` of all are kept
    multiplexed  any number; a transaction is removed some time after its last request, earlier
                 if it has ended, or was aborted and repeated

Ids are ASCII numbers, unique within the database and never reused.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from spanemu.base.call import current
from spanemu.base.clock import monotonic
from spanemu.base.errors import SpannerError
from spanemu.base.limits import TRANSACTIONS_PER_SESSION_MAX
from spanemu.database import errors
from spanemu.database.core import DatabaseCore
from spanemu.database.options import (
    CommitOptions,
    PartitionedDml,
    ReadOnly,
    ReadRequest,
    ReadWriteOptions,
    StatementRequest,
    TransactionOptions,
)
from spanemu.database.statements.results import (
    BatchOutcome,
    CommitOutcome,
    ResultStream,
    TransactionInfo,
)
from spanemu.database.transactions import partitioned_dml as partitioned
from spanemu.database.transactions.read_write import ReadWriteTransaction
from spanemu.database.transactions.snapshot import SnapshotTransaction
from spanemu.storage.change_log import ChangeOrigin
from spanemu.txn.errors import TransactionAborted
from spanemu.txn.locks.holder import LockHolder
from spanemu.values.mutation import Mutation


class Transaction(Protocol):
    """The handle of a transaction."""

    id: bytes

    @property
    def is_partitioned(self) -> bool:
        """True if the transaction runs a partitioned DML statement."""
        ...

    @property
    def holder(self) -> LockHolder | None:
        """The holder of the locks of a read-write transaction."""
        ...

    def info(self, *, begun: bool) -> TransactionInfo:
        """Return the facts of the transaction for a reply; `begun` adds its id."""
        ...

    def describe(self, result: ResultStream | None, *, begun: bool) -> ResultStream:
        """Attach `info` to a result."""
        ...

    def execute(self, request: StatementRequest) -> ResultStream:
        """Run a query or DML statement."""
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
        """Commit the transaction with `mutations` on top of its DML."""
        ...

    def rollback(self) -> None:
        """End the transaction without effect."""
        ...

    def abort(self, why: str) -> None:
        """Release the transaction's locks; its next request fails with ABORTED."""
        ...


R = TypeVar("R")
T = TypeVar("T", bound=Any)

MULTIPLEXED_IDLE_SECONDS_MAX = 300.0
# An ended transaction is kept for a commit that is repeated because its answer was lost.
MULTIPLEXED_ENDED_SECONDS_MAX = 30.0
# Most transactions end within the difference, and are removed at their first check.
_CHECK_AFTER_SECONDS = MULTIPLEXED_ENDED_SECONDS_MAX + 2.0
_CHECKS_PER_BEGIN = 4

__all__ = ["Transaction", "Transactions"]


class Transactions:
    """Open and recently ended transactions by id."""

    def __init__(
        self, core: DatabaseCore, owner: str, *, multiplexed: bool, busy: set[Transactions]
    ) -> None:
        self.activity = core.activity
        self._owner = owner  # the name of the session, or "" for all multiplexed sessions
        self.core = core
        self.dialect = core.generation.schema.dialect
        self._multiplexed = multiplexed
        # The database's registries with transactions begun since their last `abort_all`.
        self._busy = busy
        self._mutex = threading.Lock()  # Guards every field below.
        self._by_id: dict[bytes, Transaction] = {}
        # Transactions aborted by `abort_all`: kept apart, so that the next call skips them.
        self._settled: dict[bytes, Transaction] = {}
        self._heard: dict[bytes, float] = {}  # time of the last request by id, if multiplexed
        # Multiplexed transactions with the time of their next check, in order of time.
        self._turns: deque[tuple[float, Transaction]] = deque()
        self._floor = 0  # ids up to here may have been removed
        self._writer: ReadWriteTransaction | None = None

    def begin(self, options: TransactionOptions, session: str = "") -> Transaction:
        """Create a transaction of a session, and register it by its id."""
        transaction = self._new(options, b"%d" % next(self.core.transaction_ids))
        if isinstance(transaction, ReadWriteTransaction):
            transaction.session = session
        replaced: Sequence[ReadWriteTransaction] = ()
        with self._mutex:
            if not self._by_id:
                self._busy.add(self)
            self._by_id[transaction.id] = transaction
            if self._multiplexed:
                now = self._heard[transaction.id] = monotonic()
                self._turns.append((now + _CHECK_AFTER_SECONDS, transaction))
                if self._turns[0][0] < now:
                    replaced = self._forget_silent(now)
            else:
                forgotten = self._forget_surplus()
                if isinstance(transaction, ReadWriteTransaction):
                    before, self._writer = self._writer, transaction
                    if before is not None:
                        forgotten.insert(0, before)
                replaced = forgotten
        for old in replaced:
            old.replace()
        return transaction

    def temporary(self, options: ReadOnly) -> SnapshotTransaction:
        """Return a read-only transaction for a single request."""
        return SnapshotTransaction(self.core, b"", options, self._owner)

    def single_use(self, options: ReadWriteOptions) -> ReadWriteTransaction:
        """Return a read-write transaction for a single commit."""
        if options.previous:
            _check_previous(options.previous, next(self.core.transaction_ids))
        return ReadWriteTransaction(self.core, b"", options)

    def pause(self, what: str) -> None:
        """Allow an exploration to run other transactions before the next one of a request."""
        explorer = self.core.locks.explorer
        if explorer is not None:
            explorer.next_transaction(what)

    def run_first_request(self, transaction: T, request: Callable[[T], R]) -> R:
        """Run the first request of a transaction, and restart it when an older one wounds it.

        The client has received nothing yet, not even the transaction's id, so it cannot distinguish
        an attempt restarted here from a first attempt that waited. A client that was asked to retry
        its begin could not name the attempt that it repeats, and would be the youngest transaction
        each time.
        """
        while True:
            try:
                return request(transaction)
            except TransactionAborted:
                if not isinstance(transaction, ReadWriteTransaction):
                    raise
                if not transaction.restart():
                    raise
                if transaction.id and transaction.id not in self._by_id:
                    raise  # Its session has ended.
            current().check()

    def get(self, transaction_id: bytes) -> Transaction:
        """Return the transaction of an id.

        Raises TransactionNotFound and TransactionClosed.
        """
        transaction = self._by_id.get(transaction_id) or self._settled.get(transaction_id)
        if transaction is None:
            text = transaction_id.decode("ascii", "replace")
            if text.isdigit() and int(text) <= self._floor:
                raise errors.TransactionClosed(text)
            raise errors.TransactionNotFound(text)
        if self._multiplexed:
            self._heard[transaction_id] = monotonic()
        return transaction

    def rollback(self, transaction_id: bytes) -> None:
        """Roll a transaction back; an unknown id is no error."""
        transaction = self._by_id.get(transaction_id) or self._settled.get(transaction_id)
        if transaction is not None:
            transaction.rollback()

    def abandon(self, transaction: Transaction) -> None:
        """Remove a transaction whose first request failed: its id never reached the client."""
        transaction.abort("Its first request failed.")
        with self._mutex:
            self._pop(transaction.id)
            self._heard.pop(transaction.id, None)

    def open(self) -> list[ReadWriteTransaction]:
        """Return the read-write transactions that have not ended."""
        with self._mutex:
            transactions = list(self._by_id.values())
        return [
            transaction
            for transaction in transactions
            if isinstance(transaction, ReadWriteTransaction) and transaction.holder.is_active
        ]

    def abort_all(self, why: str) -> None:
        """Abort every open transaction; their ids stay known."""
        with self._mutex:
            aborted = list(self._by_id.values())
            self._settled |= self._by_id
            self._by_id.clear()
            self._busy.discard(self)
        for transaction in aborted:
            transaction.abort(why)
            if isinstance(transaction, ReadWriteTransaction):
                transaction.drop_state_if_aborted()

    def forget_since(self, number: int) -> None:
        """Forget the transactions begun after the transaction with a number; they are aborted."""
        with self._mutex:
            for id_ in [id_ for id_ in self._settled if int(id_) > number]:
                del self._settled[id_]
                self._heard.pop(id_, None)
            self._turns = deque(turn for turn in self._turns if int(turn[1].id) <= number)

    def close(self, why: str) -> None:
        """Abort and remove every transaction."""
        with self._mutex:
            closed = list(self._by_id.values())
            self._by_id.clear()
            self._settled.clear()
            self._heard.clear()
            self._turns.clear()
            self._busy.discard(self)
        for transaction in closed:  # None of them can restart, since its id is unknown now.
            transaction.abort(why)

    def _new(self, options: TransactionOptions, id_: bytes) -> Transaction:
        if isinstance(options, ReadOnly):
            return SnapshotTransaction(self.core, id_, options, self._owner)
        if isinstance(options, PartitionedDml):
            origin = ChangeOrigin(excluded=options.exclude_from_change_streams)
            return partitioned.PartitionedDmlTransaction(self.core, id_, origin)
        return ReadWriteTransaction(
            self.core,
            id_,
            options,
            holder=self._next_attempt(options, id_) if options.previous or self._writer else None,
            multiplexed=self._multiplexed,
        )

    def _next_attempt(self, options: ReadWriteOptions, id_: bytes) -> LockHolder | None:
        """Return the lock holder for a transaction that repeats an aborted attempt, if any."""
        before: Transaction | None = self._writer
        if options.previous:
            _check_previous(options.previous, int(id_))
            before = self._by_id.get(options.previous) or self._settled.get(options.previous)
            if before is not None and not isinstance(before, ReadWriteTransaction):
                raise _previous_unknown(options.previous)
        if isinstance(before, ReadWriteTransaction) and before.was_aborted:
            return before.next_attempt()
        return None

    def _forget_surplus(self) -> list[ReadWriteTransaction]:
        """Remove the transactions beyond the session's limit; return the read-write ones."""
        dropped: list[ReadWriteTransaction] = []
        while len(self._by_id) + len(self._settled) > TRANSACTIONS_PER_SESSION_MAX:
            self._drop(next(iter(self._settled or self._by_id)), dropped)
        return dropped

    def _forget_silent(self, now: float) -> list[ReadWriteTransaction]:
        """Remove transactions without a recent request; return the read-write ones.

        Checks only the transactions whose time has come, at most a few for each begin, but more
        than one, so that removals outpace begins.
        """
        dropped: list[ReadWriteTransaction] = []
        turns = self._turns
        for _ in range(_CHECKS_PER_BEGIN):
            if not turns or turns[0][0] >= now:
                break
            _, transaction = turns.popleft()
            heard = self._heard.get(transaction.id)
            if heard is None:
                continue  # The transaction was abandoned.
            if heard + _kept_seconds(transaction) < now:
                self._drop(transaction.id, dropped)
                continue
            if isinstance(transaction, ReadWriteTransaction):
                transaction.drop_state_if_aborted()
            turns.append((now + _CHECK_AFTER_SECONDS, transaction))
        return dropped

    def _drop(self, transaction_id: bytes, dropped: list[ReadWriteTransaction]) -> None:
        forgotten = self._pop(transaction_id)
        self._heard.pop(transaction_id, None)
        self._floor = max(self._floor, int(transaction_id))
        if isinstance(forgotten, ReadWriteTransaction):
            dropped.append(forgotten)

    def _pop(self, transaction_id: bytes) -> Transaction | None:
        return self._by_id.pop(transaction_id, None) or self._settled.pop(transaction_id, None)


def _check_previous(previous: bytes, own: int) -> None:
    """Raise PreviousTransactionUnknown unless `previous` is the id of an earlier transaction.

    The transaction may be forgotten, or one of another session; then the attempt is a first one.
    """
    is_number = previous.isdigit() and len(previous) <= len(str(own))
    if not (is_number and previous == b"%d" % int(previous) and 0 < int(previous) < own):
        raise _previous_unknown(previous)


def _previous_unknown(id_: bytes) -> SpannerError:
    return errors.PreviousTransactionUnknown(id_.decode("ascii", "replace"))


def _kept_seconds(transaction: Transaction) -> float:
    """Return how long a multiplexed transaction is kept after its last request."""
    if isinstance(transaction, ReadWriteTransaction) and transaction.is_over:
        return MULTIPLEXED_ENDED_SECONDS_MAX
    return MULTIPLEXED_IDLE_SECONDS_MAX
