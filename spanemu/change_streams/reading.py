"""The rows of a query of a change stream, as they appear.

    initial query     no token: the partitions at the start, then the end
    partition query   the records of a partition in commit order, heartbeats while there are none;
                      then its children, if the partition ends before the query does

A query that begins in the future waits for its start. Every row has a position, from which a broken
query continues: a timestamp, and how many rows of that timestamp were returned. A partition's first
and last rows (moves and children) have the timestamp of its start and of its end, which no commit
has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from struct import Struct
from struct import error as StructError

from spanemu.base.clock import BEGINNING, NANOS_PER_MICRO, NANOS_PER_MILLI, Clock
from spanemu.base.errors import Code, SpannerError
from spanemu.base.live import LiveReaders, LiveRow, LiveRows
from spanemu.change_streams import mutable
from spanemu.change_streams.arguments import (
    PartitionExpired,
    ReadArguments,
    ReadRange,
    RecordsExpired,
    checked_range,
)
from spanemu.change_streams.following import StreamReaders
from spanemu.change_streams.formats import RecordFormat, ResultRow
from spanemu.change_streams.partitions import Partition, PartitionHistory
from spanemu.change_streams.tracking import TrackedStream, tracked_streams
from spanemu.sql.analysis.stream_query import StreamQueryNotStreamed
from spanemu.storage.change_log import CHUNK_ENTRIES, ChangeEntry, new_record
from spanemu.storage.store import Store
from spanemu.values.timestamp import format_utc

_POSITION = Struct("<qI")
_pack = _POSITION.pack
_AT_START = b"\0"  # the position before the first row
# A heartbeat may come this much early: while time is frozen, readings run ahead of the frozen time
# by microseconds, and a test that advances the clock by the interval expects a heartbeat.
_SLACK = NANOS_PER_MILLI


class ClockSetBack(SpannerError, code=Code.ABORTED):
    prose = (
        "The clock was set back while change stream {stream} was read: changes to come would be "
        "earlier than records and heartbeats that were returned. Start the reading again."
    )
    stream: str


class ReadStreamNotFound(SpannerError, code=Code.NOT_FOUND):
    prose = "Change stream not found: {stream}"
    stream: str


class PositionUnknown(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "The resume token is invalid: its position in change stream {stream} is malformed."
    stream: str


@dataclass(frozen=True, slots=True)
class StreamSource:
    """A database as its change streams are read in a session."""

    store: Store
    readers: StreamReaders
    live_readers: LiveReaders
    session: str = ""


class StreamRows(LiveRows):
    """The rows of one query of the change stream with the folded name `stream`.

    The arguments are checked when the first rows are taken: a request that cannot stream rows is
    refused first.
    """

    position = _AT_START
    unary_refusal = StreamQueryNotStreamed

    def __init__(
        self,
        source: StreamSource,
        stream: str,
        arguments: Callable[[], ReadArguments],
        format_: RecordFormat,
        resumed_at: bytes = b"",
    ) -> None:
        self._source = source
        self._stream = stream
        self._arguments = arguments
        self._format = format_
        self._resumed_at = resumed_at
        self._range: ReadRange | None = None
        self._is_joined = False
        self._next = 0  # the timestamp of the next rows
        self._skip = 0  # how many rows of that timestamp were returned
        self._reached = 0  # up to where everything is known to be returned
        self._quiet_since = 0
        self._has_sent = False
        super().__init__(source.store.clock, source.live_readers, source.session)

    def close(self) -> None:
        """Release the reader's place."""
        super().close()
        if self._is_joined and self._range is not None and self._range.partition is not None:
            self._is_joined = False
            self._source.readers.leave(self._stream, self._range.partition.token, self)

    # ------------------------------------------------------------------ the rows

    def available(self) -> tuple[Sequence[LiveRow], bool]:
        """Return the available rows, and whether they are the last."""
        range_ = self._range or self._begin()
        store = self._source.store
        with store.mutex:
            if self._failure is not None:
                raise self._failure
            self._clock = clock = store.clock
            stream = self._stream_now()
            known = stream.history.get(range_.partition.token) if range_.partition else None
            if range_.partition is not None and known is None:
                raise _no_longer_known(range_.partition, stream)
            if clock.peek() < self._reached:
                raise ClockSetBack(stream.rules.name)
            safe = self._safe(clock, range_, known)
            if safe < range_.start:
                self.due = range_.start + NANOS_PER_MICRO
                return (), False
            if known is None:
                return self._initial_rows(stream.history, range_.start), True
            self._check_not_expired(stream)
            last = self._last(range_, known)
            goal = safe if last is None else min(safe, last)
            entries = self._entries(goal)
        return self._partition_rows(stream.history, range_, known, entries, goal)

    def _begin(self) -> ReadRange:
        """Check the arguments, and become one of the partition's readers."""
        arguments = self._arguments()
        store, position = self._source.store, self._resumed_position()
        resumed_at = None if position is None else position[0]
        with store.mutex:
            stream, now = self._stream_now(), store.clock.peek()
            range_ = checked_range(arguments, stream, now, resumed_at)
            if range_.partition is not None:
                self._source.readers.join(self._stream, range_.partition.token, self)
                self._is_joined = True
        self._range = range_
        self._quiet_since = max(now, range_.start)
        self._next, self._skip = position or (range_.start, 0)
        self._has_sent = position is not None
        return range_

    def _resumed_position(self) -> tuple[int, int] | None:
        """Return from which timestamp a broken query continues, and how many of its rows to skip.

        Return None for a query that begins.
        """
        if self._resumed_at in (b"", _AT_START):
            return None
        try:
            timestamp, skip = _POSITION.unpack(self._resumed_at)
        except StructError:
            raise PositionUnknown(self._stream) from None
        return timestamp, skip

    def _stream_now(self) -> TrackedStream:
        stream = tracked_streams(self._source.store).get(self._stream)
        if stream is None:
            raise ReadStreamNotFound(self._stream)
        return stream

    def _check_not_expired(self, stream: TrackedStream) -> None:
        """Raise RecordsExpired if records may have expired before they were read.

        Records that only the clock has made too old can be read until the log drops them: a reader
        that waits meets them although a test moves the clock far ahead.
        """
        log, following = self._source.store.change_log, self._next
        assert log is not None, "the stream exists"
        earliest = stream.readable_from
        if log.dropped >= following:
            earliest = log.dropped + NANOS_PER_MICRO
        elif earliest <= following or not log.between(following, earliest - 1, limit=1):
            return
        raise RecordsExpired(stream.rules.name, format_utc(following), format_utc(earliest))

    def _safe(self, clock: Clock, range_: ReadRange, partition: Partition | None) -> int:
        """Return a timestamp up to which every commit was made: later commits are after it.

        The present itself is safe only once the clock has issued it, which an end demands that is
        the present: while time is frozen, it would never pass.
        """
        store = self._source.store
        now = clock.peek()
        safe = max(now - NANOS_PER_MICRO, store.last_commit, self._reached)
        if partition is not None and partition.end is not None:
            safe = max(safe, partition.end - 1)
        end = range_.start if partition is None or range_.end is None else range_.end
        if safe < end <= now or safe < range_.start <= now:
            safe = clock.now()
        return safe

    @staticmethod
    def _last(range_: ReadRange, partition: Partition) -> int | None:
        """Return the last timestamp of the query's records; None while it has no end."""
        if partition.end is None or (range_.end is not None and range_.end < partition.end):
            return range_.end
        return partition.end - 1

    def _entries(self, goal: int) -> Sequence[ChangeEntry]:
        log = self._source.store.change_log
        return log.between(self._next, goal) if log is not None and self._next <= goal else ()

    def _initial_rows(self, history: PartitionHistory, start: int) -> Sequence[LiveRow]:
        if self._skip:
            return ()
        partitions = [(each.token, ()) for each in history.at(start).partitions]
        return [LiveRow(self._format.new_partitions_row(start, 0, partitions), _at(start, 1))]

    def _partition_rows(
        self,
        history: PartitionHistory,
        range_: ReadRange,
        partition: Partition,
        entries: Sequence[ChangeEntry],
        goal: int,
    ) -> tuple[Sequence[LiveRow], bool]:
        rows = list(self._from(range_.start, self._opening(partition, range_)))
        rows += self._record_rows(entries, history, partition)
        if len(entries) >= CHUNK_ENTRIES:  # There may be more.
            self._next, self._skip = entries[-1].timestamp + 1, 0
            self._has_sent = self._has_sent or bool(rows)
            self.wake()
            return rows, False
        self._reached = goal
        if self._next <= goal:
            self._next, self._skip = goal + 1, 0
        last = self._last(range_, partition)
        is_over = last is not None and goal >= last
        if is_over and partition.end is not None and last == partition.end - 1:
            rows += self._from(partition.end, self._closing(history, partition))
        now = self._clock.peek()
        beat_at = self._quiet_since + range_.heartbeat_nanos - _SLACK
        beats = not rows and (not self._has_sent if is_over else now >= beat_at)
        if beats:
            rows.append(LiveRow(self._format.heartbeat_row(goal), _at(goal + 1, 0)))
        if rows:
            self._has_sent, self._quiet_since = True, now
        self.due = self._quiet_since + range_.heartbeat_nanos - _SLACK
        if last is not None:
            self.due = min(self.due, last + NANOS_PER_MICRO)
        return rows, is_over

    def _from(self, timestamp: int, rows: Sequence[ResultRow]) -> Iterator[LiveRow]:
        """Yield the rows of a timestamp that were not returned yet."""
        skip = self._skip if timestamp == self._next else 0
        if timestamp >= self._next:
            for number, row in enumerate(rows[skip:], skip + 1):
                yield LiveRow(row, _at(timestamp, number))

    def _record_rows(
        self, entries: Sequence[ChangeEntry], history: PartitionHistory, partition: Partition
    ) -> Sequence[LiveRow]:
        """Return the rows of the partition's records that were not returned yet.

        `entries` begin at the next timestamp. Every record of a stream passes through this loop.
        """
        rows: list[LiveRow] = []
        data_row, records_of = self._format.data_row, self._source.readers.records
        stream, skip = self._stream, 0
        until: float = BEGINNING  # the end of the era of the last entry
        for entry in entries:
            timestamp = entry[0]
            if timestamp >= until:
                era, until = history.span_at(timestamp)
                index = era.number_of(partition.token)
                skip = self._skip if timestamp == self._next else 0
            number = 0
            for owner, record in records_of(entry, stream, era):
                if owner == index:
                    number += 1
                    position = _pack(timestamp, number)
                    rows.append(new_record(LiveRow, (data_row(record), position)))
            if skip:
                del rows[:skip]
                skip = 0
        return rows

    def _opening(self, partition: Partition, range_: ReadRange) -> Sequence[ResultRow]:
        """Return the row about the keys that a partition was given, at its very start."""
        if not self._is_mutable or range_.start != partition.start or not partition.parents:
            return ()
        return (
            mutable.partition_event_row(partition.start, 0, partition.token, partition.parents),
        )

    def _closing(self, history: PartitionHistory, partition: Partition) -> Sequence[ResultRow]:
        """Return the rows about the children of a partition that has ended."""
        assert partition.end is not None
        end, token = partition.end, partition.token
        children = [(each.token, each.parents) for each in history.children(token)]
        born = self._format.new_partitions_row(end, 0, children)
        if not self._is_mutable:
            return (born,)
        tokens = [child for child, _ in children]
        moved = mutable.partition_event_row(end, 1, token, (), tokens)
        return born, moved, mutable.partition_end_row(end, 2, token)

    @property
    def _is_mutable(self) -> bool:
        return self._format.data_row is mutable.data_row


def _no_longer_known(partition: Partition, stream: TrackedStream) -> SpannerError:
    """Return the error for a partition that the history of its stream has forgotten."""
    if stream.history.created > partition.start:  # The stream was dropped and created again.
        return ReadStreamNotFound(stream.rules.name)
    return PartitionExpired()


def _at(timestamp: int, count: int) -> bytes:
    return _pack(timestamp, count)
