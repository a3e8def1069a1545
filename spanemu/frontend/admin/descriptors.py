"""The protocol buffer types in the descriptors of a request."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.message import DecodeError

from spanemu.frontend.errors import InvalidProtoDescriptors
from spanemu.schema.objects import NO_TYPES, ProtoTypes


def types_from_descriptors(descriptors: bytes) -> ProtoTypes:
    """Return the messages and enums of a serialized FileDescriptorSet, by full name.

    Raises InvalidProtoDescriptors for bytes that are no FileDescriptorSet.
    """
    if not descriptors:
        return NO_TYPES
    try:
        files = FileDescriptorSet.FromString(descriptors).file
    except DecodeError:
        raise InvalidProtoDescriptors() from None
    messages: set[str] = set()
    enums: set[str] = set()
    for file in files:
        prefix = f"{file.package}." if file.package else ""
        enums.update(prefix + enum.name for enum in file.enum_type)
        for name, message in _messages(prefix, file.message_type):
            messages.add(name)
            enums.update(f"{name}.{enum.name}" for enum in message.enum_type)
    return ProtoTypes(frozenset(messages), frozenset(enums), descriptors)


def _messages(prefix: str, descriptors: Any) -> Iterator[tuple[str, Any]]:
    for message in descriptors:
        name = prefix + message.name
        yield name, message
        yield from _messages(f"{name}.", message.nested_type)
