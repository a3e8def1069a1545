"""Scalar values of fields in JSON: from text and numbers to Python, and from Python to JSON text.

64-bit integers are text in JSON, because JavaScript has no such numbers. Bytes are base64 text.
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

from spanemu.rest.errors import invalid

Read = Callable[[Any], Any]  # from a JSON value to the value of a field; raises Misfit
Write = Callable[[Any], str]  # from the value of a field to JSON text

_INTEGER = re.compile(r"-?[0-9]{1,20}")
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_SPECIAL_FLOATS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_URL_ALPHABET = str.maketrans("-_", "+/")

quoted: Write = encode_basestring


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
    return finite(value)


def finite(value: Any) -> float:
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


def number_text(value: float) -> str:
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
    _D.TYPE_DOUBLE: number_text,
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
