"""The latest requests in memory: when they are recorded, and what a reader gets."""

from __future__ import annotations

import threading

import pytest

from spanemu.base.call import Call, Cancelled
from spanemu.telemetry import request_ring as module
from spanemu.telemetry.observer import RequestObserver
from spanemu.telemetry.request_ring import UNREAD_SECONDS_MAX, RequestRing
from tests.unit.telemetry.fakes import DATABASE, NO_INSTANCES, FakeCall, statement


@pytest.fixture
def watchers() -> list[object]:
    return []


@pytest.fixture
def observer(watchers) -> RequestObserver:
    return RequestObserver(watchers, NO_INSTANCES)


@pytest.fixture
def ring(observer) -> RequestRing:
    return RequestRing(observer, kept=3)


def serve(observer, sql="SELECT 1", count=1):
    for _ in range(count):
        call = FakeCall()
        observer.started(call, statement(sql))
        observer.ended(call, None)


def numbers(page):
    return [entry.number for entry in page.requests]


def test_recording_begins_with_the_first_reader(ring, observer, watchers):
    assert watchers == []
    assert ring.requests() == module.RequestPage([], 0)
    assert watchers == [observer]


def test_the_latest_requests_are_kept_and_numbered(ring, observer):
    ring.start()
    serve(observer, count=5)
    assert numbers(ring.requests()) == [3, 4, 5]
    assert numbers(ring.requests(limit=2)) == [4, 5]
    assert numbers(ring.requests(after=4)) == [5]
    assert ring.requests(after=5) == module.RequestPage([], 5)
    assert ring.requests(limit=0).last == 5
    assert numbers(ring.requests(database=DATABASE)) == [3, 4, 5]
    assert ring.requests(database="projects/p/instances/i/databases/other").requests == []
    assert ring.requests(after=2**40) == module.RequestPage([], 2**40)


def test_large_requests_are_not_kept(ring, observer):
    ring.start()
    serve(observer, f"SELECT '{'x' * 100_000}'")
    serve(observer)
    assert [len(entry.sql) for entry in ring.requests().requests] == [1_000, 8]
    assert [len(each.args) if hasattr(each, "args") else 0 for each in ring._kept] == [0, 2]


@pytest.mark.parametrize(
    "wrong", [{"after": -1}, {"limit": -1}, {"wait_seconds": -0.1}, {"wait_seconds": float("nan")}]
)
def test_arguments_that_are_refused(ring, wrong):
    with pytest.raises(ValueError, match="negative"):
        ring.requests(**wrong)


def test_a_reader_waits_for_the_next_request(ring, observer):
    ring.start()
    serve(observer)
    waiting = threading.Event()
    ring._arrived.wait_for, wait_for = (
        lambda *args: (waiting.set(), wait_for(*args))[1],
        ring._arrived.wait_for,
    )

    def later():
        assert waiting.wait(60)
        serve(observer, "SELECT 2")

    thread = threading.Thread(target=later)
    thread.start()
    page = ring.requests(after=1, wait_seconds=5)
    thread.join(60)
    assert [entry.sql for entry in page.requests] == ["SELECT 2"]


def test_a_reader_whose_call_is_cancelled_stops_waiting(ring):
    with Call() as call:
        call.cancel()
        with pytest.raises(Cancelled):
            ring.requests(wait_seconds=5)


def test_recording_ends_when_nobody_reads(ring, observer, watchers, monkeypatch):
    now = [1_000.0]
    monkeypatch.setattr(module, "monotonic", lambda: now[0])
    ring.requests()
    now[0] += UNREAD_SECONDS_MAX + 1
    serve(observer)
    assert watchers == []
    assert ring.requests().requests == []
    assert watchers == [observer]


def test_a_permanent_log_records_without_readers(ring, observer, watchers, monkeypatch):
    ring.start()
    monkeypatch.setattr(module, "monotonic", lambda: 10.0**9)
    serve(observer)
    assert watchers == [observer]
    assert numbers(ring.requests()) == [1]
