from __future__ import annotations

import datetime
from decimal import Decimal
from uuid import UUID

import pytest

from spanemu.values import types
from spanemu.values.floats import GREATEST_NAN
from spanemu.values.interval import parse_iso
from spanemu.values.json import parse
from spanemu.values.types import Type, array_of, struct_of
from spanemu.values.value import encoder
from spanemu.values.value_bytes import (
    LISTED,
    PARTIAL,
    cell_encoder,
    raw_bytes,
    row_encoder,
    to_bytes,
)

NANOS_OF_2024 = 1_704_067_200_000_000_000
PAIR = struct_of(("a", types.INT64), ("b", types.STRING))
CELLS: list[tuple[Type, object]] = [
    (types.BOOL, True),
    (types.BOOL, False),
    (types.INT64, -(2**63)),
    (types.FLOAT64, -1.5e300),
    (types.FLOAT64, float("nan")),
    (types.FLOAT64, float("inf")),
    (types.FLOAT64, GREATEST_NAN),
    (types.FLOAT32, float("-inf")),
    (types.FLOAT32, 0.5),
    (types.STRING, ""),
    (types.STRING, "h\u00e9"),
    (types.STRING, "\x80\xff"),
    (types.STRING, "\U0001f600" * 400),
    *((types.STRING, "x" * size) for size in (124, 125, 126, 127, 128, 511, 512, 70_000)),
    (types.BYTES, b"\x00\xff" * 400),
    (types.NUMERIC, Decimal("-1.500")),
    (types.DATE, datetime.date(1, 2, 3)),
    (types.TIMESTAMP, NANOS_OF_2024),
    (types.TIMESTAMP, NANOS_OF_2024 + 120_000),
    (types.UUID, UUID(int=1)),
    (types.INTERVAL, parse_iso("P1Y2M3DT4H5M6.5S")),
    (types.JSON, parse('{"a": "\u00e9"}')),
    (array_of(types.INT64), (1, None, 3)),
    (array_of(types.FLOAT64), (1.5, None, float("nan"))),
    (array_of(types.STRING), ("\u00e9", "x" * 200)),
    (array_of(types.BOOL), ()),
    (array_of(PAIR), ((1, "x"), None, (None, "\u00e9" * 300))),
]


def expected(type_: Type, cell: object, tag: int) -> bytes:
    return raw_bytes(encoder(type_)(cell), tag)


@pytest.mark.parametrize("tag", [PARTIAL, LISTED])
def test_a_row_is_the_bytes_of_its_raw_values(tag: int) -> None:
    encode = row_encoder(tuple(type_ for type_, _ in CELLS), tag)
    row = tuple(cell for _, cell in CELLS)
    assert to_bytes(encode(row)) == b"".join(expected(*cell, tag) for cell in CELLS)
    nulls = to_bytes(encode((None,) * len(CELLS)))
    assert nulls == raw_bytes(None, tag) * len(CELLS)


@pytest.mark.parametrize(("type_", "cell"), CELLS)
def test_rows_of_one_cell_and_cells(type_: Type, cell: object) -> None:
    assert to_bytes(row_encoder((type_,), PARTIAL)((cell,))) == expected(type_, cell, PARTIAL)
    assert cell_encoder(type_, LISTED)(cell) == expected(type_, cell, LISTED)
    assert cell_encoder(type_, LISTED)(None) == raw_bytes(None, LISTED)


def test_a_row_without_columns_has_no_bytes() -> None:
    assert row_encoder((), PARTIAL)(()) == ""


def test_a_row_may_have_as_many_columns_as_a_table() -> None:
    encode = row_encoder((types.INT64,) * 1_024, PARTIAL)
    assert to_bytes(encode(tuple(range(1_024)))) == b"".join(
        expected(types.INT64, number, PARTIAL) for number in range(1_024)
    )
