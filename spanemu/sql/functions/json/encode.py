"""Conversion of SQL values to JSON, for TO_JSON and for functions that put a value into a document.

`encoder(type, ...)` is built once per type and returns plain data, as `values.json.Json` holds it.
A type that JSON has no form for is an error when the function is bound. For SAFE_TO_JSON a value of
such a type, and an array of such values, is null.
"""

from __future__ import annotations

from binascii import b2a_base64
from collections.abc import Callable, Collection
from decimal import Decimal
from functools import lru_cache, partial
from typing import Any

from spanemu.base.deadline_checks import interruptible
from spanemu.base.errors import Unsupported
from spanemu.base.limits import CELL_BYTES_MAX
from spanemu.sql.functions.errors import BadArgument, NoJsonForm
from spanemu.sql.functions.graph import documents
from spanemu.sql.functions.value_size import check_size
from spanemu.values import interval, numeric, timestamp
from spanemu.values.json import JSON_NESTING_MAX, Json, ordered
from spanemu.values.types import Type, TypeCode

Encoder = Callable[[Any], Any]

# Larger integers are not all exact as doubles.
WHOLE_DOUBLE_MAX = 2**53

_ITEM_BYTES = 2  # at least, of an item and the comma after it

_INT64_MIN = -(2**63)
_UINT64_MAX = 2**64 - 1


@lru_cache(maxsize=1024)
def encoder(type_: Type, *, stringify: bool = False, safe: bool = False) -> Encoder:
    """Return a function from a value of the type, which may be NULL, to plain JSON data.

    With `stringify` wide numbers become strings. Raise NoJsonForm for a type that JSON has no form
    for; with `safe` such a value becomes null instead.
    """
    if type_.code is TypeCode.ARRAY:
        return _array_encoder(type_, stringify, safe)
    if type_.code is TypeCode.STRUCT:
        return _struct_encoder(type_, stringify, safe)
    if type_.is_graph:
        properties = partial(encoder, stringify=stringify, safe=safe)
        return documents.graph_encoder(type_, properties)
    encode = (_STRINGIFYING if stringify else _SCALARS).get(type_.code)
    if encode is not None:
        return encode
    if safe:
        return _null
    if type_.code is TypeCode.TOKENLIST:
        raise NoJsonForm(str(type_), ": SAFE_TO_JSON gives null for it")
    raise Unsupported(f"TO_JSON of {type_}")


def build_document(value: Any) -> Json:
    """Return the document that holds plain data.

    Raise BadArgument if the document is nested deeper than JSON may be, and ValueTooLarge if its
    text would be larger than a column can hold: parts that are repeated by reference multiply.
    """
    size = 0
    level = {id(value): (value, 1)}  # Each container once, with the number of its occurrences.
    for _ in range(JSON_NESTING_MAX + 1):
        inside: dict[int, tuple[Any, int]] = {}
        for container, times in interruptible(level.values()):
            size += times * _text_size(container)
            check_size(size, "a JSON function", CELL_BYTES_MAX)
            for item in _children(container):
                known = inside.get(id(item))
                inside[id(item)] = (item, times if known is None else times + known[1])
        if not inside:
            return Json(value)
        level = inside
    raise BadArgument(f"JSON nesting is deeper than {JSON_NESTING_MAX} levels")


def _text_size(value: Any) -> int:
    """Return a lower bound for the text of a value without the containers directly inside it."""
    if value.__class__ is str:
        return len(value)
    if value.__class__ is dict:
        items: Collection[Any] = value.values()
        size = sum(map(len, value))
    elif value.__class__ is list:
        items, size = value, 0
    else:
        return 0
    texts = sum([len(item) for item in interruptible(items) if item.__class__ is str])
    return size + texts + _ITEM_BYTES * len(items)


def _children(value: Any) -> Any:
    """Return the containers directly inside a value."""
    if value.__class__ is dict:
        items: Collection[Any] = value.values()
    elif value.__class__ is list:
        items = value
    else:
        return ()
    return [
        item for item in interruptible(items) if item.__class__ is list or item.__class__ is dict
    ]


def _array_encoder(type_: Type, stringify: bool, safe: bool) -> Encoder:
    try:
        item = encoder(type_.item(), stringify=stringify)
    except (NoJsonForm, Unsupported):
        if safe:
            return _null
        raise

    def encode(value: Any) -> Any:
        return None if value is None else [item(element) for element in interruptible(value)]

    return encode


def _struct_encoder(type_: Type, stringify: bool, safe: bool) -> Encoder:
    # Of several fields with the same name only the first is encoded.
    encoders: dict[str, tuple[int, Encoder]] = {}
    for position, field in enumerate(type_.fields):
        if field.name not in encoders:
            item = encoder(field.type, stringify=stringify, safe=safe)
            encoders[field.name] = (position, item)
    fields = [(name, *field) for name, field in ordered(encoders).items()]

    def encode(value: Any) -> Any:
        if value is None:
            return None
        return {name: item(value[position]) for name, position, item in fields}

    return encode


def _null(_: Any) -> Any:
    return None


def _itself(value: Any) -> Any:
    return value


def _wide_int(value: Any) -> Any:
    if value is None or -WHOLE_DOUBLE_MAX <= value <= WHOLE_DOUBLE_MAX:
        return value
    return str(value)


def _float(value: Any) -> Any:
    if value is None:
        return None
    if value - value == 0:  # Finite.
        return value or 0.0
    return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"


def _numeric(value: Decimal | None) -> Any:
    number = None if value is None else _number_of(value)
    if number is None and value is not None:
        raise BadArgument("Failed to convert type NUMERIC to JSON")
    return number


def _wide_numeric(value: Decimal | None) -> Any:
    if value is None:
        return None
    number = _number_of(value)
    if number is None:
        return numeric.format(value)
    return _wide_int(number) if isinstance(number, int) else number


def _number_of(value: Decimal) -> int | float | None:
    """Return the JSON number that equals `value` exactly; None if there is none."""
    if value == value.to_integral_value() and _INT64_MIN <= value <= _UINT64_MAX:
        return int(value)
    nearest = float(value)
    return nearest if Decimal(repr(nearest)) == value else None


def _bytes(value: bytes | None) -> Any:
    return None if value is None else b2a_base64(value, newline=False).decode()


def _timestamp(value: int | None) -> Any:
    if value is None:
        return None
    text = timestamp.format_sql(value, "+00:00")
    return f"{text[:10]}T{text[11:-3]}Z"


def _text(value: Any) -> Any:
    return None if value is None else str(value)


def _interval(value: interval.Interval | None) -> Any:
    return None if value is None else interval.format_iso(value)


def _json(value: Json | None) -> Any:
    return None if value is None else value.value


_SCALARS: dict[TypeCode, Encoder] = {
    TypeCode.BOOL: _itself,
    TypeCode.INT64: _itself,
    TypeCode.FLOAT32: _float,
    TypeCode.FLOAT64: _float,
    TypeCode.NUMERIC: _numeric,
    TypeCode.STRING: _itself,
    TypeCode.BYTES: _bytes,
    TypeCode.DATE: _text,
    TypeCode.TIMESTAMP: _timestamp,
    TypeCode.JSON: _json,
    TypeCode.UUID: _text,
    TypeCode.INTERVAL: _interval,
}
_STRINGIFYING: dict[TypeCode, Encoder] = {
    **_SCALARS,
    TypeCode.INT64: _wide_int,
    TypeCode.NUMERIC: _wide_numeric,
}
