"""Tests of the functions that return rows."""

from __future__ import annotations

import pytest

from spanemu.base.errors import Code, SpannerError
from spanemu.sql.functions.postgresql.set_returning import generate_series


def test_a_series_goes_up_or_down():
    assert generate_series(1, 3) == (1, 2, 3)
    assert generate_series(3, 1, -2) == (3, 1)
    assert generate_series(3, 1) == ()


def test_a_series_has_no_step_of_zero():
    with pytest.raises(SpannerError) as failure:
        generate_series(1, 2, 0)
    assert failure.value.code is Code.INVALID_ARGUMENT
