"""The control operations as JSON over HTTP, as programs in other languages use them."""

from __future__ import annotations

import http.client
import json
import re
import threading
from contextlib import closing
from itertools import count
from random import Random
from urllib.parse import urlencode

import pytest
from google.api_core.exceptions import Aborted

import spanemu
from spanemu.frontend import server
from spanemu.frontend.control import control_access
from spanemu.http2.call import RpcCall
from spanemu.rest.control import PREFIX, ControlApi, route_of
from spanemu.rest.exchange import Request

SCHEMA = "CREATE TABLE Stock (Sku STRING(10) NOT NULL, Qty INT64) PRIMARY KEY (Sku)"
_numbers = count(1)


@pytest.fixture(scope="module")
def emulator():
    with spanemu.Emulator(rest_host_port="127.0.0.1:0", embedded_channel=False) as running:
        yield running


@pytest.fixture
def ask(emulator):
    """Return a function that sends a request and returns the HTTP status with the reply."""

    def send(method, path, body=None, **headers):
        address = emulator.rest_address
        connection = http.client.HTTPConnection(address.host, address.port, timeout=20)
        data = None if body is None else json.dumps(body)
        with closing(connection):
            connection.request(method, f"/spanemu/v1/{path}", data, headers)
            response = connection.getresponse()
            return response.status, json.loads(response.read())

    return send


@pytest.fixture
def home(emulator):
    made = emulator.create_database(f"rest-{next(_numbers)}", schema=SCHEMA)
    save(made, 10)
    return made


def save(home, quantity):
    with home.client().batch() as batch:
        batch.insert_or_update("Stock", ["Sku", "Qty"], [("A", quantity)])


def stock(home):
    with home.client().snapshot() as snapshot:
        return [row[0] for row in snapshot.execute_sql("SELECT Qty FROM Stock")]


def test_snapshots_and_clones(ask, emulator, home):
    _, kept = ask("POST", f"{home.name}:snapshot")
    save(home, 11)
    assert ask("POST", f"{home.name}:restore", kept) == (200, {})
    assert stock(home) == [10]
    other = f"{home.name}-2"
    assert ask("POST", f"{home.name}:clone", {"name": f"{home.database_id}-2"}) == (
        200,
        {"database": other},
    )
    save(emulator.database(other), 12)
    assert (stock(home), stock(emulator.database(other))) == ([10], [12])
    assert ask("POST", f"{home.name}:forget", kept) == (200, {})
    status, refused = ask("POST", f"{home.name}:restore", kept)
    assert (status, refused["error"]["status"]) == (404, "NOT_FOUND")


def test_faults_are_created_read_and_deleted(ask, home):
    fault = {"verb": "abort", "arguments": {"rpc": "Commit", "retryDelay": 0, "table": "Stock"}}
    _, created = ask("POST", "faults", fault)
    path = f"faults/{created['fault']}"
    save(home, 11)  # The client retries.
    assert ask("GET", path)[1]["fired"] == 1
    assert ask("GET", "faults")[1]["faults"][0]["verb"] == "abort"
    assert ask("DELETE", path) == (200, {})
    assert ask("GET", "faults") == (200, {"faults": []})
    for wrong in ({"verb": "abort", "arguments": {"retry": 1}}, {"verb": "x", "arguments": {}}):
        status, refused = ask("POST", "faults", wrong)
        assert (status, refused["error"]["details"][0]["reason"]) == (400, "VALUE_ERROR")


def test_the_clock(ask, home):
    assert ask("POST", "clock:freeze", {"at": "2100-01-01"}) == (200, {})
    assert ask("POST", "clock:advance", {"hours": 1, "minutes": 0.5}) == (200, {})
    assert ask("GET", "clock") == (200, {"now": "2100-01-01T01:00:30Z", "frozen": True})
    assert ask("POST", "clock:set", {"at": "2100-02-01T00:00Z"}) == (200, {})
    assert ask("GET", "clock") == (200, {"now": "2100-02-01T00:00:00Z", "frozen": True})
    assert ask("POST", "clock:thaw") == (200, {})
    assert ask("POST", "clock:set", {"at": "2100-03-01T00:00Z"}) == (200, {})
    assert ask("GET", "clock")[1]["frozen"] is False
    assert ask("POST", "clock:runTtl") == (200, {"rows": 0})
    assert ask("POST", "clock:reset") == (200, {})


