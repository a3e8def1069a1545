"""The state of a read-write transaction, and what is released when the transaction ends.

    ACTIVE ── statements ──> ACTIVE         a failed read or query changes nothing
       ├── constraint violated ──> INVALID  later DML and commits repeat the failure
       ├── wounded ──> ABORTED              everything but a rollback answers ABORTED
       ├── commit ──> COMMITTED             a repeated commit gets the same answer
       └── rollback ──> ROLLED_BACK

`serialized` makes the requests of a transaction take turns. Not here: the requests (`read_write`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import TypeVar, TypeVarTuple

from spanemu.base.call import serving
from spanemu.base.clock import monotonic
from spanemu.base.errors import SpannerError
from spanemu.base.request_mutex import RequestMutex
from spanemu.database import errors
from spanemu.database.core import DatabaseCore
from spanemu.database.generation import Generation
from spanemu.database.options import ReadWriteOptions
from spanemu.database.statements.context import StatementContext
from spanemu.database.statements.results import CommitOutcome, WrittenRows
from spanemu.database.transactions.replay import Replays
from spanemu.txn import commit as committing
from spanemu.txn import read_write as work
from spanemu.txn.errors import BadCellValue, BadKeyValue, WrongKeyParts
from spanemu.txn.locks.holder import ACTIVE, COMMITTED, LockHolder, State
from spanemu.values.mutation import Mutation


class PrecommitTokens:
    """The tokens by which a multiplexed session proves that a commit follows all requests.

    Each reply of a read-write transaction carries a token newer than the previous ones, and the
    commit sends the newest token back. A transaction that holds only mutations gets its token from
    its begin request, which names one of the mutations (the mutation key). `kept` are the mutations
    of commits that must be sent again.
    """

    __slots__ = ("_given", "_id", "_newest", "kept")

    def __init__(self, transaction_id: bytes) -> None:
        self._id = transaction_id
        self._given = 0
        self._newest = b"%s:0" % transaction_id
        self.kept: Sequence[Mutation] = ()  # of commits that were refused for an old token

    def next(self) -> tuple[bytes, int]:
        """Return a new precommit token, and its sequence number."""
        self._given += 1
        self._newest = b"%s:%d" % (self._id, self._given)
        return self._newest, self._given

    def newer_than(self, given: bytes, mutations: Sequence[Mutation]) -> tuple[bytes, int] | None:
        """Return the token that the commit must be repeated with, or None if `given` is the newest.

        A client that meant to send statements when it began names no mutation key, and receives its
        first token here. Raises PrecommitTokenMissing if the client has received a token before and
        sends none.
        """
        if given == self._newest:
            return None
        if not given and self._given:
            raise errors.PrecommitTokenMissing(self._id.decode())
        self.kept = mutations or self.kept
        return self.next()


_ENDINGS = {State.COMMITTED: "committed or rolledback", State.ROLLED_BACK: "rolled back"}


class TransactionLifecycle:
    """A read-write transaction without its requests.

    The age of the transaction is that of its first request, or of the first request of its first
    attempt (`holder`), so that a retry cannot starve. `mutex` guards every field: one request at a
    time.
    """

    is_partitioned = False
    session = ""  # the name of the session that began the transaction
    written: WrittenRows = ()  # rows written by the commit, for statistics
    _work: work.TransactionWorkspace | None = None
    _replays: Replays | None = None  # None before the first DML request
    _failure: SpannerError | None = None
    _committed: CommitOutcome | None = None
    _mutation_count = 0
    _last_statement_seen = False
    _statements_run = 0
    _placed_change = ""  # the table with a placement key of which a statement changed the rows
    _replaced = False
    _repeated = False  # aborted, and the client has begun the next attempt

    def __init__(
        self,
        core: DatabaseCore,
        id_: bytes,
        options: ReadWriteOptions,
        *,
        holder: LockHolder | None = None,
        multiplexed: bool = False,
    ) -> None:
        self.id = id_
        self._core = core
        self.locks = core.locks
        self.options = options
        self.mutex = RequestMutex()
        self.holder = holder or LockHolder()
        self._generation: Generation = core.history.current
        self._tokens = PrecommitTokens(id_) if multiplexed else None

    @property
    def was_aborted(self) -> bool:
        """True if the transaction lost a lock conflict, so that a retry inherits its age."""
        return bool(self.holder.why_aborted)

    @property
    def on_multiplexed_session(self) -> bool:
        """True if the session is multiplexed and may have any number of open transactions."""
        return self._tokens is not None

    @property
    def repeats(self) -> bool:
        """True if the client names the previous attempt, as multiplexed sessions require."""
        return bool(self.options.previous)

    @property
    def is_over(self) -> bool:
        """True if the transaction has ended or was repeated, and can only answer late requests."""
        return self._repeated or self.holder.state in _ENDINGS

    def rollback(self) -> None:
        """Roll the transaction back.

        Raises TransactionEnded after a commit.
        """
        with self.mutex:
            if self._committed is not None:
                raise errors.TransactionEnded("roll back", self.id.decode(), "committed")
            self.locks.release(self.holder, State.ROLLED_BACK)
            self._drop_state()

    def abort(self, why: str) -> None:
        """Wound the transaction, which releases its locks; callable from any thread."""
        self.locks.wound(self.holder, why)

    def restart(self) -> bool:
        """Restart the transaction as its own next attempt if it lost to an older transaction.

        Returns False if the transaction did not lose. Only for a transaction whose id the client
        does not know yet.
        """
        if not self.holder.is_outranked:
            return False
        self._drop_state()
        self.holder = self.holder.next_attempt()
        self._mutation_count = 0
        return True

    def next_attempt(self) -> LockHolder:
        """Return the lock holder of the transaction that repeats this aborted one."""
        self._repeated = True
        return self.holder.next_attempt()

    def replace(self) -> None:
        """Close the transaction, because a newer transaction of its session replaces it."""
        if self.holder.state is ACTIVE:
            self._replaced = self.locks.release(self.holder, State.ROLLED_BACK)

    def _drop_state(self) -> None:
        """Release everything but the answer to a late request; the id stays known for a while."""
        self._work = None
        self._replays = None
        if self._tokens is not None:
            self._tokens.kept = ()
        self.holder.drop_request()

    def drop_state_if_aborted(self) -> None:
        """Release the state of an aborted transaction, unless a request is being served.

        Callable at any time, from any thread.
        """
        mutex = self.mutex
        if self.was_aborted and mutex.lock.acquire(blocking=False):
            self._drop_state()
            mutex.lock.release()
            if mutex.waiting:
                mutex.call_next()

    def _abort(self, why: str) -> None:
        self.locks.release(self.holder, State.ABORTED, why)

    def _invalidate(self, failure: SpannerError) -> None:
        self._failure = failure
        self.locks.release(self.holder, State.INVALID)

    # ------------------------------------------------------------------ checks

    def check_open(self, what: str, ends: bool) -> None:
        """Raise if the transaction has ended; a committed transaction accepts a repeated commit."""
        if self._core.closed:
            self._core.check_open()
        if self._replaced:
            raise errors.TransactionClosed(self.id.decode())
        state = self.holder.state
        if state in _ENDINGS and not (ends and state is COMMITTED):
            raise errors.TransactionEnded(what, self.id.decode(), _ENDINGS[state])
        self.holder.check()

    def _check_readable(self) -> None:
        if self._failure is not None:
            raise errors.TransactionInvalidated(self.id.decode(), str(self._failure))

    def _valid_generation(self) -> Generation:
        """Return the generation that the transaction began with.

        Aborts the transaction if the schema has changed since it began work.
        """
        current = self._core.history.current
        if self._generation is not current:
            if self._work is None:
                self._generation = current
            else:
                self._abort("The database schema has changed.")
                self.holder.check()
        return self._generation

    def _statement(self) -> work.TransactionWorkspace:
        """Return the workspace, created on first use, with the context of a new statement."""
        core, workspace = self._core, self._work
        if core.closed:
            core.check_open()
        context = StatementContext(core, self._generation.schema, writable=True)
        if workspace is not None:
            workspace.context = context
            return workspace
        locks, holder, reads = core.locks, self.holder, self.options.reads
        holder.begin(next(core.ages))
        workspace = work.TransactionWorkspace(core.store, locks, holder, context, reads)
        self._work = workspace
        if locks.explorer is not None:
            locks.explorer.began(holder, is_atomic=reads.are_serializable)
        workspace.statement_mutations_max = core.environment.limits.mutations_per_commit
        return workspace


def validate_mutation_key(core: DatabaseCore, generation: Generation, mutation: Mutation) -> None:
    """Raise the error of an invalid mutation key of a begin request.

    A value that does not fit its column makes a begin request malformed; the same value in a commit
    is a failed precondition.
    """
    try:
        context = StatementContext(core, generation.schema, writable=True)
        committing.resolve(generation.rules, context, mutation)
    except (BadCellValue, BadKeyValue, WrongKeyParts) as fault:
        raise errors.MalformedMutationKey(str(fault)) from fault


S = TypeVar("S", bound=TransactionLifecycle)
Ts = TypeVarTuple("Ts")
R = TypeVar("R")


def serialized(
    what: str, *, ends: bool = False
) -> Callable[[Callable[[S, *Ts], R]], Callable[[S, *Ts], R]]:
    """Return a decorator that runs a method as a serialized request called `what`.

    `ends` is true for a request that ends the transaction. The transaction is idle after the
    request.

    The wrapper is a single function, because every request passes it and each call costs time.
    """

    def decorated(request: Callable[[S, *Ts], R]) -> Callable[[S, *Ts], R]:
        @wraps(request)
        def turn(shared: S, /, *args: *Ts) -> R:
            mutex = shared.mutex
            if not mutex.lock.acquire(False):
                mutex.wait()
            try:
                holder = shared.holder
                if holder.state is not ACTIVE:
                    shared.check_open(what, ends)
                client = holder.client
                client.busy += 1
                try:
                    result = request(shared, *args)
                    client.failed = False
                    return result
                except BaseException:
                    client.failed = True
                    raise
                finally:
                    client.busy -= 1
                    call = serving.call
                    virtual = None if call is None else call.virtual_time
                    client.heard_at = monotonic() if virtual is None else virtual.seconds
                    if holder.state is ACTIVE:
                        client.connection = None if call is None else call.connection
            except BaseException:
                shared.locks.request_failed(shared.holder)
                shared.drop_state_if_aborted()
                raise
            finally:
                mutex.lock.release()
                if mutex.waiting:
                    mutex.call_next()

        return turn

    return decorated
