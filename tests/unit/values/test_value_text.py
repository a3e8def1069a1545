"""Values in dumps."""

from __future__ import annotations

from datetime import date

import pytest

from spanemu.values.key_text import value_text
from spanemu.values.mutation import COMMIT_TIMESTAMP
from spanemu.values.types import (
    BOOL,
    BYTES,
    DATE,
    FLOAT64,
    INT64,
    STRING,
    TIMESTAMP,
    array_of,
)


@pytest.mark.parametrize(
    ("value", "type_", "text"),
    [
        (None, INT64, "NULL"),
        (None, STRING, "NULL"),
        (-3, INT64, "-3"),
        (True, BOOL, "true"),
        (1.5, FLOAT64, "1.5"),
        ("a", STRING, '"a"'),
        ('say "a\\b"', STRING, '"say \\"a\\\\b\\""'),
        ("", STRING, '""'),
        ("two\nlines,\ta\x00b\x7f\r", STRING, r'"two\nlines,\ta\x00b\x7f\r"'),
        (b"ab", BYTES, '"YWI="'),
        (date(1970, 1, 1), DATE, '"1970-01-01"'),
        (0, TIMESTAMP, '"1970-01-01T00:00:00Z"'),
        (COMMIT_TIMESTAMP, TIMESTAMP, "spanner.commit_timestamp()"),
        ([1, None], array_of(INT64), "['1', None]"),
    ],
)
def test_values(value, type_, text) -> None:
    assert value_text(value, type_) == text
