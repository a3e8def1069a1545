"""Tests of GREATEST and LEAST."""

from __future__ import annotations

from math import isnan, nan
from typing import Any

from spanemu.sql.functions.postgresql.conditional import FUNCTIONS
from spanemu.values.types import FLOAT64, STRING, Type


def value(name: str, type_: Type, *values: Any) -> Any:
    (function,) = (each for each in FUNCTIONS if each.name == name)
    bind = function.overloads[0].bind
    assert bind is not None
    return bind((type_,) * len(values), type_)(*values)


def test_nulls_are_ignored():
    assert value("greatest", STRING, None, "a", "b") == "b"
    assert value("least", STRING, "b", None) == "b"
    assert value("least", STRING, None, None) is None


def test_nan_is_the_greatest_float():
    assert isnan(value("greatest", FLOAT64, 1.0, nan, 2.0))
    assert value("least", FLOAT64, nan, 2.0) == 2.0
