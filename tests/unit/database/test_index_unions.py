"""A disjunction over several indexes: how it is read and cut.

What it locks is in `tests/golden/txn/index_union.golden`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from spanemu.database.options import (
    PartitionedDml,
    QueryMode,
    ReadOnly,
    ReadWriteOptions,
    StatementRequest,
)
from tests.unit.database.shop import Shop

BY_PRICE = "CREATE INDEX ItemsByPrice ON Items (Price)"
WANTED = "Name = 'a' OR Price = 20"


@pytest.fixture
def shop() -> Shop:
    shop = Shop(BY_PRICE)
    shop.put(*[(number, f"n{number}", number * 1_000) for number in range(10, 60)])
    return shop


def operators(shop: Shop, sql: str) -> Sequence[str]:
    stream = shop.session.execute(StatementRequest(sql, mode=QueryMode.PLAN), None)
    assert stream.stats is not None
    assert stream.stats.plan is not None
    return [node.display_name for node in stream.stats.plan.nodes]


def test_rows_are_found_by_either_index_and_come_once(shop: Shop) -> None:
    sql = f"SELECT Id FROM Items WHERE {WANTED} OR Name = 'b'"
    assert "Union All" in operators(shop, sql)
    assert sorted(shop.sql(sql)) == [(1,), (2,)]


def test_a_query_with_a_disjunction_can_be_cut(shop: Shop) -> None:
    request = StatementRequest(f"SELECT Id FROM Items WHERE {WANTED}")
    snapshot = shop.begin(ReadOnly())
    parts = shop.session.partition_query(request, snapshot, 0)
    rows: list[Any] = []
    for part in parts[0]:
        rows += shop.session.execute(request, snapshot, part.token).rows
    assert sorted(rows) == [(1,), (2,)]


def test_partitioned_dml_takes_a_disjunction(shop: Shop) -> None:
    selector = shop.begin(PartitionedDml())
    assert shop.dml(f"UPDATE Items SET Price = 5 WHERE {WANTED}", selector) == 2
    assert shop.sql("SELECT Id FROM Items WHERE Price = 5 ORDER BY Id") == [(1,), (2,)]


def test_dml_finds_its_rows_by_either_index(shop: Shop) -> None:
    writing = shop.begin(ReadWriteOptions())
    assert shop.dml(f"DELETE FROM Items WHERE {WANTED}", writing) == 2
    shop.commit(writing)
    assert shop.sql(f"SELECT Id FROM Items WHERE {WANTED}") == []
