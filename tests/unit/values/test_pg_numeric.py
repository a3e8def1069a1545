"""NUMERIC of PostgreSQL databases: scales, NaN, limits. PostgreSQL 15 confirmed each result."""

from __future__ import annotations

import operator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanemu.values import pg_numeric
from spanemu.values.floats import GREATEST_NAN
from spanemu.values.pg_numeric import NAN, parse
from spanemu.values.types import BadValue

NUMBERS = st.decimals(allow_nan=False, allow_infinity=False, places=None).filter(
    lambda number: abs(number.as_tuple().exponent) < 100  # type: ignore[arg-type]
)


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("1.50", "1.50"),
        ("1e2", "100"),
        ("1.50e1", "15.0"),
        ("-0.00", "0.00"),
        ("  +.5 ", "0.5"),
        ("5.", "5"),
        ("1E-3", "0.001"),
        ("nan", "NaN"),
    ],
)
def test_a_number_keeps_its_scale(text: str, printed: str) -> None:
    assert pg_numeric.format(parse(text)) == printed


@pytest.mark.parametrize(
    "text", ["", "x", "1_0", "0x1", "infinity", "1e", "--1", "1e131072", "1e999999999"]
)
def test_malformed_numbers_are_refused(text: str) -> None:
    with pytest.raises(BadValue):
        parse(text)


def test_the_longest_numbers() -> None:
    assert pg_numeric.format(parse("1e131071")).count("0") == 131_071
    assert parse("1e-16383") > 0
    with pytest.raises(BadValue):
        parse("1e-16384")
    tiny = parse("0." + "1" * 9_000)
    assert pg_numeric.scale_of(pg_numeric.multiply(tiny, tiny)) == 16_383


@pytest.mark.parametrize(
    ("operation", "left", "right", "result"),
    [
        (pg_numeric.add, "1.10", "2.205", "3.305"),
        (pg_numeric.subtract, "1.10", "1.10", "0.00"),
        (pg_numeric.multiply, "1.10", "2.20", "2.4200"),
        (pg_numeric.divide, "1.0", "3", "0.33333333333333333333"),
        (pg_numeric.divide, "10.0", "4", "2.5000000000000000"),
        (pg_numeric.divide, "2", "3", "0.66666666666666666667"),
        (pg_numeric.divide, "123456789012345678901234567890", "7", "17636684144620811271604938270"),
        (pg_numeric.divide, "1", "10000", "0.000100000000000000000000"),
        (pg_numeric.remainder, "-7.5", "2", "-1.5"),
        (pg_numeric.truncated_quotient, "-7.5", "2", "-3"),
        (pg_numeric.divide, "NaN", "2", "NaN"),
    ],
)
def test_results_have_the_scale_of_postgresql(
    operation: object, left: str, right: str, result: str
) -> None:
    assert pg_numeric.format(operation(parse(left), parse(right))) == result  # type: ignore[operator]


@pytest.mark.parametrize(
    ("digits", "result"), [(3, "12.500"), (0, "12"), (-1, "10"), (-2, "0"), (1, "12.5")]
)
def test_trunc_sets_the_scale(digits: int, result: str) -> None:
    assert pg_numeric.format(pg_numeric.truncated(parse("12.5"), digits)) == result


def test_a_modifier_rounds_and_limits() -> None:
    assert pg_numeric.format(pg_numeric.fitted(parse("99.995"), 5, 2)) == "100.00"
    with pytest.raises(BadValue, match="overflow"):
        pg_numeric.fitted(parse("99.995"), 4, 2)


@given(NUMBERS)
def test_nan_is_equal_to_itself_and_above_every_number(number: object) -> None:
    assert number < NAN
    assert number < NAN  # type: ignore[operator]
    assert not number > NAN
    assert number != NAN
    assert parse("NaN") == NAN
    assert NAN in {parse("NAN")}
    assert max([NAN, number, NAN]) is NAN  # type: ignore[type-var]


@pytest.mark.parametrize("nan", [NAN, GREATEST_NAN], ids=["numeric", "double"])
def test_nan_and_none_are_not_ordered(nan: object) -> None:
    assert nan != None  # noqa: E711
    for compare in (operator.lt, operator.le, operator.gt, operator.ge):
        for sides in ((nan, None), (None, nan)):
            with pytest.raises(TypeError):
                compare(*sides)


@given(NUMBERS)
def test_equal_numbers_of_two_scales_have_one_hash(number: object) -> None:
    value = parse(str(number))
    wider = pg_numeric.rescaled(value, pg_numeric.scale_of(value) + 3)
    assert wider == value
    assert hash(wider) == hash(value)
    assert pg_numeric.format(parse(pg_numeric.format(wider))) == pg_numeric.format(wider)


def test_a_quotient_of_the_longest_numbers_takes_no_time() -> None:
    long = parse("7" * 131_000 + "." + "3" * 16_000)
    assert pg_numeric.divide(long, parse("9" * 70_000)) < long
    with pytest.raises(BadValue, match="overflow"):
        pg_numeric.multiply(long, long)


def test_a_long_text_that_is_no_number_is_refused_at_once() -> None:
    with pytest.raises(BadValue):
        parse("1" * 300_000 + "x")
