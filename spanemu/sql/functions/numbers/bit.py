"""Functions on bits, by the chapter "Bit functions". Bitwise operators are in `bitwise`."""

from __future__ import annotations

from spanemu.sql.functions.notation import chapter, overload

_MASK = (1 << 64) - 1
_BITS = 64
_SIGN = 1 << 63


def bit_count(value: int) -> int:
    """Return `BIT_COUNT(INT64)`: the number of one bits in two's complement."""
    return (value & _MASK).bit_count()


def bit_count_bytes(value: bytes) -> int:
    """Return `BIT_COUNT(BYTES)`: the number of one bits in all bytes."""
    return int.from_bytes(value, "big").bit_count()


def bit_reverse(value: int, preserve_sign: bool) -> int:
    """Return `BIT_REVERSE(value, preserve_sign)`: the bits in reverse order.

    With `preserve_sign` the sign bit stays and the other 63 bits are reversed.
    """
    bits = value & _MASK
    if preserve_sign:
        turned = int(f"{bits & ~_SIGN:063b}"[::-1], 2) | (bits & _SIGN)
    else:
        turned = int(f"{bits:064b}"[::-1], 2)
    return turned if turned < _SIGN else turned - (1 << _BITS)


FUNCTIONS = chapter(
    "bit",
    {
        "BIT_COUNT": (
            overload("(INT64) -> INT64", bit_count),
            overload("(BYTES) -> INT64", bit_count_bytes),
        ),
    },
) + chapter(
    "bit",
    {"BIT_REVERSE": (overload("(INT64, BOOL) -> INT64", bit_reverse),)},
    safe_allowed=False,
)
