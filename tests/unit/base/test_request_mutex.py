"""Requests that wait for a mutex: in turn, until they are cancelled."""

from __future__ import annotations

import threading

import pytest

from spanemu.base.call import Call, Cancelled, DeadlineExceeded
from spanemu.base.clock import monotonic
from spanemu.base.request_mutex import RequestMutex

SECONDS = 60.0


class _Request:
    """A request on a thread of its own, which takes the mutex until it is released."""

    def __init__(self, mutex: RequestMutex, call: Call | None = None) -> None:
        self.call = call or Call()
        self.entered, self.release = threading.Event(), threading.Event()
        self.failure: Exception | None = None
        self._mutex = mutex
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        try:
            with self.call, self._mutex:
                self.entered.set()
                self.release.wait(SECONDS)
        except Exception as failure:
            self.failure = failure

    def end(self) -> None:
        self.release.set()
        self.thread.join(SECONDS)
        assert not self.thread.is_alive()


def _wait_for(mutex: RequestMutex, count: int) -> None:
    end = monotonic() + SECONDS
    while len(mutex.waiting) != count:
        assert monotonic() < end
        threading.Event().wait(0.001)


def test_requests_take_turns_in_their_order() -> None:
    mutex = RequestMutex()
    requests = []
    for count in range(4):
        requests.append(_Request(mutex))
        _wait_for(mutex, count) if count else requests[0].entered.wait(SECONDS)
    for request in requests:
        assert request.entered.wait(SECONDS)
        assert sum(each.entered.is_set() for each in requests) == requests.index(request) + 1
        request.end()
    assert mutex.waiting == []


def test_a_request_may_take_the_mutex_again() -> None:
    mutex = RequestMutex()
    with mutex, mutex:
        waiting = _Request(mutex)
        _wait_for(mutex, 1)
    assert waiting.entered.wait(SECONDS)
    waiting.end()


def test_a_cancelled_request_leaves_the_line() -> None:
    mutex = RequestMutex()
    with mutex:
        leaves = _Request(mutex)
        _wait_for(mutex, 1)
        stays = _Request(mutex)
        _wait_for(mutex, 2)
        leaves.call.cancel()
        leaves.end()
        assert isinstance(leaves.failure, Cancelled)
    assert stays.entered.wait(SECONDS)
    stays.end()


def test_a_deadline_ends_the_wait() -> None:
    mutex = RequestMutex()
    with mutex:
        late = _Request(mutex, Call(monotonic() + 0.01))
        late.end()
    assert isinstance(late.failure, DeadlineExceeded)
    assert mutex.waiting == []


def test_a_request_that_outlasts_its_client_waits_on() -> None:
    mutex = RequestMutex(outlasts=True)
    with mutex:
        waiting = _Request(mutex)
        _wait_for(mutex, 1)
        waiting.call.cancel()
        waiting.thread.join(0.05)
        assert waiting.thread.is_alive()
    assert waiting.entered.wait(SECONDS)
    waiting.end()


@pytest.mark.parametrize("seconds", [0.0, 0.01])
def test_a_signal_that_nobody_sets_ends_after_its_seconds(seconds: float) -> None:
    signal = Call().signal()
    assert not signal.wait(seconds)
    assert not signal.is_set()


def test_a_signal_ends_with_its_call() -> None:
    call = Call()
    signal, other = call.signal(), Call().signal()
    call.cancel()
    assert signal.wait(SECONDS)
    other.set()
    assert other.wait(SECONDS)
    assert not Call(monotonic()).signal().wait(SECONDS)
