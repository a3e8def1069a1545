"""Deadlines, cancellation, which call is the current one, and the line that made it."""

from __future__ import annotations

import threading
from functools import partial

import pytest

from spanemu.base.call import (
    NO_SITE,
    Call,
    CallSite,
    Cancelled,
    DeadlineExceeded,
    calling_site,
    current,
)
from spanemu.base.clock import monotonic
from spanemu.base.errors import Code


def test_a_call_without_a_deadline_never_ends() -> None:
    call = Call()
    call.check()
    assert call.seconds_left() is None


def test_a_passed_deadline_fails_the_check() -> None:
    call = Call(deadline=monotonic() - 1)
    assert call.seconds_left() == 0.0
    with pytest.raises(DeadlineExceeded) as failure:
        call.check()
    assert failure.value.code is Code.DEADLINE_EXCEEDED


def test_a_future_deadline_has_seconds_left() -> None:
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


def test_cancelling_wakes_every_waiter_once() -> None:
    call, woken = Call(), []
    call.on_cancel(lambda: woken.append("a"))
    call.on_cancel(lambda: woken.append("b"))
    call.cancel()
    call.cancel()
    assert woken == ["a", "b"]


def test_a_waker_registered_after_the_cancellation_is_called_at_once() -> None:
    call, woken = Call(), []
    call.cancel()
    call.on_cancel(lambda: woken.append("late"))
    assert woken == ["late"]


def test_removed_wakers_are_not_called() -> None:
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


def test_a_failure_restores_the_previous_call() -> None:
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


def helper() -> CallSite:
    return calling_site()


def in_comprehension() -> list[CallSite]:
    return [
        calling_site()
        for _ in range(2)
    ]  # fmt: skip


def line_of(function: object, offset: int) -> str:
    return f"{__file__}:{function.__code__.co_firstlineno + offset}"


def same(found: str, expected: str) -> bool:
    return expected.endswith(found) and found.startswith("tests")


def test_a_helper_is_named_with_its_caller() -> None:
    site = helper()
    assert same(site.line, line_of(helper, 1))
    assert same(site.caller, line_of(test_a_helper_is_named_with_its_caller, 1))


def test_library_frames_between_helper_and_caller_are_skipped() -> None:
    (site,) = set(map(lambda call: call(), [partial(helper)]))  # noqa: C417
    assert same(site.line, line_of(helper, 1))
    assert "test_call.py" in site.caller


def test_a_comprehension_belongs_to_the_function_around_it() -> None:
    first, second = in_comprehension()
    assert first == second
    assert same(first.line, line_of(in_comprehension, 2))
    assert same(first.caller, line_of(test_a_comprehension_belongs_to_the_function_around_it, 1))


def test_a_test_function_has_no_caller() -> None:
    assert calling_site().caller == ""


def test_a_call_from_an_event_loop_brings_its_lines_along() -> None:
    assert Call().site == NO_SITE
