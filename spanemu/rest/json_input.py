"""From JSON to messages, as Google's API front end reads it.

Names are accepted in camel case and in snake case, enums by name or number, 64-bit integers as
numbers or text. A null is a field that is not set. What is unknown or does not fit is refused with
the path of the field. Each message type has one reader.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any, NamedTuple

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from spanemu.frontend.dispatch import Message
from spanemu.rest.errors import InvalidPayload, Misfit, invalid, too_deep, unknown
from spanemu.rest.scalars import READERS, Read, enum_reader
from spanemu.rest.well_known import FILLERS, Fill

CANNOT_FIND = "Cannot find field."


def parsed(body: bytes) -> Any:
    """Return the value of a JSON text; an empty text is an empty object. Raises InvalidPayload."""
    if not body or body.isspace():
        return {}
    try:
        return json.loads(body.decode("utf-8"), parse_constant=_refuse_constant)
    except UnicodeDecodeError:
        problem = "The text is not valid UTF-8."
    except RecursionError:
        problem = "Message too deep."
    except json.JSONDecodeError as error:
        problem = f"{error.msg} at line {error.lineno}, column {error.colno}."
    except ValueError as error:
        problem = f"{error}."
    raise InvalidPayload("", f"Invalid JSON payload received. {problem}")


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} must be written as text")


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
        read = scalar_reader(described)
        return partial(_write_scalars if is_list else _write_scalar, name, read)
    if is_list and kind.GetOptions().map_entry:
        return _map_writer(name, kind)
    filler = message_filler(kind)
    return partial(_write_messages if is_list else _write_message, name, filler)


def scalar_reader(described: FieldDescriptor) -> Read:
    """Return the reader of the values of a field that holds no messages."""
    if described.enum_type is not None:
        return enum_reader(described)
    return READERS[described.type]


def message_filler(descriptor: Descriptor) -> Fill:
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
    read_key = scalar_reader(key)
    filler = None if value.message_type is None else message_filler(value.message_type)
    read_value = None if filler is not None else scalar_reader(value)

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
