"""Message types: fields, conversion from and to text, construction and change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from google.protobuf import text_format
from google.protobuf.descriptor_pb2 import DescriptorProto
from google.protobuf.message import DecodeError
from google.protobuf.message_factory import GetMessageClass

from spanemu.messages.errors import MessageFault, UnsetMessage
from spanemu.messages.field import MessageField

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
        return _serialize(message)

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
        return _serialize(message)

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
        return _serialize(message)


def _parse_error_text(failure: text_format.ParseError) -> str:
    """Return the library's error text with the position at the end instead of the beginning."""
    position = f"{failure.GetLine()}:{failure.GetColumn()}"
    problem = str(failure).removeprefix(f"{position} : ")
    return f"Error parsing proto: {problem} [{position}]"


def _check_required_fields(message: Any) -> None:
    if not message.IsInitialized():
        missing = ", ".join(message.FindInitializationErrors())
        raise MessageFault(f"Error parsing proto: Message missing required fields: {missing}")


def _serialize(message: Any) -> bytes:
    return bytes(message.SerializePartialToString(deterministic=True))
