"""Limits on the sizes of values that SQL builds: the one place for all functions and aggregates.

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
from functools import lru_cache
from itertools import chain, islice
from operator import itemgetter
from typing import Any, AnyStr

from spanemu.base.limits import BUILT_VALUE_BYTES_MAX, CELL_BYTES_MAX
from spanemu.base.pace import STEP_ITEMS_MAX, count_built, in_steps
from spanemu.sql.functions.errors import ArrayTooLarge, StructTooLarge, ValueTooLarge
from spanemu.values.json import Json
from spanemu.values.types import Type, TypeCode

SCALAR_BYTES = 16
TEXT_BYTES = 56  # of a text, byte string or STRUCT, besides its content
UTF8_BYTES_MAX = 4  # of one character

ELEMENTS_MAX = 1 << 22  # of an array that a function cuts a value into

_FEW = 16  # elements of an array that are gathered at once
_CHECKED_FROM = BUILT_VALUE_BYTES_MAX // UTF8_BYTES_MAX

_TEXTS = frozenset({TypeCode.STRING, TypeCode.BYTES, TypeCode.PROTO, TypeCode.TOKENLIST})

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
    """Return the result of a function. Raises ValueTooLarge if it exceeds `limit` bytes."""
    if len(value) >= _CHECKED_FROM:
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
    """Return a function that computes the size of many values of `type_` together."""
    if type_.code in _TEXTS:
        return _texts_size
    if type_.code is TypeCode.JSON:
        return _documents_size
    if type_.is_array:
        return _arrays_sizer(sizer(type_.item()))
    if type_.is_struct:
        return _structs_sizer([field.type for field in type_.fields])
    return lambda values: SCALAR_BYTES * len(values)


def _texts_size(values: Sequence[str | bytes | None]) -> int:
    return TEXT_BYTES * len(values) + sum(map(len, filter(None, values)))


def _documents_size(values: Sequence[Json | None]) -> int:
    return TEXT_BYTES * len(values) + sum([_document_size(v.value) for v in values if v])


def _document_size(value: Any) -> int:
    """Return the size of a document: of a text its length, of a container that of its items."""
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
    fields = [(itemgetter(place), sizer(type_)) for place, type_ in enumerate(types)]
    varying = [field for field, type_ in zip(fields, types, strict=True) if is_varying(type_)]
    fixed = TEXT_BYTES + SCALAR_BYTES * (len(fields) - len(varying))

    def size(values: Sequence[Any]) -> int:
        total = fixed * len(values)
        if varying:
            known = list(filter(None, values))
            for field, field_size in varying:
                total += field_size(list(map(field, known)))
        return total

    return size


def is_varying(type_: Type) -> bool:
    """Return whether values of the type differ in size."""
    if type_.is_struct:
        return any(is_varying(field.type) for field in type_.fields)
    return type_.code in _TEXTS or type_.code is TypeCode.JSON or type_.is_array


def bounded_array(type_: Type) -> Callable[[tuple[Any, ...]], tuple[Any, ...]]:
    """Return a function that returns an array of `type_`, or raises ArrayTooLarge."""
    size_of = sizer(type_.item())

    def limited(array: tuple[Any, ...]) -> tuple[Any, ...]:
        if size_of(array) > BUILT_VALUE_BYTES_MAX:
            raise ArrayTooLarge(BUILT_VALUE_BYTES_MAX)
        return array

    return limited


def gatherer(type_: Type) -> Callable[[Iterable[Any]], tuple[Any, ...]]:
    """Return a function that makes an array of `type_` from its elements, as they come.

    It raises ArrayTooLarge as soon as the elements exceed the limit.
    """
    size_of = sizer(type_.item())

    def gathered(elements: Iterable[Any]) -> tuple[Any, ...]:
        source = iter(elements)
        found = list(islice(source, _FEW))
        if len(found) < _FEW:
            return limited(tuple(found))
        size = size_of(found)
        for step in in_steps(source, _FEW, STEP_ITEMS_MAX):
            found += step
            size += size_of(step)
            if size > BUILT_VALUE_BYTES_MAX:
                raise ArrayTooLarge(BUILT_VALUE_BYTES_MAX)
        return tuple(found)

    limited = bounded_array(type_)
    return gathered


def bounded_struct(type_: Type) -> Callable[[tuple[Any, ...]], tuple[Any, ...]] | None:
    """Return a function that returns a STRUCT of `type_`; None if no STRUCT of it is too large."""
    varying = [place for place, field in enumerate(type_.fields) if is_varying(field.type)]
    if not varying:
        return None
    size_of = sizer(type_)
    are_texts = all(type_.fields[place].type.code in _TEXTS for place in varying)
    short = BUILT_VALUE_BYTES_MAX // len(type_.fields) - TEXT_BYTES if are_texts else -1

    def limited(struct: tuple[Any, ...]) -> tuple[Any, ...]:
        for place in varying:
            cell = struct[place]
            if cell is not None and (short < 0 or len(cell) > short):
                break
        else:
            return struct
        if size_of((struct,)) > BUILT_VALUE_BYTES_MAX:
            raise StructTooLarge(BUILT_VALUE_BYTES_MAX)
        return struct

    return limited


def check_element_count(count: int) -> None:
    """Raise ArrayTooLarge if a function would cut a value into more elements than it may."""
    if count > ELEMENTS_MAX:
        raise ArrayTooLarge(ELEMENTS_MAX * SCALAR_BYTES)
