from __future__ import annotations

import pytest

from spanemu.control.errors import NotHeld
from spanemu.control.operations.held import Held


def test_a_thing_is_there_until_it_is_released() -> None:
    held: Held[str] = Held("snapshot")
    first, second = held.keep("a"), held.keep("b")
    assert held.get(first) == "a"
    assert held.release(first) == "a"
    for ask in (held.get, held.release):
        with pytest.raises(NotHeld):
            ask(first)
    assert held.get(second) == "b"


def test_what_is_over_does_not_pile_up() -> None:
    over: set[int] = set()
    held: Held[int] = Held("snapshot", over.__contains__)
    kept = held.keep(-1)
    for number in range(1_000):
        held.keep(number)
        over.add(number)
    assert len(held._things) < 200
    assert held.get(kept) == -1


def test_what_is_not_over_stays() -> None:
    held: Held[int] = Held("snapshot", lambda _: False)
    ids = [held.keep(number) for number in range(500)]
    assert [held.get(id_) for id_ in ids] == list(range(500))
