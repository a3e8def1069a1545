"""What requests about sessions and transactions may have wrong: times, modes, commits."""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError


class TimestampOutOfRange(SpannerError):
    """A protobuf Timestamp outside the years 1 to 9999, or with impossible nanos."""

    code = Code.INVALID_ARGUMENT
    prose = "Timestamp out of range: {seconds} seconds, {nanos} nanos"
    seconds: int
    nanos: int


class InvalidReadTimestamp(SpannerError):
    """A read timestamp before 1970 or at the very end of time."""

    code = Code.INVALID_ARGUMENT
    prose = "Invalid {kind} read timestamp: {seconds} seconds, {nanos} nanos"
    kind: str
    seconds: int
    nanos: int


class InvalidDuration(SpannerError):
    """A protobuf Duration out of its range, or with mixed signs."""

    code = Code.INVALID_ARGUMENT
    prose = "Invalid duration: {seconds} seconds, {nanos} nanos"
    seconds: int
    nanos: int


class NegativeStaleness(SpannerError):
    """A staleness that points into the future."""

    code = Code.INVALID_ARGUMENT
    prose = "Staleness must be non-negative: {seconds} seconds, {nanos} nanos"
    seconds: int
    nanos: int


class StrongMustBeTrue(SpannerError):
    """`strong` is set to false, which means nothing."""

    code = Code.INVALID_ARGUMENT
    prose = "Strong read option must be true."


class InvalidCommitDelay(SpannerError):
    """`max_commit_delay` outside 0 to 500 milliseconds."""

    code = Code.INVALID_ARGUMENT
    prose = "max_commit_delay must be between 0 and 500 milliseconds, got {nanos} nanoseconds."
    nanos: int


class CommitTooLarge(SpannerError):
    """A commit's request is larger than a commit may be."""

    code = Code.INVALID_ARGUMENT
    prose = "The commit request has {size} bytes; the limit is {limit}."
    size: int
    limit: int


class MultiUseBound(SpannerError):
    """A bounded staleness in a transaction of more than one request."""

    code = Code.INVALID_ARGUMENT
    prose = "{field} can only be used in a single use transaction."
    field: str


class EmptyTransactionId(SpannerError):
    """An existing transaction is meant, but not named."""

    code = Code.INVALID_ARGUMENT
    prose = "Invalid transaction ID: it is empty."


class ReadOnlyExpected(SpannerError):
    """A single-use transaction of a read or query that is not read-only."""

    code = Code.INVALID_ARGUMENT
    prose = "A single-use transaction of a read or query should be read_only, got {mode}."
    mode: str


class ReadWriteExpected(SpannerError):
    """A single-use transaction of a commit that is not read-write."""

    code = Code.INVALID_ARGUMENT
    prose = "A single-use transaction of a commit must be read_write, got {mode}."
    mode: str


class PartitionNeedsTransaction(SpannerError):
    """A partitioned read or query in a transaction of its own."""

    code = Code.INVALID_ARGUMENT
    prose = "Partitioned reads and queries may not be performed in single-use transactions."


class RepeatableReadPartitionedDml(SpannerError):
    """Partitioned DML has an isolation of its own."""

    code = Code.INVALID_ARGUMENT
    prose = "Isolation level REPEATABLE_READ is not allowed on partitioned DML transactions."


class ExcludeFromStreamsReadOnly(SpannerError):
    """`exclude_txn_from_change_streams` on a transaction that changes nothing."""

    code = Code.INVALID_ARGUMENT
    prose = "exclude_txn_from_change_streams is not allowed on read-only transactions."


class InvalidSessionCount(SpannerError):
    """A batch of no sessions."""

    code = Code.INVALID_ARGUMENT
    prose = "Invalid number of sessions: {count}. It must be positive."
    count: int


class MultiplexedInBatch(SpannerError):
    """A batch of multiplexed sessions: one is enough for any client."""

    code = Code.INVALID_ARGUMENT
    prose = "Multiplexed sessions may not be created in batch."
