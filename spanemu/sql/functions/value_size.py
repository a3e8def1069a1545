"""Limits on the sizes of values that SQL builds, for all functions and aggregates.

A value's size is counted as ZetaSQL counts it, since its limits are what Spanner's emulator
enforces: a scalar takes `SCALAR_BYTES`, a text, a byte string or a document takes `TEXT_BYTES` more
than its content, and an array is as large as its elements together.

    bounded, check_size    a STRING or BYTES that a function returns; OUT_OF_RANGE
    sizer                  the size of many values of one type, for arrays and aggregates
    bounded_array          an array that a function or a subquery builds; RESOURCE_EXHAUSTED
    bounded_struct         a STRUCT that an expression builds; OUT_OF_RANGE

A function that can compute the size of its result calls `check_size` before it builds the result;
the others are bounded by a small multiple of the size of their arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from functools import lru_cache
from itertools import chain
from operator import itemgetter
from typing import Any, AnyStr

from spanemu.base.deadline_checks import count_built, count_built_array
from spanemu.base.limits import BUILT_VALUE_BYTES_MAX, CELL_BYTES_MAX
from spanemu.sql.functions.errors import ArrayTooLarge, StructTooLarge, ValueTooLarge
from spanemu.values import pg_numeric
from spanemu.values.types import Type, TypeCode

SCALAR_BYTES = 16
TEXT_BYTES = 56  # of a text, byte string or STRUCT, besides its content
UTF8_BYTES_MAX = 4  # of one character

ELEMENTS_MAX = 1 << 22  # of an array that a function cuts a value into

# A shorter text is within the limit, whatever its characters.
CHECKED_FROM = BUILT_VALUE_BYTES_MAX // UTF8_BYTES_MAX

_TEXTS = frozenset({TypeCode.STRING, TypeCode.BYTES, TypeCode.PROTO, TypeCode.TOKENLIST})
_DOCUMENTS = frozenset({TypeCode.JSON, TypeCode.PG_JSONB})
_VARYING = _TEXTS | _DOCUMENTS | {TypeCode.PG_NUMERIC}

Sizer = Callable[[Sequence[Any]], int]


def byte_size(value: str | bytes) -> int:
    """Return the number of bytes of a BYTES, or of a STRING in UTF-8."""
    if isinstance(value, bytes) or value.isascii():
        return len(value)
    return len(value.encode(errors="surrogatepass"))


def check_size(size: int, function: str, limit: int = BUILT_VALUE_BYTES_MAX) -> None:
    """Raise ValueTooLarge if a result of `size` bytes exceeds what `function` may return."""
    if size > limit:
        raise ValueTooLarge(function, limit)


def bounded(value: AnyStr, function: str, limit: int = BUILT_VALUE_BYTES_MAX) -> AnyStr:
    """Return `value`, the result of `function`; raise ValueTooLarge if it exceeds `limit` bytes."""
    if len(value) >= CHECKED_FROM:
        check_size(byte_size(value), function, limit)
        count_built(value)
    return value


def bounded_result(
    function: str, evaluate: Callable[..., Any], limit: int = CELL_BYTES_MAX
) -> Callable[..., Any]:
    """Return `evaluate`, with the STRING or BYTES that it returns limited to `limit` bytes.

    The default suits functions for which Spanner names no limit: no column and no parameter can
    hold a larger value.
    """

    def limited(*arguments: Any) -> Any:
        value = evaluate(*arguments)
        return value if value is None else bounded(value, function, limit)

    return limited


@lru_cache(maxsize=1024)
def sizer(type_: Type) -> Sizer:
    """Return a function that computes the total size of many values of `type_`."""
    if type_.code in _TEXTS:
        return _texts_size
    if type_.code in _DOCUMENTS:
        return _documents_size
    if type_.code is TypeCode.PG_NUMERIC:
        return _numerics_size
    if type_.is_array:
        return _arrays_sizer(sizer(type_.item()))
    if type_.is_struct:
        return _structs_sizer([field.type for field in type_.fields])
    return lambda values: SCALAR_BYTES * len(values)


def _texts_size(values: Sequence[str | bytes | None]) -> int:
    return TEXT_BYTES * len(values) + sum(map(len, filter(None, values)))


def _documents_size(values: Sequence[Any]) -> int:
    return TEXT_BYTES * len(values) + sum([_document_size(v.value) for v in values if v])


def _numerics_size(values: Sequence[Decimal | None]) -> int:
    return SCALAR_BYTES * len(values) + sum(map(pg_numeric.byte_size, filter(None, values)))


def _document_size(value: Any) -> int:
    """Return the size of a document: a text's length, or a container's with all its items."""
    if value.__class__ is str:
        return len(value)
    if value.__class__ is not list and value.__class__ is not dict:
        return SCALAR_BYTES
    size = 0
    pending = [value]
    while pending and size <= CELL_BYTES_MAX:
        container = pending.pop()
        items = container.values() if container.__class__ is dict else container
        size += SCALAR_BYTES * (len(items) + 1)
        size += sum([len(item) for item in items if item.__class__ is str])
        pending += [item for item in items if item.__class__ is list or item.__class__ is dict]
    return size


def _arrays_sizer(item_size: Sizer) -> Sizer:
    def size(values: Sequence[Any]) -> int:
        return TEXT_BYTES * len(values) + item_size(list(chain.from_iterable(filter(None, values))))

    return size


def _structs_sizer(types: Sequence[Type]) -> Sizer:
    texts: list[Callable[[Any], Any]] = []
    compounds: list[tuple[Callable[[Any], Any], Sizer]] = []
    fixed = TEXT_BYTES
    for position, type_ in enumerate(types):
        if type_.code in _TEXTS:
            texts.append(itemgetter(position))
            fixed += TEXT_BYTES
        elif is_varying(type_):
            compounds.append((itemgetter(position), sizer(type_)))
        else:
            fixed += SCALAR_BYTES

    def varying(known: Sequence[Any]) -> int:
        total = sum([sum(map(len, filter(None, map(text, known)))) for text in texts])
        return total + sum([size_of(list(map(field, known))) for field, size_of in compounds])

    def size(values: Sequence[Any]) -> int:
        try:
            return fixed * len(values) + varying(values)
        except TypeError:  # Some of the values are NULL.
            return fixed * len(values) + varying(list(filter(None, values)))

    return size


def is_varying(type_: Type) -> bool:
    """Return whether values of the type differ in size."""
    if type_.is_struct:
        return any(is_varying(field.type) for field in type_.fields)
    return type_.code in _VARYING or type_.is_array


def bounded_array(type_: Type) -> Callable[[tuple[Any, ...]], tuple[Any, ...]]:
    """Return a function that returns its argument, an array of `type_`, or raises ArrayTooLarge."""
    size_of = sizer(type_.item())

    def limited(array: tuple[Any, ...]) -> tuple[Any, ...]:
        if size_of(array) > BUILT_VALUE_BYTES_MAX:
            raise ArrayTooLarge(BUILT_VALUE_BYTES_MAX)
        return array

    return limited


def array_builder(type_: Type) -> Callable[[Iterable[Sequence[Any]]], tuple[Any, ...]]:
    """Return a function that builds an array of `type_` from steps of many elements each.

    The function raises ArrayTooLarge as soon as the elements exceed the limit.
    """
    size_of = sizer(type_.item())

    def build(steps: Iterable[Sequence[Any]]) -> tuple[Any, ...]:
        array_elements: list[Any] = []
        size = 0
        for step in steps:
            array_elements += step
            size += size_of(step)
            if size > BUILT_VALUE_BYTES_MAX:
                raise ArrayTooLarge(BUILT_VALUE_BYTES_MAX)
        return tuple(array_elements)

    return build


def bounded_struct(type_: Type) -> Callable[[tuple[Any, ...]], tuple[Any, ...]] | None:
    """Return a function that returns its argument, a STRUCT of `type_`, or raises StructTooLarge.

    Return None if no STRUCT of that type can exceed the limit.
    """
    if not is_varying(type_):
        return None
    size_of = sizer(type_)

    def limited(struct: tuple[Any, ...]) -> tuple[Any, ...]:
        if size_of((struct,)) > BUILT_VALUE_BYTES_MAX:
            raise StructTooLarge(BUILT_VALUE_BYTES_MAX)
        return struct

    return limited


def varying_texts(type_: Type) -> list[int] | None:
    """Return the positions of a STRUCT's fields that vary in size; None if some are not texts."""
    positions = [i for i, field in enumerate(type_.fields) if is_varying(field.type)]
    return positions if all(type_.fields[i].type.code in _TEXTS for i in positions) else None


def check_element_count(count: int) -> None:
    """Count an array of `count` elements into which a function cuts a value.

    Raise ArrayTooLarge if the array would have more than ELEMENTS_MAX elements.
    """
    if count > ELEMENTS_MAX:
        raise ArrayTooLarge(ELEMENTS_MAX * SCALAR_BYTES)
    count_built_array(range(count))
