"""What a server keeps is counted; the largest client goes, and large messages come in turns."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from spanemu.http2 import account as module
from spanemu.http2.account import LOOK_SECONDS, MEBIBYTE, Account

SIZE = 100 * MEBIBYTE


class Client:
    """A client that records its eviction."""

    def __init__(self, account: Account) -> None:
        self.account = account
        self.held_bytes = 0
        self.uploads = 0
        self.is_evicted = self.is_busy = False
        account.open(self)

    def has_input(self) -> bool:
        return self.is_busy

    def evict(self) -> None:
        self.is_evicted = True
        self.account.change(self, 0)


class Message:
    """A large message, and what happens to it."""

    def __init__(self, holder: Client) -> None:
        self.holder = holder
        self.arrived_bytes = 0
        self.has_ended = False
        self.events: list[str] = []

    def turn_began(self) -> None:
        self.events.append("began")

    def turn_lost(self) -> None:
        self.events.append("lost")


class Clock:
    """A clock that stands still."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Iterator[Clock]:
    return Clock()


@pytest.fixture
def account(clock: Clock) -> Account:
    return Account(clock)


def lined_up(account: Account, *clients: Client) -> list[Message]:
    messages = [Message(client) for client in clients]
    for message in messages:
        account.line_up(message, SIZE)
    return messages


def test_the_client_that_holds_most_goes(account: Account, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "HELD_BYTES_MAX", 10 * MEBIBYTE)
    small, large, late = (Client(account) for _ in range(3))
    account.change(small, 2 * MEBIBYTE)
    account.change(large, 7 * MEBIBYTE)
    assert not large.is_evicted
    account.change(late, 3 * MEBIBYTE)
    assert [each.is_evicted for each in (small, large, late)] == [False, True, False]
    assert account.total_bytes == 5 * MEBIBYTE


def test_clients_that_hold_little_stay(account: Account, monkeypatch: pytest.MonkeyPatch) -> None:
    # What is kept for a client that has gone, until its requests end, costs nobody else.
    monkeypatch.setattr(module, "HELD_BYTES_MAX", MEBIBYTE)
    gone, small = Client(account), Client(account)
    account.close(gone)
    account.change(small, 1_000)
    account.change(gone, 5 * MEBIBYTE)
    assert not small.is_evicted


def test_large_messages_come_in_turns(account: Account) -> None:
    messages = lined_up(account, *(Client(account) for _ in range(4)))
    assert [each.events for each in messages] == [["began"], ["began"], [], []]
    assert account.reserved_bytes == 2 * SIZE
    account.leave(messages[0])
    assert messages[2].events == ["began"]
    for message in messages:
        account.leave(message)
    assert (account.total_bytes, account.has_line) == (0, False)


def test_a_message_larger_than_the_room_has_its_turn_alone(account: Account) -> None:
    message = Message(Client(account))
    account.line_up(message, 10 * SIZE)
    assert message.events == ["began"]


def test_the_second_message_of_a_client_waits_for_the_first_of_others(account: Account) -> None:
    greedy, other = Client(account), Client(account)
    first, second, third, fourth = lined_up(account, greedy, greedy, greedy, greedy)
    (modest,) = lined_up(account, other)
    account.leave(first)
    assert (modest.events, third.events) == (["began"], [])
    account.leave(second)
    assert (third.events, fourth.events) == (["began"], [])


def test_a_client_that_sends_nothing_loses_its_turn(account: Account, clock: Clock) -> None:
    idle, busy = lined_up(account, Client(account), Client(account))
    clock.now += LOOK_SECONDS
    account.look()
    assert idle.events == ["began"]  # Nobody waits.
    (waiting,) = lined_up(account, Client(account))
    busy.arrived_bytes = 10 * MEBIBYTE
    account.look()
    assert (idle.events, busy.events, waiting.events) == (["began", "lost"], ["began"], ["began"])
    assert account.has_line  # It waits again.
    account.leave(busy)
    assert idle.events == ["began", "lost", "began"]


def test_a_slow_client_loses_its_turn_eventually(account: Account, clock: Clock) -> None:
    slow, _, waiting = lined_up(account, *(Client(account) for _ in range(3)))
    slow.holder.is_busy = True
    while clock.now < 100 and slow.events == ["began"]:
        clock.now += LOOK_SECONDS
        slow.arrived_bytes += 1_000
        account.look()
    assert slow.events[1] == "lost"
    assert "began" in waiting.events


def test_a_complete_message_that_is_served_for_long_is_held_instead(
    account: Account, clock: Clock
) -> None:
    served, _, waiting = lined_up(account, *(Client(account) for _ in range(3)))
    served.has_ended = True
    clock.now += LOOK_SECONDS
    account.look()
    assert served.events == ["began"]
    clock.now += 60
    account.look()
    assert served.events == ["began", "lost"]
    assert waiting.events == ["began"]


def test_messages_that_leave_the_line_leave_nothing(account: Account) -> None:
    client = Client(account)
    lined_up(account, client, client)
    for message in lined_up(account, *[client] * 1_000):
        account.leave(message)
    assert len(account._line) < 200
    assert client.uploads == 2


def test_memory_is_returned_for_what_was_freed_after_it_had_left_the_account(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    returned: list[int] = []
    monkeypatch.setattr(module, "_trim", lambda: returned.append(account.held_bytes))
    account = Account(clock)
    stays, leaves = Client(account), Client(account)
    account.change(stays, MEBIBYTE)
    account.change(leaves, SIZE)
    account.change(leaves, 0)
    account.return_memory()  # Most of the requests are still there.
    assert returned == [MEBIBYTE]
    account.return_memory()
    assert returned == [MEBIBYTE]
    account.freed(SIZE)
    account.return_memory()
    account.return_memory()
    assert returned == [MEBIBYTE, MEBIBYTE]
