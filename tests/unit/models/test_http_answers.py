"""Answers of a URL: the bodies that are sent, failures, retries, and what is refused."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from spanemu.base.errors import Code
from spanemu.models.errors import BadAnswer, ModelCallFailed, RequestRefused
from spanemu.models.http_answers import UrlAnswers
from spanemu.models.request import ModelCall, Request
from spanemu.sql.remote_calls import TargetColumn, TargetKind
from spanemu.values.types import BYTES, FLOAT64, INT64, STRING, TIMESTAMP, struct_of

INPUTS = (TargetColumn("x", INT64), TargetColumn("label", STRING))


class Work:
    is_abandoned = False

    def seconds_left(self):
        return 5.0


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        length = int(self.headers["Content-Length"])
        self.server.bodies.append(json.loads(self.rfile.read(length)))
        status, body = self.server.answers[
            min(len(self.server.bodies), len(self.server.answers)) - 1
        ]
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        if status == 302:
            self.send_header("Location", "http://127.0.0.1:1/")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_args):
        pass


@pytest.fixture
def server():
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        running.bodies, running.answers = [], []
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def request(kind, parameters=None):
    call = ModelCall("f", "m", "", parameters or {}, "googlesql", "d", {}, {})
    return Request(kind, call, [(1, "a"), (2**60, None)], INPUTS, Work())


def answer(server, kind, *answers, parameters=None):
    server.answers = answers
    url = UrlAnswers(f"http://127.0.0.1:{server.server_port}/f?a=b")
    return url.answer(request(kind, parameters))


def test_a_model_gets_instances_and_parameters(server):
    reply = {"predictions": [{"y": 1}, {"y": 2}]}
    answers = answer(server, TargetKind.MODEL, (200, reply), parameters={"n": 5})
    assert answers == reply["predictions"]
    (body,) = server.bodies
    instances = [{"x": 1, "label": "a"}, {"x": str(2**60), "label": None}]
    assert body == {"instances": instances, "parameters": {"n": 5}}


def test_parameters_are_sent_as_to_json_writes_them(server):
    sent = request(TargetKind.MODEL)
    type_ = struct_of(("b", BYTES), ("n", INT64), ("t", TIMESTAMP), ("x", FLOAT64))
    sent.typed_parameters = (b"x", 2**60, 5 * 10**9 + 1, float("nan")), type_
    server.answers = [(200, {"predictions": [1, 2]})]
    assert UrlAnswers(f"http://127.0.0.1:{server.server_port}/").answer(sent) == [1, 2]
    assert server.bodies[0]["parameters"] == {
        "b": "eA==",
        "n": str(2**60),
        "t": "1970-01-01T00:00:05.000000001Z",
        "x": "NaN",
    }


def test_json_that_is_too_deep_is_a_bad_answer(server):
    deep = b"[" * 100_000 + b"]" * 100_000
    with pytest.raises(BadAnswer, match="not answer with JSON"):
        answer(server, TargetKind.MODEL, (200, deep))


def test_a_remote_function_gets_calls(server):
    assert answer(server, TargetKind.REMOTE_FUNCTION, (200, {"replies": [3, 4]})) == [3, 4]
    (body,) = server.bodies
    assert body["calls"] == [[1, "a"], [str(2**60), None]]
    assert body["requestId"]


def test_a_remote_function_is_asked_again(server):
    busy = (503, {"errorMessage": "busy"})
    assert answer(server, TargetKind.REMOTE_FUNCTION, busy, (200, {"replies": [1, 2]})) == [1, 2]
    assert len(server.bodies) == 2
    assert server.bodies[0]["requestId"] == server.bodies[1]["requestId"]


@pytest.mark.parametrize(("status", "requests"), [(400, 1), (503, 5)])
def test_a_remote_function_fails_with_its_message(server, status, requests):
    with pytest.raises(ModelCallFailed, match="overflow"):
        answer(server, TargetKind.REMOTE_FUNCTION, (status, {"errorMessage": "overflow"}))
    assert len(server.bodies) == requests


@pytest.mark.parametrize(
    ("status", "body", "code"),
    [
        (429, b"", Code.RESOURCE_EXHAUSTED),
        (404, {"error": {"status": "NOT_FOUND", "message": "gone"}}, Code.NOT_FOUND),
        (400, {"error": {"status": "FAILED_PRECONDITION"}}, Code.FAILED_PRECONDITION),
        (302, b"", Code.INTERNAL),
        (200, b" " * (10 * 1024 * 1024 + 1), Code.RESOURCE_EXHAUSTED),
    ],
)
def test_other_answers_of_a_model_have_a_code(server, status, body, code):
    with pytest.raises(RequestRefused) as refused:
        answer(server, TargetKind.MODEL, (status, body))
    assert refused.value.code is code


def test_no_answer_is_read_after_the_statement_has_ended(server, monkeypatch):
    monkeypatch.setattr(Work, "is_abandoned", True)
    with pytest.raises(RequestRefused, match="has ended") as refused:
        answer(server, TargetKind.MODEL, (200, {"predictions": [1, 2]}))
    assert refused.value.code is Code.DEADLINE_EXCEEDED


@pytest.mark.parametrize("body", [b"<html>", {"other": 1}, {"predictions": 5}])
def test_an_answer_must_be_a_list(server, body):
    with pytest.raises(BadAnswer):
        answer(server, TargetKind.MODEL, (200, body))


def test_an_unreachable_server_fails_the_call():
    with pytest.raises(RequestRefused) as refused:
        UrlAnswers("http://127.0.0.1:1/").answer(request(TargetKind.MODEL))
    assert refused.value.code is Code.FAILED_PRECONDITION


@pytest.mark.parametrize(
    "url",
    [
        "http://example.com/",
        "https://127.0.0.1/",
        "ftp://127.0.0.1",
        "x",
        "http://10.0.0.1/",
        "http://user:secret@127.0.0.1/",
        "http://127.0.0.1:0/",
        "http://127.0.0.1/a b",
        "http://127.0.0.1/é",
        "http://127.0.0.1/a\r\nb: c",
    ],
)
def test_only_urls_of_this_machine_are_asked(url):
    with pytest.raises(ValueError):  # noqa: PT011
        UrlAnswers(url)


@pytest.mark.parametrize("host", ["localhost", "[::1]", "127.0.0.2"])
def test_this_machine_has_several_names(host):
    assert str(UrlAnswers(f"http://{host}:5/x")) == f"http://{host}:5/x"
