"""Statements counted by their plans, while others ask for a report."""

from __future__ import annotations

import gc
import threading
import weakref
from types import SimpleNamespace
from typing import Any

import pytest

from spanemu.database.options import StatementRequest
from spanemu.database.splits.query_uses import QueryUses
from spanemu.database.statements.query_engine import Prepared, prepare
from tests.unit.database.shop import Shop

WATCHING: Any = SimpleNamespace(began=0.0, ended=10.0)


@pytest.fixture(scope="module")
def shop() -> Shop:
    return Shop()


def prepared(shop: Shop, sql: str) -> Prepared:
    return prepare(shop.core.generation, StatementRequest(sql), shop.core.statistics)


def ran(source: object, text: str, began: float = 5.0, code: object = None) -> Any:
    return SimpleNamespace(sources=(source,), texts=(text,), tag="", began=began, code=code)


def test_statements_are_recorded_if_they_began_during_a_watch(shop: Shop) -> None:
    uses = QueryUses(WATCHING)
    single = prepared(shop, "SELECT Price FROM Items WHERE Id = 1")
    uses.take([ran(single, "a"), ran(single, "a"), ran(single, "b"), ran(single, "a", began=11.0)])
    uses.take([ran(single, "a", code="failed"), ran("a read", "a")])
    first, second = uses.query_uses()
    assert (first.text, first.count, second.text, second.count) == ("a", 2, "b", 1)
    (access,) = first.accesses
    assert (access.table, access.index, access.equal) == ("Items", None, ("Id",))


def test_plans_are_not_kept(shop: Shop) -> None:
    uses = QueryUses(WATCHING)
    plan = weakref.ref(gone := prepared(Shop(), "SELECT Price FROM Items"))
    uses.take([ran(gone, "a")])
    del gone
    gc.collect()
    assert plan() is None
    assert [one.accesses[0].table for one in uses.query_uses()] == ["Items"]


def test_reports_while_others_count(shop: Shop) -> None:
    uses, failed = QueryUses(WATCHING), []
    first = prepared(shop, "SELECT Price FROM Items WHERE Id = 1")

    def ask() -> None:
        try:
            while len(uses.query_uses()) < 1_000:
                pass
        except RuntimeError as failure:
            failed.append(failure)

    asking = threading.Thread(target=ask)
    asking.start()
    for number in range(1_000):
        uses.take([ran(first, str(number))])
    asking.join()
    assert not failed
