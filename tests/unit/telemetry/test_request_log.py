"""The request log: requests as entries and as lines, and what a reader of the latest requests gets."""

from __future__ import annotations

import io
import json
import threading
from datetime import UTC, datetime

import pytest

from spanemu.base.call import Call, Cancelled
from spanemu.control.request_log import LoggedRequest
from spanemu.frontend import wire
from spanemu.frontend.interception import InterceptedRequest
from spanemu.telemetry import request_log as module
from spanemu.telemetry.observer import RequestObserver
from spanemu.telemetry.request_log import (
    SQL_CHARACTERS_MAX,
    UNREAD_SECONDS_MAX,
    LineWriter,
    RequestRing,
    entry_of,
    json_line,
    one_line,
    sql_of,
    text_line,
)
from tests.unit.telemetry.fakes import DATABASE, NO_INSTANCES, SESSION, FakeCall, statement


def rpc(method, request):
    return InterceptedRequest(method, request, NO_INSTANCES)


def mutation(kind, table):
    return {kind: {"table": table}}


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        (statement("SELECT 1"), "SELECT 1"),
        (
            wire.ReadRequest(session=SESSION, table="Singers", columns=["Id", "Name"]),
            "READ Id, Name FROM Singers",
        ),
        (
            wire.ReadRequest(session=SESSION, table="T", index="ByName", columns=["Id"]),
            "READ Id FROM T@{FORCE_INDEX=ByName}",
        ),
        (
            wire.ExecuteBatchDmlRequest(session=SESSION, statements=[{"sql": "DELETE a"}] * 7),
            "DELETE a; DELETE a; DELETE a; DELETE a; DELETE a; ... 7 in all",
        ),
        (
            wire.CommitRequest(
                session=SESSION,
                mutations=[
                    mutation("insert", "T"),
                    mutation("insert", "T"),
                    mutation("delete", "U"),
                ],
            ),
            "INSERT T x2, DELETE U",
        ),
        (wire.CommitRequest(session=SESSION, transaction_id=b"7"), ""),
        (wire.GetSessionRequest(name=SESSION), ""),
    ],
)
def test_the_text_of_a_request(request_, text):
    assert sql_of(rpc("X", request_)) == text


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("SELECT\n  1,\t2 ", "SELECT 1, 2"),
        ("SELECT '\x1b[31m'", "SELECT '\\x1b[31m'"),
        ("SELECT '\u2028'", "SELECT ' '"),
        ("x" * 30, "x" * 17 + "..."),
        (" " * 1_000_000 + "x", "..."),
    ],
)
def test_a_text_is_one_line_of_bounded_length(text, line):
    assert one_line(text, 20) == line


def test_an_entry_has_the_facts_of_its_request():
    finished = []
    observer = RequestObserver([], NO_INSTANCES)
    observer.add(lambda request, _: finished.append(request))
    call = FakeCall()
    observer.started(call, statement("SELECT 'x" + "x" * 5_000, tag="a tag"))
    call.facts |= {"transaction": b"12", "rows": 1}
    observer.ended(call, None)
    observer.ended(FakeCall("Commit"), None)
    entry, unread = (entry_of(request, number) for number, request in enumerate(finished))
    assert (entry.database, entry.transaction, entry.request_tag) == (DATABASE, "12", "a tag")
    assert (entry.transport, entry.rows, len(entry.sql)) == ("grpc", 1, SQL_CHARACTERS_MAX)
    assert (unread.method, unread.database) == ("Commit", "")


AT = datetime(2026, 11, 23, 13, 31, 4, 120_000, UTC)
ENTRY = LoggedRequest(
    number=1,
    at=AT,
    transport="grpc",
    method="ExecuteSql",
    status="OK",
    seconds=0.00125,
    database=DATABASE,
    transaction="12",
    request_tag="list things",
    sql="SELECT 1",
    rows=1,
    bytes=3,
)
FAILURE = LoggedRequest(
    2, AT, "rest", "Commit", "ABORTED", 0.5, error='A "holder"\u0085 won', lock_wait_seconds=0.4
)


def test_text_lines_show_the_present_fields():
    assert text_line(ENTRY) == (
        "2026-11-23T13:31:04.120000Z OK ExecuteSql 1.2ms rows=1 database=p/i/d transaction=12 "
        'request_tag="list things" SELECT 1'
    )
    assert text_line(FAILURE).startswith(
        "2026-11-23T13:31:04.120000Z ABORTED Commit 500.0ms lock_wait=400.0ms error="
    )


def test_json_lines_leave_out_what_is_empty():
    assert json.loads(json_line(ENTRY)) == {
        "time": "2026-11-23T13:31:04.120000Z",
        "status": "OK",
        "method": "ExecuteSql",
        "transport": "grpc",
        "ms": 1.25,
        "database": DATABASE,
        "transaction": "12",
        "request_tag": "list things",
        "rows": 1,
        "bytes": 3,
        "sql": "SELECT 1",
    }
    assert json.loads(json_line(FAILURE))["error"] == 'A "holder"\u0085 won'
    assert json_line(FAILURE).isascii()


def test_a_writer_skips_quick_requests():
    quick, slow = io.StringIO(), io.StringIO()
    observer = RequestObserver([], NO_INSTANCES)
    observer.add(LineWriter(quick, "json"))
    observer.add(LineWriter(slow, "text", slow_seconds=1_000.0))
    for _ in range(2):
        call = FakeCall()
        observer.started(call, statement("SELECT\n1"))
        observer.ended(call, None)
    lines = quick.getvalue().splitlines()
    assert [json.loads(line)["sql"] for line in lines] == ["SELECT 1"] * 2
    assert slow.getvalue() == ""


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
def test_invalid_arguments_are_refused(ring, wrong):
    with pytest.raises(ValueError, match="negative"):
        ring.requests(**wrong)


def test_a_reader_waits_for_the_next_request(ring, observer):
    ring.start()
    serve(observer)

    def later():
        while not ring._waiting:
            threading.Event().wait(0.001)
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


def test_recording_ends_with_the_last_reader(ring, observer, watchers, monkeypatch):
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
