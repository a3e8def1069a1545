"""The transactions of one session, or of all multiplexed sessions of a database.

    regular      a new read-write transaction takes the place of the one before; read-only ones
                 live side by side, the newest `TRANSACTIONS_PER_SESSION_MAX` of all are kept
    multiplexed  any number; those not heard of for a while are forgotten, sooner those that have
                 ended, or were aborted and repeated

Ids are ASCII numbers, unique within the database and never reused.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from spanemu.base.call import current
from spanemu.base.clock import monotonic
from spanemu.base.limits import TRANSACTIONS_PER_SESSION_MAX
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
from spanemu.database.transactions.errors import TransactionClosed, TransactionNotFound
from spanemu.database.transactions.partitioned_dml import PartitionedDmlTransaction
from spanemu.database.transactions.read_write import ReadWriteTransaction
from spanemu.database.transactions.snapshot import SnapshotTransaction
from spanemu.txn.errors.requests import TransactionAborted
from spanemu.txn.locks.holder import LockHolder
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


R = TypeVar("R")
T = TypeVar("T", bound=Any)

MULTIPLEXED_IDLE_SECONDS_MAX = 300.0
# What has ended stays for a commit that is repeated because its answer was lost on the way.
MULTIPLEXED_ENDED_SECONDS_MAX = 30.0
# Most take less than the difference, and are forgotten the first time that they are looked at.
_LOOK_AFTER_SECONDS = MULTIPLEXED_ENDED_SECONDS_MAX + 2.0
_LOOKED_AT_PER_BEGIN = 4  # at most, of those that are kept

__all__ = ["Transaction", "Transactions"]


class Transactions:
    """Open and recently ended transactions by id."""

    def __init__(
        self, core: DatabaseCore, owner: str, *, multiplexed: bool, busy: set[Transactions]
    ) -> None:
        self.activity = core.activity
        self._owner = owner  # a session, or "" for all multiplexed ones
        self._core = core
        self._multiplexed = multiplexed
        # Those of the database that have begun something since they last aborted all they had.
        self._busy = busy
        self._mutex = threading.Lock()  # Guards every field below.
        self._by_id: dict[bytes, Transaction] = {}
        # Aborted with all others: apart, so that to abort all again does not come by them.
        self._settled: dict[bytes, Transaction] = {}
        self._heard: dict[bytes, float] = {}  # of multiplexed ones, by id
        # The same with the time to look whether they still are to be kept, the next one first.
        self._turns: deque[tuple[float, Transaction]] = deque()
        self._floor = 0  # ids up to here may be forgotten ones
        self._writer: ReadWriteTransaction | None = None

    def begin(self, options: TransactionOptions, session: str = "") -> Transaction:
        """A new transaction of a session, to be found by its id from now on."""
        transaction = self._new(options, b"%d" % next(self._core.transaction_ids))
        if isinstance(transaction, ReadWriteTransaction):
            transaction.session = session
        forgotten: list[ReadWriteTransaction] = []
        replaced: ReadWriteTransaction | None = None
        with self._mutex:
            if not self._by_id:
                self._busy.add(self)
            self._by_id[transaction.id] = transaction
            if self._multiplexed:
                now = self._heard[transaction.id] = monotonic()
                self._turns.append((now + _LOOK_AFTER_SECONDS, transaction))
                if self._turns[0][0] < now:
                    forgotten = self._forget_silent(now)
            else:
                forgotten = self._forget_surplus()
                if isinstance(transaction, ReadWriteTransaction):
                    replaced, self._writer = self._writer, transaction
        if replaced is not None:
            replaced.replace()
        for old in forgotten:
            old.replace()
        return transaction

    def temporary(self, options: ReadOnly) -> SnapshotTransaction:
        """A read-only transaction for one request."""
        return SnapshotTransaction(self._core, b"", options)

    def single_use(self, options: ReadWriteOptions) -> ReadWriteTransaction:
        """A read-write transaction for one commit."""
        return ReadWriteTransaction(self._core, b"", options)

    def run_first_request(self, transaction: T, request: Callable[[T], R]) -> R:
        """Make the first request of a transaction: again, if older ones take its locks meanwhile.

        Nothing of it has been told, not even the transaction's id. So no client can tell a second
        attempt that is made here from a first one that waited; but one that is told to try again
        cannot say what it repeats, and would be the youngest transaction each time.
        """
        while True:
            try:
                return request(transaction)
            except TransactionAborted:
                if not isinstance(transaction, ReadWriteTransaction):
                    raise
                if not transaction.start_over():
                    raise
                if transaction.id and transaction.id not in self._by_id:
                    raise  # Its session is gone.
            current().check()

    def get(self, transaction_id: bytes) -> Transaction:
        """The transaction of that id. Raises TransactionNotFound, TransactionClosed."""
        found = self._by_id.get(transaction_id) or self._settled.get(transaction_id)
        if found is None:
            text = transaction_id.decode("ascii", "replace")
            if text.isdigit() and int(text) <= self._floor:
                raise TransactionClosed(text)
            raise TransactionNotFound(text)
        if self._multiplexed:
            self._heard[transaction_id] = monotonic()
        return found

    def rollback(self, transaction_id: bytes) -> None:
        """End a transaction without effect; one that is not known is no error."""
        found = self._by_id.get(transaction_id) or self._settled.get(transaction_id)
        if found is not None:
            found.rollback()

    def abandon(self, transaction: Transaction) -> None:
        """Forget a transaction whose first request failed: its id never reached the client."""
        transaction.abort("Its first request failed.")
        with self._mutex:
            self._pop(transaction.id)
            self._heard.pop(transaction.id, None)

    def open(self) -> list[ReadWriteTransaction]:
        """Read-write transactions that have not ended."""
        with self._mutex:
            found = list(self._by_id.values())
        return [
            one for one in found if isinstance(one, ReadWriteTransaction) and one.holder.is_active
        ]

    def abort_all(self, why: str) -> None:
        """Abort every open transaction; their ids stay known."""
        with self._mutex:
            found = list(self._by_id.values())
            self._settled |= self._by_id
            self._by_id.clear()
            self._busy.discard(self)
        for transaction in found:
            transaction.abort(why)
            if isinstance(transaction, ReadWriteTransaction):
                transaction.let_go_if_aborted()

    def close(self, why: str) -> None:
        """Give everything up."""
        with self._mutex:
            found = list(self._by_id.values())
            self._by_id.clear()
            self._settled.clear()
            self._heard.clear()
            self._turns.clear()
            self._busy.discard(self)
        for transaction in found:  # which from now on cannot start over
            transaction.abort(why)

    def _new(self, options: TransactionOptions, id_: bytes) -> Transaction:
        if isinstance(options, ReadOnly):
            return SnapshotTransaction(self._core, id_, options, self._owner)
        if isinstance(options, PartitionedDml):
            return PartitionedDmlTransaction(self._core, id_)
        return ReadWriteTransaction(
            self._core,
            id_,
            options,
            holder=self._next_attempt(options) if options.previous or self._writer else None,
            multiplexed=self._multiplexed,
        )

    def _next_attempt(self, options: ReadWriteOptions) -> LockHolder | None:
        """Who a transaction is that repeats an aborted attempt."""
        before: Transaction | None = self._writer
        if options.previous:
            before = self._by_id.get(options.previous) or self._settled.get(options.previous)
        if isinstance(before, ReadWriteTransaction) and before.was_aborted:
            return before.next_attempt()
        return None

    def _forget_surplus(self) -> list[ReadWriteTransaction]:
        """Drop what a session has too many of; the read-write ones among it."""
        dropped: list[ReadWriteTransaction] = []
        while len(self._by_id) + len(self._settled) > TRANSACTIONS_PER_SESSION_MAX:
            self._drop(next(iter(self._settled or self._by_id)), dropped)
        return dropped

    def _forget_silent(self, now: float) -> list[ReadWriteTransaction]:
        """Drop those not heard of for long; the read-write ones among them.

        Looks at those whose turn has come: a few, but more than begin.
        """
        dropped: list[ReadWriteTransaction] = []
        turns = self._turns
        for _ in range(_LOOKED_AT_PER_BEGIN):
            if not turns or turns[0][0] >= now:
                break
            _, transaction = turns.popleft()
            heard = self._heard.get(transaction.id)
            if heard is None:
                continue  # abandoned
            if heard + _kept_seconds(transaction) < now:
                self._drop(transaction.id, dropped)
                continue
            if isinstance(transaction, ReadWriteTransaction):
                transaction.let_go_if_aborted()
            turns.append((now + _LOOK_AFTER_SECONDS, transaction))
        return dropped

    def _drop(self, transaction_id: bytes, dropped: list[ReadWriteTransaction]) -> None:
        forgotten = self._pop(transaction_id)
        self._heard.pop(transaction_id, None)
        self._floor = max(self._floor, int(transaction_id))
        if isinstance(forgotten, ReadWriteTransaction):
            dropped.append(forgotten)

    def _pop(self, transaction_id: bytes) -> Transaction | None:
        return self._by_id.pop(transaction_id, None) or self._settled.pop(transaction_id, None)


def _kept_seconds(transaction: Transaction) -> float:
    """How long a transaction of multiplexed sessions is kept after a request."""
    if isinstance(transaction, ReadWriteTransaction) and transaction.is_over:
        return MULTIPLEXED_ENDED_SECONDS_MAX
    return MULTIPLEXED_IDLE_SECONDS_MAX
