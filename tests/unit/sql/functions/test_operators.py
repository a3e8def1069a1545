"""Operators: arithmetic and its limits, comparison with NULLs and NaN, bits, subscripts."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from math import inf, isnan, nan
from typing import Any
from uuid import UUID

import pytest

from spanemu.sql.functions.comparison import is_comparable, is_groupable, is_orderable, membership
from spanemu.sql.functions.errors import (
    ArrayIndexOutOfBounds,
    BadArgument,
    DivisionByZero,
    EvaluationError,
    Overflow,
)
from spanemu.values.interval import Interval
from spanemu.values.json import parse
from spanemu.values.types import (
    BOOL,
    BYTES,
    FLOAT32,
    FLOAT64,
    INT64,
    JSON,
    STRING,
    TIMESTAMP,
    array_of,
    struct_of,
)
from tests.unit.sql.functions.calling import call, result_type, typed

D = Decimal
MAX = 2**63 - 1
MIN = -(2**63)
NUMERIC_MAX = D("9" * 29 + "." + "9" * 9)
NULL = typed(None, INT64)
NO_TEXT = typed(None, STRING)
NO_BOOL = typed(None, BOOL)
INTS = array_of(INT64)
PAIR = struct_of(("a", INT64), ("b", INT64))
DAY = 86_400 * 10**9


def pair(a: int | None, b: int | None) -> Any:
    return typed((a, b), PAIR)


def ints(*values: int | None) -> Any:
    return typed(values, INTS)


ARITHMETIC: list[tuple[str, tuple[Any, ...], Any]] = [
    ("$add", (1, 2), 3),
    ("$add", (MAX, 0), MAX),
    ("$add", (1, NULL), None),
    ("$add", (0.1, 0.2), 0.30000000000000004),
    ("$add", (inf, 1.0), inf),
    ("$add", (inf, -inf), nan),
    ("$add", (1, D("0.5")), D("1.5")),
    ("$add", (NUMERIC_MAX, D(0)), NUMERIC_MAX),
    ("$add", (typed(0, TIMESTAMP), Interval(0, 1, 5)), DAY + 5),
    ("$add", (Interval(0, 1, 5), typed(0, TIMESTAMP)), DAY + 5),
    ("$subtract", (MIN, 0), MIN),
    ("$subtract", (inf, inf), nan),
    ("$subtract", (D(1), D("0.000000001")), D("0.999999999")),
    ("$subtract", (typed(5, TIMESTAMP), typed(7, TIMESTAMP)), Interval(0, 0, -2)),
    ("$subtract", (date(2021, 5, 20), date(2020, 4, 19)), Interval(0, 396, 0)),
    ("$subtract", (typed(DAY, TIMESTAMP), Interval(0, 1, 0)), 0),
    ("$subtract", (Interval(1, 2, 3), Interval(1, 1, 1)), Interval(0, 1, 2)),
    ("$multiply", (-3, 5), -15),
    ("$multiply", (D("1.000000005"), D("0.1")), D("0.100000001")),
    ("$multiply", (0.0, inf), nan),
    ("$multiply", (Interval(0, 0, 3723 * 10**9), 10), Interval(0, 0, 37230 * 10**9)),
    ("$multiply", (4, Interval(0, 0, 35 * 10**9)), Interval(0, 0, 140 * 10**9)),
    ("$divide", (1, 2), 0.5),
    ("$divide", (D(1), D(3)), D("0.333333333")),
    ("$divide", (D(-2), D(3)), D("-0.666666667")),
    ("$divide", (1.0, inf), 0.0),
    ("$divide", (Interval(120, 0, 0), 3), Interval(40, 0, 0)),
    ("$unary_minus", (5,), -5),
    ("$unary_minus", (NUMERIC_MAX,), NUMERIC_MAX.copy_negate()),
    ("$unary_minus", (Interval(1, -2, 3),), Interval(-1, 2, -3)),
    ("$unary_plus", (5,), 5),
    ("$concat_op", ("a", "b"), "ab"),
    ("$concat_op", (b"a", b"b"), b"ab"),
    ("$concat_op", ((1, 2), (3,)), (1, 2, 3)),
    ("$concat_op", ("a", NO_TEXT), None),
    ("$bitwise_and", (0b1100, 0b1010), 0b1000),
    ("$bitwise_and", (-1, 5), 5),
    ("$bitwise_or", (0b1100, 0b1010), 0b1110),
    ("$bitwise_xor", (MIN, -1), MAX),
    ("$bitwise_xor", (b"\x0f\xf0", b"\xff\xff"), b"\xf0\x0f"),
    ("$bitwise_not", (0,), -1),
    ("$bitwise_not", (b"\x00\xff",), b"\xff\x00"),
    ("$shift_left", (1, 63), MIN),
    ("$shift_left", (1, 64), 0),
    ("$shift_left", (-1, 4), -16),
    ("$shift_left", (b"\x0f\x01", 4), b"\xf0\x10"),
    ("$shift_left", (b"\x01", 8), b"\x00"),
    ("$shift_right", (-1, 1), MAX),
    ("$shift_right", (-1, 0), -1),
    ("$shift_right", (8, 64), 0),
    ("$shift_right", (b"\x0f\x01", 4), b"\x00\xf0"),
    ("$shift_right", (b"", 1), b""),
]


@pytest.mark.parametrize(("name", "arguments", "expected"), ARITHMETIC)
def test_arithmetic(name: str, arguments: tuple[Any, ...], expected: Any) -> None:
    value = call(name, *arguments)
    if isinstance(expected, float) and isnan(expected):
        assert isnan(value)
    elif isinstance(expected, Interval):
        assert value.is_identical(expected)
    else:
        assert value == expected


FAILURES: list[Any] = [
    ("$add", (MAX, 1), Overflow),
    ("$add", (1.7e308, 1.7e308), Overflow),
    ("$add", (NUMERIC_MAX, D("0.000000001")), Overflow),
    ("$add", (typed(0, TIMESTAMP), Interval(1, 0, 0)), BadArgument),
    ("$add", (typed(0, TIMESTAMP), Interval(0, 3_660_000, 0)), Overflow),
    ("$add", (Interval(120_000, 0, 0), Interval(1, 0, 0)), Overflow),
    ("$subtract", (MIN, 1), Overflow),
    ("$subtract", (-1.7e308, 1.7e308), Overflow),
    ("$multiply", (MIN, -1), Overflow),
    ("$multiply", (1e200, 1e200), Overflow),
    ("$multiply", (NUMERIC_MAX, D(2)), Overflow),
    ("$multiply", (Interval(1, 0, 0), MAX), Overflow),
    ("$divide", (1, 0), DivisionByZero),
    ("$divide", (nan, 0.0), DivisionByZero),
    ("$divide", (D(1), D(0)), DivisionByZero),
    ("$divide", (1e308, 1e-308), Overflow),
    ("$divide", (NUMERIC_MAX, D("0.1")), Overflow),
    ("$divide", (Interval(1, 0, 0), 0), DivisionByZero),
    ("$unary_minus", (MIN,), Overflow),
    ("$bitwise_or", (b"a", b"ab"), BadArgument),
    ("$shift_left", (1, -1), BadArgument),
    ("$shift_right", (b"a", -1), BadArgument),
]


@pytest.mark.parametrize(("name", "arguments", "error"), FAILURES)
def test_arithmetic_failure(
    name: str, arguments: tuple[Any, ...], error: type[EvaluationError]
) -> None:
    with pytest.raises(error):
        call(name, *arguments)


def test_messages_show_the_operation() -> None:
    with pytest.raises(Overflow, match=r"int64 overflow: 9223372036854775807 \+ 1"):
        call("$add", MAX, 1)
    with pytest.raises(DivisionByZero, match="division by zero: 1 / 0"):
        call("$divide", 1.0, 0.0)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((1, 1), INT64),
        ((typed(1.0, FLOAT64), 1.0), FLOAT64),
        ((1, D(1)), result_type("ABS", D(1))),
    ],
)
def test_sum_type(arguments: tuple[Any, ...], expected: Any) -> None:
    assert result_type("$add", *arguments) == expected


def test_the_quotient_of_integers_is_a_float() -> None:
    assert result_type("$divide", 1, 1) == FLOAT64


COMPARISON: list[tuple[str, tuple[Any, ...], bool | None]] = [
    ("$equal", (1, 1), True),
    ("$equal", (1, NULL), None),
    ("$equal", (nan, nan), False),
    ("$equal", (0.0, -0.0), True),
    ("$equal", (D("1.0"), D("1")), True),
    ("$equal", ("a", "A"), False),
    ("$equal", (UUID(int=5), UUID(int=5)), True),
    ("$equal", (Interval(1, 0, 0), Interval(0, 30, 0)), True),
    ("$equal", (pair(1, None), pair(1, None)), None),
    ("$equal", (pair(1, None), pair(2, None)), False),
    ("$equal", (pair(1, 2), pair(1, None)), None),
    ("$equal", (pair(1, 2), pair(1, 2)), True),
    ("$equal", (ints(1, 2), ints(1, 2)), True),
    ("$equal", (ints(1, None), ints(1, None)), None),
    ("$equal", (ints(1), ints(1, None)), False),
    ("$equal", ((nan,), (nan,)), False),
    ("$not_equal", (nan, nan), True),
    ("$not_equal", (1, 1), False),
    ("$not_equal", (pair(1, None), pair(2, None)), True),
    ("$not_equal", (pair(1, None), pair(1, 2)), None),
    ("$less", (1, 2), True),
    ("$less", (nan, 1.0), False),
    ("$less", (False, True), True),
    ("$less", ("a", "á"), True),
    ("$less", ("\uffff", "\U00010000"), True),
    ("$less", (b"\x00", b"\xff"), True),
    ("$less", (UUID(int=1), UUID(int=1 << 127)), True),
    ("$less", (Interval(0, 29, 0), Interval(1, 0, 0)), True),
    ("$less_or_equal", (nan, nan), False),
    ("$less_or_equal", (date(2020, 1, 1), date(2020, 1, 1)), True),
    ("$greater", (inf, 1.0), True),
    ("$greater_or_equal", (NULL, 1), None),
    ("$between", (2, 1, 3), True),
    ("$between", (4, 1, 3), False),
    ("$between", (4, NULL, 3), False),
    ("$between", (2, NULL, 3), None),
    ("$between", (0, 1, NULL), False),
    ("$between", (2, 1, NULL), None),
    ("$between", (NULL, 1, 3), None),
    ("$between", (nan, 0.0, 1.0), False),
    ("$in", (1, 2, 1), True),
    ("$in", (1, 2, 3), False),
    ("$in", (1, 2, NULL), None),
    ("$in", (1, NULL, 1), True),
    ("$in", (NULL, 1), None),
    ("$in", (nan, nan), False),
    ("$in", (pair(None, 2), pair(None, 1)), False),
    ("$in", (pair(None, 1), pair(None, 1)), None),
    ("$in_unnest", (1, ints(None, 1)), True),
    ("$in_unnest", (1, ints(2, 3)), False),
    ("$in_unnest", (1, ints(None)), None),
    ("$in_unnest", (1, ints()), False),
    ("$in_unnest", (NULL, ints()), False),
    ("$in_unnest", (NULL, ints(1)), None),
    ("$in_unnest", (1, typed(None, INTS)), False),
    ("$in_unnest", (50, ints(*range(100))), True),
    ("$in_unnest", (500, ints(*range(100))), False),
    ("$in_unnest", (500, ints(None, *range(100))), None),
    ("$in_unnest", (nan, tuple([nan] * 20)), False),
    ("$is_distinct_from", (NULL, NULL), False),
    ("$is_distinct_from", (1, NULL), True),
    ("$is_distinct_from", (1, 1), False),
    ("$is_distinct_from", (nan, nan), False),
    ("$is_distinct_from", (pair(1, None), pair(1, None)), False),
    ("$is_null", (NULL,), True),
    ("$is_null", (0,), False),
    ("$is_true", (NO_BOOL,), False),
    ("$is_true", (True,), True),
    ("$is_false", (NO_BOOL,), False),
    ("$is_false", (False,), True),
    ("$not", (True,), False),
    ("$not", (NO_BOOL,), None),
]


@pytest.mark.parametrize(("name", "arguments", "expected"), COMPARISON)
def test_comparison(name: str, arguments: tuple[Any, ...], expected: bool | None) -> None:
    assert call(name, *arguments) is expected


def test_membership_known_beforehand() -> None:
    test = membership(INT64, [1, 2, None])
    assert [test(1), test(3), test(None)] == [True, None, None]
    assert membership(INT64, [])(None) is False
    assert membership(FLOAT64, [nan, 1.0])(nan) is False
    of_pairs = membership(PAIR, [(1, None)])
    assert [of_pairs((1, 2)), of_pairs((2, 2))] == [None, False]


def test_comparable_types() -> None:
    assert is_comparable(array_of(INT64))
    assert is_comparable(PAIR)
    assert not is_comparable(JSON)
    assert not is_comparable(array_of(JSON))
    assert not is_comparable(struct_of(("a", JSON)))
    assert is_orderable(FLOAT32)
    assert not is_orderable(array_of(INT64))
    assert not is_groupable(PAIR)
    assert is_groupable(BYTES)


def test_subscripts() -> None:
    array = ("coffee", "tea", None)
    assert call("$array_at_offset", array, 0) == "coffee"
    assert call("$array_at_ordinal", array, 2) == "tea"
    assert call("$array_at_offset", array, 2) is None
    assert call("$safe_array_at_offset", array, 6) is None
    assert call("$safe_array_at_offset", array, -1) is None
    assert call("$safe_array_at_ordinal", array, 0) is None
    assert call("$safe_array_at_ordinal", array, 1) == "coffee"


@pytest.mark.parametrize(
    ("name", "index"),
    [("$array_at_offset", 3), ("$array_at_offset", -1), ("$array_at_ordinal", 0)],
)
def test_subscripts_out_of_bounds(name: str, index: int) -> None:
    with pytest.raises(ArrayIndexOutOfBounds) as caught:
        call(name, (1, 2, 3), index)
    assert caught.value.index == index


def test_json_subscripts() -> None:
    document = parse('{"class": {"students": [{"name": "Jane"}, null]}}')
    students = call("$json_subscript", call("$json_subscript", document, "class"), "students")
    first = call("$json_subscript", students, 0)
    assert call("$json_subscript", first, "name") == parse('"Jane"')
    assert call("$json_subscript", students, 1) == parse("null")
    assert call("$json_subscript", students, 2) is None
    assert call("$json_subscript", students, -1) is None
    assert call("$json_subscript", students, "name") is None
    assert call("$json_subscript", document, "Class") is None
