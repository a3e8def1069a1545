"""Server reflection, by which grpcurl and other tools learn the services and their messages.

The package grpcio-reflection answers the requests; this module describes the services to it. The
client library has descriptors of messages, but of hardly any service, so a file with each service
is made from the method tables. The two versions of the protocol have the same messages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool
from google.protobuf.message import DecodeError
from grpc_reflection.v1alpha import reflection, reflection_pb2

from spanemu.frontend.dispatch import Method, Service
from spanemu.frontend.errors import UnreadableRequest

HEALTH = "grpc.health.v1.Health"
_STRING, _ENUM = 9, 14  # FieldDescriptorProto.Type
_OPTIONAL = 1  # FieldDescriptorProto.Label


def reflect(services: Iterable[Service]) -> Callable[[Iterator[bytes], Any], Iterator[bytes]]:
    """Return the behaviour of the method ServerReflectionInfo for some services."""
    known = tuple(services)
    names = [service.name for service in known]
    servicer = reflection.ReflectionServicer(
        [*names, reflection.SERVICE_NAME], pool=_pool_of(known)
    )

    def read(data: bytes) -> Any:
        try:
            return reflection_pb2.ServerReflectionRequest.FromString(data)
        except DecodeError:
            raise UnreadableRequest("ServerReflectionInfo") from None

    def behavior(requests: Iterator[bytes], context: Any) -> Iterator[bytes]:
        for response in servicer.ServerReflectionInfo(map(read, requests), context):
            yield response.SerializeToString()

    return behavior


def _pool_of(services: Iterable[Service]) -> Any:
    """Return a pool with the services and the messages that they use."""
    pool = descriptor_pool.DescriptorPool()
    added: set[str] = set()
    _add(pool, reflection_pb2.DESCRIPTOR, added)
    for service in services:
        if service.name == HEALTH:
            pool.Add(_health_file())
            continue
        if service.file is not None:
            file = service.file()
            for name in file.dependency:
                _add(pool, descriptor_pool.Default().FindFileByName(name), added)
            pool.Add(file)
            continue
        files = {
            each.DESCRIPTOR.file.name: each.DESCRIPTOR.file
            for method in service.methods
            for each in (method.request, method.response)
        }
        for file in files.values():
            _add(pool, file, added)
        try:
            pool.FindServiceByName(service.name)
        except KeyError:
            pool.Add(_file_of(service, sorted(files)))
    return pool


def _add(pool: Any, file: Any, added: set[str]) -> None:
    """Add a file to a pool, after the files that it imports."""
    if file.name in added:
        return
    added.add(file.name)
    for dependency in file.dependencies:
        _add(pool, dependency, added)
    copy = descriptor_pb2.FileDescriptorProto()
    file.CopyToProto(copy)
    pool.Add(copy)


def _file_of(service: Service, imports: list[str]) -> Any:
    """Return a file with nothing but a service."""
    package, _, name = service.name.rpartition(".")
    file = descriptor_pb2.FileDescriptorProto(
        name=f"spanemu/{service.name}.proto", package=package, syntax="proto3", dependency=imports
    )
    described = file.service.add(name=name)
    for method in service.methods:
        _describe(described, method)
    return file


def _describe(service: Any, method: Method) -> None:
    service.method.add(
        name=method.name,
        input_type=f".{method.request.DESCRIPTOR.full_name}",
        output_type=f".{method.response.DESCRIPTOR.full_name}",
        server_streaming=method.streams,
    )


def _health_file() -> Any:
    """Return the file of the health service, whose messages this server has under other names."""
    package, _, name = HEALTH.rpartition(".")
    file = descriptor_pb2.FileDescriptorProto(
        name="grpc/health/v1/health.proto", package=package, syntax="proto3"
    )
    request = file.message_type.add(name="HealthCheckRequest")
    request.field.add(name="service", number=1, type=_STRING, label=_OPTIONAL)
    response = file.message_type.add(name="HealthCheckResponse")
    statuses = response.enum_type.add(name="ServingStatus")
    for number, status in enumerate(("UNKNOWN", "SERVING", "NOT_SERVING", "SERVICE_UNKNOWN")):
        statuses.value.add(name=status, number=number)
    type_name = f".{package}.HealthCheckResponse.ServingStatus"
    response.field.add(name="status", number=1, type=_ENUM, label=_OPTIONAL, type_name=type_name)
    file.service.add(name=name).method.add(
        name="Check",
        input_type=f".{package}.HealthCheckRequest",
        output_type=f".{package}.HealthCheckResponse",
    )
    return file
