"""What a fault does to an RPC that it strikes: fail it, hold it up, or do something beside it.

Each effect is a function of the RPC: it raises what the client is to be told, or returns, and
then the RPC goes on. Aborting really aborts: the transaction ends on the server as it does in
Spanner, and whatever else the client sends for it answers ABORTED too.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Event

from spanemu.admin.instances import Instances
from spanemu.base.call import current
from spanemu.base.errors import SpannerError
from spanemu.control.errors import InjectedAbort, InjectedFault
from spanemu.control.where import Rpc
from spanemu.database.transactions.partitioned_dml import PartitionedDmlTransaction
from spanemu.database.transactions.read_write import ReadWriteTransaction
from spanemu.database.transactions.registry import Transaction

Effect = Callable[[Rpc], None]

_ABORTABLE_MODES = frozenset({"read_write", "partitioned_dml"})


def failing(kind: type[InjectedFault], what: str, retry_delay_nanos: int | None = None) -> Effect:
    """Answer with a failure; nothing is executed, or nothing of it is told."""

    def fail(_rpc: Rpc) -> None:
        raise kind(what, retry_delay_nanos)

    return fail


def waiting(seconds: Callable[[], float]) -> Effect:
    """Hold the request up; it still ends when its deadline passes or it is cancelled."""

    def wait(_rpc: Rpc) -> None:
        call, cancelled = current(), Event()
        left = call.seconds_left()
        call.on_cancel(cancelled.set)
        try:
            cancelled.wait(seconds() if left is None else min(seconds(), left))
        finally:
            call.forget(cancelled.set)
        call.check()

    return wait


@dataclass(frozen=True)
class Aborting:
    """Abort the transaction of the request."""

    instances: Instances
    retry_delay_nanos: int

    def __call__(self, rpc: Rpc) -> None:
        why = "Injected fault: aborted by the test."
        transaction = transaction_of(self.instances, rpc)
        if transaction is not None:
            transaction.abort(why)
        raise InjectedAbort("the transaction was aborted", self.retry_delay_nanos)


@dataclass(frozen=True)
class LosingSession:
    """Drop the session, as the server does after a long idle time; the request then misses it."""

    instances: Instances
    lost: set[tuple[str, str]] = field(default_factory=set)  # (database, session)

    def __call__(self, rpc: Rpc) -> None:
        self.instances.database(rpc.database).sessions.lose(rpc.session)
        self.lost.add((rpc.database, rpc.session))

    def undo(self) -> None:
        """Restore the dropped sessions of the databases that still exist."""
        while self.lost:
            database, session = self.lost.pop()
            with suppress(SpannerError):
                self.instances.database(database).sessions.restore_lost({session})


@dataclass(frozen=True)
class Interfering:
    """Run statements in a transaction that wins every lock conflict, and commit it."""

    instances: Instances
    statements: Sequence[str]

    def __call__(self, rpc: Rpc) -> None:
        self.instances.database(rpc.database).interfere(self.statements)


def can_abort(instances: Instances, rpc: Rpc) -> bool:
    """Return whether Spanner could answer the request with ABORTED.

    Spanner never aborts reads outside read-write transactions. A repeated commit of a committed
    transaction is excluded too, because its client would run the transaction a second time.
    """
    if not rpc.transaction_id:
        return rpc.begins in _ABORTABLE_MODES
    transaction = transaction_of(instances, rpc)
    if isinstance(transaction, ReadWriteTransaction):
        return not transaction.is_over
    return isinstance(transaction, PartitionedDmlTransaction)


def transaction_of(instances: Instances, rpc: Rpc) -> Transaction | None:
    """Return the transaction that a request names, or None if there is none."""
    if not rpc.transaction_id:
        return None
    try:
        session = instances.database(rpc.database).sessions.get(rpc.session)
        return session.transactions.get(rpc.transaction_id)
    except SpannerError:
        return None


_REMEMBERED_MAX = 10_000


class FirstAttempts:
    """The commits seen so far, which identify the first attempt of each transaction."""

    def __init__(self, instances: Instances) -> None:
        self._instances = instances
        self._mutex = threading.Lock()  # Guards the field below.
        self._seen: OrderedDict[str | bytes, None] = OrderedDict()

    def is_first(self, rpc: Rpc) -> bool:
        """Return whether the commit is the first attempt of its transaction, and remember it."""
        key: str | bytes = rpc.fingerprint
        transaction = transaction_of(self._instances, rpc)
        if isinstance(transaction, ReadWriteTransaction):
            if transaction.on_multiplexed_session:
                return not transaction.repeats
            key = rpc.session
        with self._mutex:
            if key in self._seen:
                del self._seen[key]
                return False
            self._seen[key] = None
            if len(self._seen) > _REMEMBERED_MAX:
                self._seen.popitem(last=False)
            return True
