"""The JSON of single values: of scalar fields, and of the messages with a JSON form of their own.

64-bit integers are text in JSON, because JavaScript has no such numbers. Bytes are base64 text.

    Timestamp "2026-01-01T00:00:00Z"   Duration "1.5s"   FieldMask "displayName,nodeCount"
    Struct {...}   ListValue [...]     Value any JSON    Any {"@type": ..., the message's fields}

Names in a FieldMask may contain underscores, which gcloud sends, besides the camel case of the
specification.
"""

from __future__ import annotations

import binascii
import math
import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from json.encoder import encode_basestring
from typing import Any

from google.protobuf.descriptor import FieldDescriptor

from spanemu.frontend.dispatch import Message
from spanemu.rest.errors import Misfit, invalid

Read = Callable[[Any], Any]  # from a JSON value to the value of a field; raises Misfit
Write = Callable[[Any], str]  # from the value of a field to JSON text

_INTEGER = re.compile(r"-?[0-9]{1,20}")
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_SPECIAL_FLOATS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_URL_ALPHABET = str.maketrans("-_", "+/")

quoted: Write = encode_basestring


Fill = Callable[[Message, Any], None]  # writes a JSON value into a message; raises Misfit
Text = Callable[[Message], str]  # from a message to JSON text
_HUMP = re.compile("[A-Z]")
_UNDERSCORE = re.compile("_([a-z])")


def _read_bool(value: Any) -> Any:
    if value is True or value is False:
        return value
    if value.__class__ is str and value.lower() in ("true", "false"):
        return value.lower() == "true"  # gcloud writes False in queries.
    raise invalid("TYPE_BOOL", value)


def _read_string(value: Any) -> Any:
    if value.__class__ is not str:
        raise invalid("TYPE_STRING", value)
    try:
        value.encode()
    except UnicodeEncodeError:  # half of a surrogate pair
        raise invalid("TYPE_STRING", value) from None
    return value


def _read_bytes(value: Any) -> Any:
    if value.__class__ is str:
        text = value.translate(_URL_ALPHABET).rstrip("=")
        try:
            return b64decode(text + "=" * (-len(text) % 4), validate=True)
        except (binascii.Error, ValueError):
            pass
    raise invalid("TYPE_BYTES", value)


def _integer_reader(kind: str, low: int, high: int) -> Read:
    def read(value: Any) -> Any:
        if value.__class__ is str and _INTEGER.fullmatch(value):
            number = int(value)
        elif value.__class__ is int:
            number = value
        elif value.__class__ is float and value.is_integer():
            number = int(value)
        else:
            raise invalid(kind, value)
        if not low <= number <= high:
            raise invalid(kind, value)
        return number

    return read


def _read_double(value: Any) -> Any:
    if value.__class__ is str and value in _SPECIAL_FLOATS:
        return _SPECIAL_FLOATS[value]
    if value.__class__ is str and _NUMBER.fullmatch(value) is None:
        raise invalid("TYPE_DOUBLE", value)
    return _finite(value)


def _finite(value: Any) -> float:
    """Return a number of JSON as a float. Raises Misfit for what is no number or too large."""
    if value.__class__ in (int, float, str):
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if abs(number) < math.inf:
            return number
    raise invalid("TYPE_DOUBLE", value)


def _write_bool(value: Any) -> str:
    return "true" if value else "false"


def _write_long(value: Any) -> str:
    return f'"{value}"'


def _number_text(value: float) -> str:
    """Return a number as JSON text, whole numbers without a fraction; NaN and infinities quoted."""
    text = repr(value)
    if text.endswith(".0"):
        return text[:-2]
    if value - value != 0.0:
        return '"NaN"' if value != value else '"Infinity"' if value > 0 else '"-Infinity"'
    return text


def _write_bytes(value: Any) -> str:
    return f'"{b64encode(value).decode()}"'


_D = FieldDescriptor

READERS: Mapping[int, Read] = {
    _D.TYPE_BOOL: _read_bool,
    _D.TYPE_STRING: _read_string,
    _D.TYPE_BYTES: _read_bytes,
    _D.TYPE_DOUBLE: _read_double,
    _D.TYPE_INT32: _integer_reader("TYPE_INT32", -(1 << 31), (1 << 31) - 1),
    _D.TYPE_INT64: _integer_reader("TYPE_INT64", -(1 << 63), (1 << 63) - 1),
    _D.TYPE_UINT32: _integer_reader("TYPE_UINT32", 0, (1 << 32) - 1),
    _D.TYPE_UINT64: _integer_reader("TYPE_UINT64", 0, (1 << 64) - 1),
}
WRITERS: Mapping[int, Write] = {
    _D.TYPE_BOOL: _write_bool,
    _D.TYPE_STRING: quoted,
    _D.TYPE_BYTES: _write_bytes,
    _D.TYPE_DOUBLE: _number_text,
    _D.TYPE_INT32: str,
    _D.TYPE_INT64: _write_long,
    _D.TYPE_UINT32: str,
    _D.TYPE_UINT64: _write_long,
}


def enum_reader(field: FieldDescriptor) -> Read:
    """Return the reader of an enum: values by name, or by number."""
    kind = f"type.googleapis.com/{field.enum_type.full_name}"
    numbers = {name: value.number for name, value in field.enum_type.values_by_name.items()}
    read_number = _integer_reader(kind, -(1 << 31), (1 << 31) - 1)

    def read(value: Any) -> Any:
        number = numbers.get(value) if value.__class__ is str else None
        return read_number(value) if number is None else number

    return read


def enum_writer(field: FieldDescriptor) -> Write:
    """Return the writer of an enum: values by name; by number if a value has no name."""
    values = field.enum_type.values_by_number
    names = {number: quoted(value.name) for number, value in values.items()}
    return lambda number: names.get(number) or str(number)


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
        message.number_value = _finite(content)


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
        return _number_text(message.number_value)
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
