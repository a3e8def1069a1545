from __future__ import annotations

import threading
from collections.abc import Sequence

import pytest

from spanemu.base.call import Call, Cancelled, DeadlineExceeded
from spanemu.base.clock import ManualClock, monotonic
from spanemu.base.errors import Unsupported
from spanemu.base.live import LiveReaders, LiveRow, LiveRows, Waker


class Words(LiveRows):
    """Words that a test says one after another."""

    def __init__(self, readers: LiveReaders | None = None, session: str = "") -> None:
        self.clock = ManualClock()
        super().__init__(self.clock, LiveReaders() if readers is None else readers, session)
        self.said: list[str] = []
        self.over = False

    def say(self, *words: str, over: bool = False) -> None:
        self.said += words
        self.over = over
        self.wake()

    def available(self) -> tuple[Sequence[LiveRow], bool]:
        said, self.said = self.said, []
        return [LiveRow((word,)) for word in said], self.over


def test_live_rows_yield_rows_and_waits() -> None:
    words = Words()
    words.say("a", "b")
    steps = words.steps()
    assert [next(steps), next(steps)] == [LiveRow(("a",)), LiveRow(("b",))]
    assert next(steps) is words
    words.say("c", over=True)
    assert list(steps) == [LiveRow(("c",))]


def test_a_listener_is_called_once_for_each_time_it_listens() -> None:
    words, calls = Words(), []
    words.listen(lambda: calls.append("at once"))  # Nothing was taken yet.
    words.listen(lambda: calls.append("woken"))
    assert calls == ["at once"]
    words.say("a")
    words.say("b")
    assert calls == ["at once", "woken"]
    words.listen(lambda: calls.append("b came before"))
    assert calls[2:] == ["b came before"]


def test_a_reader_is_woken_when_the_rows_are_due() -> None:
    words, calls = Words(), []
    words.listen(lambda: None)
    words.due = 5_000
    words.listen(lambda: calls.append("due"))
    words.clock.advance(4_000)
    assert not calls
    words.clock.advance(1_000)
    assert calls == ["due"]


def test_iterating_waits_for_rows() -> None:
    words = Words()
    thread = threading.Thread(target=lambda: words.say("a", over=True))
    thread.start()
    assert list(words) == [("a",)]
    thread.join()


def test_a_cancelled_call_ends_the_wait() -> None:
    with Call() as call:
        words = Words()
    threading.Thread(target=call.cancel).start()
    with pytest.raises(Cancelled):
        list(words)


def test_a_deadline_ends_the_wait() -> None:
    with Call(monotonic() + 0.01):
        words = Words()
    with pytest.raises(DeadlineExceeded):
        list(words)


def test_readers_of_a_session_or_all_fail() -> None:
    readers = LiveReaders()
    mine, other = Words(readers, "mine"), Words(readers, "other")
    readers.end(lambda: Unsupported("Reading"), "mine")
    with pytest.raises(Unsupported):
        mine.take()
    assert other.take() == ([], False)
    readers.close(lambda: Unsupported("Reading"))
    for item in (other, Words(readers)):
        with pytest.raises(Unsupported):
            item.take()
        item.close()
    mine.close()
    assert not len(readers)


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


def test_the_thread_ends_when_idle_and_starts_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spanemu.base.live._IDLE_SECONDS", 0.01)
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
