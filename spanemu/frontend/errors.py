"""Errors in the message of a request alone, and errors of listening at an address.

SpannerError          (all INVALID_ARGUMENT unless noted)
├── requests          UnreadableRequest, RequestTooLarge, ...; UnknownService (NOT_FOUND),
│                     TooManyWaiting (RESOURCE_EXHAUSTED)
├── transactions      TimestampOutOfRange, MultiUseBound, ReadOnlyExpected, ...
├── reads             NegativeLimit, LimitWithPartition, MutationWithoutTable, ...
├── values            TypeUnspecified, UnknownTypeCode, ValueWithoutKind, ...
├── results           InvalidResumeToken; ResultTooLarge, RowTooLarge (FAILED_PRECONDITION)
└── administration    InvalidProtoDescriptors, InvalidEtag

RuntimeError
└── serving           CannotListen: the address is taken, or no address of this machine
"""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError


class UnreadableRequest(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        "The request of {method} could not be parsed: strings must be valid UTF-8, and messages "
        "may have at most 100 levels."
    )
    method: str


class TooManyWaiting(SpannerError, code=Code.RESOURCE_EXHAUSTED):
    prose = (
        "{count} requests wait for locks, rows or time; the server has no thread for another one "
        "that waits."
    )
    count: int


class UnknownService(SpannerError, code=Code.NOT_FOUND):
    prose = "Unknown service: {service}"
    service: str


class RequestTooLarge(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "The request of {method} has {size} bytes; the limit is {limit}."
    method: str
    size: int
    limit: int


class RequestHeadTooLarge(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "The request of {method} has more than {limit} bytes besides its mutations."
    method: str
    limit: int


class TooManyFields(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "A row or a part of the request has more than {limit} values."
    limit: int


class RequiredFieldMissing(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "No value provided for required field: {field}"
    field: str


class InvalidEnumValue(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Invalid value for {field}: {number}"
    field: str
    number: int


class InvalidProtoDescriptors(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "The proto_descriptors of the request cannot be parsed as a FileDescriptorSet."


class InvalidEtag(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Invalid etag of a policy."


class NegativeLimit(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Limit must be non-negative, got {limit}."
    limit: int


class LimitWithPartition(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "A limit cannot be used when a partition_token is specified."


class ModeWithPartition(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "The query mode of a request with a partition_token must be NORMAL."


class NegativePartitionOption(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "{field} must be non-negative, got {number}."
    field: str
    number: int


class DataBoostWithoutPartition(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "data_boost_enabled can only be used with a partition_token."


class TooManyReplicaSelections(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Directed read options name {count} replica selections; at most {limit} are allowed."
    count: int
    limit: int


class EmptyReplicaSelection(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "A replica selection of directed read options must have a location or a type."


class MutationWithoutTable(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Mutation does not specify table."


class RangeWithoutEndpoint(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Key range must contain either {side}_closed or {side}_open."
    side: str


class InvalidResumeToken(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Invalid resume token: {reason}."
    reason: str


class RowTooLarge(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "A row of the result has {size} bytes; the limit is {limit}."
    size: int
    limit: int


class ResultTooLarge(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = (
        "The result has more than {limit} bytes; a result of this size can only be streamed: "
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
        super().__init__(host_port, "the port is taken; port 0 chooses a free one")


class TimestampOutOfRange(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Timestamp out of range: {seconds} seconds, {nanos} nanos"
    seconds: int
    nanos: int


class InvalidReadTimestamp(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Invalid {kind} read timestamp: {seconds} seconds, {nanos} nanos"
    kind: str
    seconds: int
    nanos: int


class InvalidDuration(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Invalid duration: {seconds} seconds, {nanos} nanos"
    seconds: int
    nanos: int


class NegativeStaleness(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Staleness must be non-negative: {seconds} seconds, {nanos} nanos"
    seconds: int
    nanos: int


class StrongMustBeTrue(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Strong read option must be true."


class InvalidCommitDelay(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "max_commit_delay must be between 0 and 500 milliseconds, got {nanos} nanoseconds."
    nanos: int


class CommitTooLarge(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "The commit request has {size} bytes; the limit is {limit}."
    size: int
    limit: int


class MultiUseBound(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "{field} can only be used in a single use transaction."
    field: str


class EmptyTransactionId(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Invalid transaction ID: it is empty."


class ReadOnlyExpected(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "A single-use transaction of a read or query should be read_only, got {mode}."
    mode: str


class ReadWriteExpected(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "A single-use transaction of a commit must be read_write, got {mode}."
    mode: str


class PartitionNeedsTransaction(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Partitioned reads and queries may not be performed in single-use transactions."


class RepeatableReadPartitionedDml(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Isolation level REPEATABLE_READ is not allowed on partitioned DML transactions."


class ExcludeFromStreamsReadOnly(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "exclude_txn_from_change_streams is not allowed on read-only transactions."


class InvalidSessionCount(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Invalid number of sessions: {count}. It must be positive."
    count: int


class MultiplexedInBatch(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Multiplexed sessions may not be created in batch."


class TypeUnspecified(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Type code must be specified, got TYPE_CODE_UNSPECIFIED."


class ArrayWithoutElement(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Array types must specify element type."


class StructWithoutFields(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Struct types must specify struct_type."


class UnknownTypeCode(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Unrecognized type code: {number}"
    number: int


class ValueWithoutKind(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "A google.protobuf.Value in the request has no kind set; NULL is null_value."


class LiveRowsNeedStreaming(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "A query whose rows appear over time must be sent to ExecuteStreamingSql."
