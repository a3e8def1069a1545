"""FLOAT64 and FLOAT32: rounding, text as CAST(x AS STRING) prints and parses it, digits in JSON."""

from __future__ import annotations

import re
from functools import lru_cache
from math import copysign, inf, isnan, nan
from struct import Struct, pack, unpack

from spanemu.base.deferred import lazy_pattern
from spanemu.values.types import BadValue

_SINGLE = Struct("<f")
_pack, _unpack = _SINGLE.pack, _SINGLE.unpack

FLOAT32_MAX: float = _unpack(b"\xff\xff\x7f\x7f")[0]


def round32(number: float) -> float:
    """Return the nearest FLOAT32 (ties to even); raise BadValue on overflow.

    NaN and infinities stay.
    """
    try:
        rounded: float = _unpack(_pack(number))[0]
    except OverflowError:
        raise BadValue(number, "FLOAT32", "out of range") from None
    return rounded


def fits(number: float) -> bool:
    """Return whether `number` is NaN, infinite, or rounds to a FLOAT32 without overflow."""
    try:
        _pack(number)
    except OverflowError:
        return False
    return True


FLOAT64_MAX = 1.7976931348623157e308

_NUMBER = lazy_pattern(r"\s*[+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d+)?\s*", re.ASCII)
_HEXADECIMAL = lazy_pattern(
    r"\s*[+-]?0[xX](?:[0-9a-fA-F]++(?:\.[0-9a-fA-F]*+)?|\.[0-9a-fA-F]++)(?:[pP][+-]?\d+)?\s*",
    re.ASCII,
)
_WORDS = {
    sign + word: (-value if sign == "-" else value)
    for sign in ("", "+", "-")
    for word, value in (("nan", nan), ("inf", inf), ("infinity", inf))
}


class _GreatestNan(float):
    """NaN as PostgreSQL compares it: equal to itself, above every number.

    Python asks the right operand first where its class derives from the left operand's, so these
    methods also decide `1.0 < GREATEST_NAN`. Arithmetic gives Python's NaN again. Like any number,
    it has no order beside None: filters notice a NULL by Python's TypeError.
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _GreatestNan)

    def __ne__(self, other: object) -> bool:
        return not isinstance(other, _GreatestNan)

    def __lt__(self, other: object) -> bool:
        return NotImplemented if other is None else False

    def __le__(self, other: object) -> bool:
        return NotImplemented if other is None else isinstance(other, _GreatestNan)

    def __gt__(self, other: object) -> bool:
        return NotImplemented if other is None else not isinstance(other, _GreatestNan)

    def __ge__(self, other: object) -> bool:
        return NotImplemented if other is None else True

    def __hash__(self) -> int:
        return hash("NaN")


# The only NaN in a PostgreSQL database. The engine compares, sorts and hashes it like any number.
GREATEST_NAN: float = _GreatestNan("nan")


def with_greatest_nan(number: float) -> float:
    """Return a FLOAT64 or FLOAT32 as a PostgreSQL database holds it."""
    return number if number == number else GREATEST_NAN


def format_float64(number: float) -> str:
    """Return SQL text with 15 significant digits if these identify `number`, or 17.

    Integers have no fraction ("1"), large and small numbers an exponent ("1e+20").
    """
    if not -FLOAT64_MAX <= number <= FLOAT64_MAX:
        return _special(number)
    text = f"{number:.15g}"
    if float(text) != number:
        text = f"{number:.17g}"
    return "0" if text == "-0" else text


def format_float32(number: float) -> str:
    """Return SQL text of a FLOAT32 with 6 significant digits if these identify it, or 8.

    Eight digits do not identify every FLOAT32, but Spanner prints no more.
    """
    if not -FLOAT64_MAX <= number <= FLOAT64_MAX:
        return _special(number)
    text = f"{number:.6g}"
    if round32(float(text)) != number:
        text = f"{number:.8g}"
    return "0" if text == "-0" else text


def parse_float64(text: str) -> float:
    """Parse SQL text as FLOAT64: decimal, scientific, hexadecimal, or a word such as "inf".

    Words may have any case. A number that is too large becomes an infinity.
    """
    if _NUMBER.fullmatch(text):
        return float(text)
    if _HEXADECIMAL.fullmatch(text):
        return _from_hexadecimal(text)
    if (word := _WORDS.get(text.strip().lower())) is not None:
        return word
    raise BadValue(text, "FLOAT64")


def parse_float32(text: str) -> float:
    """Parse SQL text as FLOAT32, rounded; see `parse_float64`."""
    try:
        number = parse_float64(text)
    except BadValue:
        raise BadValue(text, "FLOAT32") from None
    return round32(number) if fits(number) else copysign(inf, number)


def _from_hexadecimal(text: str) -> float:
    try:
        return float.fromhex(text.strip())
    except OverflowError:
        return -inf if "-" in text.partition("0")[0] else inf


def _special(number: float) -> str:
    if isnan(number):
        return "nan"
    return "inf" if number > 0 else "-inf"


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
