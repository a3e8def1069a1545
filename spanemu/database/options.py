"""What a caller asks of a transaction or a statement, as plain data.

Frontends build these from their wire messages. Durations and times are `int` nanoseconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from typing import Any

from spanemu.base.record import Record, record
from spanemu.txn.read_write import Reads
from spanemu.values.types import Type


@record
class Strong(Record):
    """Sees every commit acknowledged before the request began."""


@record
class ReadTimestamp(Record):
    """Exactly at `at`."""

    at: int


@record
class MinReadTimestamp(Record):
    """At some time not before `at`; single use only."""

    at: int


@record
class ExactStaleness(Record):
    """Exactly `nanos` ago."""

    nanos: int


@record
class MaxStaleness(Record):
    """At most `nanos` ago; single use only."""

    nanos: int


TimestampBound = Strong | ReadTimestamp | MinReadTimestamp | ExactStaleness | MaxStaleness


@record
class ReadOnly(Record):
    """A read-only transaction at a bound."""

    bound: TimestampBound = Strong()
    return_read_timestamp: bool = False


class Isolation(StrEnum):
    """Isolation levels of read-write transactions."""

    UNSPECIFIED = "unspecified"
    SERIALIZABLE = "serializable"
    REPEATABLE_READ = "repeatable read"


class ReadLockMode(StrEnum):
    """Whether reads take locks or are validated at commit."""

    UNSPECIFIED = "unspecified"
    PESSIMISTIC = "pessimistic"
    OPTIMISTIC = "optimistic"


@record
class ReadWriteOptions(Record):
    """A read-write transaction. `previous` is the id whose age a retry keeps."""

    isolation: Isolation = Isolation.UNSPECIFIED
    read_lock_mode: ReadLockMode = ReadLockMode.UNSPECIFIED
    previous: bytes = b""
    exclude_from_change_streams: bool = False


@record
class PartitionedDml(Record):
    """A partitioned DML transaction."""

    exclude_from_change_streams: bool = False


TransactionOptions = ReadOnly | ReadWriteOptions | PartitionedDml


@record
class SingleUse(Record):
    """A temporary transaction for this request alone."""

    options: TransactionOptions = ReadOnly()


@record
class Begin(Record):
    """A new transaction that this request begins; its id comes back with the result."""

    options: TransactionOptions


@record
class Existing(Record):
    """A transaction begun before, by id."""

    id: bytes


Selector = SingleUse | Begin | Existing


class QueryMode(StrEnum):
    """What comes back: rows, a plan, statistics, or several of them."""

    NORMAL = "normal"
    PLAN = "plan"
    PROFILE = "profile"
    WITH_STATS = "with stats"
    WITH_PLAN_AND_STATS = "with plan and stats"


@record
class StatementRequest(Record):
    """One SQL statement as a client sends it.

    `parameters` hold raw values (JSON-like: None, bool, float, str, list, dict) by name without
    "@"; `parameter_types` the declared types. `seqno` is set for DML only. `directed_read` says
    that replicas are chosen, which only a read-only transaction may do. `role` is the database
    role of the session, if it carries one.
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
    directed_read: bool = False
    role: str = ""


@record
class ReadRequest(Record):
    """A Read as a client sends it; `key_set` is raw (`values.mutation.RawKeySet`).

    `lock_exclusive` asks for exclusive locks, which only a read-write transaction may do;
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
    directed_read: bool = False


@record
class CommitOptions(Record):
    """What a commit asks for besides its writes.

    `precommit_token` is the token with the highest sequence number that the client was given
    (multiplexed sessions).
    """

    return_stats: bool = False
    precommit_token: bytes = b""
    transaction_tag: str = ""


# Whatever is not here is pessimistic.
_READS: Mapping[tuple[Isolation, ReadLockMode], Reads] = {
    (Isolation.UNSPECIFIED, ReadLockMode.OPTIMISTIC): Reads.OPTIMISTIC,
    (Isolation.SERIALIZABLE, ReadLockMode.OPTIMISTIC): Reads.OPTIMISTIC,
    (Isolation.REPEATABLE_READ, ReadLockMode.UNSPECIFIED): Reads.REPEATABLE,
    (Isolation.REPEATABLE_READ, ReadLockMode.OPTIMISTIC): Reads.REPEATABLE,
    (Isolation.REPEATABLE_READ, ReadLockMode.PESSIMISTIC): Reads.REPEATABLE_LOCKING,
}


def reads_of(options: ReadWriteOptions) -> Reads:
    """How a transaction with those options keeps its reads true."""
    return _READS.get((options.isolation, options.read_lock_mode), Reads.PESSIMISTIC)
