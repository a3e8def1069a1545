"""Values between SQL and the functions of tests, by functions built once per type.

    BOOL, INT64, FLOAT32, FLOAT64, STRING, BYTES    bool, int, float, float, str, bytes
    DATE, TIMESTAMP, NUMERIC                        date, datetime in UTC, Decimal
    JSON, JSONB                                     plain data
    UUID, INTERVAL                                  UUID, ISO 8601 text
    ARRAY, STRUCT                                   list, dict

`writer` makes a function's arguments. `reader` checks what a function returns: numbers of other
libraries count by what their `item` method returns, arrays by `tolist`. An answer that came as JSON
may also be in Spanner's JSON form: INT64 as text, BYTES as Base64, times as RFC 3339.

Sizes are checked before anything walks through a value: no other thread runs meanwhile.
"""

from __future__ import annotations

import json as json_text
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from numbers import Real
from typing import Any

from spanemu.base.clock import NANOS_PER_SECOND
from spanemu.base.limits import CELL_BYTES_MAX
from spanemu.models.errors import BadAnswer, OversizedAnswer
from spanemu.values import interval, json, numeric, pg_jsonb
from spanemu.values.floats import round32
from spanemu.values.types import BadValue, Type, TypeCode
from spanemu.values.value import INT64_MAX, INT64_MIN, decoder

Convert = Callable[[Any], Any]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NANOS_PER_MICRO = 1_000
_SHOWN_CHARACTERS_MAX = 60

# ---------------------------------------------------------------------------- to Python


@lru_cache(maxsize=1024)
def writer(type_: Type) -> Convert | None:
    """Return the function from a value that is not NULL to Python; None if values stay."""
    if type_.element is not None:
        item = writer(type_.element)
        return list if item is None else _list_writer(item)
    if type_.is_struct:
        return _dict_writer(type_)
    return _WRITERS.get(type_.code)


def _list_writer(item: Convert) -> Convert:
    return lambda array: [None if each is None else item(each) for each in array]


def _dict_writer(type_: Type) -> Convert:
    names = [field.name or f"_{place}" for place, field in enumerate(type_.fields)]
    items = [writer(field.type) for field in type_.fields]

    def write(struct: Any) -> Any:
        return {
            name: value if item is None or value is None else item(value)
            for name, item, value in zip(names, items, struct, strict=True)
        }

    return write