def test_lock_waits_name_their_holders(ask, home):
    # The older transaction has read the row that the younger one commits.
    older, younger = home.client().session(), home.client().session()
    older.create(), younger.create()
    first, second = older.transaction(), younger.transaction()
    first.begin()
    assert list(first.execute_sql("SELECT Qty FROM Stock WHERE Sku = 'A'")) == [[10]]
    second.begin()
    second.execute_update("UPDATE Stock SET Qty = 0 WHERE TRUE")
    writer = threading.Thread(target=second.commit, daemon=True)
    writer.start()
    for _ in range(1_000):
        _, listed = ask("GET", f"{home.name}/transactions")
        waiting = [each for each in listed["transactions"] if each["waits"]]
        if waiting:
            break
    holder = listed["transactions"][0]
    assert waiting[0]["waitsFor"] == [holder["id"]]
    expected = {"key": 'Stock("A")', "mode": "WriterShared", "columns": ["Qty"], "waiters": []}
    assert waiting[0]["wants"] == expected
    assert waiting[0]["commits"]
    assert not holder["commits"]
    assert holder["locks"][0]["waiters"] == [waiting[0]["id"]]
    assert ask("POST", f"{home.name}/transactions/{holder['id']}:abort") == (200, {})
    writer.join(20)
    assert stock(home) == [0]
    with pytest.raises(Aborted, match="on purpose"):
        first.commit()
    gone = ask("POST", f"{home.name}/transactions/{holder['id']}:abort")
    assert (gone[0], gone[1]["error"]["status"]) == (404, "NOT_FOUND")


def test_recordings(ask, home):
    _, started = ask("POST", f"{home.name}/recordings")
    stock(home)
    path = f"recordings/{started['recording']}"
    (query,) = ask("GET", path)[1]["queries"]
    assert (query["sql"], query["fullScans"]) == ("SELECT Qty FROM Stock", ["Stock"])
    assert ask("GET", f"{path}?queries=1")[1]["queries"] == []
    assert ask("POST", f"{path}:stop")[1]["rpcs"]["ExecuteStreamingSql"] == 1
    assert ask("GET", path)[0] == 404


def test_splits_and_hotspots(ask, home):
    assert ask("POST", f"{home.name}/hotspots:start") == (200, {})
    assert ask("POST", f"{home.name}/splits", {"table": "Stock", "key": ["B"]}) == (200, {})
    save(home, 11)
    starts = [each["start"] for each in ask("GET", f"{home.name}/splits")[1]["splits"]]
    assert starts == ["<begin>", 'Stock("B")']
    spaces = ask("GET", f"{home.name}/hotspots?ignore=SPN802")[1]["report"]["spaces"]
    assert spaces["Stock"]["summary"]["commits"] == 1
    settings = {"change": {"splitBytesMax": 5000}}
    assert ask("POST", f"{home.name}/splits:configure", settings)[1]["settings"][
        "splitBytesMax"
    ] == (5000)


def test_pages_of_other_sites_are_refused(ask, home):
    for headers in (
        {"Host": "rebound.example"},
        {"Origin": "http://other.example"},
        {"Sec-Fetch-Site": "cross-site"},
    ):
        for request in (("GET", "clock"), ("POST", f"{home.name}:snapshot", {})):
            assert ask(*request, **headers)[0] == 403


def test_resetting_an_emulator_removes_its_databases():
    with spanemu.Emulator(rest_host_port="127.0.0.1:0", seed=5) as emulator:
        created = emulator.create_database("app", schema=SCHEMA)
        emulator.faults.unavailable("Commit")
        assert emulator.info().databases == (created.name,)
        with spanemu.Emulator.attach(emulator.uri) as handle:
            handle.reset()
            assert handle.info() == emulator.info()
        assert (emulator.info().seed, emulator.info().databases) == (5, ())
        assert len(emulator.faults) == 0
        save(emulator.create_database("app", schema=SCHEMA), 1)


