"""The messages of the service spanemu.control.v1.Control, from `control/v1/control.protoset`.

It describes `control/v1/control.proto`, which is for clients in any language, and is read when the
first request arrives, so that no code is generated. `tests/conformance/control_proto.py` writes
both from the declared operations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import DecodeError

from spanemu.base.record import NamedTuple
from spanemu.frontend.convert.types import whole_numbers
from spanemu.frontend.errors import UnreadableRequest

_SERVICE = "spanemu.control.v1.Control"


class _Messages(NamedTuple):
    """The message classes of an RPC."""

    request: Any
    response: Any


def answer(
    name: str, data: bytes, perform: Callable[[str, Mapping[str, Any]], Mapping[str, Any]]
) -> bytes:
    """Return the reply of the operation `name`. Raises UnreadableRequest."""
    kinds = _messages()[name]
    try:
        request = kinds.request.FromString(data)
    except DecodeError:
        raise UnreadableRequest(f"/{_SERVICE}/{name}") from None
    reply = json_format.ParseDict(perform(name, _arguments(request)), kinds.response())
    serialized: bytes = reply.SerializeToString()
    return serialized


def _arguments(request: Any) -> dict[str, Any]:
    """Return the arguments in a request: set fields, and required numbers that are zero."""
    given = json_format.MessageToDict(request, preserving_proto_field_name=True)
    for field in request.DESCRIPTOR.fields:
        is_text = field.type == FieldDescriptor.TYPE_STRING
        if not field.has_presence and field.message_type is None and not is_text:
            given.setdefault(field.name, field.default_value)
    arguments: dict[str, Any] = whole_numbers(given)
    return arguments


@cache
def _messages() -> dict[str, _Messages]:
    """Return the message classes by RPC."""
    pool = descriptor_pool.Default()
    pool.AddSerializedFile(described().SerializeToString())
    service = pool.FindServiceByName(_SERVICE)
    return {
        method.name: _Messages(
            message_factory.GetMessageClass(method.input_type),
            message_factory.GetMessageClass(method.output_type),
        )
        for method in service.methods
    }


# ---------------------------------------------------------------------------- control.proto


def proto_text() -> str:
    """Return the text of control.proto."""
    return _folder().joinpath("control.proto").read_text("utf-8")


def described() -> Any:
    """Return the FileDescriptorProto of control.proto."""
    data = _folder().joinpath("control.protoset").read_bytes()
    (file,) = descriptor_pb2.FileDescriptorSet.FromString(data).file
    return file


def _folder() -> Traversable:
    return resources.files("spanemu.control").joinpath("v1")
