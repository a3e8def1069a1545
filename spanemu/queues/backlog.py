"""The messages of one queue and their leases.

A message is delivered from its delivery time on, to a single receiver at a time: the delivery
leases the message for ten seconds. A message that still exists when its lease has expired is
delivered again. The interval between deliveries doubles each time, and is an hour for messages that
were first delivered more than an hour ago.

The backlog reads no clock: callers pass the current time, in nanoseconds. It is not safe to use
from several threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count

from sortedcontainers import SortedDict

from spanemu.base.clock import NANOS_PER_HOUR, NANOS_PER_SECOND
from spanemu.base.record import NamedTuple

LEASE_NANOS = 10 * NANOS_PER_SECOND


@dataclass(slots=True)
class _Message:
    """A message of the queue. `place` is its position in the order of deliveries."""

    key: bytes
    place: tuple[int, int]  # (the time from which it may be delivered, a number)
    first_delivery: int | None = None
    deliveries: int = 0
    token: str = ""  # of the latest lease


class Lease(NamedTuple):
    """The right to process a message until `expires_at`."""

    token: str
    expires_at: int


class Renewal(NamedTuple):
    """The result of renewing a lease; `new` is None if the message exists no more."""

    old: str
    new: str | None
    expires_at: int


class Backlog:
    """The messages of one queue, by encoded key, in the order in which they become deliverable."""

    def __init__(self, new_token: Callable[[], str]) -> None:
        self._new_token = new_token
        self._messages: dict[bytes, _Message] = {}
        self._order: SortedDict[tuple[int, int], _Message] = SortedDict()
        self._numbers = count()
        self._leases: dict[str, tuple[_Message, int]] = {}  # by token: message, expiry
        self._expiries: list[tuple[int, str]] = []  # a heap

    def __len__(self) -> int:
        return len(self._messages)

    # ------------------------------------------------------------------ the rows of the queue

    def put(self, key: bytes, deliver_at: int) -> None:
        """Add a message, in place of any earlier message with the key."""
        self.remove(key)
        message = _Message(key, (deliver_at, next(self._numbers)))
        self._messages[key] = self._order[message.place] = message

    def remove(self, key: bytes) -> None:
        """Remove a message, which thereby is acknowledged."""
        message = self._messages.pop(key, None)
        if message is not None:
            del self._order[message.place]

    # ------------------------------------------------------------------ deliveries

    def deliverable(self, now: int) -> Iterator[bytes]:
        """Yield the keys of the messages that may be delivered now, longest due first.

        The messages must not change meanwhile.
        """
        return (self._order[place].key for place in self._order.irange(maximum=(now + 1, -1)))

    def next_due(self, now: int) -> int | None:
        """Return the time after `now` at which the next message becomes deliverable, or None."""
        place = next(self._order.irange(minimum=(now + 1, -1)), None)
        return None if place is None else int(place[0])

    def lease(self, key: bytes, now: int, token: str = "") -> Lease | None:
        """Deliver a message: lease it, under `token` if that is given.

        Return None if the message may not be delivered now.
        """
        message = self._messages.get(key)
        if message is None or message.place[0] > now:
            return None
        self._forget_expired(now)
        if message.first_delivery is None:
            message.first_delivery = now
        message.deliveries += 1
        lease = self._leased(message, now, token or self._new_token())
        self._move(message, max(lease.expires_at, now + _interval(message, now)))
        return lease

    def renew(self, token: str, now: int) -> Renewal | None:
        """Extend a lease under a new token. Return None for an unknown or expired token."""
        self._forget_expired(now)
        known = self._leases.get(token)
        if known is None:
            return None
        message, expires_at = known
        if self._messages.get(message.key) is not message or message.token != token:
            return Renewal(token, None, expires_at)
        lease = self._leased(message, now, self._new_token())
        self._move(message, max(lease.expires_at, message.place[0]))
        return Renewal(token, lease.token, lease.expires_at)

    def _leased(self, message: _Message, now: int, token: str) -> Lease:
        lease = Lease(token, now + LEASE_NANOS)
        message.token = lease.token
        self._leases[lease.token] = message, lease.expires_at
        heappush(self._expiries, (lease.expires_at, lease.token))
        return lease

    def _move(self, message: _Message, at: int) -> None:
        """Make a message deliverable at another time."""
        del self._order[message.place]
        message.place = at, next(self._numbers)
        self._order[message.place] = message

    def _forget_expired(self, now: int) -> None:
        while self._expiries and self._expiries[0][0] <= now:
            del self._leases[heappop(self._expiries)[1]]


def _interval(message: _Message, now: int) -> int:
    """Return the time from this delivery to the next."""
    assert message.first_delivery is not None
    if now - message.first_delivery >= NANOS_PER_HOUR:
        return NANOS_PER_HOUR
    return min(LEASE_NANOS << (message.deliveries - 1), NANOS_PER_HOUR)
