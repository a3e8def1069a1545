"""Requests as entries of the log."""

from __future__ import annotations

import pytest

from spanemu.frontend import wire
from spanemu.frontend.interception import InterceptedRequest
from spanemu.telemetry.entries import SQL_CHARACTERS_MAX, entry_of, one_line, sql_of
from spanemu.telemetry.observer import RequestObserver
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