@pytest.mark.parametrize("is_allowed", [False, True])
@pytest.mark.parametrize("kind", ["h2", "grpcio"])
def test_other_machines_control_an_emulator_only_if_allowed(monkeypatch, kind, is_allowed):
    monkeypatch.setattr(server, "host_of_peer", lambda peer: "10.0.0.1")
    monkeypatch.setattr(RpcCall, "peer", "10.0.0.1")
    settings = {"embedded_channel": False, "remote_control": is_allowed, "grpc_server": kind}
    with (
        spanemu.Emulator(**settings) as emulator,
        spanemu.Emulator.attach(emulator.uri) as attached,
    ):
        attached.create_database("app", schema=SCHEMA)
        if is_allowed:
            assert attached.clock.now
        else:
            with pytest.raises(spanemu.SpannerError, match=r"10\.0\.0\.1") as refused:
                attached.clock.advance(days=1)
            assert refused.value.code is spanemu.Code.PERMISSION_DENIED


JUNK = (
    *(True, 0, -1, 2**70, 0.5, 1e308, "", "x", "é\ud800", "2030-01-01", "9999-12-31T23:59:59Z"),
    *(
        [],
        [[1]],
        {},
        {"a": 1},
        {"rpc": "Commit"},
        {"servers": 10**9},
        "abort",
        "delay",
        "snapshot-1",
    ),
)
WAITING = {"within_seconds", "wait_seconds", "minutes", "times"}


def test_invalid_arguments_are_refused_by_the_api():
    random = Random(7)
    with spanemu.Emulator(embedded_channel=False) as emulator:
        home = emulator.create_database("junk", schema=SCHEMA).name
        serve = ControlApi(emulator._control, control_access(is_remote_allowed=False))
        for interface, operation in list(emulator._control().declared) * 8:
            route = route_of(interface, operation)
            path = route.path.replace("{database}", home)
            path = re.sub(r"\{\w+\}", lambda _: random.choice(("1", "S", "%ff", "%2F")), path)
            names = [name for name in operation.parameters if f"{{{name}}}" not in route.path]
            given = {name: random.choice(JUNK) for name in names if name not in WAITING}
            in_body = route.http_method == "POST"
            body = json.dumps(given).encode() if in_body else b""
            query = "" if in_body else urlencode(given, errors="replace")
            response = serve(Request(route.http_method, f"{PREFIX}{path}", query, {}, body))
            assert response.status < 500, (operation.name, given, response.body)
            json.loads(response.body)


def test_snapshots_are_listed_while_they_can_be_restored(ask, home):
    assert ask("GET", f"{home.name}/snapshots") == (200, {"snapshots": []})
    first = ask("POST", f"{home.name}:snapshot", {"name": "empty"})[1]["snapshot"]
    second = ask("POST", f"{home.name}:snapshot")[1]["snapshot"]
    home.snapshot()  # of the process itself, which needs no id
    status, reply = ask("GET", f"{home.name}/snapshots")
    assert status == 200
    assert [(each["snapshot"], each["name"]) for each in reply["snapshots"]] == [
        (second, ""),
        (first, "empty"),
    ]
    assert all(each["time"].endswith("Z") for each in reply["snapshots"])
    assert ask("POST", f"{home.name}:restore", {"snapshot": first})[0] == 200
    assert [each["snapshot"] for each in ask("GET", f"{home.name}/snapshots")[1]["snapshots"]] == [
        first
    ]
    ask("POST", f"{home.name}:forget", {"snapshot": first})
    assert ask("GET", f"{home.name}/snapshots")[1] == {"snapshots": []}
    assert ask("GET", f"{home.name}-none/snapshots")[0] == 404


def test_a_database_is_dumped_and_loaded(ask, home):
    status, dump = ask("POST", f"{home.name}:dump", {"schema": False})
    assert (status, dump["rows"]) == (200, 1)
    assert "\nINSERT INTO" in dump["sql"]
    home.client().execute_partitioned_dml("DELETE FROM Stock WHERE TRUE")
    assert ask("POST", f"{home.name}:load", {"sql": dump["sql"]}) == (200, {"rows": 1})
    assert ask("POST", f"{home.name}:load", {"sql": dump["sql"]})[0] == 400
    assert ask("POST", f"{home.name}-none:dump", {})[0] == 404
