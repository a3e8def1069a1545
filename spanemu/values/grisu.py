"""The decimal digits of doubles in Spanner's JSON: nearly always the fewest possible.

ZetaSQL writes JSON numbers by the Grisu2 algorithm ("Printing Floating-Point Numbers Quickly and
Accurately with Integers", Loitsch, PLDI 2010), in the version of the nlohmann library. For one
double in some hundreds, Grisu2 returns a digit string that is not the shortest:
0.39240506000000003 for 0.39240506. A JSON number is accepted only if it prints as it was read, so
that digit also decides which numbers are accepted.
"""

from __future__ import annotations

from functools import lru_cache
from struct import pack, unpack

_HIDDEN_BIT = 1 << 52
_EXPONENT_BIAS = 1075  # for a significand read as an integer
_KEPT_MAX = 1024  # cached doubles
_POWER_STEP = 8  # between the powers of ten used as factors
_POWER_LOWEST = -300
_PRODUCT_EXPONENT_MIN = -60  # the lowest binary exponent of a product


@lru_cache(_KEPT_MAX)
def shortest_digits(number: float) -> tuple[str, int]:
    """Return digits and exponent of a positive double: ("25", -2) for 0.25."""
    low, exact, high, exponent = _boundaries(number)
    power, power_exponent, decimal = _power(exponent)
    exponent += power_exponent + 64
    # One unit inwards at either end, because the product is rounded.
    below, above = _product(low, power) + 1, _product(high, power) - 1
    return _digits(below, _product(exact, power), above, -exponent, -decimal)


def _boundaries(number: float) -> tuple[int, int, int, int]:
    """Return (lower bound, number, upper bound, binary exponent), 64 bits wide.

    All reals between the bounds round to `number`.
    """
    bits: int = unpack("<Q", pack("<d", number))[0]
    biased, fraction = bits >> 52, bits & (_HIDDEN_BIT - 1)
    significand = fraction + _HIDDEN_BIT if biased else fraction
    exponent = (biased or 1) - _EXPONENT_BIAS
    shift = 64 - (2 * significand + 1).bit_length()  # to fill 64 bits
    # The neighbour below a power of two is half as far away.
    low = 4 * significand - 1 if fraction == 0 and biased > 1 else 4 * significand - 2
    high = 2 * significand + 1
    return low << shift >> 1, significand << shift + 1, high << shift, exponent - 1 - shift


def _product(left: int, right: int) -> int:
    """Return the upper 64 of 128 bits, rounded."""
    return left * right + (1 << 63) >> 64


@lru_cache
def _power(exponent: int) -> tuple[int, int, int]:
    """Return a power of ten that brings `exponent` near 0.

    The result is (64 bits, binary exponent, decimal exponent).
    """
    missing = _PRODUCT_EXPONENT_MIN - exponent - 1
    least = int(missing * 78913 / (1 << 18)) + (missing > 0)  # log10(2), towards zero
    index = (least - _POWER_LOWEST + _POWER_STEP - 1) // _POWER_STEP
    decimal = _POWER_LOWEST + _POWER_STEP * index
    up, down = (10**decimal, 1) if decimal >= 0 else (1, 10**-decimal)
    binary = up.bit_length() - down.bit_length() - 64
    while True:  # The bit lengths give the exponent, give or take one.
        over = max(-binary, 0)
        significand = ((up << over) * 2 // (down << max(binary, 0)) + 1) // 2
        if significand < 1 << 63:
            binary -= 1
        elif significand >= 1 << 64:
            binary += 1
        else:
            return significand, binary, decimal


def _digits(below: int, exact: int, above: int, bits: int, exponent: int) -> tuple[str, int]:
    """Return as many digits of `above` as exceed `below`, adjusted towards `exact`.

    The three numbers have `bits` bits after the binary point.
    """
    width, distance, unity = above - below, above - exact, 1 << bits
    whole, rest = above >> bits, above & (unity - 1)
    text = str(whole)
    for count in range(1, len(text) + 1):
        left = len(text) - count
        unit = 10**left << bits
        remainder = above % unit
        if remainder <= width:
            digits = int(text[:count])
            return _round_last_digit(digits, distance, width, remainder, unit), exponent + left
    digits = whole
    while True:
        rest *= 10
        width *= 10
        distance *= 10
        digits = digits * 10 + (rest >> bits)
        rest &= unity - 1
        exponent -= 1
        if rest <= width:
            return _round_last_digit(digits, distance, width, rest, unity), exponent


def _round_last_digit(digits: int, distance: int, width: int, rest: int, unit: int) -> str:
    """Return the digits, with the last decremented while that comes closer to the number."""
    while (
        rest < distance
        and width - rest >= unit
        and (rest + unit < distance or distance - rest > rest + unit - distance)
    ):
        digits -= 1
        rest += unit
    return str(digits)
