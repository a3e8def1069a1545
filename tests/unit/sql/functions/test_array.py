"""Array functions, by the documented examples."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from math import inf, isnan, nan
from typing import Any

import pytest

from spanemu.sql.functions import array
from spanemu.sql.functions.array import (
    ELEMENTS_MAX,
    generate_date_array,
    generate_float_array,
    generate_int_array,
    generate_numeric_array,
)
from spanemu.sql.functions.errors import BadArgument
from spanemu.values.types import BYTES, FLOAT64, INT64, STRING, Type, array_of, struct_of
from tests.unit.sql.functions.calling import call, typed

LETTERS = ("a", "b", "c", "d", "e")


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("ARRAY_CONCAT", ((1, 2), (3, 4), (5, 6)), (1, 2, 3, 4, 5, 6)),
        ("ARRAY_CONCAT", ((1, None),), (1, None)),
        ("ARRAY_LENGTH", (("coffee", None, "milk"),), 3),
        ("ARRAY_LENGTH", (typed(None, array_of(INT64)),), None),
        ("ARRAY_REVERSE", ((1, 2, 3),), (3, 2, 1)),
        ("ARRAY_FIRST", (LETTERS,), "a"),
        ("ARRAY_LAST", (LETTERS,), "e"),
        ("ARRAY_FIRST", ((None, 1),), None),
        ("ARRAY_INCLUDES", ((1, 2, 3), 0), False),
        ("ARRAY_INCLUDES", ((1, 2, 3), 1), True),
        ("ARRAY_INCLUDES", ((1, None), typed(None, INT64)), None),
        ("ARRAY_INCLUDES", ((nan, 1.0), nan), False),
        ("ARRAY_INCLUDES", ((nan, 1.0), 1.0), True),
        ("ARRAY_INCLUDES_ANY", ((1, 2, 3), (3, 4, 5)), True),
        ("ARRAY_INCLUDES_ANY", ((1, 2, 3), (4, 5, 6)), False),
        ("ARRAY_INCLUDES_ANY", ((1, None), (2, None)), False),
        ("ARRAY_INCLUDES_ANY", ((1,), ()), False),
        ("ARRAY_INCLUDES_ALL", ((1, 2, 3, 4, 5), (3, 4, 5)), True),
        ("ARRAY_INCLUDES_ALL", ((1, 2, 3, 4, 5), (4, 5, 6)), False),
        ("ARRAY_INCLUDES_ALL", ((1, None), (1, None)), False),
        ("ARRAY_INCLUDES_ALL", ((1,), ()), True),
        ("ARRAY_IS_DISTINCT", ((1, 2, 3),), True),
        ("ARRAY_IS_DISTINCT", ((1, 1, 1),), False),
        ("ARRAY_IS_DISTINCT", ((1, 2, None),), True),
        ("ARRAY_IS_DISTINCT", ((1, None, None),), False),
        ("ARRAY_IS_DISTINCT", ((),), True),
        ("ARRAY_IS_DISTINCT", ((nan, float("nan")),), False),
        ("ARRAY_IS_DISTINCT", ((0.0, -0.0),), False),
        ("ARRAY_MAX", ((8, 37, None, 55, 4),), 55),
        ("ARRAY_MIN", ((8, 37, None, 4, 55),), 4),
        ("ARRAY_MAX", ((),), None),
        ("ARRAY_MIN", (typed((None,), array_of(STRING)),), None),
        ("ARRAY_MAX", ((1.0, inf),), inf),
        ("ARRAY_TO_STRING", (("coffee", "tea", None), "--", "MISSING"), "coffee--tea--MISSING"),
        ("ARRAY_TO_STRING", (("cake", None, "pie"), "--"), "cake--pie"),
        ("ARRAY_TO_STRING", ((b"prefix", b"\x00"), b"--"), b"prefix--\x00"),
        ("ARRAY_TO_STRING", (typed((), array_of(BYTES)), b"-"), b""),
    ],
)
def test_documented(name: str, arguments: tuple[Any, ...], expected: Any) -> None:
    assert call(name, *arguments) == expected


@pytest.mark.parametrize("name", ["ARRAY_MAX", "ARRAY_MIN"])
def test_nan_wins(name: str) -> None:
    assert isnan(call(name, (1.0, nan, 2.0)))


@pytest.mark.parametrize("name", ["ARRAY_FIRST", "ARRAY_LAST"])
def test_ends_of_an_empty_array(name: str) -> None:
    with pytest.raises(BadArgument):
        call(name, ())


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (1, 3, "bcd"),
        (-1, 3, ""),
        (1, -3, "bc"),
        (-1, -3, ""),
        (-3, -1, "cde"),
        (3, 3, "d"),
        (-3, -3, "c"),
        (1, 30, "bcde"),
        (1, -30, ""),
        (-30, 30, "abcde"),
        (-30, -5, "a"),
        (5, 30, ""),
        (-30, -30, ""),
        (0, 2**62, "abcde"),
    ],
)
def test_slice(start: int, end: int, expected: str) -> None:
    assert "".join(call("ARRAY_SLICE", LETTERS, start, end)) == expected


def test_lambdas() -> None:
    assert array.array_filter((1, 2, None, 3), lambda e: None if e is None else e > 1) == (2, 3)
    assert array.array_filter_indexed((0, 2, 3), lambda e, i: e > i) == (2, 3)
    transform = array.array_transform([array_of(INT64)], array_of(INT64))
    assert transform((1, 4, 3), lambda e: e + 1) == (2, 5, 4)
    transform_indexed = array.array_transform_indexed([array_of(INT64)], array_of(INT64))
    assert transform_indexed((1, 4, 3), lambda e, i: e + i) == (1, 5, 5)
    assert array.array_includes_if((1, 2, 3), lambda e: e > 3) is False
    assert array.array_includes_if((1, 2, 3), lambda e: None if e < 3 else True) is True


def test_structs_are_compared_by_fields() -> None:
    pair: Type = struct_of(("a", INT64), ("b", FLOAT64))
    includes = array.array_includes([array_of(pair), pair], pair)
    assert includes(((1, 2.0), None), (1, 2.0)) is True
    assert includes(((1, None),), (1, 2.0)) is False


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((1, 5), (1, 2, 3, 4, 5)),
        ((0, 10, 3), (0, 3, 6, 9)),
        ((10, 0, -3), (10, 7, 4, 1)),
        ((4, 4, 10), (4,)),
        ((4, 4, -10), (4,)),
        ((10, 0, 3), ()),
        ((2**63 - 2, 2**63 - 1), (2**63 - 2, 2**63 - 1)),
    ],
)
def test_generate_integers(arguments: tuple[int, ...], expected: tuple[int, ...]) -> None:
    assert generate_int_array(*arguments) == expected


def test_generate_other_numbers() -> None:
    assert generate_numeric_array(Decimal("0.5"), Decimal(2), Decimal("0.5")) == tuple(
        [Decimal(n) / 2 for n in range(1, 5)]
    )
    assert generate_float_array(0.0, 0.5, 0.1) == (0.0, 0.1, 0.2, 0.1 * 3, 0.4, 0.5)
    assert generate_float_array(1.0, 0.0) == ()
    assert generate_float_array(2.0, 0.0, -1.0) == (2.0, 1.0, 0.0)


def test_generate_failures() -> None:
    for attempt in (
        lambda: generate_int_array(1, 2, 0),
        lambda: generate_numeric_array(Decimal(1), Decimal(2), Decimal(0)),
        lambda: generate_float_array(1.0, 2.0, 0.0),
        lambda: generate_float_array(nan, 2.0),
        lambda: generate_float_array(1.0, 2.0, inf),
        lambda: generate_int_array(0, ELEMENTS_MAX),
        lambda: generate_int_array(-(2**63), 2**63 - 1),
        lambda: generate_float_array(0.0, inf),
        lambda: generate_date_array(date.min, date.max),
        lambda: generate_date_array(date.min, date.max, 0),
    ):
        with pytest.raises(BadArgument):
            attempt()
    assert len(generate_int_array(1, ELEMENTS_MAX)) == ELEMENTS_MAX


@pytest.mark.parametrize(
    ("start", "end", "step", "expected"),
    [
        ("2016-10-05", "2016-10-08", (), "05 06 07 08"),
        ("2016-10-05", "2016-10-09", (2, "DAY"), "05 07 09"),
        ("2016-10-05", "2016-10-01", (-3, "DAY"), "05 02"),
        ("2016-10-05", "2016-10-05", (8, "DAY"), "05"),
        ("2016-10-05", "2016-10-01", (1, "DAY"), ""),
        ("2016-01-01", "2016-01-31", (1, "WEEK"), "01 08 15 22 29"),
        ("2016-01-01", "2016-12-31", (2, "MONTH"), "01 01 01 01 01 01"),
        # A day that a month does not have stays shortened in the following months.
        ("2016-01-31", "2016-04-30", (1, "MONTH"), "31 29 29 29"),
        ("9999-12-30", "9999-12-31", (1, "DAY"), "30 31"),
        ("9999-01-01", "9999-12-31", (1, "YEAR"), "01"),
    ],
)
def test_generate_dates(start: str, end: str, step: tuple[Any, ...], expected: str) -> None:
    days = generate_date_array(date.fromisoformat(start), date.fromisoformat(end), *step)
    assert " ".join(f"{day.day:02d}" for day in days) == expected
