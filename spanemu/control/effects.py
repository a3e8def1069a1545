"""The effects of faults on RPCs: an error, a delay, a lost session, a conflicting transaction.

An effect is a function of the RPC. An effect that raises an error sends the error to the client; if
the effect returns, the RPC continues. `Aborting` ends the transaction on the server, as Spanner
does, so that later requests of the transaction fail with ABORTED too.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NoReturn, Protocol

from spanemu.admin.instances import Instances
from spanemu.base.call import current
from spanemu.base.errors import Code, Detail, RetryInfo, SpannerError
from spanemu.database.transactions.partitioned_dml import PartitionedDmlTransaction
from spanemu.database.transactions.read_write import ReadWriteTransaction
from spanemu.database.transactions.registry import Transaction

_ABORTABLE_MODES = frozenset({"read_write", "partitioned_dml"})


class InjectedFault(SpannerError):
    prose = "Injected fault: {what}."
    what: str
    retry_delay_nanos: int | None = None

    def details(self) -> tuple[Detail, ...]:
        if self.retry_delay_nanos is None:
            return ()
        return (RetryInfo(self.retry_delay_nanos),)


class InjectedAbort(InjectedFault, code=Code.ABORTED):
    """The transaction was aborted; the client runs it again."""


class InjectedUnavailable(InjectedFault, code=Code.UNAVAILABLE):
    """The server could not be reached, or the answer was lost."""


class InjectedDeadline(InjectedFault, code=Code.DEADLINE_EXCEEDED):
    """The deadline passed on the server."""


class InjectedExhaustion(InjectedFault, code=Code.RESOURCE_EXHAUSTED):
    """The server is overloaded; clients retry only if the error has a retry delay."""


class InjectedInternal(InjectedFault, code=Code.INTERNAL):
    """The server has an internal error."""


class FaultyRpc(Protocol):
    """The properties of an arrived request that faults match on."""

    @property
    def method(self) -> str:
        """The RPC's name, such as "Commit"."""
        ...

    @property
    def database(self) -> str:
        """The full name of the request's database, or ""."""
        ...

    @property
    def session(self) -> str:
        """The full name of the request's session, or ""."""
        ...

    @property
    def transaction_id(self) -> bytes:
        """The id of the transaction that the request names, or b""."""
        ...

    @property
    def begins(self) -> str:
        """The mode of the transaction that the request begins, such as "read_write"."""
        ...

    @property
    def request_tag(self) -> str: ...

    @property
    def transaction_tag(self) -> str: ...

    @property
    def client(self) -> str:
        """The user agent of the client library."""
        ...

    @property
    def statements(self) -> tuple[str, ...]:
        """The SQL texts of the request."""
        ...

    @property
    def tables(self) -> frozenset[str]:
        """The tables that the request reads or writes, in lower case."""
        ...

    @property
    def fingerprint(self) -> bytes:
        """A hash, equal for equal requests."""
        ...


Effect = Callable[[FaultyRpc], None]


def failing(kind: type[InjectedFault], what: str, retry_delay_nanos: int | None = None) -> Effect:
    """Return the effect that fails an RPC with an error of class `kind`; `what` is its cause."""

    def fail(_rpc: FaultyRpc) -> None:
        raise kind(what, retry_delay_nanos)

    return fail


def waiting(seconds: Callable[[], float]) -> Effect:
    """Return the effect that delays an RPC by a drawn number of seconds.

    The delay ends early when the deadline of the RPC passes, or the client cancels the RPC.
    """

    def wait(_rpc: FaultyRpc) -> None:
        call = current()
        call.signal().wait(seconds())
        call.check()

    return wait


@dataclass(frozen=True)
class Aborting:
    """An effect that aborts the transaction of a request."""

    instances: Instances
    retry_delay_nanos: int

    def __call__(self, rpc: FaultyRpc) -> None:
        abort_request(transaction_of(self.instances, rpc), self.retry_delay_nanos)


def abort_request(transaction: Transaction | None, retry_delay_nanos: int) -> NoReturn:
    """Abort the transaction of a request, if it has one. Raises InjectedAbort."""
    if transaction is not None:
        transaction.abort("Injected fault: aborted by the test.")
    raise InjectedAbort("the transaction was aborted", retry_delay_nanos)


@dataclass(frozen=True)
class LosingSession:
    """An effect that deletes the session of a request, as happens after a long idle time."""

    instances: Instances
    lost: set[tuple[str, str]] = field(default_factory=set)  # (database, session)

    def __call__(self, rpc: FaultyRpc) -> None:
        self.instances.database(rpc.database).sessions.drop(rpc.session)
        self.lost.add((rpc.database, rpc.session))

    def undo(self) -> None:
        """Restore the dropped sessions of the databases that still exist."""
        while self.lost:
            database, session = self.lost.pop()
            with suppress(SpannerError):
                self.instances.database(database).sessions.restore_lost({session})


@dataclass(frozen=True)
class Interfering:
    """An effect that runs and commits statements in a transaction that wins every lock conflict."""

    instances: Instances
    statements: Sequence[str]

    def __call__(self, rpc: FaultyRpc) -> None:
        self.instances.database(rpc.database).interfere(self.statements)


def can_abort(instances: Instances, rpc: FaultyRpc) -> bool:
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


def transaction_of(instances: Instances, rpc: FaultyRpc) -> Transaction | None:
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
    """The commits seen so far, by which a first attempt to commit differs from a retry."""

    def __init__(self, instances: Instances) -> None:
        self._instances = instances
        self._mutex = threading.Lock()  # Guards the field below.
        self._seen: OrderedDict[str | bytes, None] = OrderedDict()

    def is_first(self, rpc: FaultyRpc) -> bool:
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
