"""Random schedules find what the bound of interruptions leaves out; failures are shortened."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from spanemu import Emulator
from spanemu.explorer.actors import point
from tests.unit.explorer.programs import SCHEMA, fill, transfer


@pytest.fixture(scope="module")
def database() -> Iterator[Any]:
    with Emulator() as emulator:
        handle = emulator.create_database("app", SCHEMA)
        fill(handle.client())
        handle.settle()
        yield handle


class Log:
    """Actors that write their letters to a log, and return whether it begins in some way."""

    def __init__(self, beginning: str) -> None:
        self.letters: list[str] = []
        self._beginning = beginning

    def actors(self, count: int, steps: int) -> dict[str, Any]:
        """Return some actors with so many steps each."""
        return {letter: self._actor(letter, steps) for letter in "ABC"[:count]}

    def _actor(self, letter: str, steps: int) -> Any:
        def actor(client: Any) -> bool:
            for number in range(steps):
                point(f"{letter}{number}")
                self.letters.append(letter)
            return "".join(self.letters).startswith(self._beginning)

        return actor


def test_random_schedules_go_beyond_the_bound(database: Any) -> None:
    log = Log("ABA")
    options = {"preemptions": 0, "each": log.letters.clear}
    result = database.explore(log.actors(2, 2), **options)
    assert result.kind is not None
    assert result.phases["requests"] > 0
    assert result.schedule == "ABAB"


def test_failures_are_shortened(database: Any) -> None:
    # Fails if the second actor begins before the first has ended: "ABBBAA" has one interruption.
    log = Log("AB")
    result = database.explore(log.actors(2, 3), each=log.letters.clear, preemptions=9)
    assert result.schedule in ("ABBBAA", "ABAABB")


def test_searches_within_the_bound_need_no_random_schedules(database: Any) -> None:
    actors = {"x": transfer("a", "b", 1), "y": transfer("b", "a", 2)}
    result = database.explore(actors, preemptions=9)
    assert result.complete
    assert "random" not in result.phases


def test_random_schedules_end_when_they_show_nothing_new(database: Any) -> None:
    log = Log("never")
    result = database.explore(
        log.actors(2, 3), each=log.letters.clear, preemptions=0, schedules=5_000, seconds=60
    )
    assert result.complete, result.failure
    assert result.phases["random"] < 200


def test_four_transfers_in_a_ring_neither_fail_nor_leave_their_schedules(database: Any) -> None:
    pairs = {"w": ("a", "b"), "x": ("b", "a"), "y": ("b", "c"), "z": ("c", "a")}
    actors = {name: transfer(*pair, 1) for name, pair in pairs.items()}
    result = database.explore(actors, preemptions=0, schedules=250, faults=(), seconds=60)
    assert result.failure is None
    assert not [each for each in result.warnings if "followed" in each]
