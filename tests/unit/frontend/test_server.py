from __future__ import annotations

import threading
from typing import Any

import grpc
import pytest

from spanemu.base.errors import Code
from spanemu.frontend import server as server_module
from spanemu.frontend.boundary import STATUS_CODES
from spanemu.frontend.dispatch import Endpoints
from spanemu.frontend.errors import CannotListen, PortTaken
from spanemu.frontend.server import Server
from tests.ports import free_port

SECONDS = 60.0


def server() -> Server:
    return Server(Endpoints((), None), workers_max=2)


def test_every_code_has_a_status() -> None:
    assert {code: status.value[0] for code, status in STATUS_CODES.items()} == {
        code: int(code) for code in Code
    }


def test_a_free_port_and_a_taken_one() -> None:
    first = server()
    port = first.start("localhost:0")
    try:
        with pytest.raises(PortTaken) as caught:
            server().start(f"127.0.0.1:{port}")
        assert caught.value.host_port == f"127.0.0.1:{port}"
        with grpc.insecure_channel(f"localhost:{port}") as channel:
            grpc.channel_ready_future(channel).result(SECONDS)
    finally:
        first.stop()


def test_a_stopped_server_frees_its_port() -> None:
    port = free_port()
    for _ in range(2):
        running = server()
        assert running.start(f"127.0.0.1:{port}") == port
        running.stop()


@pytest.mark.parametrize(
    ("host", "reason"), [("no-such-host.invalid", "unknown"), ("192.0.2.1", "not an address")]
)
def test_a_host_of_another_machine(host: str, reason: str) -> None:
    with pytest.raises(CannotListen) as caught:
        server().start(f"{host}:0")
    assert not isinstance(caught.value, PortTaken)
    assert caught.value.host_port == f"{host}:0"
    assert reason in caught.value.reason


def test_thousands_of_requests_wait_for_their_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    # All arrive while the server finds the handler of the first.
    begin = threading.Event()

    def no_handler(_handlers: Any, _details: Any) -> None:
        begin.wait(SECONDS)

    monkeypatch.setattr(server_module._Handlers, "service", no_handler)
    running = server()
    with grpc.insecure_channel(f"127.0.0.1:{running.start()}") as channel:
        call = channel.unary_unary("/s.S/M")
        requests = [call.future(b"", timeout=SECONDS) for _ in range(2_000)]
        begin.set()
        failures = [request.exception(SECONDS) for request in requests]
    assert {failure.code() for failure in failures} == {grpc.StatusCode.UNIMPLEMENTED}
    running.stop()
