"""Functions on bits, by the chapter "Bit functions", and bitwise operators.

Operators treat INT64 as two's complement, and BYTES as one long bit string.
"""

from __future__ import annotations

from collections.abc import Callable

from spanemu.sql.functions.errors import BadArgument
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


_FLIPPED = bytes(range(255, -1, -1))


def shift_left(value: int, count: int) -> int:
    """Return `INT64 << INT64`; bits shifted out are lost."""
    if count < 0:
        raise _negative_shift()
    if count >= _BITS:
        return 0
    bits = (value << count) & _MASK
    return bits - (1 << _BITS) if bits & _SIGN else bits


def shift_right(value: int, count: int) -> int:
    """Return `INT64 >> INT64`; zeros are shifted in, whatever the sign."""
    if count < 0:
        raise _negative_shift()
    if not count:
        return value
    return (value & _MASK) >> count if count < _BITS else 0


def shift_bytes_left(value: bytes, count: int) -> bytes:
    """Return `BYTES << INT64`, of the same length."""
    if count < 0:
        raise _negative_shift()
    length = len(value)
    if count >= 8 * length:
        return bytes(length)
    bits = (int.from_bytes(value, "big") << count) & ((1 << 8 * length) - 1)
    return bits.to_bytes(length, "big")


def shift_bytes_right(value: bytes, count: int) -> bytes:
    """Return `BYTES >> INT64`, of the same length."""
    if count < 0:
        raise _negative_shift()
    length = len(value)
    if count >= 8 * length:
        return bytes(length)
    return (int.from_bytes(value, "big") >> count).to_bytes(length, "big")


def not_bytes(value: bytes) -> bytes:
    """Return `~BYTES`."""
    return value.translate(_FLIPPED)


def on_bytes(operation: Callable[[int, int], int]) -> Callable[[bytes, bytes], bytes]:
    """Return the bitwise operator between BYTES of equal length."""

    def call(left: bytes, right: bytes) -> bytes:
        length = len(left)
        if length != len(right):
            raise BadArgument(
                "Bitwise binary operator for BYTES requires equal length of the inputs. "
                f"Got {length} bytes on the left hand side and "
                f"{len(right)} bytes on the right hand side."
            )
        bits = operation(int.from_bytes(left, "big"), int.from_bytes(right, "big"))
        return bits.to_bytes(length, "big")

    return call


def _negative_shift() -> BadArgument:
    return BadArgument("Bitwise shift by negative offset.")
