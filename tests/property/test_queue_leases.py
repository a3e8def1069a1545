"""The leases of a queue against a plain list of messages, under senders, receivers and time.

A message is delivered when the model says, never under two live leases, never again once it is
acknowledged, and at least once if it is not acknowledged first.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from spanemu.base.clock import NANOS_PER_HOUR, NANOS_PER_SECOND
from spanemu.queues.backlog import Backlog

SECOND, HOUR = NANOS_PER_SECOND, NANOS_PER_HOUR
LEASE = 10 * SECOND

KEYS = st.sampled_from([b"a", b"b", b"c", b"d"])
DELAYS = st.one_of(st.integers(-2, 3), st.sampled_from([LEASE, 40 * SECOND, 2 * HOUR]))
STEPS = st.one_of(
    st.integers(0, 2), st.sampled_from([LEASE - 1, LEASE, 25 * SECOND, HOUR // 2, HOUR])
)


@dataclass(eq=False)
class Message:
    """A message as the model knows it."""

    deliver_at: int
    deliveries: list[int] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)
    leased_until: int = 0

    def deliverable_at(self) -> int:
        """Return the time from which the message may be delivered."""
        if not self.deliveries:
            return self.deliver_at
        first, last = self.deliveries[0], self.deliveries[-1]
        interval = LEASE * 2 ** (len(self.deliveries) - 1)
        if last - first >= HOUR or interval > HOUR:
            interval = HOUR
        return max(last + interval, self.leased_until)


class Leases(RuleBasedStateMachine):
    """Senders, receivers and acknowledgements of one queue, in any order."""

    def __init__(self) -> None:
        super().__init__()
        numbers = count()
        self.backlog = Backlog(lambda: f"token {next(numbers)}")
        self.now = 0
        self.messages: dict[bytes, Message] = {}
        self.gone: list[Message] = []  # acknowledged, or replaced

    @rule(key=KEYS, delay=DELAYS)
    def send(self, key: bytes, delay: int) -> None:
        """Send a message under a key that is free."""
        if key not in self.messages:
            self.messages[key] = Message(self.now + delay)
            self.backlog.put(key, self.now + delay)

    @rule(key=KEYS)
    def acknowledge(self, key: bytes) -> None:
        """Delete a message, delivered or not; delete an absent one without effect."""
        self.backlog.remove(key)
        if key in self.messages:
            self.gone.append(self.messages.pop(key))

    @rule(step=STEPS)
    def wait(self, step: int) -> None:
        """Let time pass."""
        self.now += step

    @rule()
    def wait_for_the_next_message(self) -> None:
        """Let time pass to the next delivery, as a receiver does."""
        due = self.backlog.next_due(self.now)
        if due is not None:
            self.now = due

    @rule(size=st.integers(1, 3))
    def receive(self, size: int) -> None:
        """Receive at most a batch."""
        due = sorted(
            message.deliverable_at()
            for message in self.messages.values()
            if message.deliverable_at() <= self.now
        )
        keys = [
            key for key, _ in zip(self.backlog.deliverable(self.now), range(size), strict=False)
        ]
        assert [self.messages[key].deliverable_at() for key in keys] == due[:size]
        for key in keys:
            self.deliver(key)

    @precondition(lambda self: any(each.tokens for each in self.messages.values()))
    @rule(data=st.data())
    def renew(self, data: st.DataObject) -> None:
        """Renew a lease with one of the tokens of its message, or of another that is gone."""
        known = [each for each in (*self.messages.values(), *self.gone[-2:]) if each.tokens]
        message = data.draw(st.sampled_from(known))
        token = data.draw(st.sampled_from(message.tokens))
        renewal = self.backlog.renew(token, self.now)
        is_latest = token == message.tokens[-1] and message in self.messages.values()
        if is_latest and self.now < message.leased_until:
            assert renewal is not None
            assert renewal.new is not None
            assert renewal.expires_at == self.now + LEASE
            message.tokens.append(renewal.new)
            message.leased_until = renewal.expires_at
        else:
            assert renewal is None or renewal.new is None

    @invariant()
    def knows_the_next_delivery(self) -> None:
        """Check that a receiver that sleeps until the next delivery misses nothing."""
        later = [each.deliverable_at() for each in self.messages.values()]
        expected = min((at for at in later if at > self.now), default=None)
        assert self.backlog.next_due(self.now) == expected

    def teardown(self) -> None:
        """Receive what is left: each message is delivered at least once."""
        waiting = [each.deliver_at for each in self.messages.values() if not each.deliveries]
        self.now = max([self.now, *waiting])
        for key in list(self.backlog.deliverable(self.now)):
            self.deliver(key)
        assert all(message.deliveries for message in self.messages.values())

    def deliver(self, key: bytes) -> None:
        """Lease a message; no other lease of it may be alive."""
        message = self.messages[key]
        assert message.leased_until <= self.now
        lease = self.backlog.lease(key, self.now)
        assert lease is not None
        assert lease.expires_at == self.now + LEASE
        assert self.backlog.lease(key, self.now) is None
        message.deliveries.append(self.now)
        message.tokens.append(lease.token)
        message.leased_until = lease.expires_at


TestLeases = Leases.TestCase
TestLeases.settings = settings(max_examples=30, stateful_step_count=30)
