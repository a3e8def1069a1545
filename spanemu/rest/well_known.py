"""The messages with a JSON form of their own: times, masks, and JSON values themselves.

    Timestamp "2026-01-01T00:00:00Z"   Duration "1.5s"   FieldMask "displayName,nodeCount"
    Struct {...}   ListValue [...]     Value any JSON    Any {"@type": ..., the message's fields}

Names in a FieldMask may contain underscores, which gcloud sends, besides the camel case of the
specification.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from spanemu.frontend.dispatch import Message
from spanemu.rest.errors import Misfit, invalid
from spanemu.rest.scalars import finite, number_text, quoted

Fill = Callable[[Message, Any], None]  # writes a JSON value into a message; raises Misfit
Text = Callable[[Message], str]  # from a message to JSON text

_HUMP = re.compile("[A-Z]")
_UNDERSCORE = re.compile("_([a-z])")


def _fill_time(message: Message, content: Any) -> None:
    """Fill a Timestamp or a Duration."""
    if content.__class__ is str and content.isascii():
        try:
            message.FromJsonString(content)
        except (ValueError, OverflowError):
            pass
        else:
            return
    raise invalid(f"type.googleapis.com/{message.DESCRIPTOR.full_name}", content)


def _time_text(message: Message) -> str:
    return f'"{message.ToJsonString()}"'


def _fill_mask(message: Message, content: Any) -> None:
    if content.__class__ is not str:
        raise invalid("type.googleapis.com/google.protobuf.FieldMask", content)
    try:
        for path in filter(None, content.split(",")):
            message.paths.append(_HUMP.sub(lambda hump: f"_{hump[0].lower()}", path))
    except UnicodeEncodeError:
        raise invalid("TYPE_STRING", content) from None


def _mask_text(message: Message) -> str:
    paths = [_UNDERSCORE.sub(lambda part: part[1].upper(), path) for path in message.paths]
    return quoted(",".join(paths))


def _fill_value(message: Message, content: Any) -> None:
    kind = content.__class__
    if kind is str:
        try:
            message.string_value = content
        except UnicodeEncodeError:  # half of a surrogate pair
            raise invalid("TYPE_STRING", content) from None
    elif content is None:
        message.null_value = 0
    elif kind is bool:
        message.bool_value = content
    elif kind is list:
        _fill_list(message.list_value, content)
    elif kind is dict:
        _fill_struct(message.struct_value, content)
    else:
        message.number_value = finite(content)


def _fill_list(message: Message, content: Any) -> None:
    if content.__class__ is not list:
        raise invalid("type.googleapis.com/google.protobuf.ListValue", content)
    message.SetInParent()
    add = message.values.add
    for position, item in enumerate(content):
        try:
            _fill_value(add(), item)
        except Misfit as misfit:
            raise misfit.below(f"[{position}]") from None


def _fill_struct(message: Message, content: Any) -> None:
    if content.__class__ is not dict:
        raise invalid("type.googleapis.com/google.protobuf.Struct", content)
    message.SetInParent()
    for name, item in content.items():
        try:
            _fill_value(message.fields[name], item)
        except UnicodeEncodeError:
            raise invalid("TYPE_STRING", name) from None
        except Misfit as misfit:
            raise misfit.below(name) from None


def _value_text(message: Message) -> str:
    kind = message.WhichOneof("kind")
    if kind == "string_value":
        return quoted(message.string_value)
    if kind == "number_value":
        return number_text(message.number_value)
    if kind == "bool_value":
        return "true" if message.bool_value else "false"
    if kind == "list_value":
        return _list_text(message.list_value)
    if kind == "struct_value":
        return _struct_text(message.struct_value)
    return "null"


def _list_text(message: Message) -> str:
    return f"[{','.join([_value_text(value) for value in message.values])}]"


def _struct_text(message: Message) -> str:
    fields = message.fields
    members = [f"{quoted(name)}:{_value_text(fields[name])}" for name in sorted(fields)]
    return f"{{{','.join(members)}}}"


FILLERS: Mapping[str, Fill] = {
    "google.protobuf.Duration": _fill_time,
    "google.protobuf.FieldMask": _fill_mask,
    "google.protobuf.ListValue": _fill_list,
    "google.protobuf.Struct": _fill_struct,
    "google.protobuf.Timestamp": _fill_time,
    "google.protobuf.Value": _fill_value,
}
TEXTS: Mapping[str, Text] = {
    "google.protobuf.Duration": _time_text,
    "google.protobuf.FieldMask": _mask_text,
    "google.protobuf.ListValue": _list_text,
    "google.protobuf.Struct": _struct_text,
    "google.protobuf.Timestamp": _time_text,
    "google.protobuf.Value": _value_text,
}
