"""FLOAT64 and FLOAT32: text and rounding."""

import math

import pytest

from spanemu.values.floats import (
    FLOAT32_MAX,
    fits,
    format_float32,
    format_float64,
    parse_float32,
    parse_float64,
    round32,
)
from spanemu.values.types import BadValue


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (1.0, "1"),
        (-1.5, "-1.5"),
        (1e20, "1e+20"),
        (1e15, "1e+15"),
        (123456789012345.0, "123456789012345"),
        (1e-5, "1e-05"),
        (0.1, "0.1"),
        (0.1 + 0.2, "0.30000000000000004"),
        (1.7976931348623157e308, "1.7976931348623157e+308"),
        (math.inf, "inf"),
        (-math.inf, "-inf"),
        (math.nan, "nan"),
    ],
)
def test_float64_text(number: float, text: str) -> None:
    assert format_float64(number) == text


def test_float32_text() -> None:
    assert format_float32(round32(0.1)) == "0.1"
    assert format_float32(round32(16777216.0)) == "16777216"
    assert format_float32(round32(1 / 3)) == "0.33333334"
    assert format_float32(math.nan) == "nan"


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1", 1.0),
        (" -1.5e3 ", -1500.0),
        (".5", 0.5),
        ("5.", 5.0),
        ("INF", math.inf),
        ("-Infinity", -math.inf),
        ("+inf", math.inf),
        ("1e400", math.inf),
        ("0x1F.8", 31.5),
        ("-0x1p4", -16.0),
        ("0x1p5000", math.inf),
    ],
)
def test_float64_is_read(text: str, number: float) -> None:
    assert parse_float64(text) == number


def test_nan_is_read() -> None:
    assert math.isnan(parse_float64("NaN"))
    assert math.isnan(parse_float32("-nan"))


@pytest.mark.parametrize("text", ["", "1_0", "1e", "infin", "1 2", "٣", "1.5f"])
def test_malformed_floats_are_refused(text: str) -> None:
    for parse, name in ((parse_float64, "FLOAT64"), (parse_float32, "FLOAT32")):
        with pytest.raises(BadValue) as caught:
            parse(text)
        assert (caught.value.value, caught.value.type_text) == (text, name)


def test_float32_rounding() -> None:
    assert round32(16777217.0) == 16777216.0
    assert round32(FLOAT32_MAX) == FLOAT32_MAX
    assert math.isnan(round32(math.nan))
    assert round32(-math.inf) == -math.inf
    assert not fits(FLOAT32_MAX * 1.0000001)
    with pytest.raises(BadValue):
        round32(1e39)
    assert parse_float32("-1e39") == -math.inf
