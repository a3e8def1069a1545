"""The messages of the service spanemu.control.v1.Control, read from `control/v1/control.proto`.

The file is for clients in any language. It is read when the first request arrives, so that no code
is generated. `tests/conformance/control_proto.py` writes it from the declared operations.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import resources
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import DecodeError

from spanemu.base.record import NamedTuple
from spanemu.frontend.convert.types import whole_numbers
from spanemu.frontend.errors import UnreadableRequest

FILE = "spanemu/control/v1/control.proto"
_PACKAGE = "spanemu.control.v1"
_SERVICE = f"{_PACKAGE}.Control"
_LINE = re.compile(
    r"""  import\ "(?P<imported>[^"]+)";
        | (?P<kind>message|service)\ (?P<opened>\w+)\ \{(?P<closed>\})?
        | rpc\ (?P<rpc>\w+)\((?P<request>\w+)\)\ returns\ \((?P<response>\w+)\);
        | ((?P<label>optional|repeated)\ )?(map<string,\ (?P<values>[\w.]+)>|(?P<type>[\w.]+))
          \ (?P<field>\w+)\ =\ (?P<number>\d+);
    """,
    re.VERBOSE,
)
_SCALARS = {
    "bool": FieldDescriptor.TYPE_BOOL,
    "bytes": FieldDescriptor.TYPE_BYTES,
    "double": FieldDescriptor.TYPE_DOUBLE,
    "int64": FieldDescriptor.TYPE_INT64,
    "string": FieldDescriptor.TYPE_STRING,
}


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
    return resources.files("spanemu.control").joinpath("v1/control.proto").read_text("utf-8")


def described(text: str | None = None) -> Any:
    """Return the FileDescriptorProto of control.proto, or of another text in its form.

    A statement has a line of its own, messages are not nested, and keys of maps are text.
    """
    file = descriptor_pb2.FileDescriptorProto(name=FILE, package=_PACKAGE, syntax="proto3")
    message: Any = None
    for line in _statements(proto_text() if text is None else text):
        if line["imported"]:
            file.dependency.append(line["imported"])
        elif line["rpc"]:
            file.service[0].method.add(
                name=line["rpc"],
                input_type=_type(line["request"]),
                output_type=_type(line["response"]),
            )
        elif line["kind"] == "service":
            file.service.add(name=line["opened"])
        elif line["kind"]:
            message = file.message_type.add(name=line["opened"])
        else:
            _add_field(message, line)
    return file


def _statements(text: str) -> Iterator[re.Match[str]]:
    for line in text.splitlines():
        if (match := _LINE.match(line.strip())) is not None:
            yield match


def _add_field(message: Any, line: re.Match[str]) -> None:
    field = message.field.add(name=line["field"], number=int(line["number"]), label=1)
    if line["values"]:
        title = "".join(part.capitalize() for part in field.name.split("_"))
        entry = message.nested_type.add(name=f"{title}Entry")
        entry.options.map_entry = True
        entry.field.add(name="key", number=1, label=1, type=FieldDescriptor.TYPE_STRING)
        _set_type(entry.field.add(name="value", number=2, label=1), line["values"])
        field.label = FieldDescriptor.LABEL_REPEATED
        _set_type(field, f"{message.name}.{entry.name}")
        return
    _set_type(field, line["type"])
    if line["label"] == "repeated":
        field.label = FieldDescriptor.LABEL_REPEATED
    elif line["label"]:
        field.proto3_optional = True
        field.oneof_index = len(message.oneof_decl)
        message.oneof_decl.add(name=f"_{field.name}")


def _set_type(field: Any, name: str) -> None:
    scalar = _SCALARS.get(name)
    if scalar is None:
        field.type, field.type_name = FieldDescriptor.TYPE_MESSAGE, _type(name)
    else:
        field.type = scalar


def _type(name: str) -> str:
    return f".{name}" if name.startswith("google.") else f".{_PACKAGE}.{name}"
