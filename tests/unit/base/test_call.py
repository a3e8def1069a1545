"""Deadlines, cancellation, and which call is the current one."""

from __future__ import annotations

import threading

import pytest

from spanemu.base.call import Call, Cancelled, DeadlineExceeded, current
from spanemu.base.clock import monotonic
from spanemu.base.errors import Code


def test_a_call_without_a_deadline_never_ends() -> None:
    call = Call()
    call.check()
    assert call.seconds_left() is None


def test_a_passed_deadline() -> None:
    call = Call(deadline=monotonic() - 1)
    assert call.seconds_left() == 0.0
    with pytest.raises(DeadlineExceeded) as failure:
        call.check()
    assert failure.value.code is Code.DEADLINE_EXCEEDED


def test_a_deadline_to_come() -> None:
    call = Call(deadline=monotonic() + 1_000)
    call.check()
    left = call.seconds_left()
    assert left is not None
    assert 0 < left <= 1_000


def test_cancelling_comes_before_the_deadline() -> None:
    call = Call(deadline=monotonic() - 1)
    call.cancel()
    with pytest.raises(Cancelled) as failure:
        call.check()
    assert failure.value.code is Code.CANCELLED


def test_cancelling_wakes_everybody_once() -> None:
    call, woken = Call(), []
    call.on_cancel(lambda: woken.append("a"))
    call.on_cancel(lambda: woken.append("b"))
    call.cancel()
    call.cancel()
    assert woken == ["a", "b"]


def test_who_registers_too_late_is_woken_at_once() -> None:
    call, woken = Call(), []
    call.cancel()
    call.on_cancel(lambda: woken.append("late"))
    assert woken == ["late"]


def test_the_forgotten_are_not_woken() -> None:
    call, woken = Call(), []

    def wake() -> None:
        woken.append("x")

    call.on_cancel(wake)
    call.forget(wake)
    call.forget(wake)  # A second time is no error.
    call.cancel()
    assert woken == []


def test_a_waker_may_use_the_call() -> None:
    call = Call()
    call.on_cancel(lambda: call.forget(print))
    call.cancel()  # Wakers run outside the call's mutex, or this would hang.


def test_the_current_call_is_a_stack() -> None:
    outer, inner = Call(), Call()
    forever = current()
    with outer as entered:
        assert entered is outer
        with inner:
            assert current() is inner
        assert current() is outer
    assert current() is forever
    forever.check()


def test_a_failure_restores_the_call_before() -> None:
    before = current()
    with pytest.raises(ZeroDivisionError), Call():
        raise ZeroDivisionError
    assert current() is before


def test_each_thread_has_its_own_call() -> None:
    seen = []
    with Call() as call:
        thread = threading.Thread(target=lambda: seen.append(current()))
        thread.start()
        thread.join()
    assert seen[0] is not call
