"""What requests that read or run statements may have wrong."""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError


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
