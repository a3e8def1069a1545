"""The observer of RPCs: when it watches, and what it passes on."""

from __future__ import annotations

import logging

import pytest

from spanemu.base.errors import Code, Unsupported
from spanemu.frontend import wire
from spanemu.telemetry.observer import FinishedRequest, RequestObserver
from tests.unit.telemetry.fakes import DATABASE, NO_INSTANCES, SESSION, FakeCall, statement


@pytest.fixture
def watchers() -> list[object]:
    return []


@pytest.fixture
def observer(watchers) -> RequestObserver:
    return RequestObserver(watchers, NO_INSTANCES)


@pytest.fixture
def finished(observer) -> list[FinishedRequest]:
    requests: list[FinishedRequest] = []
    observer.add(lambda request, _: requests.append(request))
    return requests


def test_rpcs_are_watched_only_while_there_is_a_sink(observer, watchers):
    def sink(*_): ...

    assert watchers == []
    observer.add(sink)
    observer.add(sink)
    observer.add(print)
    assert watchers == [observer]
    observer.remove(print)
    assert watchers == [observer]
    observer.remove(sink)
    observer.remove(sink)
    assert watchers == []


def test_a_request_is_passed_on_with_its_facts(observer, finished):
    call = FakeCall()
    observer.started(call, statement())
    call.facts |= {"rows": 3, "bytes": 40, "lock_wait_seconds": 0.5}
    observer.ended(call, None)
    (request,) = finished
    assert (request.method, request.database, request.code) == ("ExecuteSql", DATABASE, Code.OK)
    assert (request.rows, request.bytes, request.lock_wait_seconds) == (3, 40, 0.5)
    assert request.seconds >= 0


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (Unsupported("x"), Code.UNIMPLEMENTED),
        (MemoryError(), Code.RESOURCE_EXHAUSTED),
        (KeyError(1), Code.INTERNAL),
    ],
)
def test_failures_have_their_codes(observer, finished, error, code):
    call = FakeCall()
    observer.started(call, statement())
    observer.ended(call, error)
    assert finished[0].code is code
    assert finished[0].message


def test_an_abandoned_stream_is_cancelled(observer, finished):
    call = FakeCall("ExecuteStreamingSql")
    observer.started(call, statement())
    call.cancel()
    observer.ended(call, None)
    assert finished[0].code is Code.CANCELLED


def test_a_request_that_was_refused_unread_is_passed_on(observer, finished):
    observer.ended(FakeCall("Commit"), Unsupported("x"))
    assert (finished[0].method, finished[0].database) == ("Commit", "")


def test_the_groups_of_a_batch_write_are_added_up(observer, finished):
    call = FakeCall("BatchWrite")
    observer.started(call, wire.BatchWriteRequest(session=SESSION))
    for mutations in (2, 3):
        call.facts.clear()
        call.facts["mutations"] = mutations
        observer.replied(call, b"")
    observer.ended(call, None)
    assert finished[0].facts["mutations"] == 5


def test_a_sink_that_fails_is_removed_and_harms_no_request(observer, finished, caplog):
    def broken(*_):
        raise OSError("no pipe")

    observer.add(broken)
    for _ in range(2):
        call = FakeCall()
        observer.started(call, statement())
        with caplog.at_level(logging.ERROR):
            observer.ended(call, None)
    assert len(finished) == 2
    assert len(caplog.records) == 1
