"""Mathematical functions: the documented tables, then overflow, NaN, infinities and rounding."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from math import inf, isnan, nan, pi
from typing import Any

import pytest

from spanemu.sql.functions.errors import (
    BadArgument,
    DivisionByZero,
    EvaluationError,
    Overflow,
    UndefinedResult,
)
from spanemu.values.types import FLOAT32, FLOAT64, INT64, NUMERIC
from tests.unit.sql.functions.calling import call, result_type, typed

D = Decimal
MAX = 2**63 - 1
MIN = -(2**63)
NUMERIC_MAX = D("9" * 29 + "." + "9" * 9)
NULL = typed(None, INT64)

CASES: list[tuple[str, tuple[Any, ...], Any]] = [
    ("ABS", (25,), 25),
    ("ABS", (-25,), 25),
    ("ABS", (-inf,), inf),
    ("ABS", (NUMERIC_MAX.copy_negate(),), NUMERIC_MAX),
    ("ACOS", (inf,), nan),
    ("ACOS", (nan,), nan),
    ("ACOS", (1.0,), 0.0),
    ("ACOSH", (inf,), inf),
    ("ACOSH", (-inf,), nan),
    ("ASIN", (inf,), nan),
    ("ASINH", (-inf,), -inf),
    ("ATAN", (inf,), pi / 2),
    ("ATAN2", (nan, 1.0), nan),
    ("ATAN2", (0.0, -1.0), pi),
    ("ATAN2", (inf, -inf), 3 * pi / 4),
    ("ATANH", (-inf,), nan),
    ("CEIL", (2.3,), 3.0),
    ("CEILING", (-2.3,), -2.0),
    ("CEIL", (inf,), inf),
    ("CEIL", (nan,), nan),
    ("CEIL", (D("2.000000001"),), D(3)),
    ("CEIL", (0,), 0.0),
    ("COS", (-inf,), nan),
    ("COS", (0,), 1.0),
    ("COSH", (-inf,), inf),
    ("DIV", (20, 4), 5),
    ("DIV", (12, -7), -1),
    ("DIV", (20, 3), 6),
    ("DIV", (0, 20), 0),
    ("DIV", (D("7.5"), D(2)), D(3)),
    ("DIV", (D("-0.5"), D(1)), D(0)),
    ("EXP", (0.0,), 1.0),
    ("EXP", (-inf,), 0.0),
    ("EXP", (inf,), inf),
    ("EXP", (D(1),), D("2.718281828")),
    ("EXP", (D(-60),), D(0)),
    ("EXP", (-1e9,), 0.0),
    ("FLOOR", (-2.3,), -3.0),
    ("FLOOR", (2.8,), 2.0),
    ("FLOOR", (D("-2.5"),), D(-3)),
    ("GREATEST", (3, 5, 1), 5),
    ("GREATEST", (1.0, nan, 3.0), nan),
    ("GREATEST", ("b", "a"), "b"),
    ("GREATEST", (1, NULL), None),
    ("GREATEST", (date(2020, 1, 1), date(2021, 1, 1)), date(2021, 1, 1)),
    ("LEAST", (3, 5, 1), 1),
    ("LEAST", (nan, -inf), nan),
    ("LEAST", (False, True), False),
    ("IEEE_DIVIDE", (20.0, 4.0), 5.0),
    ("IEEE_DIVIDE", (20.0, 6.0), 3.3333333333333335),
    ("IEEE_DIVIDE", (0.0, 25.0), 0.0),
    ("IEEE_DIVIDE", (25.0, 0.0), inf),
    ("IEEE_DIVIDE", (-25.0, 0.0), -inf),
    ("IEEE_DIVIDE", (25.0, -0.0), -inf),
    ("IEEE_DIVIDE", (0.0, 0.0), nan),
    ("IEEE_DIVIDE", (0.0, nan), nan),
    ("IEEE_DIVIDE", (nan, 0.0), nan),
    ("IEEE_DIVIDE", (inf, inf), nan),
    ("IEEE_DIVIDE", (1e308, 1e-308), inf),
    ("IEEE_DIVIDE", (typed(3e38, FLOAT32), typed(1e-2, FLOAT32)), inf),
    ("IS_INF", (-inf,), True),
    ("IS_INF", (25,), False),
    ("IS_NAN", (nan,), True),
    ("IS_NAN", (D(25),), False),
    ("LN", (1.0,), 0.0),
    ("LN", (inf,), inf),
    ("LN", (-inf,), nan),
    ("LN", (D(2),), D("0.693147181")),
    ("LOG", (100.0, 10.0), 2.0),
    ("LOG", (1.0,), 0.0),
    ("LOG", (-inf, 10.0), nan),
    ("LOG", (100.0, inf), nan),
    ("LOG", (inf, 0.5), -inf),
    ("LOG", (inf, 1.0), inf),
    ("LOG", (inf, 0.0), nan),
    ("LOG", (inf, -0.0), nan),
    ("LOG", (inf, -1.0), nan),
    ("LOG", (inf, 2.0), inf),
    ("LOG", (D(8), D(2)), D(3)),
    ("LOG", (8, 2), 3.0),
    ("LOG10", (100.0,), 2.0),
    ("LOG10", (-inf,), nan),
    ("LOG10", (D(1000),), D(3)),
    ("MOD", (25, 12), 1),
    ("MOD", (-25, 12), -1),
    ("MOD", (25, -12), 1),
    ("MOD", (MIN, -1), 0),
    ("MOD", (D("5.5"), D(2)), D("1.5")),
    ("MOD", (D("-5.5"), D(2)), D("-1.5")),
    ("POW", (2.0, 3.0), 8.0),
    ("POW", (1.0, nan), 1.0),
    ("POW", (nan, 0.0), 1.0),
    ("POW", (-1.0, inf), 1.0),
    ("POW", (-1.0, -inf), 1.0),
    ("POW", (0.5, -inf), inf),
    ("POW", (2.0, -inf), 0.0),
    ("POW", (0.5, inf), 0.0),
    ("POW", (2.0, inf), inf),
    ("POW", (-inf, -1.0), -0.0),
    ("POW", (-inf, 3.0), -inf),
    ("POW", (-inf, 2.0), inf),
    ("POW", (inf, -1.0), 0.0),
    ("POWER", (2, 10), 1024.0),
    ("POW", (D(2), D("0.5")), D("1.414213562")),
    ("POW", (D(-2), D(3)), D(-8)),
    ("POW", (D(10), D(-20)), D(0)),
    ("POW", (D(0), D(0)), D(1)),
    ("POW", (D("0.1"), D(9)), D("0.000000001")),
    ("ROUND", (2.0,), 2.0),
    ("ROUND", (2.5,), 3.0),
    ("ROUND", (-2.5,), -3.0),
    ("ROUND", (-2.3,), -2.0),
    ("ROUND", (0,), 0.0),
    ("ROUND", (-inf,), -inf),
    ("ROUND", (nan,), nan),
    ("ROUND", (123.7, -1), 120.0),
    ("ROUND", (1.235, 2), 1.24),
    ("ROUND", (2.675, 2), 2.67),
    ("ROUND", (0.49999999999999994,), 0.0),
    ("ROUND", (5, -1), 10.0),
    ("ROUND", (1e300, -309), 0.0),
    ("ROUND", (1.5, 400), 1.5),
    ("ROUND", (D("1.235"), 2), D("1.24")),
    ("ROUND", (D("-2.5"),), D(-3)),
    ("ROUND", (D("1.5"), -60), D(0)),
    ("SAFE_ADD", (5, 4), 9),
    ("SAFE_ADD", (MAX, 1), None),
    ("SAFE_ADD", (NUMERIC_MAX, D(1)), None),
    ("SAFE_ADD", (1.7e308, 1.7e308), None),
    ("SAFE_DIVIDE", (20, 4), 5.0),
    ("SAFE_DIVIDE", (0, 20), 0.0),
    ("SAFE_DIVIDE", (20, 0), None),
    ("SAFE_DIVIDE", (D(1), D(0)), None),
    ("SAFE_MULTIPLY", (20, 4), 80),
    ("SAFE_MULTIPLY", (MAX, 2), None),
    ("SAFE_NEGATE", (1,), -1),
    ("SAFE_NEGATE", (MIN,), None),
    ("SAFE_NEGATE", (1.5,), -1.5),
    ("SAFE_SUBTRACT", (5, 4), 1),
    ("SAFE_SUBTRACT", (MIN, 1), None),
    ("SIGN", (25,), 1),
    ("SIGN", (-25.0,), -1.0),
    ("SIGN", (-0.0,), 0.0),
    ("SIGN", (nan,), nan),
    ("SIGN", (D(-3),), D(-1)),
    ("SIN", (inf,), nan),
    ("SIN", (nan,), nan),
    ("SINH", (-inf,), -inf),
    ("SQRT", (25.0,), 5.0),
    ("SQRT", (inf,), inf),
    ("SQRT", (D(2),), D("1.414213562")),
    ("TAN", (inf,), nan),
    ("TANH", (inf,), 1.0),
    ("TRUNC", (2.8,), 2.0),
    ("TRUNC", (-2.8,), -2.0),
    ("TRUNC", (-123.75, 1), -123.7),
    ("TRUNC", (inf,), inf),
    ("TRUNC", (D("-2.99"), 1), D("-2.9")),
    ("TRUNC", (129.9, -1), 120.0),
]


@pytest.mark.parametrize(("name", "arguments", "expected"), CASES)
def test_value(name: str, arguments: tuple[Any, ...], expected: Any) -> None:
    value = call(name, *arguments)
    if isinstance(expected, float) and isnan(expected):
        assert isnan(value)
    else:
        assert value == expected
        assert type(value) is type(expected)


FAILURES: list[Any] = [
    ("ABS", (MIN,), Overflow),
    ("ACOS", (1.5,), UndefinedResult),
    ("ACOSH", (0.5,), UndefinedResult),
    ("ASIN", (-2.0,), UndefinedResult),
    ("ATANH", (1.0,), UndefinedResult),
    ("CEIL", (NUMERIC_MAX,), Overflow),
    ("COSH", (1000.0,), UndefinedResult),
    ("DIV", (20, 0), DivisionByZero),
    ("DIV", (MIN, -1), Overflow),
    ("DIV", (NUMERIC_MAX, D("0.1")), Overflow),
    ("DIV", (D(1), D(0)), DivisionByZero),
    ("EXP", (1000.0,), UndefinedResult),
    ("EXP", (D(68),), Overflow),
    ("EXP", (NUMERIC_MAX,), Overflow),
    ("LN", (0.0,), UndefinedResult),
    ("LN", (D(0),), BadArgument),
    ("LOG", (-1.0, 2.0), UndefinedResult),
    ("LOG", (2.0, 0.0), UndefinedResult),
    ("LOG", (2.0, 1.0), UndefinedResult),
    ("LOG", (D(2), D(1)), BadArgument),
    ("LOG10", (0,), UndefinedResult),
    ("MOD", (25, 0), DivisionByZero),
    ("MOD", (D(25), D(0)), DivisionByZero),
    ("POW", (-2.0, 0.5), UndefinedResult),
    ("POW", (0.0, -1.0), UndefinedResult),
    ("POW", (1e300, 2.0), UndefinedResult),
    ("POW", (D(-2), D("0.5")), BadArgument),
    ("POW", (D(0), D(-1)), DivisionByZero),
    ("POW", (NUMERIC_MAX, NUMERIC_MAX), Overflow),
    ("ROUND", (1.7976931348623157e308, -308), Overflow),
    ("ROUND", (NUMERIC_MAX, 0), Overflow),
    ("SQRT", (-1.0,), BadArgument),
    ("SQRT", (D(-1),), BadArgument),
]


@pytest.mark.parametrize(("name", "arguments", "error"), FAILURES)
def test_failure(name: str, arguments: tuple[Any, ...], error: type[EvaluationError]) -> None:
    with pytest.raises(error):
        call(name, *arguments)


def test_a_huge_numeric_power_is_not_computed() -> None:
    assert call("POW", D("0.5"), NUMERIC_MAX) == 0
    assert call("EXP", NUMERIC_MAX.copy_negate()) == 0


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("ROUND", (1,), FLOAT64),
        ("ROUND", (D(1),), NUMERIC),
        ("SQRT", (1,), FLOAT64),
        ("POW", (1, 2), FLOAT64),
        ("ABS", (1,), INT64),
        ("ABS", (typed(1.0, FLOAT32),), FLOAT32),
        ("SAFE_ADD", (1, 2), INT64),
        ("SAFE_DIVIDE", (1, 2), FLOAT64),
        ("GREATEST", (1, 2), INT64),
    ],
)
def test_result_type(name: str, arguments: tuple[Any, ...], expected: Any) -> None:
    assert result_type(name, *arguments) == expected