def _moment(nanos: int) -> datetime:
    seconds, rest = divmod(nanos, NANOS_PER_SECOND)
    return _EPOCH + timedelta(seconds=seconds, microseconds=rest // _NANOS_PER_MICRO)


def plain_jsonb(value: Any) -> Any:
    """Return the plain data of a JSONB document, whose numbers become int or float."""
    if value.__class__ is Decimal:
        return int(value) if value == value.to_integral_value() else float(value)
    if value.__class__ is dict:
        return {key: plain_jsonb(each) for key, each in value.items()}
    return [plain_jsonb(each) for each in value] if value.__class__ is list else value


_WRITERS: Mapping[TypeCode, Convert] = {
    TypeCode.TIMESTAMP: _moment,
    TypeCode.INTERVAL: interval.format_iso,
    TypeCode.JSON: lambda document: document.value,
    TypeCode.PG_JSONB: lambda document: plain_jsonb(document.value),
}


# ---------------------------------------------------------------------------- from Python


@lru_cache(maxsize=1024)
def reader(type_: Type, *, is_json: bool) -> Convert:
    """Return the function from what a function returned to a value; None is NULL.

    It raises BadAnswer and OversizedAnswer. With `is_json`, the answer came as JSON.
    """
    if type_.element is not None:
        return _array_reader(type_, reader(type_.element, is_json=is_json))
    if type_.is_struct:
        return _struct_reader(type_, is_json=is_json)
    read = _READERS.get(type_.code)
    assert read is not None, f"no function returns {type_}"
    if not is_json or type_.code not in _JSON_FORMS:
        return _optional(read, type_)
    decode = decoder(type_)

    def read_json(value: Any) -> Any:
        if value.__class__ is str:
            try:
                return decode(value)
            except BadValue as bad:
                raise BadAnswer(str(bad)) from None
        if value.__class__ is float and type_.code is TypeCode.INT64 and value.is_integer():
            value = int(value)
        return None if value is None else read(value)

    return _optional(read_json, type_)


def _optional(read: Convert, type_: Type) -> Convert:
    def convert(value: Any) -> Any:
        if value is None:
            return None
        try:
            return read(value)
        except _MismatchError:
            plain = _plain(value)
            if plain.__class__ is not value.__class__:
                return convert(plain)
            raise BadAnswer(f"{shown(value)} is not of type {type_}") from None

    return convert


def _plain(value: Any) -> Any:
    """Return the Python object of a number or an array of another library, or the value itself."""
    size = getattr(value, "nbytes", 0)
    if isinstance(size, int):
        _check_size(size)
    for name in ("tolist", "item"):
        method = getattr(value, name, None)
        if callable(method):
            return method()
    return value


def shown(value: Any) -> str:
    """Return a value as messages show it."""
    if isinstance(value, str | bytes) and len(value) > _SHOWN_CHARACTERS_MAX:
        value = value[:_SHOWN_CHARACTERS_MAX]
    if isinstance(value, list | tuple | dict):
        return type(value).__name__
    try:
        text = repr(value)
    except Exception:  # of a class of the test
        return f"a {type(value).__name__}"
    return text if len(text) <= 2 * _SHOWN_CHARACTERS_MAX else f"a {type(value).__name__}"


class _MismatchError(Exception):
    """A Python object of another class than values of a type have."""


def _bool(value: Any) -> Any:
    if value.__class__ is bool:
        return value
    raise _MismatchError


def _int64(value: Any) -> Any:
    if isinstance(value, int) and not isinstance(value, bool):
        if INT64_MIN <= value <= INT64_MAX:
            return int(value)
        raise BadAnswer(f"{value} is out of the range of INT64")
    raise _MismatchError


def _float64(value: Any) -> Any:
    if value.__class__ is float:
        return value
    if isinstance(value, Real | Decimal) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            raise BadAnswer("a number is out of the range of FLOAT64") from None
    raise _MismatchError


def _float32(value: Any) -> Any:
    try:
        return round32(_float64(value))
    except BadValue as bad:
        raise BadAnswer(str(bad)) from None


def _check_size(size: int) -> None:
    if size > CELL_BYTES_MAX:
        raise OversizedAnswer


def _string(value: Any) -> Any:
    if not isinstance(value, str):
        raise _MismatchError
    _check_size(len(value))
    if not value.isascii() and not json.is_unicode(value):
        raise BadAnswer("a text is not valid UTF-8")
    return str(value)


def _bytes(value: Any) -> Any:
    if isinstance(value, bytes | bytearray | memoryview):
        _check_size(len(value))
        return bytes(value)
    raise _MismatchError


def _date(value: Any) -> Any:
    if isinstance(value, date) and not isinstance(value, datetime):
        return date(value.year, value.month, value.day)
    raise _MismatchError


def _timestamp(value: Any) -> Any:
    if not isinstance(value, datetime):
        raise _MismatchError
    if value.tzinfo is None:
        raise BadAnswer(f"{value} has no time zone")
    since = value - _EPOCH
    nanos = (since.days * 86_400 + since.seconds) * NANOS_PER_SECOND
    fraction = getattr(value, "nanosecond", None)  # of Google's class of times
    return nanos + (since.microseconds * _NANOS_PER_MICRO if fraction is None else fraction)


def _numeric(value: Any) -> Any:
    if not isinstance(value, int | Decimal) or isinstance(value, bool):
        raise _MismatchError
    try:
        return numeric.fit(Decimal(value))
    except BadValue as bad:
        raise BadAnswer(str(bad)) from None


def _json(value: Any) -> Any:
    return _document(value, json.parse)


def jsonb(value: Any) -> Any:
    """Return plain data as a JSONB document. Raise BadAnswer for other data."""
    return _document(value, pg_jsonb.parse)


def _document(value: Any, parse: Callable[[str], Any]) -> Any:
    try:
        _check_document(value, CELL_BYTES_MAX)
        text = json_text.dumps(value, default=_plain_or_refused, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as problem:
        raise BadAnswer(f"an answer is not JSON: {problem}") from None
    _check_size(len(text))
    try:
        return parse(text)
    except BadValue as bad:
        raise BadAnswer(str(bad)) from None


def _check_document(value: Any, left: int) -> int:
    """Return how many bytes are left of a number that the JSON of a value may have.

    Raise OversizedAnswer when none are.
    """
    if isinstance(value, str):
        left -= len(value)
    elif isinstance(value, dict | list | tuple):
        left -= 2 * len(value)
        parts = value.values() if isinstance(value, dict) else value
        for part in parts if left > 0 else ():
            if part.__class__ is not float:
                left = _check_document(part, left)
    if left < 0:
        raise OversizedAnswer
    return left


def _plain_or_refused(value: Any) -> Any:
    if isinstance(value, Decimal):
        return float(value)
    plain = _plain(value)
    if plain is value:
        raise TypeError(f"{shown(value)} has no JSON form")
    return plain


_READERS: Mapping[TypeCode, Convert] = {
    TypeCode.BOOL: _bool,
    TypeCode.INT64: _int64,
    TypeCode.FLOAT32: _float32,
    TypeCode.FLOAT64: _float64,
    TypeCode.STRING: _string,
    TypeCode.BYTES: _bytes,
    TypeCode.DATE: _date,
    TypeCode.TIMESTAMP: _timestamp,
    TypeCode.NUMERIC: _numeric,
    TypeCode.JSON: _json,
    TypeCode.PG_JSONB: jsonb,
}
# Types whose values JSON has as text.
_JSON_FORMS = frozenset(
    {TypeCode.INT64, TypeCode.FLOAT32, TypeCode.FLOAT64, TypeCode.BYTES, TypeCode.DATE}
    | {TypeCode.TIMESTAMP, TypeCode.NUMERIC}
)


def _array_reader(type_: Type, item: Convert) -> Convert:
    is_float = type_.item().code is TypeCode.FLOAT64
    floats = frozenset({float})

    def read(value: Any) -> Any:
        if not isinstance(value, list | tuple):
            if isinstance(value, str | bytes | Mapping) or not isinstance(value, Sequence):
                raise _MismatchError
            value = list(value)
        _check_size(len(value) * _ITEM_BYTES)
        if is_float and floats.issuperset(map(type, value)):
            return tuple(value)
        return tuple([item(each) for each in value])

    return _optional(read, type_)


def _struct_reader(type_: Type, *, is_json: bool) -> Convert:
    names = [field.name.lower() for field in type_.fields]
    items = [reader(field.type, is_json=is_json) for field in type_.fields]

    def read(value: Any) -> Any:
        if isinstance(value, Mapping):
            known = {str(name).lower(): each for name, each in value.items()}
            value = [known.get(name) for name in names]
        elif not isinstance(value, list | tuple) or len(value) != len(items):
            raise _MismatchError
        return tuple([item(each) for item, each in zip(items, value, strict=True)])

    return _optional(read, type_)


# ---------------------------------------------------------------------------- sizes

Measure = Callable[[Sequence[Any]], int]  # about how many bytes some values have

_FIXED_BYTES = 32
_ITEM_BYTES = 32


@lru_cache(maxsize=1024)
def measure(type_: Type) -> Measure | None:
    """Return the function that measures values of a type; None if all have the same size."""
    if type_.element is not None:
        item = measure(type_.element)
        if item is None:
            return lambda arrays: sum([len(array) for array in arrays if array]) * _ITEM_BYTES
        return lambda arrays: sum([item(array) for array in arrays if array])
    if type_.is_struct:
        parts = [measure(field.type) for field in type_.fields]
        return lambda structs: sum(
            [
                part([struct[place] for struct in structs if struct])
                for place, part in enumerate(parts)
                if part is not None
            ]
        )
    if type_.code in (TypeCode.STRING, TypeCode.BYTES):
        return lambda texts: sum([len(text) for text in texts if text])
    if type_.code in (TypeCode.JSON, TypeCode.PG_JSONB):
        return lambda documents: sum([len(each.text) for each in documents if each is not None])
    return None
