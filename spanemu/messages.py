"""Protocol buffer messages and enums that users define, as values of SQL.

A message is bytes in proto2's wire format; an enum value is its number. The types follow "Work with
protocol buffers in GoogleSQL": 32-bit and unsigned integers are stored, but no SQL type can read or
write them. Not here: the messages of Spanner's own API, which `frontend` handles.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import cached_property, lru_cache
from typing import Any

from google.protobuf import text_format
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto, FileDescriptorSet
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import DecodeError
from google.protobuf.message_factory import GetMessageClass

from spanemu.values.types import (
    BOOL,
    BYTES,
    FLOAT32,
    FLOAT64,
    INT64,
    NUMERIC,
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


_WIDE: Mapping[str, Type] = {"INT32": INT64, "UINT32": INT64, "UINT64": NUMERIC}


class UnsetMessage(Exception):
    """An assignment to a field of an unset message; the text is the message type's name."""


class MessageFault(ValueError):
    """A text, bytes or a value that a type does not accept; the text is a whole sentence."""


class MessageField:
    """A field of a message type.

    Where SQL has no type for the field, `type` is None, `foreign_type` is protobuf's name for it,
    and `wide_type` is the SQL type of numbers that has all its values.
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
        wide = _WIDE.get(self.foreign_type)
        self.wide_type = array_of(wide) if wide is not None and self.repeated else wide
        self._number = Decimal if wide is NUMERIC else int
        self._is_message = descriptor.message_type is not None
        self.message_name = element.proto_name if element is not None and self._is_message else ""

    def read(self, message: Any) -> Any:
        """Return the value in a message: the default if unset, None for an unset message field."""
        value = getattr(message, self.name)
        if self.wide_type is not None:
            return tuple(map(self._number, value)) if self.repeated else self._number(value)
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


FieldPath = Sequence[MessageField]


class MessageType:
    """A message type of a user's .proto file.

    Values are bytes. Every method creates its own protobuf message, so threads share none.
    """

    def __init__(self, descriptor: Any) -> None:
        self.name: str = descriptor.full_name
        written = DescriptorProto()
        descriptor.CopyToProto(written)
        self.fields = tuple(
            MessageField(field, proto.label)
            for field, proto in zip(descriptor.fields, written.field, strict=True)
        )
        self._by_name = {field.name.lower(): field for field in self.fields}
        self._new = GetMessageClass(descriptor)

    def field(self, name: str) -> MessageField | None:
        """Return the field of that name, in any letter case."""
        return self._by_name.get(name.lower())

    def parse(self, data: bytes) -> Any:
        """Parse a message from wire-format bytes. Raise MessageFault."""
        message = self._new()
        try:
            message.MergeFromString(data)
        except DecodeError:
            raise MessageFault(f"Error parsing proto: no message of type {self.name}") from None
        return message

    def validate(self, data: bytes) -> bytes:
        """Return the same bytes if they are a message with all required fields.

        Raise MessageFault otherwise.
        """
        _check_required_fields(self.parse(data))
        return data

    def from_text(self, text: str) -> bytes:
        """Return the message that a text in proto2's text format describes. Raise MessageFault."""
        message = self._new()
        try:
            text_format.Parse(text, message)
        except text_format.ParseError as failure:
            raise MessageFault(_parse_error_text(failure)) from None
        except RecursionError:
            raise MessageFault("Error parsing proto: Message is too deep") from None
        _check_required_fields(message)
        return _serialized(message)

    def to_text(self, data: bytes, *, multiline: bool = False) -> str:
        """Return a message in proto2's text format, on one line unless `multiline`."""
        return str(
            text_format.MessageToString(self.parse(data), as_one_line=not multiline, as_utf8=True)
        )

    def build(self, fields: Sequence[MessageField], values: Sequence[Any]) -> bytes:
        """Return a new message with these fields. Raise MessageFault."""
        message = self._new()
        for field, value in zip(fields, values, strict=True):
            field.write(message, value)
        return _serialized(message)

    def replace(self, data: bytes, paths: Sequence[FieldPath], values: Sequence[Any]) -> bytes:
        """Return the message with the values at `paths` replaced.

        Raise UnsetMessage for a path through an unset field, and MessageFault for a value that a
        field does not accept.
        """
        message = self.parse(data)
        for path, value in zip(paths, values, strict=True):
            inner = message
            for step in path[:-1]:
                if not step.is_set(inner):
                    raise UnsetMessage(step.message_name)
                inner = getattr(inner, step.name)
            path[-1].write(inner, value)
        return _serialized(message)


