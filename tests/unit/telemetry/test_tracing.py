"""Spans of requests: what they say, and below which span of the client they lie."""

from __future__ import annotations

import http.client
import http.server
import os
import subprocess
import sys
import threading

import pytest
from click.testing import CliRunner
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

import spanemu
from spanemu.api.client import official_client
from spanemu.cli import main
from spanemu.telemetry import tracing
from tests.unit.telemetry.fakes import FakeCall

SCHEMA = "CREATE TABLE T (Id INT64) PRIMARY KEY (Id)"


@pytest.fixture(scope="module")
def exporter():
    return InMemorySpanExporter()


@pytest.fixture(scope="module")
def provider(exporter):
    made = TracerProvider()
    made.add_span_processor(SimpleSpanProcessor(exporter))
    yield made
    made.shutdown()


@pytest.fixture(scope="module", params=["embedded", "port"])
def emulator(request, provider):
    with spanemu.Emulator(
        tracer_provider=provider,
        rest_host_port="127.0.0.1:0",
        embedded_channel=request.param == "embedded",
    ) as running:
        running.create_database("shop", SCHEMA)
        yield running


@pytest.fixture
def spans(exporter):
    """Return a function that returns the spans since the test began, by name."""
    exporter.clear()
    return lambda: {span.name: span for span in exporter.get_finished_spans()}


def read(emulator, sql="SELECT 1", **options):
    client = official_client(emulator.uri, emulator.project, **options)
    database = client.instance(emulator.instance).database("shop")
    with database.snapshot() as snapshot:
        return list(snapshot.execute_sql(sql, request_options={"request_tag": "list"}))


def test_a_request_is_a_span_below_that_of_the_client(emulator, spans, provider):
    traced = {"tracer_provider": provider, "enable_end_to_end_tracing": True}
    read(emulator, observability_options=traced)
    result = spans()
    server = result["google.spanner.v1.Spanner/ExecuteStreamingSql"]
    client = next(span for name, span in result.items() if name.startswith("CloudSpanner.Snapshot"))
    assert server.parent.span_id == client.context.span_id
    assert server.context.trace_id == client.context.trace_id
    assert client.start_time <= server.start_time <= server.end_time


def test_a_span_has_the_attributes_of_the_conventions(emulator, spans):
    read(emulator)
    span = spans()["google.spanner.v1.Spanner/ExecuteStreamingSql"]
    name = emulator.database("shop").name
    assert span.kind is SpanKind.SERVER
    assert span.status.status_code is StatusCode.UNSET
    expected = {
        "rpc.system": "grpc",
        "rpc.service": "google.spanner.v1.Spanner",
        "rpc.method": "ExecuteStreamingSql",
        "rpc.grpc.status_code": 0,
        "db.system.name": "gcp.spanner",
        "db.namespace": name,
        "db.instance": name,
        "db.query.text": "SELECT 1",
        "db.statement": "SELECT 1",
        "db.response.returned_rows": 1,
        "request.tag": "list",
        "gcp.resource.name": f"//spanner.googleapis.com/{name}",
    }
    assert {key: span.attributes.get(key) for key in expected} == expected


def test_a_failure_is_an_error(emulator, spans):
    with pytest.raises(Exception, match="nothing"):
        read(emulator, "SELECT nothing")
    span = spans()["google.spanner.v1.Spanner/ExecuteStreamingSql"]
    assert span.status.status_code is StatusCode.ERROR
    assert "nothing" in span.status.description
    assert span.attributes["rpc.grpc.status_code"] == 3


def test_rest_takes_the_header_too(emulator, spans):
    trace_id = "0af7651916cd43dd8448eb211c80319c"
    header = {"traceparent": f"00-{trace_id}-b7ad6b7169203331-01"}
    address = emulator.rest_address
    connection = http.client.HTTPConnection(address.host, address.port, timeout=30)
    connection.request("GET", f"/v1/{emulator.database('shop').name}", headers=header)
    assert connection.getresponse().read()
    connection.close()
    span = spans()["google.spanner.admin.database.v1.DatabaseAdmin/GetDatabase"]
    assert f"{span.context.trace_id:032x}" == trace_id
    assert span.attributes["spanemu.transport"] == "rest"


@pytest.mark.parametrize("value", ["", "nonsense", "00-0-0-01", "\u00e9"])
def test_a_bad_header_begins_a_trace(value):
    assert not tracing._parent(FakeCall(traceparent=value))


def test_serve_sends_spans_by_otlp():
    received = threading.Event()

    class Collector(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.path == "/v1/traces" and b"ListInstances" in body:
                received.set()
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector) as collector:
        thread = threading.Thread(target=collector.serve_forever, daemon=True)
        thread.start()
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{collector.server_port}",
            "OTEL_EXPORTER_OTLP_COMPRESSION": "none",
        }
        command = [sys.executable, "-m", "spanemu", "serve", "--trace-requests"]
        command += ["--host-port=127.0.0.1:0", "--rest-host-port=off"]
        process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
        try:
            lines = [process.stdout.readline() for _ in range(4)]
            uri = lines[1].rpartition(" ")[2].strip()
            assert list(official_client(uri, "p").list_instances()) == []
            process.terminate()
            assert process.wait(timeout=60) == 0
        finally:
            process.kill()
            process.communicate(timeout=60)
        assert received.wait(30)
        collector.shutdown()
        thread.join(30)


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", None)
    result = CliRunner().invoke(main, ["serve", "--trace-requests"])
    assert result.exit_code == 2
    assert "spanemu[otel]" in result.output
