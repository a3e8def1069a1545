"""The method tables contain every RPC of the official client library."""

from __future__ import annotations

import re
from pathlib import Path

import grpc
import pytest
from google.cloud import spanner_admin_database_v1, spanner_admin_instance_v1, spanner_v1
from google.longrunning import operations_pb2

import spanemu
from spanemu.frontend.services import SERVICES

BY_NAME = {service.name: service for service in SERVICES}


@pytest.mark.parametrize(
    ("package", "transport", "service"),
    [
        (spanner_v1, "spanner", "google.spanner.v1.Spanner"),
        (
            spanner_admin_instance_v1,
            "instance_admin",
            "google.spanner.admin.instance.v1.InstanceAdmin",
        ),
        (
            spanner_admin_database_v1,
            "database_admin",
            "google.spanner.admin.database.v1.DatabaseAdmin",
        ),
    ],
)
def test_every_rpc_of_the_client(package, transport: str, service: str) -> None:
    root = Path(package.__file__).parent
    source = (root / "services" / transport / "transports" / "grpc.py").read_text()
    calls = re.findall(rf'(unary|stream)\(\s*"/{re.escape(service)}/(\w+)"', source)
    known = {method.name: method.streams for method in BY_NAME[service].methods}
    assert calls
    assert {name for _, name in calls} <= known.keys()
    implemented = {name: kind == "stream" for kind, name in calls if name != "FetchCacheUpdate"}
    assert {name: known[name] for name in implemented} == implemented


def test_every_rpc_of_operations() -> None:
    methods = operations_pb2.DESCRIPTOR.services_by_name["Operations"].methods
    known = {method.name for method in BY_NAME["google.longrunning.Operations"].methods}
    assert {method.name for method in methods} <= known


def test_names_are_unique() -> None:
    for service in SERVICES:
        names = [method.name for method in service.methods]
        assert len(names) == len(set(names))


def test_the_health_service_says_whether_a_service_serves():
    with spanemu.Emulator() as emulator, grpc.insecure_channel(emulator.uri) as channel:
        check = channel.unary_unary("/grpc.health.v1.Health/Check")
        for service in (b"", b"google.spanner.v1.Spanner"):
            assert check(b"\x0a%c%b" % (len(service), service)) == b"\x08\x01"
        with pytest.raises(grpc.RpcError) as caught:
            check(b"\x0a\x01x")
        assert caught.value.code() is grpc.StatusCode.NOT_FOUND
