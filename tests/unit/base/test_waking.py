from __future__ import annotations

import threading

import pytest

from spanemu.base import waking
from spanemu.base.waking import Waker

SECONDS = 60.0


def test_signals_wake_soon_on_another_thread() -> None:
    woken, names = threading.Event(), []

    def wake() -> None:
        names.append(threading.current_thread().name)
        woken.set()

    waker = Waker(wake)
    for _ in range(3):
        waker.signal()
        assert woken.wait(SECONDS)
        woken.clear()
    assert threading.current_thread().name not in names


def test_a_burst_of_signals_wakes_a_few_times_and_once_after_the_last() -> None:
    signalled, seen, done, all_signalled = 0, [], threading.Event(), threading.Event()

    def wake() -> None:
        seen.append(signalled)
        if signalled == 10_000:
            done.set()
        all_signalled.wait(SECONDS)  # However the threads take turns, the burst lasts for one.

    waker = Waker(wake)
    for _ in range(10_000):
        signalled += 1
        waker.signal()
    all_signalled.set()
    assert done.wait(SECONDS)
    assert len(seen) <= 2


def test_a_failure_does_not_end_the_waking(caplog: pytest.LogCaptureFixture) -> None:
    woken = threading.Event()

    def wake() -> None:
        woken.set()
        raise KeyError

    waker = Waker(wake)
    for _ in range(2):
        waker.signal()
        assert woken.wait(SECONDS)
        woken.clear()
    assert "KeyError" in caplog.text


def test_the_thread_ends_when_it_is_idle_and_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waking, "_IDLE_SECONDS", 0.01)
    woken = threading.Event()
    waker = Waker(woken.set)
    for _ in range(3):
        waker.signal()
        assert woken.wait(SECONDS)
        woken.clear()
        thread = waker._thread
        if thread is not None:
            thread.join(SECONDS)
        assert waker._thread is None
