"""The order of tasks that are due: clients take turns."""

from __future__ import annotations

from collections import deque
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanemu.http2.tasks import HEAVY_TURNS, Due, Task


class Client:
    def __init__(self) -> None:
        self.tasks: deque[Any] = deque()


class Step:
    def __init__(self, client: Client, *, heavy: bool = False, number: int = 0) -> None:
        self.client = client
        self.number = number
        self._heavy = heavy

    def is_heavy(self) -> bool:
        return self._heavy

    def is_quick(self) -> bool:
        return not self._heavy

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
    assert due.count == 4
    assert [due.popleft() for _ in range(4)] == [many[0], many[1], only, many[2]]
    assert not due.count
    with pytest.raises(IndexError):
        due.popleft()


def test_the_next_task_of_a_client() -> None:
    due, client, other = Due(), Client(), Client()
    steps = [Step(client), Step(client)]
    assert due.next_of(client) is None
    due.append(steps[0])
    assert (due.next_of(client), due.next_of(other)) == (steps[0], None)
    due.append(steps[1])
    assert (due.next_of(client), due.next_of(other)) == (steps[0], None)
    due.popleft()
    assert due.next_of(client) is steps[1]
    due.popleft()
    assert due.next_of(client) is None


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
    assert due.count == 49


def test_heavy_tasks_come_last_but_come() -> None:
    due, heavy = Due(), [Step(Client(), heavy=True) for _ in range(3)]
    for step in heavy:
        due.append(step)
    light = Step(Client())
    due.append(light)
    assert due.popleft() is light
    assert due.popleft() is heavy[0]
    crowd = [Step(Client()) for _ in range(HEAVY_TURNS + 1)]
    for step in crowd:
        due.append(step)
    assert [due.popleft() for _ in range(HEAVY_TURNS)] == crowd[:-1]
    assert [due.popleft() for _ in range(3)] == [heavy[1], crowd[-1], heavy[2]]
    assert not due.count


def test_a_heavy_task_does_not_overtake_those_of_its_client() -> None:
    due, client = Due(), Client()
    steps = [Step(client, heavy=heavy) for heavy in (False, True, False)]
    for step in steps:
        due.append(step)
    other = Step(Client())
    assert due.popleft() is steps[0]
    due.append(other)
    assert [due.popleft() for _ in range(3)] == [other, *steps[1:]]


def test_tasks_added_at_the_front_run_first() -> None:
    due, client = Due(), Client()
    later, first = Step(client), Step(client)
    due.append(later)
    due.appendleft(first)
    assert [due.popleft(), due.popleft()] == [first, later]


def numbers(due: Due, count: int) -> list[Any]:
    """Return the numbers of the next tasks."""
    tasks: list[Any] = [due.popleft() for _ in range(count)]
    return [task.number for task in tasks]


class InRows(Due):
    """Tasks that are due, none of which ever counts as alone."""

    def append(self, task: Task) -> None:
        self._line_up(task)
        self.count += 1


@given(st.lists(st.tuples(st.integers(-3, 2), st.sampled_from(["light", "heavy", "first"]))))
def test_a_lone_task_changes_no_order(moves: list[tuple[int, str]]) -> None:
    orders = []
    for due in (Due(), InRows()):
        clients = [Client() for _ in range(3)]
        order: list[Any] = []
        for number, (client, kind) in enumerate(moves):
            if client < 0:
                order.append(numbers(due, min(1, due.count)))
                continue
            step = Step(clients[client], heavy=kind == "heavy", number=number)
            if kind == "first":
                due.appendleft(step)
            else:
                due.append(step)
        orders.append((order, numbers(due, due.count)))
    assert orders[0] == orders[1]
