"""The pairs of types that convert and what is coerced: the page "Conversion rules".

    IMPLICIT    any expression is coerced where the other type is expected
    PARAMETER   literals and parameters are coerced; other expressions need CAST
    LITERAL     literals are coerced; other expressions need CAST
    EXPLICIT    every conversion needs CAST

A pair that is missing from the table cannot be converted. `conversion` converts values.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum

from spanemu.values.types import Type, TypeCode


class CoercionLevel(IntEnum):
    """The set of expressions that a conversion applies to without CAST; greater is more."""

    EXPLICIT = 0
    LITERAL = 1
    PARAMETER = 2
    IMPLICIT = 3


class ArgumentKind(IntEnum):
    """The kind of an argument; the value is the lowest coercion level that suffices for it."""

    EXPRESSION = CoercionLevel.IMPLICIT
    PARAMETER = CoercionLevel.PARAMETER
    LITERAL = CoercionLevel.LITERAL


_E, _L, _P, _I = (
    CoercionLevel.EXPLICIT,
    CoercionLevel.LITERAL,
    CoercionLevel.PARAMETER,
    CoercionLevel.IMPLICIT,
)
_C = TypeCode

_TABLE: Mapping[TypeCode, Mapping[TypeCode, CoercionLevel]] = {
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
    _C.BYTES: {_C.STRING: _E, _C.UUID: _E, _C.PROTO: _P},
    _C.DATE: {_C.STRING: _E, _C.TIMESTAMP: _E},
    _C.TIMESTAMP: {_C.STRING: _E, _C.DATE: _E},
    _C.INTERVAL: {_C.STRING: _E},
    _C.UUID: {_C.STRING: _E, _C.BYTES: _E},
    _C.ENUM: {_C.INT64: _E, _C.STRING: _E},
    _C.PROTO: {_C.STRING: _E, _C.BYTES: _E},
    _C.TOKENLIST: {},
}

# From the most to the least specific; the supertype of several is the first that all convert to.
_NUMBERS = (_C.INT64, _C.NUMERIC, _C.FLOAT32, _C.FLOAT64)
_ZONED = frozenset(
    {
        (_C.STRING, _C.TIMESTAMP),
        (_C.TIMESTAMP, _C.STRING),
        (_C.DATE, _C.TIMESTAMP),
        (_C.TIMESTAMP, _C.DATE),
    }
)


def coercion_level(from_: Type, to: Type) -> CoercionLevel | None:
    """Return the coercion level from one type to the other; None if there is no conversion."""
    if from_ == to:
        return CoercionLevel.IMPLICIT
    if from_.code is not to.code:
        return _TABLE.get(from_.code, {}).get(to.code)
    if from_.is_array:
        return coercion_level(from_.item(), to.item())
    if from_.is_struct:
        return _of_structs(from_, to)
    # Two protos or enums of different names.
    return CoercionLevel.IMPLICIT if from_.proto_name == to.proto_name else None


def _of_structs(from_: Type, to: Type) -> CoercionLevel | None:
    if len(from_.fields) != len(to.fields):
        return None
    least = CoercionLevel.IMPLICIT
    for source, target in zip(from_.fields, to.fields, strict=True):
        level = coercion_level(source.type, target.type)
        if level is None:
            return None
        least = min(least, level)
    return least


def is_castable(from_: Type, to: Type) -> bool:
    """Return whether CAST accepts the pair of types.

    An array is cast only to its own type, apart from the names of struct fields.
    """
    if from_.is_array and to.is_array:
        return _same_shape(from_.item(), to.item())
    if from_.is_struct and to.is_struct:
        return len(from_.fields) == len(to.fields) and all(
            is_castable(source.type, target.type)
            for source, target in zip(from_.fields, to.fields, strict=True)
        )
    return coercion_level(from_, to) is not None


def _same_shape(left: Type, right: Type) -> bool:
    """Return whether two types are equal apart from the names of struct fields."""
    if left.is_struct and right.is_struct and len(left.fields) == len(right.fields):
        pairs = zip(left.fields, right.fields, strict=True)
        return all(_same_shape(a.type, b.type) for a, b in pairs)
    if left.is_array and right.is_array:
        return _same_shape(left.item(), right.item())
    return left == right


def is_coercible(from_: Type, to: Type, kind: ArgumentKind = ArgumentKind.EXPRESSION) -> bool:
    """Return whether an argument of that kind converts without CAST.

    An array expression is not coerced element by element; a literal or parameter may be.
    """
    if from_ == to:
        return True
    if from_.is_array and to.is_array and kind is ArgumentKind.EXPRESSION:
        return _same_shape(from_.item(), to.item())
    level = coercion_level(from_, to)
    return level is not None and level >= int(kind)


def is_zoned(from_: Type, to: Type) -> bool:
    """Return whether the conversion depends on the time zone."""
    if from_.is_array and to.is_array:
        return is_zoned(from_.item(), to.item())
    if from_.is_struct and to.is_struct:
        pairs = zip(from_.fields, to.fields, strict=False)
        return any(is_zoned(source.type, target.type) for source, target in pairs)
    return (from_.code, to.code) in _ZONED
