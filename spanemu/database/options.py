"""The options of transactions, statements, reads and commits, as plain data.

Frontends build these from their wire messages. Durations and times are `int` nanoseconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from functools import cached_property
from itertools import product
from typing import Any, ClassVar, Literal

from spanemu.base.record import Record, record
from spanemu.txn.read_write import Reads
from spanemu.values.types import Type


@record
class Strong(Record):
    """A bound that includes every commit acknowledged before the request began."""


@record
class ReadTimestamp(Record):
    """A read timestamp of exactly `at`."""

    at: int


@record
class MinReadTimestamp(Record):
    """A read timestamp not before `at`; single use only."""

    at: int


@record
class ExactStaleness(Record):
    """A read timestamp exactly `nanos` ago."""

    nanos: int


@record
class MaxStaleness(Record):
    """A read timestamp at most `nanos` ago; single use only."""

    nanos: int


TimestampBound = Strong | ReadTimestamp | MinReadTimestamp | ExactStaleness | MaxStaleness


@record
class ReadOnly(Record):
    """A read-only transaction at a bound."""

    commits_at_once: ClassVar[Literal[False]] = False
    bound: TimestampBound = Strong()
    return_read_timestamp: bool = False


class Isolation(StrEnum):
    """Isolation levels of read-write transactions."""

    UNSPECIFIED = "unspecified"
    SERIALIZABLE = "serializable"
    REPEATABLE_READ = "repeatable read"


class ReadLockMode(StrEnum):
    """The choice between locking reads and reads validated at commit."""

    UNSPECIFIED = "unspecified"
    PESSIMISTIC = "pessimistic"
    OPTIMISTIC = "optimistic"


@record
class ReadWriteOptions(Record):
    """Options of a read-write transaction. `previous` is the id whose age a retry keeps."""

    isolation: Isolation = Isolation.UNSPECIFIED
    read_lock_mode: ReadLockMode = ReadLockMode.UNSPECIFIED
    previous: bytes = b""
    exclude_from_change_streams: bool = False

    # Looked up once, because a client sends the same options with each transaction.
    @cached_property
    def reads(self) -> Reads:
        """The concurrency control of the transaction's reads."""
        return _READS[self.isolation, self.read_lock_mode]

    @cached_property
    def commits_at_once(self) -> bool:
        """Return whether a transaction of one commit takes no age over and validates no reads."""
        return not self.previous and self.reads is Reads.PESSIMISTIC

    @cached_property
    def control(self) -> tuple[Isolation, ReadLockMode]:
        """The isolation level and the lock mode in effect, with the defaults."""
        is_repeatable = self.isolation is Isolation.REPEATABLE_READ
        isolation = Isolation.REPEATABLE_READ if is_repeatable else Isolation.SERIALIZABLE
        if self.read_lock_mode is not ReadLockMode.UNSPECIFIED:
            return isolation, self.read_lock_mode
        return isolation, ReadLockMode.OPTIMISTIC if is_repeatable else ReadLockMode.PESSIMISTIC


@record
class PartitionedDml(Record):
    """Options of a partitioned DML transaction."""

    commits_at_once: ClassVar[Literal[False]] = False
    exclude_from_change_streams: bool = False


TransactionOptions = ReadOnly | ReadWriteOptions | PartitionedDml


@record
class SingleUse(Record):
    """A selector of a temporary transaction for this request alone."""

    options: TransactionOptions = ReadOnly()


@record
class Begin(Record):
    """A selector of a new transaction, whose id is returned with the result."""

    options: TransactionOptions


@record
class Existing(Record):
    """A selector of an open transaction by id."""

    id: bytes


Selector = SingleUse | Begin | Existing


class QueryMode(StrEnum):
    """The parts of an answer: rows, a plan, statistics, or several of them."""

    NORMAL = "normal"
    PLAN = "plan"
    PROFILE = "profile"
    WITH_STATS = "with stats"
    WITH_PLAN_AND_STATS = "with plan and stats"


@record
class StatementRequest(Record):
    """An SQL statement as a client sends it.

    `parameters` hold raw values (JSON-like: None, bool, float, str, list, dict) by name without
    "@"; `parameter_types` the declared types. `seqno` is set for DML only. `directed_read` are the
    locations that the request names to choose replicas, which only a read-only transaction may do;
    None if the request chooses none. `role` is the database role of the session, if any. `position`
    is where a result of live rows continues, as the rows gave it. `priority` is the name of the
    requested priority, "" if none is.
    """

    sql: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    parameter_types: Mapping[str, Type] = field(default_factory=dict)
    mode: QueryMode = QueryMode.NORMAL
    seqno: int = 0
    last_statement: bool = False
    request_tag: str = ""
    transaction_tag: str = ""
    optimizer_version: str = ""
    optimizer_statistics_package: str = ""
    directed_read: tuple[str, ...] | None = None
    role: str = ""
    position: bytes = b""
    priority: str = field(default="", compare=False)


@record
class ReadRequest(Record):
    """A Read as a client sends it; `key_set` is raw (`values.mutation.RawKeySet`).

    `lock_exclusive` requests exclusive locks, which only a read-write transaction may do;
    `directed_read` is as in `StatementRequest`.
    """

    table: str
    columns: tuple[str, ...]
    key_set: Any
    index: str = ""
    limit: int = 0
    request_tag: str = ""
    transaction_tag: str = ""
    lock_exclusive: bool = False
    directed_read: tuple[str, ...] | None = None


@record
class CommitOptions(Record):
    """Options of a commit.

    `precommit_token` is the token with the highest sequence number that the client received
    (multiplexed sessions).
    """

    return_stats: bool = False
    precommit_token: bytes = b""
    transaction_tag: str = ""


# Every other combination is pessimistic.
_READS: Mapping[tuple[Isolation, ReadLockMode], Reads] = {
    **dict.fromkeys(product(Isolation, ReadLockMode), Reads.PESSIMISTIC),
    (Isolation.UNSPECIFIED, ReadLockMode.OPTIMISTIC): Reads.OPTIMISTIC,
    (Isolation.SERIALIZABLE, ReadLockMode.OPTIMISTIC): Reads.OPTIMISTIC,
    (Isolation.REPEATABLE_READ, ReadLockMode.UNSPECIFIED): Reads.REPEATABLE,
    (Isolation.REPEATABLE_READ, ReadLockMode.OPTIMISTIC): Reads.REPEATABLE,
    (Isolation.REPEATABLE_READ, ReadLockMode.PESSIMISTIC): Reads.REPEATABLE_LOCKING,
}
