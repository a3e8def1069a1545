"""Large bodies have room in turns; who holds up others by sending nothing is disconnected."""

from __future__ import annotations

import threading

import pytest

from spanemu.rest import bodies as module
from spanemu.rest.bodies import Bodies, Reading

SECONDS = 60.0
SIZE = 100 << 20


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LOOK_SECONDS", 0.01)


def take(bodies: Bodies, reading: Reading) -> threading.Thread:
    thread = threading.Thread(target=bodies.take, args=(reading, SIZE), daemon=True)
    thread.start()
    return thread


def test_a_body_waits_until_there_is_room() -> None:
    bodies, second = Bodies(), Reading(lambda: None)
    with bodies.reading(lambda: None) as first:
        bodies.take(first, SIZE)
        first.is_complete = True
        waiting = take(bodies, second)
        waiting.join(0.1)
        assert waiting.is_alive()
    waiting.join(SECONDS)
    assert second.size == SIZE


def test_a_client_that_sends_nothing_is_disconnected_if_others_wait() -> None:
    disconnected = threading.Event()
    bodies, second = Bodies(), Reading(lambda: None)
    with bodies.reading(disconnected.set) as first:
        bodies.take(first, SIZE)
        assert not disconnected.is_set()
        waiting = take(bodies, second)
        assert disconnected.wait(SECONDS)
    waiting.join(SECONDS)
    assert second.size == SIZE


def test_a_long_request_releases_its_memory_reservation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_SERVING_SECONDS", 0.0)
    bodies, second = Bodies(), Reading(lambda: None)
    with bodies.reading(lambda: None) as first:
        bodies.take(first, SIZE)
        first.is_complete = True
        take(bodies, second).join(SECONDS)
        assert (first.size, second.size) == (0, SIZE)


def test_the_client_for_which_most_is_held_is_disconnected() -> None:
    gone: list[str] = []
    bodies = Bodies()
    with (
        bodies.reading(lambda: gone.append("small")) as small,
        bodies.reading(lambda: gone.append("large")) as large,
    ):
        bodies.hold(small, module.HELD_BYTES_MAX // 4)
        bodies.hold(large, module.HELD_BYTES_MAX // 2)
        bodies.hold(small, module.HELD_BYTES_MAX // 8)
        assert gone == []
        bodies.hold(small, module.HELD_BYTES_MAX // 4)
        assert gone == ["small"]
        bodies.hold(large, module.HELD_BYTES_MAX // 4)
        assert gone == ["small"]


def test_a_body_with_a_turn_is_not_held() -> None:
    gone: list[str] = []
    bodies = Bodies()
    with bodies.reading(lambda: gone.append("first")) as first:
        bodies.hold(first, 1 << 20)
        bodies.take(first, SIZE)
        assert first.held_bytes == 0
    with bodies.reading(lambda: gone.append("second")) as second:
        bodies.hold(second, module.HELD_BYTES_MAX)
    assert gone == []
