"""A transaction as the lock table sees it: state, age, locks, and the activity of its client.

`NEXT` is the only table of the transitions that the lifecycle of a read-write transaction permits.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from enum import StrEnum, auto
from typing import TypeVar

from spanemu.base.call import Connection, Signal, waiting_time
from spanemu.storage.layout import TreeId
from spanemu.txn.errors import TransactionAborted, TransactionOver
from spanemu.txn.locks.key_range_sets import KeySet, RangeUnion
from spanemu.txn.locks.modes import Lock, covers

IDLE_SECONDS_MAX = 10.0  # "transactions" page: idle transactions
# Clients abandon a transaction after a failed request more often than they continue it
# (google-cloud-python does not roll back), so other transactions wait only briefly for it.
IDLE_AFTER_FAILURE_SECONDS_MAX = 0.1
# How long an older retry waits for a younger holder: about one round trip of a client.
RETRY_PATIENCE_SECONDS = 0.05

IDLE = "It was idle while others waited."
OUTRANKED = "An older transaction needed it."

NEVER = float("-inf")
YOUNGEST = (1 << 62, 0)
ALONE = (0, 0)  # the age of a transaction that no other one can meet

RowKey = tuple[TreeId, bytes]
RangeKey = tuple[TreeId, bytes, bytes]
_NOTHING: frozenset[RowKey] = frozenset()
S = TypeVar("S")


class State(StrEnum):
    """The lifecycle state of a read-write transaction."""

    ACTIVE = auto()
    COMMITTING = auto()  # holds every lock it needs; can no longer be wounded
    COMMITTED = auto()
    ABORTED = auto()  # lost a conflict; the client retries the transaction
    INVALID = auto()  # failed permanently; later requests get the same error
    ROLLED_BACK = auto()


# For code that every request runs: `State.ACTIVE` takes four times as long on Python 3.11.
ACTIVE, COMMITTING, COMMITTED = State.ACTIVE, State.COMMITTING, State.COMMITTED

NEXT: Mapping[State, frozenset[State]] = {
    State.ACTIVE: frozenset(
        {State.COMMITTING, State.ABORTED, State.INVALID, State.ROLLED_BACK},
    ),
    State.COMMITTING: frozenset({State.COMMITTED, State.ABORTED, State.INVALID}),
    State.ABORTED: frozenset({State.ROLLED_BACK}),
    State.INVALID: frozenset({State.ROLLED_BACK}),
    State.COMMITTED: frozenset(),
    State.ROLLED_BACK: frozenset(),
}


class ClientActivity:
    """The requests of a transaction's client, as far as other transactions need to know.

    `began_at` and `heard_at` are the times of the first and the last request (seconds of
    `call.waiting_time`), `last_request` is the last request, and `connection` is its
    origin. `commit_tag` is the transaction tag of the commit; `commits` is set when it begins.
    `busy` counts the requests in progress, and `failed` is set when the last request failed.
    """

    # Defaults in the class: a commit of a single request sets few of them.
    busy = 0
    failed = False
    connection: Connection | None = None
    last_request: object = None
    began_at: float | None = None
    commit_tag = ""
    commits = False

    def __init__(self) -> None:
        self.heard_at = waiting_time()

    @property
    def tag(self) -> str:
        """The transaction tag, which clients send with each request."""
        return self.commit_tag or getattr(self.last_request, "transaction_tag", "")

    @property
    def idle_at(self) -> float:
        """The time from which the transaction counts as idle (seconds of `call.waiting_time`)."""
        if self.busy:
            return waiting_time() + IDLE_SECONDS_MAX
        patience = IDLE_AFTER_FAILURE_SECONDS_MAX if self.failed else IDLE_SECONDS_MAX
        return self.heard_at + patience

    def expire_if_disconnected(self) -> None:
        """Make the transaction idle at once if its client has disconnected."""
        if not self.busy and self.connection is not None and not self.connection.is_open():
            self.heard_at = NEVER


class LockHolder:
    """A transaction that takes locks.

    `age` orders transactions: the smaller age is older, and a transaction without an age yet counts
    as the youngest. A retry of an aborted transaction keeps the age of the first attempt, `since`.
    `contended_rows` are rows for which earlier attempts were wounded. A retry queues for these rows
    instead of locking them for reading beside other transactions, because each of those readers
    would wound the younger ones again when it commits.

    `patient_until` is when the transaction stops waiting for a younger holder. `rows` and `ranges`
    hold the locks; `keys` and `unions` hold the same locks by tree and lock. `client` is the
    activity of the client, by which a silent holder is recognized.
    """

    # Defaults in the class: most transactions have no conflict and are no retry.
    contended_rows: Set[RowKey] = _NOTHING
    state = ACTIVE
    patient_until: float | None = None
    waits_on: Signal | None = None
    why_aborted = ""

    def __init__(self, age: tuple[int, int] = YOUNGEST, since: int | None = None) -> None:
        self.age = age
        self.since = since
        self.client = ClientActivity()
        self.rows: dict[RowKey, Lock] = {}
        self.ranges: dict[RangeKey, Lock] = {}
        self.keys: dict[TreeId, dict[Lock, KeySet]] = {}
        self.unions: dict[TreeId, dict[Lock, RangeUnion]] = {}

    def begin(self, number: int) -> None:
        """Take the age `number`, which counts transactions in the order of their first requests."""
        if self.since is None:
            self.since = number
        self.age = (self.since, number)
        self.client.began_at = self.client.heard_at

    def next_attempt(self) -> LockHolder:
        """Return the lock holder of a retry of this transaction."""
        retry = LockHolder(since=self.since)
        retry.contended_rows = self.contended_rows
        return retry

    def contend(self, row_key: RowKey) -> None:
        """Make the next attempt queue for a row."""
        self.contended_rows |= {row_key}

    def drop_request(self) -> None:
        """Release the last request and the connection once the transaction has ended.

        The reason of an abort stays for late requests, and the contended rows stay for a retry.
        """
        client = self.client
        client.last_request = client.connection = None
        if not self.why_aborted:
            self.contended_rows = _NOTHING

    @property
    def is_active(self) -> bool:
        """Return whether the transaction is active."""
        return self.state is ACTIVE

    @property
    def is_outranked(self) -> bool:
        """Return whether the transaction was aborted because an older one needed its locks."""
        return self.why_aborted == OUTRANKED

    def covers_key(self, tree: TreeId, key: bytes, lock: Lock) -> bool:
        """Return whether a range that is locked already covers the lock on a row."""
        unions = self.unions.get(tree)
        return unions is not None and any(
            covers(held, lock) and union.covers(key) for held, union in unions.items()
        )

    def yields_to(self, holder: LockHolder, row_key: RowKey | None) -> bool:
        """Return whether to wait briefly for `holder`, a younger holder of a row contended by both.

        Retries arrive in any order, and a retry that wounds the holder before it makes that holder
        retry again. A holder that waits itself gets no time, because it could wait for this one.
        """
        if row_key not in holder.contended_rows or holder.waits_on is not None:
            return False
        now = waiting_time()
        if self.patient_until is None:
            self.patient_until = now + RETRY_PATIENCE_SECONDS
        return now < self.patient_until

    def check(self) -> None:
        """Raise TransactionAborted if the transaction has been aborted."""
        if self.state is State.ABORTED:
            raise TransactionAborted(self.why_aborted)

    def check_active(self) -> None:
        """Raise unless the transaction may still take locks."""
        if self.state is not ACTIVE:
            self.check()
            raise TransactionOver(str(self.state))


def by_lock(
    holder: LockHolder,
    tree: TreeId,
    own: dict[TreeId, dict[Lock, S]],
    shared: dict[TreeId, dict[LockHolder, dict[Lock, S]]],
) -> dict[Lock, S]:
    """Return what the holder has locked in a tree, by lock.

    `own` holds this for the holder, `shared` holds the same for the lock table.
    """
    locked = own.get(tree)
    if locked is None:
        locked = own[tree] = {}
        shared.setdefault(tree, {})[holder] = locked
    return locked
