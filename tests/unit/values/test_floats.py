"""Digits of doubles: what Google's emulator writes, and that reading them gives the double again."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanemu.values.floats import parse_float64, shortest_digits
from spanemu.values.json import dump, parse
from spanemu.values.types import BadValue

# As TO_JSON_STRING(TO_JSON(...)) has them there.
WRITTEN = [
    (0.39240506, "0.39240506000000003"),
    (1e23, "9.999999999999999e+22"),
    (5e-324, "5e-324"),
    (2.2250738585072014e-308, "2.2250738585072014e-308"),
    (1e21, "1e+21"),
    (1e15, "1e+15"),
    (123456789012345680.0, "1.2345678901234568e+17"),
    (100000000000000.0, "100000000000000.0"),
    (0.0001, "0.0001"),
    (0.00001, "1e-05"),
    (-1.5e300, "-1.5e+300"),
    (-0.0, "-0.0"),
    (0.0, "0.0"),
]


@pytest.mark.parametrize(("number", "text"), WRITTEN)
def test_doubles_are_written_as_zetasql_writes_them(number, text):
    assert dump(number) == text


@given(st.floats(min_value=5e-324, allow_infinity=False, allow_nan=False))
def test_the_digits_name_the_double(number):
    digits, exponent = shortest_digits(number)
    assert float(f"{digits}e{exponent}") == number
    assert 1 <= len(digits) <= 17


@given(st.binary(min_size=8, max_size=8))
def test_written_floats_are_read_back(data):
    (number,) = struct.unpack("<d", data)
    if number - number == 0:  # neither NaN nor infinite
        assert parse(dump(number)).value == number


def test_a_number_is_accepted_only_if_it_round_trips():
    assert parse("0.39240506000000003").value == 0.39240506
    assert parse("3.9240506000000003E-1").value == 0.39240506
    with pytest.raises(BadValue):
        parse("0.39240506")
    for mode in ("kept", "round"):  # of what clients send
        assert parse("0.39240506", wide_number_mode=mode).value == 0.39240506
    with pytest.raises(BadValue):
        parse("0.392405060000000031", wide_number_mode="kept")


@pytest.mark.parametrize("text", ["1" * 300_000 + "x", "0x" + "f" * 300_000 + "z"])
def test_a_long_text_that_is_no_number_is_refused_at_once(text) -> None:
    with pytest.raises(BadValue):
        parse_float64(text)
