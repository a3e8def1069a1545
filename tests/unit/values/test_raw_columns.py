"""Columns of raw values are written as their values are one by one."""

from __future__ import annotations

import random
from typing import Any

import pytest

from spanemu.values.value_bytes import LISTED, lists_text, raw_bytes, raw_pieces, varint

COLUMNS: list[list[Any]] = [
    ["a", "", "b" * 127, "b" * 128, "b" * 4_095, "b" * 4_096, "b" * 20_000],
    ["é", "€" * 1_400, "\0", "\U0001f600"],
    ["a", None, "é" * 5_000],
    [None, None],
    [1.5, -0.0, 1e300, float("inf")],
    [1.5, None, "NaN"],
    [True, False],
    [["a", None, [1.0]], [], None, "a"],
]


@pytest.mark.parametrize("column", COLUMNS)
def test_a_column_is_written_as_its_values(column: list[Any]) -> None:
    written = [
        "".join(pieces).encode("latin-1") for pieces in zip(*raw_pieces(column), strict=True)
    ]
    assert written == [raw_bytes(cell, LISTED) for cell in column]


def test_lists_have_their_sizes_before_them() -> None:
    contents = [
        "a" * random.Random(1).randrange(size + 1) for size in (0, 200, 4_095, 4_096, 99_999)
    ]
    expected = [b"\x1a" + varint(len(each)) + each.encode() for each in contents]
    for count in (0, 3, 5):
        written = lists_text(0x1A, contents[:count]).encode("latin-1")
        assert written == b"".join(expected[:count])
