"""Reflection, used as grpcurl does: from nothing but the address to a request and its reply."""

from __future__ import annotations

import grpc
import pytest
from google.protobuf import json_format, message_factory
from google.protobuf.descriptor_pool import DescriptorPool
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import (
    ProtoReflectionDescriptorDatabase,
)
from grpc_reflection.v1alpha.reflection_pb2 import (
    ServerReflectionRequest,
    ServerReflectionResponse,
)

import spanemu
from spanemu.frontend import server as module

VERSIONS = ("v1", "v1alpha")


@pytest.fixture(scope="module", params=["h2", "grpcio"])
def channel(request):
    settings = {"embedded_channel": False, "grpc_server": request.param}
    with spanemu.Emulator(**settings) as running, grpc.insecure_channel(running.uri) as opened:
        yield opened


@pytest.fixture(scope="module")
def database(channel):
    return ProtoReflectionDescriptorDatabase(channel)


def call(channel, pool, service, name, request):
    """Send a JSON-like request to a method, by what the pool says of it; return the reply."""
    method = pool.FindServiceByName(service).FindMethodByName(name)
    kinds = [
        message_factory.GetMessageClass(each) for each in (method.input_type, method.output_type)
    ]
    stub = channel.unary_unary(
        f"/{service}/{name}", kinds[0].SerializeToString, kinds[1].FromString
    )
    return json_format.MessageToDict(stub(json_format.ParseDict(request, kinds[0]()), timeout=30))


def test_all_services_are_listed(database):
    assert {
        "google.spanner.v1.Spanner",
        "google.spanner.admin.instance.v1.InstanceAdmin",
        "google.spanner.admin.database.v1.DatabaseAdmin",
        "google.longrunning.Operations",
        "grpc.health.v1.Health",
        "spanemu.v1.Control",
        "spanemu.control.v1.Control",
    } <= set(database.get_services())


@pytest.mark.parametrize(
    ("service", "method", "request_", "field"),
    [
        (
            "google.spanner.admin.instance.v1.InstanceAdmin",
            "ListInstanceConfigs",
            {"parent": "projects/p"},
            "instanceConfigs",
        ),
        ("grpc.health.v1.Health", "Check", {"service": ""}, "status"),
        ("spanemu.v1.Control", "GetClock", {}, "now"),
        ("spanemu.control.v1.Control", "GetClock", {}, "now"),
    ],
)
def test_a_request_can_be_built_from_reflection(
    channel, database, service, method, request_, field
):
    assert field in call(channel, DescriptorPool(database), service, method, request_)


def test_every_method_is_described(database):
    pool = DescriptorPool(database)
    for name in database.get_services():
        service = pool.FindServiceByName(name)
        assert service.methods, name
    streams = pool.FindServiceByName("google.spanner.v1.Spanner").FindMethodByName
    assert streams("ExecuteStreamingSql").server_streaming
    assert not streams("ExecuteSql").server_streaming


@pytest.mark.parametrize("version", VERSIONS)
def test_both_versions_of_the_protocol_answer(channel, version):
    stub = channel.stream_stream(
        f"/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo",
        ServerReflectionRequest.SerializeToString,
        ServerReflectionResponse.FromString,
    )
    requests = [
        ServerReflectionRequest(list_services="*"),
        ServerReflectionRequest(file_containing_symbol="no.such.Symbol"),
        ServerReflectionRequest(),
    ]
    replies = list(stub(iter(requests), timeout=30))
    assert len(replies[0].list_services_response.service) >= 6
    codes = [reply.error_response.error_code for reply in replies[1:]]
    assert codes == [grpc.StatusCode.NOT_FOUND.value[0], grpc.StatusCode.INVALID_ARGUMENT.value[0]]


def test_a_server_without_the_package_names_the_extra_to_install(monkeypatch):
    def missing(_services):
        raise ModuleNotFoundError("No module named 'grpc_reflection'")

    monkeypatch.setattr(module.reflection, "reflect", missing)
    settings = {"embedded_channel": False, "grpc_server": "grpcio"}
    with spanemu.Emulator(**settings) as other, grpc.insecure_channel(other.uri) as to:
        stub = to.stream_stream("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo")
        with pytest.raises(grpc.RpcError) as caught:
            list(stub(iter([b""]), timeout=30))
    assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED
    assert "spanemu[reflection]" in caught.value.details()
