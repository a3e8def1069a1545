"""A transaction as the lock table sees it: its age, its locks, when it was last heard of."""

from __future__ import annotations

import threading
from collections.abc import Set

from spanemu.base.call import Connection
from spanemu.base.clock import monotonic
from spanemu.storage.layout import TreeId
from spanemu.txn.errors.requests import TransactionAborted, TransactionOver
from spanemu.txn.locks.key_range_sets import KeySet, RangeUnion
from spanemu.txn.locks.modes import Lock
from spanemu.txn.state import State

IDLE_SECONDS_MAX = 10.0  # "transactions" page: idle transactions
# Clients walk away from a transaction whose request failed more often than they go on with it
# (google-cloud-python does not roll back), so nobody is made to wait long for one.
IDLE_AFTER_FAILURE_SECONDS_MAX = 0.1
RETRY_PATIENCE_SECONDS = 0.05  # of an older retry with a younger one, about a client's round trip

OUTRANKED = "An older transaction needed it."

NEVER = float("-inf")
YOUNGEST = (1 << 62, 0)

RowKey = tuple[TreeId, bytes]
RangeKey = tuple[TreeId, bytes, bytes]
_NOTHING: frozenset[RowKey] = frozenset()


class LockHolder:
    """Who holds locks.

    `age` orders transactions, smaller is older; one that has none yet is the youngest. A further
    attempt at what was aborted is as old as the first one was, `since`. `contended` are rows for
    which attempts were wounded: the next one queues for them instead of reading them along with
    others, or each of those would wound the younger ones once more when it commits.
    `heard_at` is when its client last asked for something (seconds of `clock.monotonic`),
    `began_at` when it first did, `connection` by what way, `last_request` what, and `commit_tag`
    under which name it was to be committed; `busy` tells that a request is being served, and
    `failed` that the last one failed. `patient_until` is when it stops waiting for a younger one.
    `rows` and `ranges` are
    what it has locked; `keys` and `unions` the same by tree and lock.
    """

    __slots__ = (
        "age", "began_at", "busy", "commit_tag", "connection", "contended", "failed", "heard_at",
        "keys", "last_request", "patient_until", "ranges", "rows", "since", "state", "unions",
        "waits_on", "why_aborted",
    )  # fmt: skip

    def __init__(self, age: tuple[int, int] = YOUNGEST, since: int | None = None) -> None:
        self.age = age
        self.since = since
        self.contended: Set[RowKey] = _NOTHING
        self.state = State.ACTIVE
        self.busy = 0
        self.failed = False
        self.heard_at = monotonic()
        self.connection: Connection | None = None
        self.last_request: object = None
        self.began_at: float | None = None
        self.patient_until: float | None = None
        self.waits_on: threading.Event | None = None
        self.why_aborted = ""
        self.commit_tag = ""
        self.rows: dict[RowKey, Lock] = {}
        self.ranges: dict[RangeKey, Lock] = {}
        self.keys: dict[TreeId, dict[Lock, KeySet]] = {}
        self.unions: dict[TreeId, dict[Lock, RangeUnion]] = {}

    def begin(self, number: int) -> None:
        """Be the transaction of that number, counted in the order of first requests."""
        if self.since is None:
            self.since = number
        self.age = (self.since, number)
        self.began_at = self.heard_at

    def next_attempt(self) -> LockHolder:
        """Who runs an aborted transaction again."""
        owner = LockHolder(since=self.since)
        owner.contended = self.contended
        return owner

    def contend(self, row_key: RowKey) -> None:
        """Have the next attempt queue for a row."""
        self.contended |= {row_key}

    def let_go(self) -> None:
        """Keep no more than what a late request, or another attempt, is told."""
        self.last_request = self.connection = None
        if not self.why_aborted:
            self.contended = _NOTHING

    @property
    def tag(self) -> str:
        """The transaction's tag, which clients send with each request."""
        return self.commit_tag or getattr(self.last_request, "transaction_tag", "")

    @property
    def is_active(self) -> bool:
        """Whether it may go on."""
        return self.state is State.ACTIVE

    @property
    def is_outranked(self) -> bool:
        """Whether it was aborted because an older transaction needed its locks."""
        return self.why_aborted == OUTRANKED

    @property
    def idle_at(self) -> float:
        """When it counts as idle (seconds of `clock.monotonic`)."""
        if self.busy:
            return monotonic() + IDLE_SECONDS_MAX
        patience = IDLE_AFTER_FAILURE_SECONDS_MAX if self.failed else IDLE_SECONDS_MAX
        return self.heard_at + patience

    def lets_finish(self, holder: LockHolder, row_key: RowKey | None) -> bool:
        """Whether to wait a moment for a younger holder of a row for which both have lost before.

        Retries come back in any order: each that wounds the one in front makes that come again.
        One that waits itself could wait for this one, so it gets no time.
        """
        if row_key not in holder.contended or holder.waits_on is not None:
            return False
        now = monotonic()
        if self.patient_until is None:
            self.patient_until = now + RETRY_PATIENCE_SECONDS
        return now < self.patient_until

    def notice_loss(self) -> None:
        """Be idle from now on if the client is gone."""
        if not self.busy and self.connection is not None and not self.connection.is_open():
            self.heard_at = NEVER

    def check(self) -> None:
        """Raise ABORTED when this transaction was wounded."""
        if self.state is State.ABORTED:
            raise TransactionAborted(self.why_aborted)

    def check_active(self) -> None:
        """Raise unless this transaction may still take locks."""
        if self.state is not State.ACTIVE:
            self.check()
            raise TransactionOver(str(self.state))
