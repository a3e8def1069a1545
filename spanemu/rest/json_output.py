"""From messages to JSON text, as Google's services write it.

Names are in camel case, fields that are not set are left out, enums are names, 64-bit integers are
text. The text is built directly: a message with thousands of cells takes a few milliseconds.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from google.protobuf import descriptor_pool, message_factory
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import DecodeError

from spanemu.frontend.dispatch import Message
from spanemu.rest.json_input import is_repeated
from spanemu.rest.scalars import WRITERS, Write, enum_writer, quoted
from spanemu.rest.well_known import TEXTS, Text


class MessageWriter:
    """The writer of a message type. `enum_numbers` writes enums as numbers."""

    def __init__(self, descriptor: Descriptor, enum_numbers: bool) -> None:
        self._descriptor = descriptor
        self._enum_numbers = enum_numbers
        self._members: dict[int, Write] | None = None

    @property
    def members(self) -> dict[int, Write]:
        """From the value of each field, by its number, to a member of a JSON object.

        They are collected on first use, because message types may contain themselves.
        """
        if self._members is None:
            self._members = {
                field.number: _member(field, self._enum_numbers)
                for field in self._descriptor.fields
            }
        return self._members

    def text(self, message: Message) -> str:
        """Return a message as a JSON object."""
        members = self.members
        parts = [members[field.number](value) for field, value in message.ListFields()]
        return f"{{{','.join(parts)}}}"

    def text_with_type(self, message: Message, url: str) -> str:
        """Return a message as a JSON object that begins with its type."""
        members = self.members
        parts = [members[field.number](value) for field, value in message.ListFields()]
        return f"{{{','.join([f'{_TYPE}:{quoted(url)}', *parts])}}}"


_TYPE = '"@type"'

writer_of: Callable[[Descriptor, bool], MessageWriter] = cache(MessageWriter)


def text_of(message: Message, enum_numbers: bool = False) -> str:
    """Return a message as JSON text."""
    return message_text(message.DESCRIPTOR, enum_numbers)(message)


def message_text(descriptor: Descriptor, enum_numbers: bool) -> Text:
    """Return the function from a message of a type to its JSON text."""
    if descriptor.full_name == "google.protobuf.Any":
        return lambda message: _any_text(message, enum_numbers)
    return TEXTS.get(descriptor.full_name) or writer_of(descriptor, enum_numbers).text


def _any_text(message: Message, enum_numbers: bool) -> str:
    """Return the message in an Any with its type; its bytes as base64 if the type is not known."""
    url = message.type_url
    if not url:
        return "{}"
    try:
        kind = descriptor_pool.Default().FindMessageTypeByName(url.rpartition("/")[2])
        content = message_factory.GetMessageClass(kind).FromString(message.value)
    except (KeyError, DecodeError):
        value = WRITERS[FieldDescriptor.TYPE_BYTES](message.value)
        return f'{{{_TYPE}:{quoted(url)},"value":{value}}}'
    if kind.full_name in TEXTS:
        return f'{{{_TYPE}:{quoted(url)},"value":{TEXTS[kind.full_name](content)}}}'
    return writer_of(kind, enum_numbers).text_with_type(content, url)


def _member(field: FieldDescriptor, enum_numbers: bool) -> Write:
    name = quoted(field.json_name)
    kind = field.message_type
    if is_repeated(field) and kind is not None and kind.GetOptions().map_entry:
        write = _map_text(kind, enum_numbers)
    else:
        write = _value_text(field, enum_numbers)
        if is_repeated(field):
            return lambda values: f"{name}:[{','.join([write(value) for value in values])}]"
    return lambda value: f"{name}:{write(value)}"


def _value_text(field: FieldDescriptor, enum_numbers: bool) -> Write:
    if field.message_type is not None:
        return message_text(field.message_type, enum_numbers)
    if field.enum_type is None:
        return WRITERS[field.type]
    return str if enum_numbers else enum_writer(field)


def _map_text(entry: Descriptor, enum_numbers: bool) -> Write:
    write = _value_text(entry.fields_by_name["value"], enum_numbers)

    def text(entries: Any) -> str:
        members = [f"{quoted(str(key))}:{write(entries[key])}" for key in sorted(entries)]
        return f"{{{','.join(members)}}}"

    return text
