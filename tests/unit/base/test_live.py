from __future__ import annotations

import threading
from collections.abc import Sequence

import pytest

from spanemu.base.call import Call, Cancelled, DeadlineExceeded
from spanemu.base.clock import ManualClock, monotonic
from spanemu.base.errors import Unsupported
from spanemu.base.live import LiveReaders, LiveRow, LiveRows


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


def test_steps_are_rows_and_waits() -> None:
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
    for each in (other, Words(readers)):
        with pytest.raises(Unsupported):
            each.take()
        each.close()
    mine.close()
    assert not len(readers)
