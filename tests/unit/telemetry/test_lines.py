"""The lines of the request log."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime

from spanemu.control.request_log import LoggedRequest
from spanemu.telemetry.lines import LineWriter, json_line, text_line
from spanemu.telemetry.observer import RequestObserver
from tests.unit.telemetry.fakes import DATABASE, NO_INSTANCES, FakeCall, statement

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


def test_text_lines_show_what_there_is():
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
