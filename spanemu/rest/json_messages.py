"""JSON read as messages like by Google's API frontend, and messages written as JSON.

Names are accepted in camel case and in snake case, enums by name or number, 64-bit integers as
numbers or text. A null is a field that is not set. What is unknown or does not fit is refused with
the path of the field. Each message type has one reader.

Names are written in camel case, enums as names, 64-bit integers as text; fields that are not set
are left out. The text is built directly: a message with thousands of cells takes a few
milliseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any

from google.protobuf import descriptor_pool, message_factory
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import DecodeError

from spanemu.base.record import NamedTuple
from spanemu.frontend.dispatch import Message
from spanemu.rest.errors import Misfit, invalid, too_deep, unknown
from spanemu.rest.json_values import (
    FILLERS,
    READERS,
    TEXTS,
    WRITERS,
    Fill,
    Read,
    Text,
    Write,
    enum_reader,
    enum_writer,
    quoted,
)

CANNOT_FIND = "Cannot find field."


_TYPE = '"@type"'


def fill(message: Message, content: Any) -> None:
    """Write a JSON object into a message. Raises InvalidPayload."""
    try:
        reader_of(message.DESCRIPTOR).fill(message, content)
    except Misfit as misfit:
        raise misfit.refusal() from None
    except RecursionError:
        raise too_deep() from None


class Field(NamedTuple):
    """A field of a message type: its name in errors, its writer, and what it may contain."""

    shown: str
    write: Fill  # writes into the message that contains the field
    oneof: str  # the name of its oneof, or ""
    takes_null: bool
    descriptor: FieldDescriptor


class MessageReader:
    """The reader of a message type."""

    def __init__(self, descriptor: Descriptor) -> None:
        self._kind = f"type.googleapis.com/{descriptor.full_name}"
        self._descriptor = descriptor
        self._fields: dict[str, Field] | None = None

    @property
    def fields(self) -> Mapping[str, Field]:
        """The fields, by each name that JSON may use.

        They are collected on first use, because message types may contain themselves.
        """
        if self._fields is None:
            self._fields = {
                name: field
                for described in self._descriptor.fields
                for field in (_field(described),)
                for name in (described.json_name, described.name, field.shown)
            }
        return self._fields

    def fill(self, message: Message, content: Any) -> None:
        """Write a JSON object into a message. Raises Misfit."""
        if content.__class__ is not dict:
            raise invalid(self._kind, content)
        message.SetInParent()
        fields = self.fields
        chosen: dict[str, str] = {}  # the field that each oneof holds
        for name, value in content.items():
            field = fields.get(name)
            if field is None:
                raise unknown(name, CANNOT_FIND)
            if value is None and not field.takes_null:
                continue
            if field.oneof and chosen.setdefault(field.oneof, name) != name:
                other = chosen[field.oneof]
                raise unknown(name, f'The oneof "{field.oneof}" is already set by "{other}".')
            try:
                field.write(message, value)
            except Misfit as misfit:
                raise misfit.below(field.shown) from None


reader_of: Callable[[Descriptor], MessageReader] = cache(MessageReader)


def _field(described: FieldDescriptor) -> Field:
    kind = described.message_type
    is_list = is_repeated(described)
    return Field(
        shown=described.name.rstrip("_"),  # The client library renames `type` to `type_`.
        write=_writer(described, is_list),
        oneof=described.containing_oneof.name if described.containing_oneof is not None else "",
        takes_null=not is_list and kind is not None and kind.full_name == "google.protobuf.Value",
        descriptor=described,
    )


def is_repeated(described: FieldDescriptor) -> bool:
    """Return whether a field holds a list or a map."""
    # Releases of protobuf differ in what they call it, and warn about the other.
    modern = getattr(described, "is_repeated", None)
    if modern is not None:
        return bool(modern)
    return bool(described.label == FieldDescriptor.LABEL_REPEATED)


def _writer(described: FieldDescriptor, is_list: bool) -> Fill:
    name, kind = described.name, described.message_type
    if kind is None:
        read = _scalar_reader(described)
        return partial(_write_scalars if is_list else _write_scalar, name, read)
    if is_list and kind.GetOptions().map_entry:
        return _map_writer(name, kind)
    filler = _message_filler(kind)
    return partial(_write_messages if is_list else _write_message, name, filler)


def _scalar_reader(described: FieldDescriptor) -> Read:
    """Return the reader of the values of a field that holds no messages."""
    if described.enum_type is not None:
        return enum_reader(described)
    return READERS[described.type]


def _message_filler(descriptor: Descriptor) -> Fill:
    """Return the function that writes JSON into a message of a type."""
    return FILLERS.get(descriptor.full_name) or reader_of(descriptor).fill


def _write_scalar(name: str, read: Read, message: Message, value: Any) -> None:
    setattr(message, name, read(value))


def _write_scalars(name: str, read: Read, message: Message, value: Any) -> None:
    append = getattr(message, name).append
    for position, item in enumerate(_items(value)):
        try:
            append(read(item))
        except Misfit as misfit:
            raise misfit.below(f"[{position}]") from None


def _write_message(name: str, filler: Fill, message: Message, value: Any) -> None:
    part = getattr(message, name)
    part.SetInParent()
    filler(part, value)


def _write_messages(name: str, filler: Fill, message: Message, value: Any) -> None:
    add = getattr(message, name).add
    for position, item in enumerate(_items(value)):
        try:
            filler(add(), item)
        except Misfit as misfit:
            raise misfit.below(f"[{position}]") from None


def _map_writer(name: str, entry: Descriptor) -> Fill:
    key, value = entry.fields_by_name["key"], entry.fields_by_name["value"]
    read_key = _scalar_reader(key)
    filler = None if value.message_type is None else _message_filler(value.message_type)
    read_value = None if filler is not None else _scalar_reader(value)

    def write(message: Message, content: Any) -> None:
        if content.__class__ is not dict:
            raise invalid("a map", content)
        entries = getattr(message, name)
        for text, item in content.items():
            try:
                if filler is not None:
                    filler(entries[read_key(text)], item)
                elif read_value is not None:
                    entries[read_key(text)] = read_value(item)
            except Misfit as misfit:
                raise misfit.below(f"[{text}]") from None

    return write


def _items(value: Any) -> list[Any]:
    if value.__class__ is not list:
        raise invalid("a list", value)
    items: list[Any] = value
    return items


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


_writer_of: Callable[[Descriptor, bool], MessageWriter] = cache(MessageWriter)


def text_of(message: Message, enum_numbers: bool = False) -> str:
    """Return a message as JSON text."""
    return _message_text(message.DESCRIPTOR, enum_numbers)(message)


def _message_text(descriptor: Descriptor, enum_numbers: bool) -> Text:
    """Return the function from a message of a type to its JSON text."""
    if descriptor.full_name == "google.protobuf.Any":
        return lambda message: _any_text(message, enum_numbers)
    return TEXTS.get(descriptor.full_name) or _writer_of(descriptor, enum_numbers).text


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
    return _writer_of(kind, enum_numbers).text_with_type(content, url)


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
        return _message_text(field.message_type, enum_numbers)
    if field.enum_type is None:
        return WRITERS[field.type]
    return str if enum_numbers else enum_writer(field)


def _map_text(entry: Descriptor, enum_numbers: bool) -> Write:
    write = _value_text(entry.fields_by_name["value"], enum_numbers)

    def text(entries: Any) -> str:
        members = [f"{quoted(str(key))}:{write(entries[key])}" for key in sorted(entries)]
        return f"{{{','.join(members)}}}"

    return text