def _parse_error_text(failure: text_format.ParseError) -> str:
    """Return the library's error text with the position at the end instead of the beginning."""
    position = f"{failure.GetLine()}:{failure.GetColumn()}"
    problem = str(failure).removeprefix(f"{position} : ")
    return f"Error parsing proto: {problem} [{position}]"


def _check_required_fields(message: Any) -> None:
    if not message.IsInitialized():
        missing = ", ".join(message.FindInitializationErrors())
        raise MessageFault(f"Error parsing proto: Message missing required fields: {missing}")


class EnumType:
    """An enum type of a user's .proto file.

    Several names may stand for a number, which is then written as the first of its names.
    """

    def __init__(self, descriptor: Any) -> None:
        self.name: str = descriptor.full_name
        self._numbers: dict[str, int] = {value.name: value.number for value in descriptor.values}
        self._names: dict[int, str] = {}
        for name, number in self._numbers.items():
            self._names.setdefault(number, name)

    def from_text(self, text: str) -> int:
        """Return the number of a name, which is case-sensitive. Raise MessageFault."""
        number = self._numbers.get(text)
        if number is None:
            raise MessageFault(f"Out of range cast of string '{text}' to enum type {self.name}")
        return number

    def from_number(self, number: int) -> int:
        """Return `number` if the type has it. Raise MessageFault."""
        if number not in self._names:
            raise MessageFault(f"Out of range cast of integer {number} to enum type {self.name}")
        return number

    def to_text(self, number: int) -> str:
        """Return the name of a number.

        A number that a newer definition has dropped is written in digits.
        """
        return self._names.get(number, str(number))


class MessagePool:
    """The types of a serialized FileDescriptorSet, each created at its first use."""

    def __init__(self, descriptors: bytes) -> None:
        self._descriptors = descriptors
        self._messages: dict[str, MessageType] = {}
        self._enums: dict[str, EnumType] = {}

    @cached_property
    def _pool(self) -> Any:
        pool = DescriptorPool()
        for file in FileDescriptorSet.FromString(self._descriptors).file:
            pool.Add(file)
        return pool

    def message(self, name: str) -> MessageType:
        """Return the message type of that full name. Raise KeyError."""
        message_type = self._messages.get(name)
        if message_type is None:
            message_type = MessageType(self._pool.FindMessageTypeByName(name))
            self._messages[name] = message_type
        return message_type

    def enum(self, name: str) -> EnumType:
        """Return the enum type of that full name. Raise KeyError."""
        enum_type = self._enums.get(name)
        if enum_type is None:
            enum_type = self._enums[name] = EnumType(self._pool.FindEnumTypeByName(name))
        return enum_type


@lru_cache(maxsize=64)
def message_pool(descriptors: bytes) -> MessagePool:
    """Return the types of a serialized FileDescriptorSet; equal sets share a pool."""
    return MessagePool(descriptors)


def merge_descriptors(before: bytes, sent: bytes) -> bytes:
    """Merge two serialized FileDescriptorSets; a file in both is taken from `sent`."""
    if not before or not sent:
        return sent or before
    files = {file.name: file for file in FileDescriptorSet.FromString(before).file}
    files.update((file.name, file) for file in FileDescriptorSet.FromString(sent).file)
    return bytes(FileDescriptorSet(file=files.values()).SerializeToString())
