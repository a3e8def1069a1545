"""An emulator with either of its gRPC servers."""

from __future__ import annotations

import socket

import grpc
import pytest
from google.cloud.spanner import KeySet

import spanemu
from spanemu.api.tls import open_channel
from spanemu.frontend.server import Server
from spanemu.http2.server import Http2Server
from tests.certificates import write_certificate

SCHEMA = "CREATE TABLE T (Id INT64, Text STRING(MAX)) PRIMARY KEY (Id)"


SERVERS = [
    ({}, Http2Server),
    ({"grpc_server": "h2"}, Http2Server),
    ({"grpc_server": "grpcio"}, Server),
]


@pytest.mark.parametrize(("chosen", "server"), SERVERS)
def test_the_chosen_server_serves_the_client(chosen, server, monkeypatch):
    started = []
    start = server.start
    monkeypatch.setattr(
        server, "start", lambda self, *more: started.append(type(self)) or start(self, *more)
    )
    with spanemu.Emulator(**chosen, embedded_channel=False) as emulator:
        database = emulator.create_database("shop", SCHEMA).client()
        with database.batch() as batch:
            batch.insert("T", ("Id", "Text"), [(id_, "x" * 1_000) for id_ in range(2_000)])
        with database.snapshot() as snapshot:
            rows = list(snapshot.read("T", ("Id", "Text"), KeySet(all_=True)))
        assert len(rows) == 2_000
        with pytest.raises(spanemu.PortTaken):
            spanemu.Emulator(**chosen, host_port=emulator.uri)
    assert started[0] is server


@pytest.mark.parametrize("name", ["h2", "grpcio"])
@pytest.mark.parametrize("host", ["0.0.0.0", "[::]"])
def test_all_addresses_are_those_of_both_families(name, host):
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("no IPv6 here")
    with spanemu.Emulator(
        grpc_server=name, host_port=f"{host}:0", embedded_channel=False
    ) as emulator:
        port = int(emulator.uri.rpartition(":")[2])
        with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
            check = channel.unary_unary("/grpc.health.v1.Health/Check")
            assert check(b"", timeout=20) == b"\x08\x01"
        socket.create_connection(("::1", port), timeout=20).close()


@pytest.mark.parametrize("name", ["h2", "grpcio"])
def test_both_servers_speak_tls(name, tmp_path):
    certificate, key = map(str, write_certificate(tmp_path))
    settings = {"embedded_channel": False, "tls_cert": certificate, "tls_key": key}
    with spanemu.Emulator(grpc_server=name, **settings) as emulator:
        with open_channel(emulator.uri, certificate) as channel:
            check = channel.unary_unary("/grpc.health.v1.Health/Check")
            assert check(b"", timeout=20) == b"\x08\x01"
        with grpc.insecure_channel(emulator.uri) as channel:
            check = channel.unary_unary("/grpc.health.v1.Health/Check")
            with pytest.raises(grpc.RpcError):
                check(b"", timeout=20)
