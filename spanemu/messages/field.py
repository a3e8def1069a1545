"""A field of a message type: its type in SQL, reading and writing.

This module follows "Work with protocol buffers in GoogleSQL": 32-bit and unsigned integers are
stored, but no SQL type can read or write them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.descriptor_pb2 import FieldDescriptorProto

from spanemu.messages.errors import MessageFault
from spanemu.values.types import (
    BOOL,
    BYTES,
    FLOAT32,
    FLOAT64,
    INT64,
    STRING,
    Type,
    TypeCode,
    array_of,
)

_SCALARS: Mapping[int, Type] = {
    FieldDescriptor.TYPE_BOOL: BOOL,
    FieldDescriptor.TYPE_BYTES: BYTES,
    FieldDescriptor.TYPE_DOUBLE: FLOAT64,
    FieldDescriptor.TYPE_FLOAT: FLOAT32,
    FieldDescriptor.TYPE_INT64: INT64,
    FieldDescriptor.TYPE_SINT64: INT64,
    FieldDescriptor.TYPE_SFIXED64: INT64,
    FieldDescriptor.TYPE_STRING: STRING,
}
_WITHOUT_TYPE: Mapping[int, str] = {
    FieldDescriptor.TYPE_INT32: "INT32",
    FieldDescriptor.TYPE_SINT32: "INT32",
    FieldDescriptor.TYPE_SFIXED32: "INT32",
    FieldDescriptor.TYPE_UINT32: "UINT32",
    FieldDescriptor.TYPE_FIXED32: "UINT32",
    FieldDescriptor.TYPE_UINT64: "UINT64",
    FieldDescriptor.TYPE_FIXED64: "UINT64",
}


class MessageField:
    """A field of a message type.

    Where SQL has no type for the field, `type` is None and `foreign_type` is protobuf's name for
    it.
    """

    def __init__(self, descriptor: Any, label: int) -> None:
        self.name: str = descriptor.name
        self.full_name: str = descriptor.full_name
        self.repeated = label == FieldDescriptorProto.LABEL_REPEATED
        self.required = label == FieldDescriptorProto.LABEL_REQUIRED
        self.has_presence: bool = descriptor.has_presence
        self.foreign_type = _WITHOUT_TYPE.get(descriptor.type, "")
        element = _type_of(descriptor)
        self.type = array_of(element) if element is not None and self.repeated else element
        self._is_message = descriptor.message_type is not None
        self.message_name = element.proto_name if element is not None and self._is_message else ""

    def read(self, message: Any) -> Any:
        """Return the value in a message: the default if unset, None for an unset message field."""
        value = getattr(message, self.name)
        if self.repeated:
            return tuple(map(_serialized, value)) if self._is_message else tuple(value)
        if not self._is_message:
            return value
        return _serialized(value) if message.HasField(self.name) else None

    def is_set(self, message: Any) -> bool:
        """Return whether the message sets the field. Callers do not ask for repeated fields."""
        if self.has_presence:
            return bool(message.HasField(self.name))
        return any(field.name == self.name for field, _ in message.ListFields())

    def write(self, message: Any, value: Any) -> None:
        """Replace the value; None clears the field. Raise MessageFault."""
        message.ClearField(self.name)
        if value is None:
            if self.required:
                raise MessageFault(
                    "Cannot encode a null value in required protocol message field "
                    f"{self.full_name}"
                )
        elif self.repeated:
            self._write_all(getattr(message, self.name), value)
        elif self._is_message:
            inner = getattr(message, self.name)
            inner.SetInParent()
            inner.MergeFromString(value)
        else:
            setattr(message, self.name, value)

    def _write_all(self, target: Any, values: tuple[Any, ...]) -> None:
        if None in values:
            raise MessageFault(
                f"Cannot encode a null value in repeated protocol message field {self.full_name}"
            )
        if self._is_message:
            for value in values:
                target.add().MergeFromString(value)
        else:
            target.extend(values)


def _serialized(message: Any) -> bytes:
    return bytes(message.SerializePartialToString(deterministic=True))


def _type_of(descriptor: Any) -> Type | None:
    if descriptor.message_type is not None:
        return Type(TypeCode.PROTO, proto_name=descriptor.message_type.full_name)
    if descriptor.enum_type is not None:
        return Type(TypeCode.ENUM, proto_name=descriptor.enum_type.full_name)
    return _SCALARS.get(descriptor.type)
