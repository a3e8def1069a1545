"""A database whose dialect takes NULL and NaN for the greatest values, as PostgreSQL does."""

from __future__ import annotations

from typing import Any

import pytest

from spanemu.control.splits import Splits
from spanemu.database.options import ReadRequest
from spanemu.schema.schema import Schema
from spanemu.values.mutation import RawKeySet, RawRange
from spanemu.values.order import POSTGRESQL_ORDERS
from tests.unit.database.shop import STRONG, Shop

TABLE = "CREATE TABLE T (K FLOAT64, N INT64) PRIMARY KEY (K)"
INDEX = "CREATE INDEX ByK ON T(K DESC)"
KEYS = ["-Infinity", -1.5, 0.0, "Infinity", "NaN", None]


@pytest.fixture
def shop(monkeypatch: pytest.MonkeyPatch) -> Shop:
    monkeypatch.setattr(Schema, "orders", POSTGRESQL_ORDERS)
    shop = Shop(TABLE)
    shop.insert("T", "K N", *[[key, str(number)] for number, key in enumerate(KEYS)])
    shop.ddl(INDEX)
    return shop


def read(shop: Shop, keys: RawKeySet, index: str = "") -> list[Any]:
    request = ReadRequest("T", ("K",) if index else ("K", "N"), keys, index)
    return list(shop.session.read(request, STRONG).rows)


def test_rows_and_index_entries_have_the_order_of_the_dialect(shop: Shop) -> None:
    everything = RawKeySet(all=True)
    assert [row[1] for row in read(shop, everything)] == [0, 1, 2, 3, 4, 5]
    entries = [str(row[0]) for row in read(shop, everything, "ByK")]
    assert entries == ["None", "nan", "inf", "0.0", "-1.5", "-inf"]


def test_keys_and_ranges_of_keys_are_found(shop: Shop) -> None:
    assert [row[1] for row in read(shop, RawKeySet(keys=[["NaN"], [None]]))] == [4, 5]
    above = RawRange(["Infinity"], False, [None], False)
    assert [row[1] for row in read(shop, RawKeySet(ranges=[above]))] == [4]


def test_order_by_needs_no_sort(shop: Shop) -> None:
    assert shop.sql("SELECT N FROM T ORDER BY K") == [(n,) for n in range(6)]
    assert shop.sql("SELECT N FROM T ORDER BY K DESC LIMIT 2") == [(5,), (4,)]


def test_index_columns_shows_the_direction_alone(shop: Shop) -> None:
    rows = shop.sql(
        "SELECT COLUMN_ORDERING FROM INFORMATION_SCHEMA.INDEX_COLUMNS "
        "WHERE TABLE_NAME = 'T' ORDER BY INDEX_NAME"
    )
    assert rows == [("DESC",), ("ASC",)]


def test_boundaries_have_the_order_of_the_dialect(shop: Shop) -> None:
    for key in KEYS:
        shop.database.split_at("T", [key])
    splits = [split for split in Splits(shop.database) if split.tables == ("T",)]
    texts = ["-Infinity", "-1.5", "0.0", "Infinity", "NaN", "NULL"]
    assert [split.start for split in splits[1:]] == [f"T({text})" for text in texts]
    assert [split.rows for split in splits] == [0] + [1] * len(KEYS)
