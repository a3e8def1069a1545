"""Sets of small numbers as integers, a bit for each: one operation combines two large sets."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from itertools import compress
from operator import or_

_FEW = 4  # numbers whose bits are set one by one
_DENSE = 64  # digits for each number, below which the integer is read from its digits
_SPARSE = 8  # digits for each number, from which on the digits in between are skipped
_ONE = ord("1")
_TRUTH = bytes.maketrans(b"01", b"\x00\x01")


def bits_of(numbers: Iterable[int]) -> int:
    """Return an integer in which the bits of some numbers are set."""
    known = list(numbers)
    if len(known) < _FEW:
        bits = 0
        for number in known:
            bits |= 1 << number
        return bits
    greatest = max(known)
    if greatest < _DENSE * len(known):
        digits = bytearray(b"0") * (greatest + 1)
        for number in known:
            digits[number] = _ONE
        digits.reverse()
        return int(digits, 2)
    data = bytearray((greatest >> 3) + 1)
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


class Counters:
    """A counter for each number: how many of some sets contain it.

    The planes hold the digits of the counters: bit `i` of the counters of all numbers is one
    integer, so that a set is added to all of them at once.
    """

    def __init__(self, sets: Iterable[int]) -> None:
        planes: list[int] = []
        for bits in sets:
            carry = bits
            for digit, plane in enumerate(planes):
                planes[digit], carry = plane ^ carry, plane & carry
            if carry:
                planes.append(carry)
        self._planes = planes

    @property
    def largest(self) -> int:
        """A value that no counter exceeds."""
        return (1 << len(self._planes)) - 1

    def at_least(self, count: int) -> int:
        """Return the numbers that are in at least `count` sets, which is more than none."""
        more, equal = 0, reduce(or_, self._planes, 0)
        for digit, plane in self._digits(count):
            if count >> digit & 1:
                equal &= plane
            else:
                more |= equal & plane
                equal &= ~plane
        return more | equal

    def exactly(self, count: int, among: int) -> int:
        """Return the numbers among some that are in `count` sets."""
        for digit, plane in self._digits(count):
            among &= plane if count >> digit & 1 else ~plane
        return among

    def _digits(self, count: int) -> Iterable[tuple[int, int]]:
        """Return the planes with the places of their digits, from the highest on."""
        missing = count.bit_length() - len(self._planes)
        planes = self._planes + [0] * missing
        return reversed(tuple(enumerate(planes)))
