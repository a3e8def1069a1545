"""Tests of GREATEST and LEAST."""

from __future__ import annotations

from spanemu.sql.functions.postgresql.conditional import greatest, least
from spanemu.values.floats import GREATEST_NAN


def test_nulls_are_ignored():
    assert greatest(None, "a", "b") == "b"
    assert least("b", None) == "b"
    assert least(None, None) is None


def test_nan_is_the_greatest_float():
    assert greatest(1.0, GREATEST_NAN, 2.0) is GREATEST_NAN
    assert least(GREATEST_NAN, 2.0) == 2.0
