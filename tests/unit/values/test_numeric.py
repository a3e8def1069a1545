"""NUMERIC: parsing, printing, rounding and exact arithmetic."""

from decimal import Decimal

import pytest

from spanemu.values import numeric
from spanemu.values.numeric import NUMERIC_MAX, NUMERIC_MIN
from spanemu.values.types import BadValue


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("0", "0"),
        ("-0", "0"),
        ("+1", "1"),
        ("1.", "1"),
        (".5", "0.5"),
        (" 12.340 ", "12.34"),
        ("1e28", "1" + "0" * 28),
        ("1E-9", "0.000000001"),
        ("100e-2", "1"),
        ("0" * 40 + "1", "1"),
        ("-99999999999999999999999999999.999999999", str(NUMERIC_MIN)),
    ],
)
def test_parse_and_format(text: str, printed: str) -> None:
    assert numeric.format(numeric.parse(text)) == printed
    assert numeric.parse_rounded(text) == numeric.parse(text)


@pytest.mark.parametrize(
    "text", ["", " ", ".", "1e", "e5", "0x1", "1 2", "inf", "--1", "1e29", "1" * 30, "1e999999999"]
)
def test_malformed_numerics_are_refused(text: str) -> None:
    for parse in (numeric.parse, numeric.parse_rounded):
        with pytest.raises(BadValue):
            parse(text)


@pytest.mark.parametrize(
    ("text", "rounded"),
    [
        ("0.0000000005", "0.000000001"),
        ("-0.0000000005", "-0.000000001"),
        ("0.00000000049", "0"),
        ("1e-1000000", "0"),
        ("1.0000000015", "1.000000002"),
    ],
)
def test_a_cast_rounds_half_away_from_zero(text: str, rounded: str) -> None:
    assert numeric.format(numeric.parse_rounded(text)) == rounded
    with pytest.raises(BadValue):
        numeric.parse(text)


def test_rounding_up_can_overflow() -> None:
    with pytest.raises(BadValue):
        numeric.parse_rounded("9" * 29 + "." + "9" * 9 + "5")


def test_arithmetic() -> None:
    third = numeric.divide(Decimal(1), Decimal(3))
    assert numeric.format(third) == "0.333333333"
    assert numeric.format(numeric.divide(Decimal(-2), Decimal(3))) == "-0.666666667"
    assert numeric.format(numeric.multiply(Decimal("0.00001"), Decimal("0.00005"))) == "0.000000001"
    assert numeric.format(numeric.add(NUMERIC_MAX, NUMERIC_MIN)) == "0"
    assert numeric.format(numeric.truncated_quotient(Decimal(-7), Decimal(2))) == "-3"
    assert numeric.format(numeric.remainder(Decimal(-7), Decimal(2))) == "-1"
    assert numeric.to_int(Decimal("-2.5")) == -3


def test_arithmetic_overflows() -> None:
    tiny = Decimal("1e-9")
    for operation, left, right in (
        (numeric.add, NUMERIC_MAX, tiny),
        (numeric.subtract, NUMERIC_MIN, tiny),
        (numeric.multiply, NUMERIC_MAX, NUMERIC_MAX),
        (numeric.divide, NUMERIC_MAX, tiny),
        (numeric.truncated_quotient, NUMERIC_MAX, tiny),
    ):
        with pytest.raises(BadValue):
            operation(left, right)


@pytest.mark.parametrize(
    ("digits", "rounded", "truncated"),
    [
        (9, "1555.5555", "1555.5555"),
        (3, "1555.556", "1555.555"),
        (0, "1556", "1555"),
        (-1, "1560", "1550"),
        (-3, "2000", "1000"),
        (-4, "0", "0"),
        (-400, "0", "0"),
        (400, "1555.5555", "1555.5555"),
    ],
)
def test_rounded_to(digits: int, rounded: str, truncated: str) -> None:
    number = Decimal("1555.5555")
    assert numeric.format(numeric.rounded_to(number, digits)) == rounded
    assert numeric.format(numeric.rounded_to(number, digits, toward_zero=True)) == truncated


def test_from_float_is_exact_before_it_rounds() -> None:
    assert numeric.format(numeric.from_float(0.1)) == "0.1"
    assert numeric.format(numeric.from_float(1e22)) == "1" + "0" * 22
    for number in (float("nan"), float("inf"), 1e30):
        with pytest.raises(BadValue):
            numeric.from_float(number)


def test_scaled_integers() -> None:
    assert numeric.to_scaled(NUMERIC_MAX) == 10**38 - 1
    assert numeric.from_scaled(10**38 - 1) == NUMERIC_MAX
    assert numeric.to_scaled(Decimal("1E+3")) == 10**12


def test_a_long_text_that_is_no_number_is_refused_at_once() -> None:
    with pytest.raises(BadValue):
        numeric.parse("1" * 300_000 + "x")
