"""Which type converts to which, and how willingly: the page "Conversion rules".

    IMPLICIT    any expression is coerced where the other type is wanted
    PARAMETER   so are literals and parameters; other expressions need CAST
    LITERAL     so are literals only
    EXPLICIT    CAST only

A pair that is missing from the table cannot be converted. How is said by `conversion`.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum

from spanemu.values.types import Type, TypeCode


class Willingness(IntEnum):
    """How freely a conversion happens; greater is freer."""

    EXPLICIT = 0
    LITERAL = 1
    PARAMETER = 2
    IMPLICIT = 3


class Given(IntEnum):
    """What an argument is; the value is the least willingness that suffices for it."""

    EXPRESSION = Willingness.IMPLICIT
    PARAMETER = Willingness.PARAMETER
    LITERAL = Willingness.LITERAL


_E, _L, _P, _I = (
    Willingness.EXPLICIT,
    Willingness.LITERAL,
    Willingness.PARAMETER,
    Willingness.IMPLICIT,
)
_C = TypeCode

_TABLE: Mapping[TypeCode, Mapping[TypeCode, Willingness]] = {
    _C.BOOL: {_C.INT64: _E, _C.STRING: _E},
    _C.INT64: {
        _C.BOOL: _E,
        _C.NUMERIC: _I,
        _C.FLOAT32: _L,
        _C.FLOAT64: _I,
        _C.STRING: _E,
        _C.ENUM: _P,
    },
    _C.NUMERIC: {_C.INT64: _E, _C.FLOAT32: _E, _C.FLOAT64: _I, _C.STRING: _E},
    _C.FLOAT32: {_C.INT64: _E, _C.NUMERIC: _E, _C.FLOAT64: _I, _C.STRING: _E},
    _C.FLOAT64: {_C.INT64: _E, _C.NUMERIC: _L, _C.FLOAT32: _L, _C.STRING: _E},
    _C.STRING: {
        _C.BOOL: _E,
        _C.INT64: _E,
        _C.NUMERIC: _E,
        _C.FLOAT32: _E,
        _C.FLOAT64: _E,
        _C.BYTES: _E,
        _C.DATE: _P,
        _C.TIMESTAMP: _P,
        _C.INTERVAL: _E,
        _C.UUID: _P,
        _C.ENUM: _P,
        _C.PROTO: _P,
    },
    _C.BYTES: {_C.STRING: _E, _C.UUID: _E, _C.PROTO: _P, _C.TOKENLIST: _E},
    _C.DATE: {_C.STRING: _E, _C.TIMESTAMP: _E},
    _C.TIMESTAMP: {_C.STRING: _E, _C.DATE: _E},
    _C.INTERVAL: {_C.STRING: _E},
    _C.UUID: {_C.STRING: _E, _C.BYTES: _E},
    _C.ENUM: {_C.INT64: _E, _C.STRING: _E},
    _C.PROTO: {_C.STRING: _E, _C.BYTES: _E},
    _C.TOKENLIST: {_C.BYTES: _E},
}

# From the most to the least specific; a supertype of several is the first that all reach.
_NUMBERS = (_C.INT64, _C.NUMERIC, _C.FLOAT32, _C.FLOAT64)
_ZONED = frozenset(
    {
        (_C.STRING, _C.TIMESTAMP),
        (_C.TIMESTAMP, _C.STRING),
        (_C.DATE, _C.TIMESTAMP),
        (_C.TIMESTAMP, _C.DATE),
    }
)


def willingness(from_: Type, to: Type) -> Willingness | None:
    """How freely a value of one type becomes one of the other; None if it never does."""
    if from_ == to:
        return Willingness.IMPLICIT
    if from_.code is not to.code:
        return _TABLE.get(from_.code, {}).get(to.code)
    if from_.is_array:
        return willingness(from_.item(), to.item())
    if from_.is_struct:
        return _of_structs(from_, to)
    # Two protos or enums of different names.
    return Willingness.IMPLICIT if from_.proto_name == to.proto_name else None


def _of_structs(from_: Type, to: Type) -> Willingness | None:
    if len(from_.fields) != len(to.fields):
        return None
    least = Willingness.IMPLICIT
    for mine, theirs in zip(from_.fields, to.fields, strict=True):
        one = willingness(mine.type, theirs.type)
        if one is None:
            return None
        least = min(least, one)
    return least


def is_castable(from_: Type, to: Type) -> bool:
    """Whether CAST takes the pair. An array is cast only to its own type, names aside."""
    if from_.is_array and to.is_array:
        return _same_shape(from_.item(), to.item())
    if from_.is_struct and to.is_struct:
        return len(from_.fields) == len(to.fields) and all(
            is_castable(mine.type, theirs.type)
            for mine, theirs in zip(from_.fields, to.fields, strict=True)
        )
    return willingness(from_, to) is not None


def _same_shape(one: Type, other: Type) -> bool:
    """Equal but for the names of struct fields."""
    if one.is_struct and other.is_struct and len(one.fields) == len(other.fields):
        pairs = zip(one.fields, other.fields, strict=True)
        return all(_same_shape(mine.type, theirs.type) for mine, theirs in pairs)
    if one.is_array and other.is_array:
        return _same_shape(one.item(), other.item())
    return one == other


def is_coercible(from_: Type, to: Type, given: Given = Given.EXPRESSION) -> bool:
    """Whether an argument converts without CAST.

    An array expression is not coerced element by element; a literal or parameter may be.
    """
    if from_ == to:
        return True
    if from_.is_array and to.is_array and given is Given.EXPRESSION:
        return _same_shape(from_.item(), to.item())
    found = willingness(from_, to)
    return found is not None and found >= int(given)


def is_zoned(from_: Type, to: Type) -> bool:
    """Whether the conversion depends on the time zone."""
    if from_.is_array and to.is_array:
        return is_zoned(from_.item(), to.item())
    if from_.is_struct and to.is_struct:
        pairs = zip(from_.fields, to.fields, strict=False)
        return any(is_zoned(mine.type, theirs.type) for mine, theirs in pairs)
    return (from_.code, to.code) in _ZONED
