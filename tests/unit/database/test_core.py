"""What the parts of a database share: its rows, which are garbage once it is dropped."""

from __future__ import annotations

import pytest

from spanemu.base.clock import ManualClock
from spanemu.base.collector import heap
from spanemu.database import core
from tests.unit.database.shop import Shop


@pytest.mark.parametrize(
    ("rows_kept_max", "age", "is_expected"), [(2, 1, True), (9, 1, False), (2, 0, False)]
)
def test_many_rows_of_a_dropped_database_that_was_frozen_are_collected(
    monkeypatch: pytest.MonkeyPatch, rows_kept_max: int, age: int, is_expected: bool
) -> None:
    expected: list[bool] = []
    monkeypatch.setattr(core, "ROWS_KEPT_MAX", rows_kept_max)
    monkeypatch.setattr(heap, "expect_garbage", lambda: expected.append(True))
    shop = Shop()
    monkeypatch.setattr(heap, "_freezes", heap.age + age)
    shop.database.close()
    assert bool(expected) is is_expected


def test_unreadable_schemas_are_discarded() -> None:
    shop = Shop()
    history = shop.core.history
    for number in range(5):
        shop.ddl(f"ALTER TABLE Items ADD COLUMN C{number} INT64")
    assert len(history.all()) == 8
    clock = shop.core.environment.clock
    assert isinstance(clock, ManualClock)
    clock.advance(shop.core.store.retention_nanos)
    shop.ddl("ALTER TABLE Items ADD COLUMN D INT64")
    assert len(history.all()) == 2
    before = history.start(0)
    assert len(history.at(before).schema.tables["items"].columns) == 8


def test_the_rows_of_a_dropped_database_are_counted_as_garbage_but_not_those_of_a_clone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sizes: list[int] = []
    monkeypatch.setattr(heap, "count_garbage", sizes.append)
    Shop().database.close()
    shop = Shop()
    shop.database.clone(f"{shop.database.name}-2").close()
    assert sizes[0] > 0
    assert sizes[1] == 0
