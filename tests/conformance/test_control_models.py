"""What answers models, set as data: the same wherever the emulator runs, and as JSON over HTTP."""

from __future__ import annotations

import http.client
import json
import threading
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from urllib.parse import quote

import pytest
from google.api_core import exceptions

import spanemu
from tests.conformance.running import RUNNING

ENDPOINT = "//aiplatform.googleapis.com/projects/p/locations/l/publishers/google/models/gecko"
SCHEMA = [
    f"""CREATE MODEL Embedder INPUT (content STRING(MAX))
    OUTPUT (embeddings STRUCT<values ARRAY<FLOAT64>>) REMOTE OPTIONS (endpoint = '{ENDPOINT}')""",
    """CREATE FUNCTION Twice(x INT64) RETURNS INT64 NOT DETERMINISTIC LANGUAGE REMOTE
    OPTIONS (endpoint = 'https://example.com/f')""",
    """CREATE FUNCTION Show(d DATE, t TIMESTAMP, b BYTES, n INT64) RETURNS STRING NOT DETERMINISTIC
    LANGUAGE REMOTE OPTIONS (endpoint = 'https://example.com/f')""",
]
EMBEDDED = """SELECT content, embeddings.values FROM ML.PREDICT(MODEL Embedder,
(SELECT content FROM UNNEST(['lamp', 'desk']) AS content)) ORDER BY content"""
LAMP = {"input": {"content": "lamp"}, "output": {"embeddings": {"values": [1.0, 0.0]}}}
OTHER = {"embeddings": {"values": [0.0, 1.0]}}
_numbers = count(1)


@pytest.fixture(scope="module", params=RUNNING)
def emulator(request):
    with RUNNING[request.param]() as running:
        yield running


@pytest.fixture
def home(emulator):
    with emulator.models.scoped():
        yield emulator.create_database(f"models-{next(_numbers)}", schema=SCHEMA)


def rows(home, sql):
    with home.client().snapshot() as snapshot:
        return [tuple(row) for row in snapshot.execute_sql(sql)]


@pytest.mark.parametrize("name", ["Embedder", "embedder", ENDPOINT, "*/models/gecko", "Em*"])
def test_answers_by_input(emulator, home, name):
    emulator.models.set_answers(name, answers=[LAMP], default=OTHER)
    assert rows(home, EMBEDDED) == [("desk", [0.0, 1.0]), ("lamp", [1.0, 0.0])]
    (call,) = emulator.models.call_records()
    assert (call.model, call.function, call.row_count) == ("Embedder", "ML.PREDICT", 2)
    assert (call.endpoint, call.database, call.error) == (ENDPOINT, home.name, "")
    assert sorted(row["content"] for row in call.rows) == ["desk", "lamp"]
    assert OTHER in list(call.answers)
    assert emulator.models.predictions(home.name) == 2


def test_a_row_without_an_answer(emulator, home):
    emulator.models.set_answers("Embedder", answers=[LAMP])
    with pytest.raises(exceptions.InvalidArgument, match="desk"):
        rows(home, EMBEDDED)
    (call,) = emulator.models.call_records()
    assert "desk" in call.error
    assert not call.answers


@pytest.mark.parametrize(
    ("given", "arguments"),
    [
        ({"d": "2026-01-02"}, "DATE '2026-01-02', NULL, NULL, NULL"),
        ({"t": "2026-01-02T03:04:05Z"}, "NULL, TIMESTAMP '2026-01-02 03:04:05Z', NULL, NULL"),
        ({"b": "/w=="}, "NULL, NULL, b'\\xff', NULL"),
        ({"N": "5"}, "NULL, NULL, NULL, 5"),
    ],
)
def test_an_input_may_be_given_as_json_has_it(emulator, home, given, arguments):
    answers = [{"input": given, "output": "given"}]
    emulator.models.set_answers("Show", answers=answers, default="other")
    assert rows(home, f"SELECT Show({arguments})") == [("given",)]
    assert rows(home, "SELECT Show(DATE '2000-01-01', NULL, b'a', 6)") == [("other",)]


def test_the_latest_answers_are_used(emulator, home):
    emulator.models.set_answers("Twice", default=1)
    emulator.models.set_answers("Twice", default=2)
    assert rows(home, "SELECT Twice(7)") == [(2,)]
    assert [each.name for each in emulator.models.registered()] == ["Twice"]
    assert emulator.models.remove("Twice")
    assert not emulator.models.remove("Twice")
    with pytest.raises(exceptions.FailedPrecondition, match="Twice"):
        rows(home, "SELECT Twice(7)")


def test_failures_are_injected(emulator, home):
    emulator.models.set_answers("Twice", default=1)
    emulator.models.fail("Twice", "denied", times=1, after=1)
    assert rows(home, "SELECT Twice(7)") == [(1,)]
    with pytest.raises(exceptions.PermissionDenied, match="was denied"):
        rows(home, "SELECT Twice(7)")
    assert rows(home, "SELECT Twice(7)") == [(1,)]


