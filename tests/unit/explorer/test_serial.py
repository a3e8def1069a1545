"""What counts as serial: whole actors, or their transactions one by one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from spanemu import Emulator
from tests.unit.explorer.programs import (
    REPEATABLE,
    SCHEMA,
    audit_twice,
    blind,
    dml_add,
    fill,
    leave_call,
    transfer,
    two_transactions,
)


@pytest.fixture(scope="module")
def database() -> Iterator[Any]:
    with Emulator() as emulator:
        handle = emulator.create_database("app", SCHEMA)
        fill(handle.client())
        handle.settle()
        yield handle


@pytest.mark.parametrize(
    "actors",
    [
        {"x": two_transactions(1), "y": two_transactions(2)},
        {"x": blind("a", 1), "y": blind("a", 2)},
        {"audit": audit_twice, "transfer": transfer("a", "b", 10)},
    ],
)
def test_transactions_may_interleave_if_only_they_are_serial(database: Any, actors: Any) -> None:
    assert database.explore(actors).kind is not None
    result = database.explore(actors, serial="transactions")
    assert result.complete, result.failure


def test_races_inside_transactions_are_found_among_serial_transactions(database: Any) -> None:
    actors = {name: leave_call(n, isolation_level=REPEATABLE) for n, name in ((1, "x"), (2, "y"))}
    result = database.explore(actors, serial="transactions")
    assert result.kind == "write skew", result.failure


def test_orders_of_transactions_are_named_by_their_actors(database: Any) -> None:
    def unlike_any(client: Any) -> bool:
        return True

    actors = {"x": two_transactions(1), "y": dml_add("a", 2)}
    result = database.explore(actors, serial="transactions", invariant=unlike_any)
    assert result.complete, result.failure
    assert result.phases["serial orders"] > 2


def test_unknown_kinds_of_serial_orders_are_refused(database: Any) -> None:
    with pytest.raises(ValueError, match="serial='rows': allowed are"):
        database.explore([blind("a", 1)], serial="rows")
