"""Actors that do not repeat themselves are reported with the first request that differs."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from spanemu import Emulator
from spanemu.explorer.errors import CannotExplore
from tests.unit.explorer.programs import SCHEMA, balance, blind, fill, transfer


@pytest.fixture(scope="module")
def database() -> Iterator[Any]:
    with Emulator() as emulator:
        handle = emulator.create_database("app", SCHEMA)
        fill(handle.client())
        handle.settle()
        yield handle


def test_other_requests_are_shown(database: Any) -> None:
    calls: list[int] = []

    def grows(client: Any) -> None:
        calls.append(1)
        for _ in calls:
            blind("a", 1)(client)

    with pytest.raises(CannotExplore, match=r"First: SELECT Bal .*Then|the answers or rows differ"):
        database.explore([grows])


def test_other_answers_are_shown(database: Any) -> None:
    calls: list[int] = []

    def counts(client: Any) -> int:
        calls.append(1)
        blind("a", 1)(client)
        return len(calls)

    with pytest.raises(CannotExplore, match=r"the answers or rows differ \(counts: \d\)"):
        database.explore([counts])


def test_shared_python_state_is_reported(database: Any) -> None:
    state = {"turn": 0}

    def first(client: Any) -> None:
        blind("b", 1)(client)
        state["turn"] += 1

    def second(client: Any) -> None:
        blind("a", 1)(client)
        if state["turn"]:
            transfer("a", "b", 1)(client)

    result = database.explore(
        [first, second],
        each=lambda: state.update(turn=0),
        compare=None,
        invariant=lambda client: True,
    )
    (warning,) = [each for each in result.warnings if "followed" in each]
    assert "First: " in warning


def test_state_that_is_reset_repeats(database: Any) -> None:
    calls: list[int] = []

    def counts(client: Any) -> int:
        calls.append(1)
        with client.snapshot() as snapshot:
            return len(calls) + balance(snapshot, "a")

    result = database.explore([counts], each=calls.clear)
    assert result.complete, result.failure


def test_functions_that_always_raise_are_warned_about(database: Any) -> None:
    def fails(client: Any) -> None:
        blind("a", 1)(client)
        raise AttributeError("no name")

    result = database.explore([fails, blind("a", 2)])
    assert result.warnings == [
        "fails raised AttributeError('no name') in every serial order",
    ]


def test_random_functions_of_python_repeat_for_each_actor(database: Any) -> None:
    def add(client: Any) -> int | None:
        blind("a", 1)(client)
        with client.snapshot() as snapshot:
            is_second = balance(snapshot, "a") == 102
        return random.randrange(10**9) if is_second else None

    actors = {"x": add, "y": add}
    result = database.explore(
        actors, compare=None, invariant=lambda client: True, faults=()
    )  # A client that repeats a commit draws its delay.
    answers = [{outcome.answers[actor] for outcome in result.outcomes} for actor in (0, 1)]
    assert [len(each - {"returned None"}) for each in answers] == [1, 1]
    assert answers[0] != answers[1]


def test_assertions_that_fail_in_a_serial_order_fail(database: Any) -> None:
    def checks(client: Any) -> None:
        with client.snapshot() as snapshot:
            assert balance(snapshot, "a") == 100

    result = database.explore([checks, blind("a", 2)])
    assert result.kind == "invariant"
    assert "checks raised AssertionError" in result.failure
    assert "without any concurrency" in result.failure
    assert database.explore([checks], allow_errors=(AssertionError,)).complete
