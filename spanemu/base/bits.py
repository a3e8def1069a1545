"""Sets of small numbers as integers, a bit for each: one operation combines two large sets."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import compress

_FEW = 4  # numbers whose bits are set one by one
_SPARSE = 8  # digits for each number, from which on the digits in between are skipped
_TRUTH = bytes.maketrans(b"01", b"\x00\x01")


def bits_of(numbers: Iterable[int]) -> int:
    """Return an integer in which the bits of some numbers are set."""
    known = list(numbers)
    if len(known) < _FEW:
        bits = 0
        for number in known:
            bits |= 1 << number
        return bits
    data = bytearray((max(known) >> 3) + 1)
    for number in known:
        data[number >> 3] |= 1 << (number & 7)
    return int.from_bytes(data, "little")


def numbers_in(bits: int) -> list[int]:
    """Return the numbers whose bits are set, in ascending order."""
    digits = bin(bits)[:1:-1]  # the last digit, that of 0, comes first
    if _SPARSE * bits.bit_count() > len(digits):
        return list(compress(range(len(digits)), digits.encode().translate(_TRUTH)))
    numbers: list[int] = []
    at = digits.find("1")
    while at >= 0:
        numbers.append(at)
        at = digits.find("1", at + 1)
    return numbers
