"""The transactions of one session, or of all multiplexed sessions of a database.

    regular      a new read-write transaction takes the place of the one before; read-only ones
                 live side by side, the newest `TRANSACTIONS_PER_SESSION_MAX` of all are kept
    multiplexed  any number; those not heard of for a while are forgotten, ended ones sooner

Ids are ASCII numbers, unique within the database and never reused.
"""

from __future__ import annotations

import threading
from collections import OrderedDict

from spanemu.base.clock import monotonic
from spanemu.base.limits import TRANSACTIONS_PER_SESSION_MAX
from spanemu.database.core import DatabaseCore
from spanemu.database.errors import TransactionClosed, TransactionNotFound
from spanemu.database.handle import Transaction
from spanemu.database.options import PartitionedDml, ReadOnly, ReadWrite, TransactionOptions
from spanemu.database.partitioned_dml import PartitionedDmlTransaction
from spanemu.database.read_write import ReadWriteTransaction
from spanemu.database.snapshot import SnapshotTransaction
from spanemu.txn.owner import Owner

MULTIPLEXED_IDLE_SECONDS_MAX = 300.0
# What has ended stays for a commit that is repeated because its answer was lost on the way.
MULTIPLEXED_ENDED_SECONDS_MAX = 30.0
_PURGE_EVERY = 256  # transactions begun between two looks for idle ones

__all__ = ["Transaction", "Transactions"]


class Transactions:
    """Open and recently ended transactions by id."""

    def __init__(self, core: DatabaseCore, owner: str, *, multiplexed: bool) -> None:
        self.activity = core.activity
        self._core = core
        self._owner = owner  # a session, or "" for all multiplexed ones
        self._multiplexed = multiplexed
        self._mutex = threading.Lock()  # Guards every field below.
        self._by_id: OrderedDict[bytes, Transaction] = OrderedDict()
        self._heard: dict[bytes, float] = {}
        self._begun = 0
        self._floor = 0  # ids up to here may be forgotten ones
        self._writer: ReadWriteTransaction | None = None

    def begin(self, options: TransactionOptions) -> Transaction:
        """A new transaction, to be found by its id from now on."""
        transaction = self._new(options, b"%d" % next(self._core.transaction_ids))
        with self._mutex:
            self._by_id[transaction.id] = transaction
            self._heard[transaction.id] = monotonic()
            self._begun += 1
            replaced = self._writer
            if isinstance(transaction, ReadWriteTransaction) and not self._multiplexed:
                self._writer = transaction
            else:
                replaced = None
            forgotten = self._forget()
        for old in (replaced, *forgotten):
            if old is not None:
                old.replace()
        return transaction

    def temporary(self, options: ReadOnly) -> SnapshotTransaction:
        """A read-only transaction for one request."""
        return SnapshotTransaction(self._core, b"", options)

    def single_use(self, options: ReadWrite) -> ReadWriteTransaction:
        """A read-write transaction for one commit."""
        return ReadWriteTransaction(self._core, b"", options)

    def get(self, transaction_id: bytes) -> Transaction:
        """The transaction of that id. Raises TransactionNotFound, TransactionClosed."""
        found = self._by_id.get(transaction_id)
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
        found = self._by_id.get(transaction_id)
        if found is not None:
            found.rollback()

    def abandon(self, transaction: Transaction) -> None:
        """Forget a transaction whose first request failed: its id never reached the client."""
        transaction.abort("Its first request failed.")
        with self._mutex:
            self._by_id.pop(transaction.id, None)
            self._heard.pop(transaction.id, None)

    def open(self) -> list[ReadWriteTransaction]:
        """Read-write transactions that have not ended."""
        with self._mutex:
            found = list(self._by_id.values())
        return [
            one for one in found if isinstance(one, ReadWriteTransaction) and one.owner.is_active
        ]

    def abort_all(self, why: str) -> None:
        """Abort every open transaction; their ids stay known."""
        with self._mutex:
            found = list(self._by_id.values())
        for transaction in found:
            transaction.abort(why)

    def close(self, why: str) -> None:
        """Give everything up."""
        self.abort_all(why)
        with self._mutex:
            self._by_id.clear()
            self._heard.clear()

    def _new(self, options: TransactionOptions, id_: bytes) -> Transaction:
        if isinstance(options, ReadOnly):
            return SnapshotTransaction(self._core, id_, options, self._owner)
        if isinstance(options, PartitionedDml):
            return PartitionedDmlTransaction(self._core, id_)
        return ReadWriteTransaction(
            self._core,
            id_,
            options,
            owner=self._next_attempt(options),
            multiplexed=self._multiplexed,
        )

    def _next_attempt(self, options: ReadWrite) -> Owner | None:
        """Who a transaction is that repeats an aborted attempt."""
        before: Transaction | None = self._writer
        if options.previous:
            before = self._by_id.get(options.previous)
        if isinstance(before, ReadWriteTransaction) and before.was_aborted:
            return before.owner.next_attempt()
        return None

    def _forget(self) -> list[ReadWriteTransaction]:
        """Drop what is too old to be kept; the read-write ones among it."""
        gone: list[bytes] = []
        if not self._multiplexed:
            gone = list(self._by_id)[: max(0, len(self._by_id) - TRANSACTIONS_PER_SESSION_MAX)]
        elif self._begun % _PURGE_EVERY == 0:
            now = monotonic()
            gone = [id_ for id_, heard in self._heard.items() if heard + self._kept(id_) < now]
            for transaction in self._by_id.values():
                if isinstance(transaction, ReadWriteTransaction):
                    transaction.let_go_if_aborted()
        dropped = []
        for id_ in gone:
            forgotten = self._by_id.pop(id_, None)
            self._heard.pop(id_, None)
            self._floor = max(self._floor, int(id_))
            if isinstance(forgotten, ReadWriteTransaction):
                dropped.append(forgotten)
        return dropped

    def _kept(self, transaction_id: bytes) -> float:
        """How many seconds a transaction of multiplexed sessions is kept after a request."""
        transaction = self._by_id.get(transaction_id)
        if isinstance(transaction, ReadWriteTransaction) and transaction.has_ended:
            return MULTIPLEXED_ENDED_SECONDS_MAX
        return MULTIPLEXED_IDLE_SECONDS_MAX
