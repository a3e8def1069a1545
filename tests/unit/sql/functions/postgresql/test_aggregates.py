"""Tests of PostgreSQL's aggregate functions; the values are those of PostgreSQL 15."""

from __future__ import annotations

from decimal import Decimal
from math import inf, nan
from typing import Any

import pytest

from spanemu.base.errors import SpannerError
from spanemu.sql.functions.postgresql.aggregates import AGGREGATES
from spanemu.values import pg_numeric
from spanemu.values.floats import GREATEST_NAN
from spanemu.values.interval import Interval
from spanemu.values.types import (
    BOOL,
    FLOAT32,
    FLOAT64,
    INT64,
    INTERVAL,
    PG_NUMERIC,
    STRING,
    Type,
)

FUNCTIONS = {
    name: function for function in AGGREGATES for name in (function.name, *function.aliases)
}


def value(name: str, type_: Type, *values: Any) -> Any:
    """Return the aggregate of rows of one argument, or of tuples of arguments."""
    function = FUNCTIONS[name]
    overload = next(item for item in function.overloads if item.parameters[0].pattern == type_)
    result = type_ if callable(overload.result) else overload.result
    state = overload.make((type_,), result)()  # type: ignore[arg-type]
    for item in values:
        row = item if isinstance(item, tuple) else (item,)
        if row[0] is not None or not overload.skips_nulls:
            state.add(*row)
    return state.result()


def test_a_sum_of_bigints_is_a_numeric():
    assert value("sum", INT64, 2**63 - 1, 1) == Decimal(2**63)
    assert value("sum", INT64) is None


def test_an_average_has_the_scale_of_a_quotient():
    assert str(value("avg", INT64, 1, 2)) == "1.5000000000000000"
    assert str(value("avg", INT64, 1, 1, 2)) == "1.3333333333333333"
    numbers = [Decimal("1.10"), Decimal("2.205"), Decimal("3")]
    assert str(value("sum", PG_NUMERIC, *numbers)) == "6.305"
    assert str(value("avg", PG_NUMERIC, *numbers)) == "2.1016666666666667"


def test_an_average_of_intervals_is_a_quotient_of_intervals():
    months, days = Interval(13, 0, 0), Interval(0, 5, 0)
    assert value("avg", INTERVAL, months, days) == Interval(6, 17, 12 * 3600 * 10**9)
    assert value("avg", INTERVAL, None) is None


def test_nan_is_contagious_in_sums():
    assert value("sum", PG_NUMERIC, pg_numeric.NAN, Decimal(1)) is pg_numeric.NAN
    assert value("avg", FLOAT64, GREATEST_NAN, 1.0) is GREATEST_NAN
    assert value("sum", FLOAT32, GREATEST_NAN, 1.0) is GREATEST_NAN
    assert value("sum", FLOAT64, inf, -inf) is GREATEST_NAN


def test_nan_is_the_greatest_float():
    assert value("max", FLOAT64, 2.0, GREATEST_NAN, 1.0) is GREATEST_NAN
    assert value("min", FLOAT64, GREATEST_NAN, 2.0, 1.0) == 1.0


def test_a_sum_of_reals_is_a_real():
    assert value("sum", FLOAT32, 0.10000000149011612, 0.20000000298023224) == (
        pytest.approx(0.30000001192092896, abs=1e-17)
    )
    with pytest.raises(SpannerError):
        value("sum", FLOAT32, 3e38, 3e38)


def test_separators_stand_before_the_value_of_their_row():
    rows = [("a", "1"), ("b", "2"), (None, "3"), ("c", "4")]
    assert value("string_agg", STRING, *rows) == "a2b4c"
    assert value("string_agg", STRING) is None


def test_every_is_bool_and():
    assert value("every", BOOL, True, None, False) is False
    assert value("bool_or", BOOL, None) is None


def test_properties_are_those_that_the_planner_uses():
    assert FUNCTIONS["min"].is_min
    assert FUNCTIONS["max"].is_max
    assert FUNCTIONS["$count_star"].counts_rows
    assert FUNCTIONS["sum"].decorrelates
    assert not FUNCTIONS["array_agg"].decorrelates


FLOATS = [(), (0.1,) * 10, (-0.0, -0.0), (1.7e308, 1.0, 2.0), (inf,), (inf, -inf), (nan, 1.0)]
INTEGERS: list[tuple[int, ...]] = [(), (1,), (2**63 - 1, 1), (-5, 5)]


@pytest.mark.parametrize(
    ("name", "type_", "groups"),
    [
        ("sum", INT64, INTEGERS),
        ("sum", FLOAT64, FLOATS),
        ("avg", FLOAT64, FLOATS),
        ("avg", FLOAT32, FLOATS),
        ("count", INT64, INTEGERS),
    ],
)
def test_all_values_at_once_give_what_a_state_gives(
    name: str, type_: Type, groups: list[tuple[Any, ...]]
) -> None:
    overloads = FUNCTIONS[name].overloads
    of_type = (item for item in overloads if item.parameters[0].pattern == type_)
    overload = next(of_type, overloads[0])
    assert overload.at_once is not None
    for values in groups:
        state: Any = overload.make([type_], FLOAT64)()
        for item in values:
            state.add(item)
        expected, result = state.result(), overload.at_once(values)
        assert (type(result), repr(result)) == (type(expected), repr(expected))
        assert (result is GREATEST_NAN) == (expected is GREATEST_NAN)
