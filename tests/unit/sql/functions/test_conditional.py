"""Conditional expressions: values, NULLs, and arguments left unevaluated."""

from __future__ import annotations

from decimal import Decimal
from math import isnan, nan
from typing import Any

import pytest

from spanemu.sql.functions.conditional import coalesce, if_
from spanemu.values.types import BOOL, FLOAT32, INT64, STRING, array_of
from tests.unit.sql.functions.calling import call, typed

NULL = typed(None, INT64)


CASES: list[tuple[Any, ...]] = [
    ("COALESCE", ("A", "B", "C"), "A"),
    ("COALESCE", (typed(None, STRING), "B", "C"), "B"),
    ("COALESCE", (NULL, NULL), None),
    ("COALESCE", (0, 1), 0),
    ("IF", (True, 1, 2), 1),
    ("IF", (False, 1, 2), 2),
    ("IF", (typed(None, BOOL), 1, 2), 2),
    ("IFNULL", (NULL, 0), 0),
    ("IFNULL", (10, 0), 10),
    ("NULLIF", (0, 0), None),
    ("NULLIF", (10, 0), 10),
    ("NULLIF", (10, NULL), 10),
    ("NULLIF", (NULL, 10), None),
    ("NULLIF", ((1, 2), (1, 2)), None),
    ("NULLIF", (typed((1, None), array_of(INT64)), (1, 2)), (1, None)),
    ("NULLIFZERO", (0,), None),
    ("NULLIFZERO", (-0.0,), None),
    ("NULLIFZERO", (Decimal("0.5"),), Decimal("0.5")),
    ("ZEROIFNULL", (NULL,), 0),
    ("ZEROIFNULL", (typed(None, FLOAT32),), 0.0),
    ("ZEROIFNULL", (7,), 7),
]


@pytest.mark.parametrize(("name", "arguments", "expected"), CASES)
def test_value(name: str, arguments: tuple[Any, ...], expected: Any) -> None:
    assert call(name, *arguments) == expected


def test_nan_equals_nothing() -> None:
    assert isnan(call("NULLIF", nan, nan))


def fail() -> Any:
    raise AssertionError("evaluated")


def test_an_argument_that_is_not_needed_is_not_evaluated() -> None:
    assert coalesce(lambda: 1, fail) == 1
    assert if_(lambda: True, lambda: 1, fail) == 1
    assert if_(lambda: None, fail, lambda: 2) == 2
