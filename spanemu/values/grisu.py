"""Doubles as the digits that Spanner's JSON shows: nearly always the fewest that tell them apart.

ZetaSQL writes JSON numbers by the Grisu2 algorithm ("Printing Floating-Point Numbers Quickly and
Accurately with Integers", Loitsch, PLDI 2010), in the version of the nlohmann library. For one
double in some hundreds it finds a digit string that is not the shortest, 0.39240506000000003 for
0.39240506. Since a JSON number is taken only if it comes back as it was, that digit decides what
is accepted, too.
"""

from __future__ import annotations

from functools import lru_cache
from struct import pack, unpack

_HIDDEN_BIT = 1 << 52
_EXPONENT_BIAS = 1075  # of a significand read as an integer
_KEPT_MAX = 1024  # of the doubles written last
_POWER_STEP = 8  # between the powers of ten that products are made with
_POWER_LOWEST = -300
_PRODUCT_EXPONENT_MIN = -60  # of the binary exponent that such a product must have


@lru_cache(_KEPT_MAX)
def shortest_digits(number: float) -> tuple[str, int]:
    """Digits and exponent of a positive double: 0.25 is ("25", -2)."""
    low, exact, high, exponent = _boundaries(number)
    power, power_exponent, decimal = _power(exponent)
    exponent += power_exponent + 64
    # One unit inwards at either end, for the product is rounded.
    below, above = _product(low, power) + 1, _product(high, power) - 1
    return _digits(below, _product(exact, power), above, -exponent, -decimal)


def _boundaries(number: float) -> tuple[int, int, int, int]:
    """The ends of what rounds to `number`, and itself, by one binary exponent; 64 bits wide."""
    bits: int = unpack("<Q", pack("<d", number))[0]
    biased, fraction = bits >> 52, bits & (_HIDDEN_BIT - 1)
    significand = fraction + _HIDDEN_BIT if biased else fraction
    exponent = (biased or 1) - _EXPONENT_BIAS
    shift = 64 - (2 * significand + 1).bit_length()  # to fill 64 bits
    # Below a power of two the neighbour is half as far.
    low = 4 * significand - 1 if fraction == 0 and biased > 1 else 4 * significand - 2
    high = 2 * significand + 1
    return low << shift >> 1, significand << shift + 1, high << shift, exponent - 1 - shift


def _product(one: int, other: int) -> int:
    """The upper 64 of 128 bits, rounded."""
    return one * other + (1 << 63) >> 64


@lru_cache
def _power(exponent: int) -> tuple[int, int, int]:
    """A power of ten as (64 bits, binary exponent, decimal exponent) to bring `exponent` near 0."""
    missing = _PRODUCT_EXPONENT_MIN - exponent - 1
    least = int(missing * 78913 / (1 << 18)) + (missing > 0)  # log10(2), towards zero
    index = (least - _POWER_LOWEST + _POWER_STEP - 1) // _POWER_STEP
    decimal = _POWER_LOWEST + _POWER_STEP * index
    up, down = (10**decimal, 1) if decimal >= 0 else (1, 10**-decimal)
    binary = up.bit_length() - down.bit_length() - 64
    while True:  # The lengths give the exponent but for one.
        over = max(-binary, 0)
        found = ((up << over) * 2 // (down << max(binary, 0)) + 1) // 2
        if found < 1 << 63:
            binary -= 1
        elif found >= 1 << 64:
            binary += 1
        else:
            return found, binary, decimal


def _digits(below: int, exact: int, above: int, bits: int, exponent: int) -> tuple[str, int]:
    """The digits of `above`, as many as it takes to be over `below`, led towards `exact`.

    The three have `bits` bits after their binary point.
    """
    width, distance, one = above - below, above - exact, 1 << bits
    whole, rest = above >> bits, above & (one - 1)
    text = str(whole)
    for place in range(1, len(text) + 1):
        left = len(text) - place
        unit = 10**left << bits
        remainder = above % unit
        if remainder <= width:
            digits = int(text[:place])
            return _led(digits, distance, width, remainder, unit), exponent + left
    digits = whole
    while True:
        rest *= 10
        width *= 10
        distance *= 10
        digits = digits * 10 + (rest >> bits)
        rest &= one - 1
        exponent -= 1
        if rest <= width:
            return _led(digits, distance, width, rest, one), exponent


def _led(digits: int, distance: int, width: int, rest: int, unit: int) -> str:
    """The last digit taken down while that comes closer to the number."""
    while (
        rest < distance
        and width - rest >= unit
        and (rest + unit < distance or distance - rest > rest + unit - distance)
    ):
        digits -= 1
        rest += unit
    return str(digits)
