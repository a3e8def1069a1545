"""Lines and columns of offsets."""

from __future__ import annotations

import pytest

from spanemu.sql.errors import line_and_column


@pytest.mark.parametrize(
    ("text", "offset", "expected"),
    [
        ("abc", 0, (1, 1)),
        ("abc", 3, (1, 4)),
        ("a\nb", 2, (2, 1)),
        ("a\r\nb", 3, (2, 1)),
        ("a\rb", 2, (2, 1)),
        ("\tx", 1, (1, 9)),
        ("abc\tx", 4, (1, 9)),
        ("é😀x", 2, (1, 3)),
    ],
)
def test_line_and_column(text: str, offset: int, expected: tuple[int, int]) -> None:
    assert line_and_column(text, offset) == expected
