"""The REST server from outside: HTTP as it is, good and bad, one connection at a time.

Pages of other sites are refused; programs and the emulator's own pages are not.
"""

from __future__ import annotations

import http.client
import json
import socket
import threading
from collections import Counter
from contextlib import contextmanager, suppress
from time import monotonic
from urllib.parse import urlsplit

import pytest

import spanemu
from spanemu.frontend.errors import CannotListen, PortTaken
from spanemu.rest import connection as connections
from spanemu.rest import server as servers
from spanemu.rest.errors import Forbidden
from spanemu.rest.exchange import Request, Response
from spanemu.rest.server import Guard
from tests.ports import free_port

SCHEMA = "CREATE TABLE T (Id INT64, Text STRING(MAX)) PRIMARY KEY (Id)"
DATABASE = "/v1/projects/emulator-project/instances/emulator-instance/databases/shop"


@pytest.fixture(scope="module")
def emulator():
    with spanemu.Emulator(rest_host_port="localhost:0", allowed_hosts=("db.test",)) as running:
        running.create_database("shop", SCHEMA)
        yield running


@pytest.fixture
def rest(emulator):
    """Yield a kept-alive connection."""
    parts = urlsplit(emulator.rest_uri)
    connection = http.client.HTTPConnection("127.0.0.1", parts.port, timeout=30)
    yield connection
    connection.close()


def call(rest, method, path, body=None, **headers):
    data = body if isinstance(body, bytes | None) else json.dumps(body)
    rest.request(method, path, body=data, headers=headers)
    response = rest.getresponse()
    text = response.read()
    return response, json.loads(text) if text else None


def open_session(rest):
    return "/v1/" + call(rest, "POST", f"{DATABASE}/sessions", {})[1]["name"]


def insert(*rows):
    write = {"table": "T", "columns": ["Id", "Text"], "values": rows}
    return {"singleUseTransaction": {"readWrite": {}}, "mutations": [{"insertOrUpdate": write}]}


@contextmanager
def raw(emulator):
    with socket.create_connection(("127.0.0.1", emulator.rest_address.port), timeout=30) as opened:
        yield opened


def peers(connections):
    return [connection.getpeername() for connection in list(connections)]


def wait_until(condition):
    end = monotonic() + 30
    while not condition():
        assert monotonic() < end
        threading.Event().wait(0.01)


def exchange(emulator, data):
    """Return everything that the server answers to some bytes, until it closes the connection."""
    with raw(emulator) as opened:
        opened.sendall(data)
        opened.shutdown(socket.SHUT_WR)
        received = b""
        while part := opened.recv(65536):
            received += part
    return received


def status_of(answer):
    return int(answer.split(b" ", 2)[1])


def test_requests_share_a_connection(rest):
    session = open_session(rest)
    used = rest.sock
    response, content = call(rest, "POST", f"{session}:executeSql", {"sql": "SELECT 1"})
    assert response.status == 200
    assert response.headers["Content-Type"] == "application/json; charset=UTF-8"
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert content["rows"] == [["1"]]
    assert call(rest, "DELETE", session)[1] == {}
    assert rest.sock is used


def test_failures_have_the_envelope_of_google_apis(rest):
    response, content = call(rest, "GET", f"{DATABASE}x")
    error = content["error"]
    assert response.status == error["code"] == 404
    assert error["status"] == "NOT_FOUND"
    assert error["details"][0]["@type"] == "type.googleapis.com/google.rpc.ResourceInfo"
    response, content = call(rest, "POST", f"{DATABASE}/sessions", b"{")
    assert response.status == 400
    assert content["error"]["details"][0]["@type"] == "type.googleapis.com/google.rpc.BadRequest"


def test_health_index_and_paths_without_a_method(rest):
    assert call(rest, "GET", "/healthz")[1] == {"status": "SERVING"}
    assert call(rest, "GET", "/")[1]["name"] == "spanemu"
    for path in ("/v1/projects/p", "/v2/", "/nothing", "/healthz/x"):
        response, content = call(rest, "GET", path)
        assert (response.status, content["error"]["status"]) == (404, "NOT_FOUND")


