"""A generator of control.proto from the control operations: `python -m tests.conformance.control_proto`.

The declarations of the operations have the names and types of all fields; the file has their numbers.
A field keeps its number, a new field gets the next, and that of a removed field stays reserved. The
description of the file, which the server reads, is written beside it.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import datetime
from enum import Enum
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints, is_typeddict

from google.protobuf import descriptor_pb2
from google.protobuf.descriptor import FieldDescriptor

import spanemu
from spanemu.control.operation import ControlInterface, Held, Operation, Sent
from spanemu.hotspots.finding import Finding
from spanemu.rest.control import route_of

PATH = Path(spanemu.__file__).parent / "control" / "v1" / "control.proto"
DESCRIPTION = PATH.with_suffix(".protoset")
HEAD = """\
// The control operations of spanemu for clients in any language, served at the gRPC port.
//
// The same operations are JSON over HTTP, at the paths in the comments, below /spanemu/v1/. Where a
// field names a database, it has the full name: projects/P/instances/I/databases/D.
//
// Generated from the declarations of the operations by `python -m tests.conformance.control_proto`.

syntax = "proto3";

package spanemu.control.v1;

import "google/protobuf/struct.proto";
import "google/protobuf/timestamp.proto";
"""
SCALARS = {
    bool: "bool",
    bytes: "bytes",
    float: "double",
    int: "int64",
    str: "string",
    object: "string",
}
TIMESTAMP, STRUCT, LIST, VALUE = (
    f"google.protobuf.{name}" for name in ("Timestamp", "Struct", "ListValue", "Value")
)
NAMES: dict[type, str] = {Finding: "HotspotFinding"}  # whose own name another class has, too
WIDTH = 100
PACKAGE = "spanemu.control.v1"
LINE = re.compile(
    r"""  import\ "(?P<imported>[^"]+)";
        | (?P<kind>message|service)\ (?P<opened>\w+)\ \{(?P<closed>\})?
        | rpc\ (?P<rpc>\w+)\((?P<request>\w+)\)\ returns\ \((?P<response>\w+)\);
        | ((?P<label>optional|repeated)\ )?(map<string,\ (?P<values>[\w.]+)>|(?P<type>[\w.]+))
          \ (?P<field>\w+)\ =\ (?P<number>\d+);
    """,
    re.VERBOSE,
)
SCALAR_TYPES = {
    "bool": FieldDescriptor.TYPE_BOOL,
    "bytes": FieldDescriptor.TYPE_BYTES,
    "double": FieldDescriptor.TYPE_DOUBLE,
    "int64": FieldDescriptor.TYPE_INT64,
    "string": FieldDescriptor.TYPE_STRING,
}


@dataclass(frozen=True)
class FieldType:
    """A type of a field; `label` is "", "optional" or "repeated"."""

    name: str
    label: str = ""


@dataclass
class Messages:
    """The messages to write, by name: a comment, and the types of the fields by their names."""

    numbers: Mapping[str, Mapping[str, int]]  # of the present file
    reserved: Mapping[str, set[int]]
    found: dict[str, tuple[str, dict[str, FieldType]]] = field(default_factory=dict)
    classes: dict[str, type] = field(default_factory=dict)

    def type_of(self, hint: Any) -> FieldType:
        """Return the type of a field for a Python type; adds the messages that it needs."""
        kinds = [each for each in _kinds(hint) if each is not NoneType]
        if len(kinds) > 1 and datetime in kinds:
            kinds = [datetime]
        if set(kinds) == {int, float}:
            kinds = [float]
        if len(kinds) > 1:
            return FieldType(VALUE)
        (kind,) = kinds
        result = self._single(kind)
        is_scalar = result.name in SCALARS.values() and not result.label
        return FieldType(result.name, "optional") if is_scalar and len(_kinds(hint)) > 1 else result

    def _single(self, kind: Any) -> FieldType:
        origin, of = get_origin(kind), get_args(kind)
        if isinstance(kind, type) and issubclass(kind, Enum):
            return FieldType("string")
        if kind in SCALARS:
            return FieldType(SCALARS[kind])
        if kind is datetime:
            return FieldType(TIMESTAMP)
        if is_dataclass(kind) or is_typeddict(kind):
            assert isinstance(kind, type)
            return FieldType(self.add_class(kind))
        if isinstance(origin, type) and issubclass(origin, Mapping):
            values = self._single(of[1]) if len(_kinds(of[1])) == 1 else FieldType(VALUE)
            if values.name == VALUE:
                return FieldType(STRUCT)
            return FieldType(f"map<string, {LIST if values.label else values.name}>")
        if isinstance(origin, type) and issubclass(origin, Sequence | frozenset):
            if origin is tuple and of[-1] is not Ellipsis:
                return FieldType(LIST)
            if len(_kinds(of[0])) > 1 or of[0] is Any:
                return FieldType(LIST)
            item = self._single(of[0])
            return FieldType(LIST if item.label else item.name, "repeated")
        return FieldType(VALUE)

    def add_class(self, kind: Any) -> str:
        """Add the message of a dataclass or a TypedDict, and return its name."""
        name: str = NAMES.get(kind, kind.__name__)
        assert self.classes.setdefault(name, kind) is kind, f"two classes {name}: see NAMES"
        if name not in self.found:
            hints = get_type_hints(kind)
            names = [item.name for item in fields(kind)] if is_dataclass(kind) else list(hints)
            self.found[name] = (_summary(kind), {})
            for item in names:
                result = self.type_of(hints[item])
                self.found[name][1][item] = result if is_dataclass(kind) else _optional(result)
        return name

    def text(self) -> Iterator[str]:
        """Yield the lines of all messages."""
        for name, (comment, declared) in self.found.items():
            yield ""
            yield from _comment(comment, "")
            if not declared:
                yield f"message {name} {{}}"
                continue
            yield f"message {name} {{"
            known, reserved = dict(self.numbers.get(name, {})), set(self.reserved.get(name, ()))
            reserved |= {number for item, number in known.items() if item not in declared}
            top = max([0, *known.values(), *reserved])
            for item in reserved and [", ".join(map(str, sorted(reserved)))]:
                yield f"  reserved {item};"
            for item, kind in declared.items():
                if item not in known:
                    known[item] = top = top + 1
                yield f"  {f'{kind.label} ' if kind.label else ''}{kind.name} {item} = {known[item]};"
            yield "}"


def page(present: str) -> str:
    """Return the text of control.proto, with the numbers of the present text."""
    messages = Messages(*_numbers(present))
    service = ["", "// The control operations of one emulator.", "service Control {"]
    with spanemu.Emulator() as emulator:
        declared = list(emulator._control().declared)
    for interface, operation in declared:
        route = route_of(interface, operation)
        comment = f"{_summary(operation.function)}\n{route.http_method} {route.path}"
        request, response = _request(messages, interface, operation), _response(messages, operation)
        service += [
            *_comment(comment, "  "),
            f"  rpc {operation.name}({request}) returns ({response});",
        ]
    return "\n".join([HEAD.rstrip(), *service, "}", *messages.text()]) + "\n"


def _request(messages: Messages, interface: type[ControlInterface], operation: Operation) -> str:
    declared: dict[str, FieldType] = {}
    if interface.SCOPE:
        declared[interface.SCOPE] = FieldType(SCALARS[interface.SCOPE_TYPE])
    for name, parameter in operation.parameters.items():
        if isinstance(parameter.marker, Held):
            result = FieldType("string")
        elif isinstance(parameter.marker, Sent) and parameter.hint is not str:
            result = FieldType(LIST)
        else:
            result = messages.type_of(parameter.hint)
        declared[name] = result if parameter.is_required else _optional(result)
    name = f"{operation.name}Request"
    messages.found[name] = ("", declared)
    return name


def _response(messages: Messages, operation: Operation) -> str:
    if operation.held is not None:
        content = {operation.result: FieldType("string")}
    elif operation.result:
        content = {operation.result: messages.type_of(operation.returns)}
    elif operation.returns is not NoneType:
        return messages.add_class(operation.returns)
    else:
        content = {}
    name = f"{operation.name}Response"
    messages.found[name] = ("", content)
    return name


def _kinds(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


def _optional(kind: FieldType) -> FieldType:
    return (
        FieldType(kind.name, "optional")
        if kind.name in SCALARS.values() and not kind.label
        else kind
    )


def _summary(documented: Any) -> str:
    return re.sub(r"\s+", " ", (inspect.getdoc(documented) or "").partition("\n\n")[0])


def _comment(text: str, indent: str) -> Iterator[str]:
    for paragraph in text.splitlines():
        yield from (
            f"{indent}// {line}" for line in textwrap.wrap(paragraph, WIDTH - len(indent) - 3)
        )


def _numbers(text: str) -> tuple[dict[str, dict[str, int]], dict[str, set[int]]]:
    """Return the numbers of the fields of a text by message, and the reserved numbers."""
    numbers = {
        message.name: {each.name: each.number for each in message.field}
        for message in described(text).message_type
    }
    reserved = {
        name: {int(number) for number in listed.split(",")}
        for name, listed in re.findall(r"^message (\w+) \{\n  reserved ([\d, ]+);", text, re.M)
    }
    return numbers, reserved


# ---------------------------------------------------------------------------- descriptors


def description(text: str) -> bytes:
    """Return the serialized FileDescriptorSet of a text in the form of control.proto."""
    return descriptor_pb2.FileDescriptorSet(file=[described(text)]).SerializeToString()


def described(text: str) -> Any:
    """Return the FileDescriptorProto of a text in the form of control.proto.

    A statement has a line of its own, messages are not nested, and keys of maps are text.
    """
    file = descriptor_pb2.FileDescriptorProto(
        name="spanemu/control/v1/control.proto", package=PACKAGE, syntax="proto3"
    )
    message: Any = None
    for line in _statements(text):
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
        if (match := LINE.match(line.strip())) is not None:
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
    scalar = SCALAR_TYPES.get(name)
    if scalar is None:
        field.type, field.type_name = FieldDescriptor.TYPE_MESSAGE, _type(name)
    else:
        field.type = scalar


def _type(name: str) -> str:
    return f".{name}" if name.startswith("google.") else f".{PACKAGE}.{name}"


def write() -> None:
    """Write the file and its description."""
    text = page(PATH.read_text("utf-8") if PATH.exists() else "")
    PATH.write_text(text, encoding="utf-8")
    DESCRIPTION.write_bytes(description(text))


if __name__ == "__main__":
    write()
