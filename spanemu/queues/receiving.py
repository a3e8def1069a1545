"""The rows of a query that receives messages: each message when it may be delivered.

A receiver takes one batch of messages at a time, when its client reads on. It holds no lock and no
thread while it waits. A message that the query filters out is not leased, so that other receivers
get it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from struct import Struct
from typing import Protocol

from spanemu.base.live import LiveReaders, LiveRow, LiveRows
from spanemu.queues.follower import QueueDropped, QueueFollower, Row, follower_of
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.storage.store import Store

_POSITION = Struct(">q")  # the end of the call, 0 without an end


@dataclass(frozen=True, slots=True)
class ReceiveOptions:
    """The arguments of a call: the size of a batch, and the duration of the call, if limited."""

    batch_size: int = 1
    duration: int | None = None  # nanoseconds
    ends_at: int | None = None


def continued(options: ReceiveOptions, position: bytes, now: int) -> ReceiveOptions:
    """Return the options of a call that begins now, or continues a call after `position`.

    Clients show a row only after a resume token. A continued call leases messages anew: a message
    that was lost on the way is delivered again when its lease has expired.
    """
    if len(position) == _POSITION.size:
        (end,) = _POSITION.unpack(position)
        return replace(options, ends_at=end or None)
    if options.duration is None:
        return options
    return replace(options, ends_at=now + options.duration)


@dataclass(frozen=True, slots=True)
class MessageQuery:
    """The query over received messages. `run` returns its rows over messages.

    `filters` is false for a query that has a row for each message.
    """

    run: Callable[[Sequence[Row]], Sequence[Row]]
    filters: bool


class Source(Protocol):
    """The database of a queue, as receivers need it."""

    store: Store
    readers: LiveReaders

    @property
    def schema(self) -> Schema:
        """The current schema."""
        ...

    def new_token(self) -> str:
        """Return an unpredictable token."""
        ...


class ReceivedMessages(LiveRows):
    """The rows of one query that receives messages of a queue."""

    def __init__(
        self,
        source: Source,
        queue: Table,
        options: ReceiveOptions,
        query: MessageQuery,
        session: str,
    ) -> None:
        self._source = source
        self._queue = queue
        self._options = options
        self._query = query
        self._follower: QueueFollower = follower_of(source.store, queue, source.new_token)
        self._follower.enter(self, source.schema.limits.queue_receivers)
        self._pauses = False  # after each batch: its rows are sent before the next is leased
        self.position = _POSITION.pack(options.ends_at or 0)
        super().__init__(source.store.clock, source.readers, session)

    def available(self) -> tuple[Sequence[LiveRow], bool]:
        """Lease a batch of messages; return their rows, and whether the duration is over."""
        queue = self._current_queue()
        if self._pauses:
            self._pauses = False
            self.wake()
            return (), False
        now = self._clock.peek()
        ends_at = self._options.ends_at
        if ends_at is not None and now >= ends_at:
            return (), True
        rows: Sequence[Row] = ()
        if not queue.options.get("disable_delivery"):
            rows = self._leased(now)
        if not rows:
            times = (self._follower.next_due(now), ends_at)
            self.due = min((at for at in times if at is not None), default=None)
            return (), False
        self._pauses = True
        return [LiveRow(row, self.position) for row in self._query.run(rows)], False

    def close(self) -> None:
        """Release what the rows hold."""
        self._follower.leave(self)
        super().close()

    def _current_queue(self) -> Table:
        """Return the queue of the current schema. Raises QueueDropped."""
        schema = self._source.schema
        queue = schema.tables.get(schema.fold(self._queue.name))
        if queue is None or queue.id != self._queue.id:
            raise QueueDropped(self._queue.name)
        return queue

    def _leased(self, now: int) -> list[Row]:
        """Lease at most a batch of messages, and return the rows of the function for them."""
        size = self._options.batch_size
        messages: list[Row] = []
        for group in self._follower.candidates(now, size):
            for key, row in group:
                token = self._source.new_token()
                if self._query.filters and not self._query.run([self._row(row, now, token)]):
                    continue
                lease = self._follower.lease(key, row, now, token)
                if lease is not None:
                    messages.append(self._row(row, lease.expires_at, lease.token))
                if len(messages) == size:
                    break
            if len(messages) == size:
                break
        if messages:
            messages[-1] = (*messages[-1][:-1], True)
        return messages

    def _row(self, row: Row, expires_at: int, token: str) -> Row:
        """Return the row of the function for a stored message that is not the last of a batch."""
        cells = (row[column.position] for column in self._queue.columns)
        return (*cells, expires_at, token, False)