def test_clients_retry_unavailable_calls(emulator, home):
    emulator.models.set_answers("Twice", default=1)
    emulator.models.fail("Twice", "unavailable", times=2)
    assert rows(home, "SELECT Twice(7)") == [(1,)]
    assert [bool(call.error) for call in emulator.models.call_records()] == [True, True, False]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({}, "give answers"),
        ({"url": "http://example.com/"}, "not this machine"),
        ({"url": "ftp://127.0.0.1/"}, "is no URL"),
        ({"url": "http://127.0.0.1:9/", "default": 1}, "no other answers"),
    ],
)
def test_invalid_answers_are_refused(emulator, values, words):
    with pytest.raises(ValueError, match=words):
        emulator.models.set_answers("Embedder", **values)


@pytest.mark.parametrize(("name", "times"), [("", 1), ("Twice", 1.5), ("Twice", 0)])
def test_a_failure_that_cannot_be_injected(emulator, name, times):
    with pytest.raises(ValueError, match=r"empty|times|integer|name"):
        emulator.models.fail(name, "quota", times=times)


def test_an_unknown_failure(emulator):
    with pytest.raises(ValueError, match="quota"):
        emulator.models.fail("Embedder", "quotas")


def test_a_python_function_needs_this_process(emulator, home):
    if type(emulator.models).__name__ == "EmbeddedModels":
        with emulator.models.register("Twice", lambda batch, call: [8]):
            assert rows(home, "SELECT Twice(7)") == [(8,)]
    else:
        with pytest.raises(ValueError, match="in this process"):
            emulator.models.register("Twice", lambda batch, call: [8])


def test_a_reset_removes_answers_and_calls(emulator, home):
    emulator.models.set_answers("Twice", default=1)
    assert rows(home, "SELECT Twice(7)") == [(1,)]
    emulator.reset()
    assert not emulator.models.registered()
    assert not emulator.models.call_records()


# ---------------------------------------------------------------------------- URLs


class Answers(BaseHTTPRequestHandler):
    """Vertex's and remote functions' protocols: lengths of texts, and twice the numbers."""

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.bodies.append(body)
        if "calls" in body:
            reply = {"replies": [2 * x for (x,) in body["calls"]]}
        else:
            lengths = [float(len(each["content"])) for each in body["instances"]]
            reply = {"predictions": [{"embeddings": {"values": [n]}} for n in lengths]}
        content = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as created:
        created.bodies = []
        thread = threading.Thread(target=created.serve_forever)
        thread.start()
        yield created
        created.shutdown()
        thread.join()


def test_a_url_answers(emulator, home, server):
    url = f"http://127.0.0.1:{server.server_port}/predict"
    emulator.models.set_answers("*", url=url)
    assert rows(home, EMBEDDED) == [("desk", [4.0]), ("lamp", [4.0])]
    assert rows(home, "SELECT Twice(21)") == [(42,)]
    prediction, calls = server.bodies
    assert prediction["instances"] == [{"content": "lamp"}, {"content": "desk"}]
    assert calls["calls"] == [[21]]
    assert calls["requestId"]


def test_an_unreachable_url_fails_the_call(emulator, home):
    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as closed:
        url = f"http://127.0.0.1:{closed.server_port}/"
    emulator.models.set_answers("Embedder", url=url)
    with pytest.raises(exceptions.FailedPrecondition, match=url):
        rows(home, EMBEDDED)


# ---------------------------------------------------------------------------- JSON over HTTP


@pytest.fixture(scope="module")
def served():
    with spanemu.Emulator(rest_host_port="127.0.0.1:0") as running:
        yield running


@pytest.fixture
def ask(served):
    """Return a function that sends a request and returns the HTTP status with the reply."""

    def send(method, path, body=None):
        address = served.rest_address
        connection = http.client.HTTPConnection(address.host, address.port, timeout=20)
        data = None if body is None else json.dumps(body)
        with closing(connection):
            connection.request(method, f"/spanemu/v1/{path}", data)
            response = connection.getresponse()
            return response.status, json.loads(response.read())

    return send


@pytest.mark.parametrize("name", ["Embedder", ENDPOINT])
def test_answers_are_put(served, ask, name):
    home = served.create_database(f"models-{next(_numbers)}", schema=SCHEMA)
    path = f"models/{quote(name, safe='')}"
    assert ask("PUT", path, {"answers": [LAMP], "default": OTHER}) == (200, {})
    assert ask("GET", "models")[1]["models"][0]["name"] == name
    assert rows(home, EMBEDDED) == [("desk", [0.0, 1.0]), ("lamp", [1.0, 0.0])]
    (call,) = ask("GET", "models:calls")[1]["calls"]
    assert (call["model"], call["rowCount"]) == ("Embedder", 2)
    assert call["answers"][0] == LAMP["output"]
    assert ask("POST", f"{path}:fail", {"kind": "quota"}) == (200, {})
    with pytest.raises(exceptions.ResourceExhausted):
        rows(home, EMBEDDED)
    assert ask("DELETE", path) == (200, {"removed": True})
    assert ask("POST", "models:clear") == (200, {})
    assert ask("GET", "models:calls") == (200, {"calls": []})


def test_a_wrong_body_is_refused(ask):
    for body in ({}, {"url": "http://example.com"}, {"answers": 3}, {"answers": [{"in": 1}]}):
        status, reply = ask("PUT", "models/Embedder", body)
        assert (status, reply["error"]["status"]) == (400, "INVALID_ARGUMENT"), body
    status, reply = ask("POST", "models/Embedder:fail", {"kind": "fire"})
    assert status == 400
    assert "fire" in reply["error"]["message"]
