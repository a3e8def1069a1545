"""The request log of a whole emulator: every transport, text and rows of every kind of request."""

from __future__ import annotations

import http.client
import json

import grpc
import pytest
from google.cloud.spanner import KeySet
from google.cloud.spanner_admin_database_v1 import GetDatabaseDdlRequest

import spanemu

SCHEMA = "CREATE TABLE T (Id INT64, Name STRING(9)) PRIMARY KEY (Id)"


@pytest.fixture(scope="module")
def emulator():
    with spanemu.Emulator(rest_host_port="127.0.0.1:0") as running:
        running.create_database("shop", SCHEMA)
        yield running


@pytest.fixture
def log(emulator):
    """Return a function that returns the requests since the test began, and forgets them."""
    last = [emulator.request_log.requests().last]

    def since():
        page = emulator.request_log.requests(after=last[0])
        last[0] = page.last
        return page.requests

    return since


def test_an_emulator_that_logs_nothing_watches_nothing():
    with spanemu.Emulator() as other:
        other.create_database("shop")
        assert other.endpoints.watchers == []


def test_requests_of_every_transport_are_logged(emulator, log):
    name = emulator.database("shop").name
    emulator.client().instance("emulator-instance").database("shop").reload()
    host, port = emulator.rest_address.host, emulator.rest_address.port
    rest = http.client.HTTPConnection(host, port, timeout=30)
    rest.request("GET", f"/v1/{name}/ddl")
    assert rest.getresponse().read()
    rest.close()
    # An IPv4-mapped address is not among those of the embedded channel.
    with grpc.insecure_channel(f"ipv6:[::ffff:127.0.0.1]:{emulator.port}") as channel:
        path = "/google.spanner.admin.database.v1.DatabaseAdmin/GetDatabaseDdl"
        request = GetDatabaseDdlRequest.serialize(GetDatabaseDdlRequest(database=name))
        try:
            channel.unary_unary(path)(request, timeout=30)
            transports = {"embedded", "rest", "grpc"}
        except grpc.RpcError:  # a machine without IPv6
            transports = {"embedded", "rest"}
    requests = log()
    assert {entry.transport for entry in requests} == transports
    assert {entry.database for entry in requests} == {name}


def test_statements_reads_and_commits_show_what_they_did(emulator, log):
    database = emulator.database("shop").client()

    def work(transaction):
        transaction.insert_or_update("T", ["Id", "Name"], [(1, "a"), (2, "b")])
        transaction.execute_update(
            "DELETE FROM T WHERE Id > 5", request_options={"request_tag": "r"}
        )

    database.run_in_transaction(work, transaction_tag="t")
    with database.snapshot(multi_use=True) as snapshot:
        assert len(list(snapshot.execute_sql("SELECT *\nFROM T"))) == 2
        assert len(list(snapshot.read("T", ["Id"], KeySet(keys=[(1,)])))) == 1
    entries = {entry.sql: entry for entry in log() if entry.sql}
    query, read = entries["SELECT * FROM T"], entries["READ Id FROM T"]
    assert (query.rows, read.rows, query.status) == (2, 1, "OK")
    assert query.bytes > 0
    assert query.transaction
    dml, commit = entries["DELETE FROM T WHERE Id > 5"], entries["INSERT_OR_UPDATE T"]
    assert (dml.request_tag, dml.transaction_tag, dml.rows) == ("r", "t", 0)
    assert (commit.mutations, commit.transaction) == (4, dml.transaction)


def test_failures_are_logged_with_their_status(emulator, log):
    with (
        pytest.raises(Exception, match="nothing"),
        emulator.database("shop").client().snapshot() as s,
    ):
        list(s.execute_sql("SELECT nothing"))
    failure = log()[-1]
    assert (failure.status, failure.sql) == ("INVALID_ARGUMENT", "SELECT nothing")
    assert "nothing" in failure.error


@pytest.mark.parametrize(
    ("path", "headers", "method", "status"),
    [
        ("/v1/nothing/there", {}, "HTTP", "NOT_FOUND"),
        ("/v1/projects/p/instances?frob=1", {}, "ListInstances", "INVALID_ARGUMENT"),
        ("/v1/projects/p/instances", {"Origin": "http://evil"}, "HTTP", "PERMISSION_DENIED"),
    ],
)
def test_requests_outside_the_api_are_logged(emulator, log, path, headers, method, status):
    address = emulator.rest_address
    rest = http.client.HTTPConnection(address.host, address.port, timeout=30)
    rest.request("GET", path, headers=headers)
    assert rest.getresponse().read()
    rest.close()
    assert [(entry.method, entry.status, entry.transport) for entry in log()] == [
        (method, status, "rest")
    ]


def test_lines_go_to_standard_error(capsys):
    with spanemu.Emulator(log_requests="json") as other:
        other.create_database("shop").client().reload()
        assert other.request_log.requests().requests
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert {"GetDatabase", "GetDatabaseDdl"} & {line["method"] for line in lines}


@pytest.mark.parametrize("wrong", [{"log_requests": "xml"}, {"log_slow_seconds": -1.0}])
def test_invalid_settings_are_refused(wrong):
    with pytest.raises(spanemu.InvalidConfig, match=next(iter(wrong))):
        spanemu.EmulatorConfig(**wrong)
