"""An emulator with either of its gRPC servers."""

from __future__ import annotations

import grpc
import pytest
from google.cloud.spanner import KeySet

import spanemu
from spanemu.api import running
from spanemu.api.tls import open_channel
from spanemu.frontend.server import Server
from spanemu.http2.server import Http2Server
from tests.certificates import write_certificate

SCHEMA = "CREATE TABLE T (Id INT64, Text STRING(MAX)) PRIMARY KEY (Id)"


@pytest.mark.parametrize(("name", "server"), [("grpcio", Server), ("h2", Http2Server)])
def test_the_chosen_server_serves_the_client(name, server, monkeypatch):
    started = []
    start = server.start
    monkeypatch.setattr(
        server, "start", lambda self, *more: started.append(type(self)) or start(self, *more)
    )
    with spanemu.Emulator(grpc_server=name, embedded_channel=False) as emulator:
        database = emulator.create_database("shop", SCHEMA).client()
        with database.batch() as batch:
            batch.insert("T", ("Id", "Text"), [(id_, "x" * 1_000) for id_ in range(2_000)])
        with database.snapshot() as snapshot:
            rows = list(snapshot.read("T", ("Id", "Text"), KeySet(all_=True)))
        assert len(rows) == 2_000
        with pytest.raises(spanemu.PortTaken):
            spanemu.Emulator(grpc_server=name, host_port=emulator.uri)
    assert started[0] is server


def test_the_own_server_speaks_tls(tmp_path):
    certificate, key = map(str, write_certificate(tmp_path))
    settings = {"embedded_channel": False, "tls_cert": certificate, "tls_key": key}
    with spanemu.Emulator(grpc_server="h2", **settings) as emulator:
        with open_channel(emulator.uri, certificate) as channel:
            check = channel.unary_unary("/grpc.health.v1.Health/Check")
            assert check(b"", timeout=20) == b"\x08\x01"
        with grpc.insecure_channel(emulator.uri) as channel:
            check = channel.unary_unary("/grpc.health.v1.Health/Check")
            with pytest.raises(grpc.RpcError):
                check(b"", timeout=20)


def test_the_own_server_needs_its_package(monkeypatch):
    class Missing:
        def __getattr__(self, name):
            raise ModuleNotFoundError("No module named 'hpack'")

    monkeypatch.setattr(running, "http2", Missing())
    with pytest.raises(spanemu.InvalidConfig, match=r"spanemu\[h2\]"):
        spanemu.Emulator(grpc_server="h2")
