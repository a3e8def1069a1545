"""The arguments of a query of a change stream, and the rules that they must follow.

The errors stand in the order in which the rules are checked.
"""

from __future__ import annotations

from typing import Any

from spanemu.base.clock import NANOS_PER_MILLI, NANOS_PER_MINUTE
from spanemu.base.errors import Code, SpannerError
from spanemu.base.limits import (
    CHANGE_STREAM_HEARTBEAT_MILLIS_MAX,
    CHANGE_STREAM_START_AHEAD_NANOS,
)
from spanemu.base.record import NamedTuple
from spanemu.change_streams.partitions import Partition, PartitionHistory
from spanemu.change_streams.tracking import TrackedStream
from spanemu.change_streams.watching import StreamRules
from spanemu.values.timestamp import format_utc

MUTABLE_WINDOW_MINUTES = 30


class StartMissing(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "start_timestamp must not be null."


class StartTooOld(SpannerError, code=Code.OUT_OF_RANGE):
    prose = (
        "Specified start_timestamp is too far in the past. Please specify a start_timestamp "
        "within the earliest read timestamp: {earliest}. Received start_timestamp: {start}."
    )
    earliest: str
    start: str


class StartTooLate(SpannerError, code=Code.OUT_OF_RANGE):
    prose = (
        "Specified start_timestamp is too far in the future. Please specify a start_timestamp "
        "within the earliest read timestamp: {earliest}, and the current maximum start timestamp: "
        "{latest}. Received start_timestamp: {start}."
    )
    earliest: str
    latest: str
    start: str


class EndBeforeStart(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        "If end_timestamp is specified, start_timestamp must be <= end_timestamp. Received "
        "start_timestamp: {start}, end_timestamp: {end}."
    )
    start: str
    end: str


class MutableEndMissing(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        "end_timestamp must not be null for change stream {stream}, whose partition_mode is "
        "MUTABLE_KEY_RANGE."
    )
    stream: str


class MutableWindowTooLong(SpannerError, code=Code.OUT_OF_RANGE):
    prose = (
        "end_timestamp must be at most {minutes} minutes after start_timestamp for change stream "
        "{stream}, whose partition_mode is MUTABLE_KEY_RANGE. Received start_timestamp: {start}, "
        "end_timestamp: {end}."
    )
    stream: str
    minutes: int
    start: str
    end: str


class HeartbeatMissing(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "heartbeat_milliseconds must not be null."


class HeartbeatOutOfRange(SpannerError, code=Code.OUT_OF_RANGE):
    prose = (
        "heartbeat_milliseconds must be within min {least} and max {most}. Received "
        "heartbeat_milliseconds: {given}."
    )
    least: int
    most: int
    given: int


class ReadOptionsGiven(SpannerError, code=Code.UNIMPLEMENTED):
    prose = "read_options must be null."


class TokenUnknown(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        "Specified partition_token is invalid, as it does not belong to the Change Stream "
        "associated with the TVF. Received partition_token: {token}."
    )
    token: str


class PartitionExpired(SpannerError, code=Code.OUT_OF_RANGE):
    prose = (
        "This partition is no longer valid. All Change Stream records associated with this "
        "partition have expired and have been deleted, as specified by the Change Stream "
        "retention period."
    )


class RecordsExpired(SpannerError, code=Code.OUT_OF_RANGE):
    prose = (
        "The query fell behind the retention period of change stream {stream}: it had read up to "
        "{position}, and records before {earliest} are no longer available."
    )
    stream: str
    position: str
    earliest: str


class StartOutsidePartition(SpannerError, code=Code.OUT_OF_RANGE):
    prose = (
        "Specified start_timestamp is invalid for the partition. Please specify a start_timestamp "
        "within {start} and {end}. Received start_timestamp: {given}."
    )
    start: str
    end: str
    given: str


class ReadArguments(NamedTuple):
    """The arguments of a read function. Times are in nanoseconds."""

    start_timestamp: int | None
    end_timestamp: int | None
    partition_token: str | None
    heartbeat_milliseconds: int | None
    read_options: Any = None


class ReadRange(NamedTuple):
    """The checked arguments of a query: what it reads, and how often it sends heartbeats.

    `end` is None for a query that follows the stream; `partition` is None for the initial query.
    """

    start: int
    end: int | None
    heartbeat_nanos: int
    partition: Partition | None


def checked_range(
    arguments: ReadArguments, stream: TrackedStream, now: int, resumed_at: int | None = None
) -> ReadRange:
    """Return the range that the arguments of a query name. Raises the errors above.

    A broken query that continues at `resumed_at` may have begun before the retention period.
    """
    start, end, token, heartbeat, options = arguments
    rules = stream.rules
    if start is None:
        raise StartMissing()
    earliest = stream.earliest(now)
    if resumed_at is None:
        if start < earliest:
            raise StartTooOld(format_utc(earliest), format_utc(start))
    elif resumed_at < earliest:
        raise RecordsExpired(rules.name, format_utc(resumed_at), format_utc(earliest))
    latest = now + CHANGE_STREAM_START_AHEAD_NANOS
    if start > latest:
        raise StartTooLate(*map(format_utc, (earliest, latest, start)))
    _check_end(start, end, rules)
    if heartbeat is None:
        raise HeartbeatMissing()
    least, most = rules.heartbeat_millis_min, CHANGE_STREAM_HEARTBEAT_MILLIS_MAX
    if not least <= heartbeat <= most:
        raise HeartbeatOutOfRange(least, most, heartbeat)
    if options is not None:
        raise ReadOptionsGiven()
    partition = None
    if token is not None:
        partition = _partition(token, start, stream.history, now - rules.retention_nanos)
    return ReadRange(start, end, heartbeat * NANOS_PER_MILLI, partition)


def _check_end(start: int, end: int | None, rules: StreamRules) -> None:
    if end is not None and end < start:
        raise EndBeforeStart(format_utc(start), format_utc(end))
    if not rules.is_mutable:
        return
    if end is None:
        raise MutableEndMissing(rules.name)
    if end > start + MUTABLE_WINDOW_MINUTES * NANOS_PER_MINUTE:
        raise MutableWindowTooLong(
            rules.name, MUTABLE_WINDOW_MINUTES, format_utc(start), format_utc(end)
        )


def _partition(token: str, start: int, history: PartitionHistory, horizon: int) -> Partition:
    partition = history.get(token)
    if partition is None:
        raise TokenUnknown(token)
    end = partition.end
    if end is not None and end < horizon:
        raise PartitionExpired()
    if start < partition.start or (end is not None and start > end):
        first = format_utc(max(partition.start, horizon))
        last = "the present" if end is None else format_utc(end)
        raise StartOutsidePartition(first, last, format_utc(start))
    return partition
