from __future__ import annotations

import pytest

from spanemu.base.call import Call
from spanemu.control import dispatch as module
from spanemu.control.dispatch import HandleRegistry
from spanemu.control.operation import SILENT_SECONDS_MAX, HandleExpired


class Line:
    """A client's connection."""

    def __init__(self) -> None:
        self.is_there = True

    def is_open(self) -> bool:
        return self.is_there


def through(line: Line) -> Call:
    """Return a request that arrives over a connection."""
    call = Call()
    call.connection = line
    return call


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return a list whose only item is the machine's time."""
    now = [1_000.0]
    monkeypatch.setattr(module, "monotonic", lambda: now[0])
    return now


@pytest.fixture
def freed() -> list[str]:
    return []


@pytest.fixture
def held(time: list[float], freed: list[str]) -> HandleRegistry[str]:
    return HandleRegistry("snapshot", freed.append)


def test_a_value_is_kept_until_it_is_released(held: HandleRegistry[str], freed: list[str]) -> None:
    first, second = held.keep("a"), held.keep("b")
    assert held.get(first) == "a"
    assert held.release(first) == "a"
    for ask in (held.get, held.release):
        with pytest.raises(HandleExpired):
            ask(first)
    assert held.get(second) == "b"
    assert freed == []


def test_values_of_a_lost_client_are_freed(
    held: HandleRegistry[str], freed: list[str], time: list[float]
) -> None:
    lost, here = Line(), Line()
    with through(lost):
        lost_id = held.keep("a")
    with through(here):
        kept = held.keep("b")
    lost.is_there = False
    time[0] += SILENT_SECONDS_MAX + 1
    with through(here):
        held.keep("c")
    assert freed == ["a"]
    assert held.get(kept) == "b"
    with pytest.raises(HandleExpired):
        held.get(lost_id)


def test_a_client_may_reconnect(
    held: HandleRegistry[str], freed: list[str], time: list[float]
) -> None:
    old, new = Line(), Line()
    with through(old):
        kept = held.keep("a")
    old.is_there = False
    time[0] += SILENT_SECONDS_MAX - 1
    with through(new):
        assert held.get(kept) == "a"
    time[0] += SILENT_SECONDS_MAX + 1
    held.keep("b")
    assert freed == []


def test_values_held_by_this_process_are_kept(
    held: HandleRegistry[str], freed: list[str], time: list[float]
) -> None:
    kept = held.keep("a")
    time[0] += 100 * SILENT_SECONDS_MAX
    held.keep("b")
    assert held.get(kept) == "a"
    assert freed == []
