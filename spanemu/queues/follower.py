"""A backlog that follows the commits of its database, and wakes the receivers of its queue.

The backlog of a queue is made when the queue is first received from, and lives with the store until
a restore or until the queue is dropped. The store's mutex guards it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

from spanemu.base.errors import Code, SpannerError
from spanemu.base.live import Waker
from spanemu.queues.backlog import Backlog, Lease, Renewal
from spanemu.schema.table import Table
from spanemu.storage.layout import tree_of
from spanemu.storage.store import Store

Row = tuple[Any, ...]


class BadReceiveArgument(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Argument {argument} of {function} is {shown}; it must be {expected}."
    function: str
    argument: str
    shown: str
    expected: str


class TooManyReceivers(SpannerError, code=Code.RESOURCE_EXHAUSTED):
    prose = "Queue {queue} has too many running queries that receive messages (limit {limit})."
    queue: str
    limit: int


class QueueDropped(SpannerError, code=Code.NOT_FOUND):
    prose = "Queue not found: {queue}. It was dropped while its messages were received."
    queue: str


class Receiver(Protocol):
    """A waiting receiver."""

    def wake(self) -> None:
        """Look for messages again. Must return at once."""
        ...


class QueueFollower:
    """The backlog of a queue, and its receivers."""

    def __init__(self, store: Store, queue: Table, new_token: Callable[[], str]) -> None:
        self._store = store
        self._queue = queue
        self._tree = tree_of(queue)
        self._deliver_time = queue.deliver_time.position
        self._backlog = Backlog(new_token)
        self._receivers: set[Receiver] = set()
        self._waker = Waker(self.schema_changed)
        for key, row in store.scan_items(self._tree):
            self._backlog.put(key, row[self._deliver_time])

    # ------------------------------------------------------------------ for the store

    def wrote(self, key: bytes, row: Row | None) -> None:
        """Add or remove a message; have the receivers woken for a new message."""
        if row is None:
            self._backlog.remove(key)
            return
        self._backlog.put(key, row[self._deliver_time])
        if self._receivers:
            self._waker.signal()

    def schema_changed(self) -> None:
        """Wake the receivers: the queue may be dropped, or its delivery enabled."""
        for receiver in tuple(self._receivers):  # The garbage collector may make one leave.
            receiver.wake()

    # ------------------------------------------------------------------ for receivers

    def enter(self, receiver: Receiver, limit: int) -> None:
        """Add a receiver. Raises TooManyReceivers."""
        with self._store.mutex:
            if len(self._receivers) >= limit:
                raise TooManyReceivers(self._queue.name, limit)
            self._receivers.add(receiver)

    def leave(self, receiver: Receiver) -> None:
        """Remove a receiver."""
        with self._store.mutex:
            self._receivers.discard(receiver)

    def candidates(self, now: int, size: int) -> Iterator[Sequence[tuple[bytes, Row]]]:
        """Yield the messages that may be delivered now, in groups: first `size`, then more.

        The caller leases a message, or skips it, before it requests the next group.
        """
        seen: set[bytes] = set()
        while True:
            with self._store.mutex:
                group = []
                for key in self._backlog.deliverable(now):
                    if key in seen:
                        continue
                    seen.add(key)
                    row = self._store.get(self._tree, key)
                    assert row is not None, "the backlog follows every commit"
                    group.append((key, row))
                    if len(group) == size:
                        break
            if not group:
                return
            yield group
            size *= 2

    def lease(self, key: bytes, row: Row, now: int, token: str) -> Lease | None:
        """Lease a message; return None if it was replaced, leased or removed since."""
        with self._store.mutex:
            if self._store.get(self._tree, key) is not row:
                return None
            return self._backlog.lease(key, now, token)

    def renew(self, tokens: Sequence[str | None], now: int) -> list[Renewal]:
        """Renew leases; unknown and expired ones have no result."""
        with self._store.mutex:
            renewals = (self._backlog.renew(token, now) for token in tokens if token is not None)
            return [renewal for renewal in renewals if renewal is not None]

    def next_due(self, now: int) -> int | None:
        """Return the time after `now` at which the next message becomes deliverable, or None."""
        with self._store.mutex:
            return self._backlog.next_due(now)


def follower_of(store: Store, queue: Table, new_token: Callable[[], str]) -> QueueFollower:
    """Return the follower of a queue, made on first use."""
    tree = tree_of(queue)
    with store.mutex:
        known = store.followers.get(tree)
        if isinstance(known, QueueFollower):
            return known
        follower = store.followers[tree] = QueueFollower(store, queue, new_token)
        return follower
