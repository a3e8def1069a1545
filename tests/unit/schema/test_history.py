"""The generations of a schema through time."""

from __future__ import annotations

from spanemu.base.clock import BEGINNING
from spanemu.schema.history import History


def history() -> History[str]:
    """Return a history of generations from 10, 20 and 30 on."""
    letters = History("")
    for at, letter in ((10, "a"), (20, "b"), (30, "c")):
        letters.append(letter, at)
    return letters


def test_a_generation_is_current_until_the_next() -> None:
    letters = history()
    assert [letters.at(at) for at in (9, 10, 19, 20, 35)] == ["", "a", "a", "b", "c"]
    assert [letters.start(at) for at in (9, 25)] == [BEGINNING, 20]
    assert (letters.current, letters.latest) == ("c", 30)


def test_generations_that_ended_before_the_horizon_are_forgotten() -> None:
    letters = history()
    kept = letters.copy()
    letters.forget(5)
    assert len(letters.all()) == 4
    letters.forget(25)
    assert letters.all() == ["b", "c"]
    assert [letters.at(at) for at in (5, 25, 30)] == ["b", "b", "c"]
    assert letters.start(5) == 20
    letters.append("d", 40)
    letters.forget(100)
    assert (letters.all(), letters.current, letters.latest) == (["d"], "d", 40)
    assert kept.at(5) == ""
