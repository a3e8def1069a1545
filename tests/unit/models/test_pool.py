"""The threads for functions of tests: results, errors, deadlines, abandoned functions."""

from __future__ import annotations

import threading

import pytest

from spanemu.base.call import Call, Cancelled, DeadlineExceeded
from spanemu.base.clock import monotonic
from spanemu.models.errors import PoolClosed, TooManyAbandoned
from spanemu.models.pool import ABANDONED_MAX, Pool


@pytest.fixture
def pool():
    made = Pool()
    yield made
    made.close()


def test_a_result_comes_back_from_another_thread(pool):
    here = threading.get_ident()
    assert pool.run(lambda job: threading.get_ident(), "f") != here


def test_an_error_is_raised(pool):
    def fail(job):
        raise ValueError("boom")

    with pytest.raises(ValueError, match="boom"):
        pool.run(fail, "f")
    assert pool.run(lambda job: 5, "f") == 5


def test_one_thread_serves_one_call_after_another(pool):
    threads = {pool.run(lambda job: threading.get_ident(), "f") for _ in range(20)}
    assert len(threads) == 1


def test_a_deadline_abandons_the_function(pool):
    release, ended = threading.Event(), threading.Event()

    def hang(job):
        release.wait()
        ended.set()
        return job.is_abandoned

    with Call(monotonic() + 0.05), pytest.raises(DeadlineExceeded):
        pool.run(hang, "hang of m")
    assert pool.abandoned == ["hang of m"]
    release.set()
    assert ended.wait(5)
    assert pool.run(lambda job: 1, "f") == 1


def test_a_cancellation_abandons_the_function(pool):
    release, began = threading.Event(), threading.Event()
    call = Call()

    def hang(job):
        began.set()
        release.wait()

    def cancel():
        began.wait()
        call.cancel()

    canceller = threading.Thread(target=cancel)
    canceller.start()
    try:
        with call, pytest.raises(Cancelled):
            pool.run(hang, "hang")
    finally:
        release.set()
        canceller.join()


def test_after_eight_abandoned_functions_calls_are_refused(pool):
    release = threading.Event()
    try:
        for number in range(ABANDONED_MAX):
            with Call(monotonic() + 0.01), pytest.raises(DeadlineExceeded):
                pool.run(lambda job: release.wait(), f"hang {number}")
        with pytest.raises(TooManyAbandoned, match="hang 7"):
            pool.run(lambda job: 1, "f")
    finally:
        release.set()


def test_a_closed_pool_runs_nothing(pool):
    pool.run(lambda job: 1, "f")
    pool.close()
    with pytest.raises(PoolClosed):
        pool.run(lambda job: 1, "f")
