"""What can be wrong with a request that its message alone shows, and with serving at all.

SpannerError          (all INVALID_ARGUMENT unless said otherwise)
├── requests          UnreadableRequest, RequestTooLarge, RequiredFieldMissing, ...
├── transactions      TimestampOutOfRange, MultiUseBound, ReadOnlyExpected, ...
├── reads             NegativeLimit, LimitWithPartition, MutationWithoutTable, ...
├── values            TypeUnspecified, UnknownTypeCode, ValueWithoutKind, ...
├── results           InvalidResumeToken; ResultTooLarge, RowTooLarge (FAILED_PRECONDITION)
└── administration    InvalidProtoDescriptors, PermissionWildcard, InvalidEtag

RuntimeError
└── serving           CannotListen: the address is taken, or no address of this machine
"""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError


class UnreadableRequest(SpannerError):
    """The request's bytes do not parse as the message that the method takes."""

    code = Code.INVALID_ARGUMENT
    prose = "The request of {method} could not be parsed; strings must be valid UTF-8."
    method: str


class RequestTooLarge(SpannerError):
    """A request that brings no mutations is larger than such a request may be."""

    code = Code.INVALID_ARGUMENT
    prose = "The request of {method} has {size} bytes; the limit is {limit}."
    method: str
    size: int
    limit: int


class RequiredFieldMissing(SpannerError):
    """A field without which the request means nothing is not set."""

    code = Code.INVALID_ARGUMENT
    prose = "No value provided for required field: {field}"
    field: str


class InvalidEnumValue(SpannerError):
    """A number that the enumeration of the field does not have."""

    code = Code.INVALID_ARGUMENT
    prose = "Invalid value for {field}: {number}"
    field: str
    number: int


class InvalidProtoDescriptors(SpannerError):
    """Descriptors that are no FileDescriptorSet."""

    code = Code.INVALID_ARGUMENT
    prose = "The proto_descriptors of the request cannot be parsed as a FileDescriptorSet."


class PermissionWildcard(SpannerError):
    """A question about permissions does not name each of them."""

    code = Code.INVALID_ARGUMENT
    prose = "Invalid permission {permission!r} for {resource}: wildcards are not allowed."
    permission: str
    resource: str


class InvalidEtag(SpannerError):
    """An etag that no policy here ever had."""

    code = Code.INVALID_ARGUMENT
    prose = "Invalid etag of a policy."


class NegativeLimit(SpannerError):
    """A read that wants fewer than no rows."""

    code = Code.INVALID_ARGUMENT
    prose = "Limit must be non-negative, got {limit}."
    limit: int


class LimitWithPartition(SpannerError):
    """A share of a partitioned read is always read whole."""

    code = Code.INVALID_ARGUMENT
    prose = "A limit cannot be used when a partition_token is specified."


class ModeWithPartition(SpannerError):
    """A share of a partitioned query can only be run."""

    code = Code.INVALID_ARGUMENT
    prose = "The query mode of a request with a partition_token must be NORMAL."


class NegativePartitionOption(SpannerError):
    """A negative size or number of partitions."""

    code = Code.INVALID_ARGUMENT
    prose = "{field} must be non-negative, got {number}."
    field: str
    number: int


class DataBoostWithoutPartition(SpannerError):
    """Data Boost serves partitions only."""

    code = Code.INVALID_ARGUMENT
    prose = "data_boost_enabled can only be used with a partition_token."


class TooManyReplicaSelections(SpannerError):
    """More replica selections than a directed read may name."""

    code = Code.INVALID_ARGUMENT
    prose = "Directed read options name {count} replica selections; at most {limit} are allowed."
    count: int
    limit: int


class EmptyReplicaSelection(SpannerError):
    """A replica selection that selects nothing."""

    code = Code.INVALID_ARGUMENT
    prose = "A replica selection of directed read options must have a location or a type."


class MutationWithoutTable(SpannerError):
    """A mutation that does not say where."""

    code = Code.INVALID_ARGUMENT
    prose = "Mutation does not specify table."


class RangeWithoutEndpoint(SpannerError):
    """A key range that does not say where it starts or ends."""

    code = Code.INVALID_ARGUMENT
    prose = "Key range must contain either {side}_closed or {side}_open."
    side: str


class InvalidResumeToken(SpannerError):
    """A resume token that no stream of this request gave out."""

    code = Code.INVALID_ARGUMENT
    prose = "Invalid resume token: {reason}."
    reason: str


class RowTooLarge(SpannerError):
    """A single row of a result is larger than any row may be."""

    code = Code.FAILED_PRECONDITION
    prose = "A row of the result has {size} bytes; the limit is {limit}."
    size: int
    limit: int


class ResultTooLarge(SpannerError):
    """A unary reply over 10 MiB."""

    code = Code.FAILED_PRECONDITION
    prose = (
        "The result has more than {limit} bytes; results that large can only be streamed: "
        "use ExecuteStreamingSql or StreamingRead."
    )
    limit: int


class CannotListen(RuntimeError):
    """An address that no server can listen at; `reason` says why."""

    def __init__(self, host_port: str, reason: str) -> None:
        super().__init__(f"cannot listen at {host_port}: {reason}")
        self.host_port = host_port
        self.reason = reason


class PortTaken(CannotListen):
    """An address at which another process, or another server of this one, listens."""

    def __init__(self, host_port: str) -> None:
        super().__init__(host_port, "the port is taken")


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


class TypeUnspecified(SpannerError):
    """A declared type without a code."""

    code = Code.INVALID_ARGUMENT
    prose = "Type code must be specified, got TYPE_CODE_UNSPECIFIED."


class ArrayWithoutElement(SpannerError):
    """A declared array of nothing."""

    code = Code.INVALID_ARGUMENT
    prose = "Array types must specify element type."


class StructWithoutFields(SpannerError):
    """A declared struct without its struct_type."""

    code = Code.INVALID_ARGUMENT
    prose = "Struct types must specify struct_type."


class UnknownTypeCode(SpannerError):
    """A declared type whose code no published API has."""

    code = Code.INVALID_ARGUMENT
    prose = "Unrecognized type code: {number}"
    number: int


class ValueWithoutKind(SpannerError):
    """A protobuf Value that says nothing, not even null."""

    code = Code.INVALID_ARGUMENT
    prose = "A google.protobuf.Value in the request has no kind set; NULL is null_value."