def test_a_stream_is_one_array_of_its_messages(rest):
    session = open_session(rest)
    text = "x" * 700_000
    call(rest, "POST", f"{session}:commit", insert(*[[str(key), text] for key in range(4)]))
    sql = {"sql": "SELECT Text FROM T ORDER BY Id"}
    response, content = call(rest, "POST", f"{session}:executeStreamingSql", sql)
    assert response.headers["Transfer-Encoding"] == "chunked"
    assert len(content) > 1
    assert "metadata" in content[0]
    assert "".join(value for part in content for value in part.get("values", ())) == text * 4


def test_a_stream_that_fails_at_its_start_has_an_error_status(rest):
    session = open_session(rest)
    response, content = call(rest, "POST", f"{session}:executeStreamingSql", {"sql": "SELECT x"})
    assert (response.status, content["error"]["status"]) == (400, "INVALID_ARGUMENT")


def test_a_stream_that_fails_later_ends_with_the_error(rest, emulator):
    session = open_session(rest)
    call(
        rest, "POST", f"{session}:commit", insert(*[[str(key), "x" * 700_000] for key in range(4)])
    )
    emulator.faults.disconnect("ExecuteStreamingSql", after_rows=3)
    response, content = call(
        rest, "POST", f"{session}:executeStreamingSql", {"sql": "SELECT Text FROM T ORDER BY Id"}
    )
    assert response.status == 200
    assert content[-1]["error"]["status"] == "UNAVAILABLE"
    assert "values" in content[0]


def test_head_is_get_without_a_body(rest):
    response, content = call(rest, "HEAD", "/healthz")
    assert (response.status, content) == (200, None)
    assert int(response.headers["Content-Length"]) > 0


def test_a_post_can_stand_for_a_get_with_a_long_query(rest):
    path = "/v1/projects/emulator-project/instances"
    body, override = b"filter=name:emulator&pageSize=1", {"X-HTTP-Method-Override": "GET"}
    response, content = call(rest, "POST", path, body, **override)
    assert (response.status, len(content["instances"])) == (200, 1)


def test_a_query_in_a_body_has_a_limit(rest):
    override = {"X-HTTP-Method-Override": "GET"}
    path = "/v1/projects/emulator-project/instances"
    response, _ = call(rest, "POST", path, b"a=b&" * 300_000, **override)
    assert response.status == 400


def test_hosts_and_origins_are_checked(rest):
    assert call(rest, "GET", "/healthz", Host="evil.example")[0].status == 403
    assert call(rest, "GET", "/healthz", Host="db.test")[0].status == 200
    assert call(rest, "GET", "/healthz", Origin="http://evil.example")[0].status == 403


def test_credentials_are_ignored(rest):
    assert call(rest, "GET", DATABASE, Authorization="Bearer x")[0].status == 200


