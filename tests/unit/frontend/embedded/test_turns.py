from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from time import monotonic

import pytest

import spanemu
from spanemu.base.call import Call, serving, serving_threads
from spanemu.frontend.embedded import turns as module
from spanemu.frontend.embedded.status import EmbeddedCall
from spanemu.frontend.embedded.turns import Turns

SECONDS_MAX = 60.0


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a thread run only when it is called, and end each turn after one call."""
    for name in ("TURN_SECONDS_MAX", "POLL_SECONDS", "LONG_SECONDS"):
        monkeypatch.setattr(module, name, SECONDS_MAX)
    monkeypatch.setattr(module, "ROUND_SECONDS", 0.0)


class Others:
    """Threads that each begin a call, and pass the turn on."""

    def __init__(self, turns: Turns) -> None:
        self._turns = turns
        self._threads: list[threading.Thread] = []
        self.began: list[int] = []

    def add(self) -> None:
        """Start a thread, and return when it waits for its turn."""
        number, turns = len(self._threads), self._turns

        def work() -> None:
            turns.begin()
            self.began.append(number)
            turns.end()
            turns.pause()

        thread = threading.Thread(target=work, daemon=True)
        self._threads.append(thread)
        thread.start()
        wait_until(lambda: turns.waiting == len(self._threads) or not thread.is_alive())

    def join(self) -> None:
        """Wait for the threads to end."""
        for thread in self._threads:
            thread.join(SECONDS_MAX)
            assert not thread.is_alive()


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = monotonic() + SECONDS_MAX
    while not condition():
        assert monotonic() < deadline


@pytest.fixture
def turns() -> Turns:
    return Turns()


@pytest.fixture
def others(turns: Turns) -> Iterator[Others]:
    threads = Others(turns)
    yield threads
    threads.join()


@pytest.mark.usefixtures("patient")
def test_first_come_first_served(turns: Turns, others: Others) -> None:
    turns.begin()
    for _ in range(4):
        others.add()
    assert not others.began
    turns.pause()
    others.join()
    assert others.began == [0, 1, 2, 3]


@pytest.mark.usefixtures("patient")
def test_a_turn_ends_with_a_call(turns: Turns, others: Others) -> None:
    turns.begin()
    others.add()
    others.add()
    turns.end()
    turns.begin()  # Returns after the others had their turns.
    assert others.began == [0, 1]
    turns.end()


@pytest.mark.usefixtures("patient")
def test_a_stream_keeps_its_turn_to_its_end(turns: Turns, others: Others) -> None:
    turns.begin()
    others.add()
    for _ in range(3):
        turns.leave()
        turns.begin()
    assert not others.began
    turns.end()
    others.join()
    assert others.began == [0]


@pytest.mark.usefixtures("patient")
def test_a_long_stream_passes_its_turn_on(
    turns: Turns, others: Others, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns.begin()
    others.add()
    monkeypatch.setattr(module, "TURN_SECONDS_MAX", 0.0)
    turns.leave()
    others.join()
    assert others.began == [0]


@pytest.mark.usefixtures("patient")
def test_a_turn_lasts_for_the_calls_that_fit_into_its_share(
    turns: Turns, others: Others, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1_000.0
    monkeypatch.setattr(module, "ROUND_SECONDS", 0.004)
    monkeypatch.setattr(module, "monotonic", lambda: now)

    def began_after_calls(count: int) -> list[int]:
        nonlocal now
        for _ in range(count):
            turns.begin()
            now += 0.0003
            turns.end()
        return others.began.copy()

    turns.begin()
    for _ in range(3):
        others.add()
    assert not began_after_calls(2)  # A fourth call would end after 1.2 ms, the share is 1 ms.
    assert began_after_calls(2) == [0, 1, 2]


def test_a_thread_that_ends_within_its_share_does_not_block_others(
    turns: Turns, others: Others, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "ROUND_SECONDS", SECONDS_MAX)
    monkeypatch.setattr(module, "LONG_SECONDS", SECONDS_MAX)
    turns.begin()
    others.add()
    assert not others.began
    turns.end()  # keeps the turn, since many calls fit into the share
    others.join()
    assert others.began == [0]


@pytest.mark.usefixtures("patient")
def test_a_turn_lasts_for_some_calls_where_passing_it_on_takes_long(
    turns: Turns, others: Others
) -> None:
    turns._pass_seconds = SECONDS_MAX
    turns.begin()
    others.add()
    for _ in range(3):
        turns.end()
        turns.begin()
    assert not others.began
    turns.pause()


@pytest.mark.usefixtures("patient")
def test_a_thread_waits_behind_others_though_nobody_calls(turns: Turns, others: Others) -> None:
    turns._pass_seconds = SECONDS_MAX
    turns.begin()
    others.add()
    turns.end()  # keeps the turn
    others.add()
    assert turns.waiting == 2
    turns.begin()
    turns.pause()
    others.join()
    assert others.began == [0, 1]


@pytest.mark.usefixtures("patient")
def test_threads_run_freely_where_passing_turns_on_takes_too_long(
    turns: Turns, others: Others
) -> None:
    now = 1000.0  # to which the seconds below can be added without rounding
    turns._stopped = now - 1.0
    turns._count_pass(now)  # A single slow pass does not decide.
    assert turns._free_until == 0.0
    first, most = module.FREE_SECONDS
    freed = []
    for _ in range(10 * module._REMEMBERED):
        turns._count_pass(now)
        freed.append(turns._free_until - now)
    assert first in freed
    assert 2 * first in freed
    assert max(freed) == most
    turns._free_until = monotonic() + SECONDS_MAX
    turns.begin()
    others.add()
    others.join()
    assert others.began == [0]


@pytest.mark.usefixtures("patient")
def test_a_call_within_a_call_keeps_the_turn(turns: Turns, others: Others) -> None:
    turns.begin()
    others.add()
    turns.begin()
    assert not others.began
    turns.pause()


@pytest.mark.parametrize(
    "afterwards",
    [Turns.end, Turns.leave, lambda turns: None],
    ids=["gone-away", "stream-not-read-on", "long-call"],
)
def test_a_thread_that_keeps_its_turn_does_not_block_others(
    turns: Turns, others: Others, afterwards: Callable[[Turns], None]
) -> None:
    turns.begin()
    afterwards(turns)
    others.add()
    others.join()
    assert others.began == [0]


def test_a_call_that_waits_passes_its_turn_on(monkeypatch: pytest.MonkeyPatch) -> None:
    paused: list[bool] = []
    monkeypatch.setattr(module.turns, "pause", lambda: paused.append(True))
    EmbeddedCall("/service/Method", None).signal().wait(0)
    assert paused == [True]


def test_threads_are_counted_when_they_first_serve(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving_threads, "are_several", False)
    assert serving.call is None  # This thread was counted before.
    assert not serving_threads.are_several

    def serve() -> None:
        with Call():
            pass

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    thread.join(SECONDS_MAX)
    assert serving_threads.are_several


def test_calls_of_several_threads_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving_threads, "are_several", True)
    callers: list[int] = []
    begin = Turns.begin

    def recorded(self: Turns) -> None:
        begin(self)
        callers.append(threading.get_ident())

    monkeypatch.setattr(Turns, "begin", recorded)
    with spanemu.Emulator() as emulator:
        database = emulator.create_database("turns").client()

        def call() -> None:
            for _ in range(20):
                with database.snapshot() as snapshot:
                    assert list(snapshot.execute_sql("SELECT 1")) == [[1]]

        threads = [threading.Thread(target=call, daemon=True) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(SECONDS_MAX)
            assert not thread.is_alive()
    assert len(set(callers)) >= 2
    assert module.turns.waiting == 0
