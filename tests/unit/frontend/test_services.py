"""The method tables contain every RPC of the official client library."""

from __future__ import annotations

import re
from inspect import getsource
from pathlib import Path

import grpc
import pytest
from google.cloud import spanner_admin_database_v1, spanner_admin_instance_v1, spanner_v1
from google.cloud.spanner_admin_database_v1.services.database_admin.transports.grpc import (
    DatabaseAdminGrpcTransport,
)
from google.cloud.spanner_admin_instance_v1.services.instance_admin.transports.grpc import (
    InstanceAdminGrpcTransport,
)
from google.longrunning import operations_pb2

import spanemu
from spanemu.admin.operation_kinds import OperationKind
from spanemu.base.errors import Unsupported
from spanemu.frontend import wire
from spanemu.frontend.admin import operations
from spanemu.frontend.services import (
    DATABASE_METHODS,
    INSTANCE_METHODS,
    OPERATION_METHODS,
    SERVICES,
)

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


def test_the_health_service_reports_whether_a_service_is_served():
    with spanemu.Emulator() as emulator, grpc.insecure_channel(emulator.uri) as channel:
        check = channel.unary_unary("/grpc.health.v1.Health/Check")
        for service in (b"", b"google.spanner.v1.Spanner"):
            assert check(b"\x0a%c%b" % (len(service), service)) == b"\x08\x01"
        with pytest.raises(grpc.RpcError) as caught:
            check(b"\x0a\x01x")
        assert caught.value.code() is grpc.StatusCode.NOT_FOUND


def rpcs(transport, service):
    return set(re.findall(rf'"/{re.escape(service)}/(\w+)"', getsource(transport)))


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        (
            INSTANCE_METHODS,
            rpcs(InstanceAdminGrpcTransport, "google.spanner.admin.instance.v1.InstanceAdmin"),
        ),
        (
            DATABASE_METHODS,
            # The Python client leaves this one out.
            rpcs(DatabaseAdminGrpcTransport, "google.spanner.admin.database.v1.DatabaseAdmin")
            | {"ChangeQuorum"},
        ),
        (
            OPERATION_METHODS,
            set(operations_pb2.DESCRIPTOR.services_by_name["Operations"].methods_by_name),
        ),
    ],
)
def test_tables_are_complete(table, expected):
    names = [method.name for method in table]
    assert len(expected) >= 5
    assert sorted(names) == sorted(expected)


def test_unimplemented_rpcs_name_themselves():
    refusals = [
        method for method in (*INSTANCE_METHODS, *DATABASE_METHODS) if method.request is wire.Empty
    ]
    for method in refusals:
        with pytest.raises(Unsupported) as caught:
            method.handler(None, wire.Empty())
        assert method.name in caught.value.feature


def kinds_below(kind):
    return {kind}.union(*(kinds_below(each) for each in kind.__subclasses__()))


@pytest.mark.parametrize(
    "kind", sorted(kinds_below(OperationKind) - {OperationKind}, key=lambda kind: kind.__name__)
)
def test_messages_of_a_kind_of_operation_exist(kind):
    for type_url in (kind.metadata_type, kind.response_type):
        name = type_url.rpartition("/")[2]
        assert getattr(wire, name.rpartition(".")[2]).DESCRIPTOR.full_name == name
    if kind.made:
        assert kind.response_type.rpartition(".")[2] in operations._RESOURCES
    else:
        assert not getattr(wire, kind.response_type.rpartition(".")[2]).DESCRIPTOR.fields