def test_a_deadline_in_a_header_counts(rest):
    session = open_session(rest)
    numbers = "UNNEST(GENERATE_ARRAY(1, 1000))"
    slow = {"sql": f"SELECT COUNT(*) FROM {numbers} a, {numbers} b, {numbers} c"}
    response, content = call(
        rest, "POST", f"{session}:executeSql", slow, **{"X-Server-Timeout": "0.05"}
    )
    assert (response.status, content["error"]["status"]) == (504, "DEADLINE_EXCEEDED")
    for text in ("soon", "-1", "nan"):
        refused = call(rest, "POST", f"{session}:executeSql", slow, **{"X-Server-Timeout": text})
        assert refused[0].status == 400


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"GET /healthz HTTP/1.0\r\n\r\n", 200),
        (b"GET http://localhost/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", 200),
        (b"GET //healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", 200),
        (b"GET /healthz HTTP/1.1\r\n\r\n", 400),
        (b"GET /healthz\r\n", 400),
        (b"nonsense\r\n\r\n", 400),
        (b"\x00\xff\r\n\r\n", 400),
        (b"GET / HTTP/9.9\r\n\r\n", 400),
        (b"FROB /v1/projects/p/instances HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
        (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil\r\n\r\n", 400),
        (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nnonsense\r\n\r\n", 400),
        (b"GET /" + b"x" * 70_000 + b" HTTP/1.1\r\n\r\n", 414),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X: y\r\n" * 200 + b"\r\n", 431),
        (b"GET / HTTP/1.1\r\nX: " + b"y" * 70_000 + b"\r\n\r\n", 431),
        (b"POST /v1/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999999999999\r\n\r\n", 413),
        (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\rY: b\r\n\r\n", 400),
        (b"GET /healthz HTTP/1.1\r\nHost: localhost\rX: b\r\n\r\n", 400),
        (b"GET /healthz HTTP/1.1\rHost: localhost\r\n\r\n", 400),
        (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\x00b\r\n\r\n", 400),
        (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\r\n b\r\n\r\n", 400),
        (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX : a\r\n\r\n", 400),
        (b"GET /healthz HTTP/1.1\r\n Host: localhost\r\n\r\n", 400),
        (b"GET\x0b/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        (b"GET /healthz\x85 HTTP/1.1 HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        (b"GET  /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        (b"GET healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        (b"GET http://[ HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        (b"GET http://a@localhost/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        (b"GET http://evil.example/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", 403),
        (b"POST /v1/x HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
    ],
)  # fmt: skip
def test_malformed_requests_get_their_status(emulator, data, status):
    answer = exchange(emulator, data)
    assert status_of(answer) == status
    content = json.loads(answer.partition(b"\r\n\r\n")[2])
    assert status == 200 or content["error"]["code"] == status


@pytest.mark.parametrize(
    "encoding",
    [b"\x0bchunked", b"\x0cchunked", b"chunked\x1f", b"\x85chunked", b"\xa0chunked", b"chunked, chunked"],
)  # fmt: skip
def test_only_chunked_is_chunked(emulator, encoding):
    head = b"POST /v1/x HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: "
    assert status_of(exchange(emulator, head + encoding + b"\r\n\r\n0\r\n\r\n")) == 400


@pytest.mark.parametrize(
    "host",
    [
        b"localhost:80@x",
        b"localhost@x",
        b"localhost:x",
        b"localhost:99999",
        b"localhost:80:80",
        b"localhost/x",
        b"localhost?x",
        b"localhost#x",
        b"localhost x",
        b"localhost,x",
        b"\xffocalhost",
        b"[::1",
        b"[::1]x",
        b"[::1@x]",
    ],
)
def test_malformed_hosts_are_refused(emulator, host):
    answer = exchange(emulator, b"GET /healthz HTTP/1.1\r\nHost: " + host + b"\r\n\r\n")
    assert status_of(answer) == 400


def test_requests_may_be_pipelined_and_chunked(emulator):
    head = b"POST /v1/projects/p/instances/i/databases/d/sessions HTTP/1.1\r\nHost: localhost\r\n"
    one = head + b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n"
    assert exchange(emulator, one * 3).count(b"HTTP/1.1 404 Not Found") == 3


def test_a_client_that_expects_100_continue_gets_it(emulator):
    with raw(emulator) as opened:
        opened.sendall(
            b"POST /v1/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n"
            b"Expect: 100-continue\r\n\r\n"
        )
        assert opened.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        opened.sendall(b"{}")
        assert status_of(opened.recv(4096)) == 404


def test_a_client_that_stops_half_way_is_cut_off(emulator, monkeypatch):
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.05)
    with raw(emulator) as opened:
        opened.sendall(b"GET /healthz HTTP/1.1\r\nHo")
        assert opened.recv(100) == b""


@pytest.mark.parametrize(
    ("limit", "sent"),
    [
        ("IDLE_SECONDS", b""),
        ("IDLE_SECONDS", b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        ("BODY_SECONDS", b"POST /v1/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{"),
        (
            "BODY_SECONDS",
            b"POST /v1/x HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n{",
        ),
    ],
)  # fmt: skip
def test_a_client_that_sends_no_more_is_cut_off(emulator, monkeypatch, limit, sent):
    monkeypatch.setattr(connections, limit, 0.05)
    with raw(emulator) as opened:
        opened.sendall(sent)
        received = b""
        while part := opened.recv(4096):
            received += part
    assert received == b"" or status_of(received) == 200


def test_a_client_that_does_not_read_is_cut_off(emulator, monkeypatch):
    monkeypatch.setattr(connections, "SEND_SECONDS", 0.05)
    closed = threading.Event()

    def endless(request):
        def parts():
            try:
                while True:
                    yield b"x" * 100_000
            finally:
                closed.set()

        return Response(200, "text/plain", parts())

    emulator._running._rest.site.add("/unread", endless)
    with raw(emulator) as opened:
        opened.sendall(b"GET /unread HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert closed.wait(30)


def test_a_body_that_grows_beyond_the_limit_is_refused(emulator, monkeypatch):
    monkeypatch.setattr("spanemu.rest.connection.BODY_BYTES_MAX", 10)
    head = b"POST /v1/x HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
    answer = exchange(emulator, head + b"6\r\nabcdef\r\n" * 2 + b"0\r\n\r\n")
    assert status_of(answer) == 413


def test_a_new_connection_takes_the_place_of_the_longest_idle(monkeypatch):
    monkeypatch.setattr(servers, "CONNECTIONS_MAX", 2)
    waits = Counter()
    begin_wait = servers.RestServer.waiting

    def counted(self, connection):
        waits[connection.getpeername()] += 1
        return begin_wait(self, connection)

    monkeypatch.setattr(servers.RestServer, "waiting", counted)
    health = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with (
        spanemu.Emulator(rest_host_port="127.0.0.1:0") as running,
        raw(running) as first,
        raw(running) as second,
    ):
        idle = running._running._rest._waiting
        wait_until(lambda: len(idle) == 2)
        for opened in (first, second, first):
            name = opened.getsockname()
            before = waits[name]
            opened.sendall(health)
            assert status_of(opened.recv(4096)) == 200
            # It waits for its client to take the reply, and then for the next request.
            wait_until(lambda name=name, enough=before + 2: waits[name] == enough)
            wait_until(lambda name=name: peers(idle)[-1:] == [name])
        assert status_of(exchange(running, health)) == 200
        assert second.recv(1) == b""
        first.sendall(health)
        assert status_of(first.recv(4096)) == 200


@pytest.mark.parametrize(
    "sent",
    [
        b"GET /healthz HT",
        b"POST /v1/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nabc",
    ],
)
def test_a_new_connection_takes_the_place_of_an_unfinished_request(sent, monkeypatch):
    monkeypatch.setattr(servers, "CONNECTIONS_MAX", 1)
    with spanemu.Emulator(rest_host_port="127.0.0.1:0") as running, raw(running) as slow:
        slow.sendall(sent)
        wait_until(lambda: len(running._running._rest._waiting) == 1)
        health = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
        assert status_of(exchange(running, health)) == 200
        assert slow.recv(1) == b""


def test_a_connection_without_a_thread_is_closed(monkeypatch):
    class NoThread(threading.Thread):
        def start(self):
            if self.name == "spanemu-rest-rpc":
                raise RuntimeError("can't start new thread")
            super().start()

    health = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with spanemu.Emulator(rest_host_port="127.0.0.1:0") as running:
        with monkeypatch.context() as patch:
            patch.setattr(servers.threading, "Thread", NoThread)
            with raw(running) as refused, suppress(ConnectionResetError):
                assert refused.recv(1) == b""
        assert status_of(exchange(running, health)) == 200


def test_connections_beyond_the_limit_are_refused(emulator, monkeypatch):
    monkeypatch.setattr(servers, "CONNECTIONS_MAX", 0)
    assert status_of(exchange(emulator, b"")) == 503


def test_a_disconnected_client_leaves_the_wait_for_a_lock(emulator, rest):
    session, waiting = open_session(rest), open_session(rest)
    begin = {"options": {"readWrite": {}}}
    holder = call(rest, "POST", f"{session}:beginTransaction", begin)[1]["id"]
    sql = {
        "sql": "UPDATE T SET Text = CONCAT(Text, 'x') WHERE TRUE",
        "transaction": {"id": holder},
        "seqno": 1,
    }
    call(rest, "POST", f"{session}:executeSql", sql)
    ended = threading.Event()

    class Ended:
        """A watcher of the request that waits."""

        def started(self, call, request): ...

        def replied(self, call, reply): ...

        def ended(self, call, error):
            if call.is_cancelled:
                ended.set()

    emulator.endpoints.watchers.append(Ended())
    with raw(emulator) as opened:
        body = json.dumps(insert(["1", "theirs"])).encode()
        opened.sendall(
            f"POST {waiting}:commit HTTP/1.1\r\nHost: localhost\r\n"
            f"Content-Length: {len(body)}\r\n\r\n".encode()
            + body
        )
    assert ended.wait(30)
    emulator.endpoints.watchers.pop()
    call(rest, "POST", f"{session}:rollback", {"transactionId": holder})


def test_a_stream_that_nobody_reads_to_its_end_is_closed(emulator):
    closed = threading.Event()

    def endless(request):
        def parts():
            try:
                while True:
                    yield b"x" * 100_000
            finally:
                closed.set()

        return Response(200, "text/plain", parts())

    emulator._running._rest.site.add("/endless", endless)
    with raw(emulator) as opened:
        opened.sendall(b"GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert opened.recv(10)
    assert closed.wait(30)


def test_closing_the_emulator_ends_connections_and_requests():
    port = free_port()
    with (
        spanemu.Emulator(rest_host_port=f"127.0.0.1:{port}") as running,
        raw(running) as opened,
    ):
        opened.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert status_of(opened.recv(4096)) == 200
        running.close()
        assert opened.recv(100) == b""
    with spanemu.Emulator(rest_host_port=f"127.0.0.1:{port}") as again:
        assert again.rest_address.port == port


def test_a_closed_emulator_has_freed_its_rest_port():
    port = free_port()
    for _ in range(20):
        with spanemu.Emulator(rest_host_port=f"127.0.0.1:{port}") as running:
            (listener,) = running._running._rest._listeners
        assert listener.fileno() == -1


def test_unusable_listen_addresses_are_refused(emulator):
    with pytest.raises(PortTaken):
        spanemu.Emulator(rest_host_port=f"localhost:{emulator.rest_address.port}")
    for host in ("192.0.2.1", "no.such.host.invalid"):
        with pytest.raises(CannotListen):
            spanemu.Emulator(rest_host_port=f"{host}:0")


def check(guard=None, method="POST", body=b"{}", **headers):
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    (guard or Guard()).check(Request(method, "/v1/x", headers=named, body=body))


@pytest.mark.parametrize(
    "host",
    ["localhost", "LocalHost:9020", "127.0.0.1:9020", "[::1]:9020", "10.1.2.3", "a.localhost:1"],
)
def test_names_of_this_machine_are_accepted(host):
    check(host=host)


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "spanner:9020",
        "",
        "[x",
        "a:b:c",
    ],
)
def test_other_hosts_are_refused(host):
    with pytest.raises(Forbidden):
        check(host=host)


def test_names_of_containers_are_accepted_in_a_network():
    check(Guard(any_single_name=True), host="spanner-1:9020")
    with pytest.raises(Forbidden):
        check(Guard(any_single_name=True), host="evil.example")


def test_allowed_hosts_are_accepted():
    check(Guard(["Db.Test"]), host="db.test:9020")


def test_the_own_origin_may_send_json():
    check(host="localhost:1", origin="http://localhost:1", content_type="application/json; x=y")


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://localhost:2"},
        {"origin": "https://localhost:1"},
        {"origin": "http://localhost:1", "content_type": "text/plain"},
        {"origin": "http://localhost:1"},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
        {
            "sec_fetch_site": "cross-site",
            "sec_fetch_mode": "navigate",
            "sec_fetch_dest": "document",
        },
    ],
)
def test_pages_of_other_origins_are_refused(headers):
    with pytest.raises(Forbidden):
        check(host="localhost:1", **headers)


def test_links_from_other_sites_may_be_followed():
    check(
        method="GET", body=b"", host="localhost",
        sec_fetch_site="cross-site", sec_fetch_mode="navigate", sec_fetch_dest="document",
    )  # fmt: skip
    with pytest.raises(Forbidden):
        check(
            method="GET",
            body=b"",
            host="localhost",
            sec_fetch_site="cross-site",
            sec_fetch_dest="iframe",
        )
