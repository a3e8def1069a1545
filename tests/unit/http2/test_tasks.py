"""The order of tasks that are due: clients take turns."""

from __future__ import annotations

from collections import deque
from typing import Any

import pytest

from spanemu.http2.tasks import Due


class Client:
    def __init__(self) -> None:
        self.tasks: deque[Any] = deque()


class Step:
    def __init__(self, client: Client) -> None:
        self.client = client

    def starts(self) -> bool:
        return True

    def run(self) -> None:
        """Do nothing."""

    def deliver(self) -> bool:
        return False


def test_clients_take_turns() -> None:
    due, crowd, other = Due(), Client(), Client()
    many = [Step(crowd) for _ in range(3)]
    for step in many:
        due.append(step)
    only = Step(other)
    due.append(only)
    assert len(due) == 4
    assert [due.popleft() for _ in range(4)] == [many[0], many[1], only, many[2]]
    assert not due
    with pytest.raises(IndexError):
        due.popleft()


def test_a_client_with_one_task_need_not_wait_for_a_crowd() -> None:
    due, crowds = Due(), [Client() for _ in range(50)]
    for crowd in crowds:
        for _ in range(3):
            due.append(Step(crowd))
    for _ in range(100):  # until each has had a turn
        due.popleft()
    single = Step(Client())
    due.append(single)
    assert single in [due.popleft() for _ in range(2)]
    assert len(due) == 49


def test_what_comes_first_waits_for_nobody() -> None:
    due, client = Due(), Client()
    later, first = Step(client), Step(client)
    due.append(later)
    due.appendleft(first)
    assert [due.popleft(), due.popleft()] == [first, later]
