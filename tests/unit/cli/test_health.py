"""`spanemu health`: exit codes for servers that answer, that start later, and that do not exist."""

import http.server
import threading

import pytest
from click.testing import CliRunner

import spanemu
from spanemu.api.endpoint_file import Endpoint, write
from spanemu.cli import main

NOWHERE = "localhost:1"


@pytest.fixture(scope="module")
def emulator():
    with spanemu.Emulator(embedded_channel=False) as running:
        yield running


@pytest.fixture
def rest():
    """Yield a REST server that answers every GET with the status in `answer`."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(server.answer)
            self.end_headers()

        def log_message(self, *_):
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
        server.answer = 200
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield server
        server.shutdown()


def health(*arguments, **variables):
    clean = {"SPANNER_EMULATOR_HOST": None, "SPANEMU_ENDPOINT_FILE": None}
    return CliRunner().invoke(main, ["health", *arguments], env=clean | variables)


def test_a_server_that_answers_is_healthy(emulator, rest):
    assert health("--host-port", emulator.uri).exit_code == 0
    assert health(SPANNER_EMULATOR_HOST=emulator.uri).exit_code == 0
    rest_uri = f"127.0.0.1:{rest.server_port}"
    result = health("--host-port", emulator.uri, "--rest-host-port", rest_uri)
    assert (result.exit_code, result.output) == (
        0,
        f"SERVING: gRPC at {emulator.uri}, REST at {rest_uri}\n",
    )
    quiet = health("--host-port", emulator.uri, "--rest-host-port", "off", "--quiet")
    assert (quiet.exit_code, quiet.output) == (0, "")


@pytest.mark.parametrize("answer", [404, 503])
def test_both_ports_must_answer(emulator, rest, answer):
    rest.answer = answer
    result = health(
        *("--host-port", emulator.uri, "--rest-host-port", f"127.0.0.1:{rest.server_port}")
    )
    assert result.exit_code == 1
    assert str(answer) in result.output
    assert health("--host-port", emulator.uri, "--rest-host-port", NOWHERE).exit_code == 1
    assert health("--host-port", NOWHERE, "--rest-host-port", "off").exit_code == 1


def test_a_server_may_publish_its_address_later(emulator, tmp_path):
    path = tmp_path / "endpoint.json"
    missing = health("--endpoint-file", str(path))
    assert missing.exit_code == 1
    assert str(path) in missing.output
    endpoint = Endpoint(emulator.uri, 1, "p", "i", "2026-01-01T00:00:00Z")
    timer = threading.Timer(0.2, write, (endpoint, path))
    timer.start()
    assert health("--wait", "30", SPANEMU_ENDPOINT_FILE=str(path)).exit_code == 0
    timer.join()


def test_a_malformed_address_is_a_usage_error():
    assert health("--host-port", "nonsense").exit_code == 2
