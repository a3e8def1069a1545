"""Counts with their nouns."""

from __future__ import annotations

import pytest

from spanemu.base.counts import counted


@pytest.mark.parametrize(
    ("count", "nouns", "text"),
    [
        (0, ("row",), "0 rows"),
        (1, ("row",), "1 row"),
        (2, ("row",), "2 rows"),
        (1, ("index", "indexes"), "1 index"),
        (2, ("index", "indexes"), "2 indexes"),
    ],
)
def test_one_is_singular(count: int, nouns: tuple[str, ...], text: str) -> None:
    assert counted(count, *nouns) == text
