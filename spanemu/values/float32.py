"""FLOAT32: Python has no such number, so a value is a `float` rounded to the nearest FLOAT32."""

from __future__ import annotations

from struct import Struct

from spanemu.values.errors import BadValue

_SINGLE = Struct("<f")
_pack, _unpack = _SINGLE.pack, _SINGLE.unpack

FLOAT32_MAX: float = _unpack(b"\xff\xff\x7f\x7f")[0]


def round32(number: float) -> float:
    """The nearest FLOAT32 (ties to even); NaN and infinities stay. Raises if it is too large."""
    try:
        rounded: float = _unpack(_pack(number))[0]
    except OverflowError:
        raise BadValue(number, "FLOAT32", "out of range") from None
    return rounded


def fits(number: float) -> bool:
    """Whether `number` rounds to a FLOAT32 rather than overflows; NaN and infinities fit."""
    try:
        _pack(number)
    except OverflowError:
        return False
    return True
