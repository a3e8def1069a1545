"""The arguments of a query of a change stream, and the rules that they must follow."""

from __future__ import annotations

from typing import Any, NamedTuple

from spanemu.base.clock import NANOS_PER_MILLI, NANOS_PER_MINUTE
from spanemu.base.limits import CHANGE_STREAM_HEARTBEAT_MILLIS, CHANGE_STREAM_START_AHEAD_NANOS
from spanemu.change_streams.errors import (
    EndBeforeStart,
    HeartbeatMissing,
    HeartbeatOutOfRange,
    MutableEndMissing,
    MutableWindowTooLong,
    PartitionExpired,
    ReadOptionsGiven,
    RecordsExpired,
    StartMissing,
    StartOutsidePartition,
    StartTooLate,
    StartTooOld,
    TokenUnknown,
)
from spanemu.change_streams.partitions import Partition, PartitionHistory
from spanemu.change_streams.tracking import TrackedStream
from spanemu.change_streams.watching import StreamRules
from spanemu.values.timestamp import format_utc

MUTABLE_WINDOW_MINUTES = 30


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
    """Return the range that the arguments of a query name. Raises the errors of `errors`.

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
    least, most = CHANGE_STREAM_HEARTBEAT_MILLIS
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
