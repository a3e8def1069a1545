"""Bit functions, by the documented examples."""

from __future__ import annotations

import pytest

from tests.unit.sql.functions.calling import call


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0, 0),
        (5, 2),
        (0xFFFF, 16),
        (-2, 63),
        (-1, 64),
        (b"", 0),
        (b"\x00\x08", 1),
        (b"\xff" * 10, 80),
    ],
)
def test_bit_count(value: int | bytes, expected: int) -> None:
    assert call("BIT_COUNT", value) == expected


@pytest.mark.parametrize(
    ("value", "preserve_sign", "expected"),
    [
        (100, True, 1369094286720630784),
        (100, False, 2738188573441261568),
        (-100, True, -7133701809754865665),
        (-100, False, 4179340454199820287),
        (0, True, 0),
        (1, False, -(2**63)),
        (-(2**63), True, -(2**63)),
    ],
)
def test_bit_reverse(value: int, preserve_sign: bool, expected: int) -> None:
    assert call("BIT_REVERSE", value, preserve_sign) == expected
    assert call("BIT_REVERSE", expected, preserve_sign) == value
