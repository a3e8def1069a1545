"""Partitions of partitioned DML and groups of BatchWrite are transactions of their own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from spanemu import Emulator
from tests.unit.explorer.programs import SCHEMA, audit, blind, fill


@pytest.fixture(scope="module")
def database() -> Iterator[Any]:
    with Emulator() as emulator:
        handle = emulator.create_database("app", SCHEMA)
        fill(handle.client())
        handle.split_at("Acc", ["b"])
        handle.settle()
        yield handle


def update_all(client: Any) -> None:
    client.execute_partitioned_dml("UPDATE Acc SET Bal = 0 WHERE Id > ''")


def write_in_groups(client: Any) -> None:
    with client.mutation_groups() as groups:
        for account in ("a", "b"):
            groups.group().update("Acc", ["Id", "Bal"], [(account, 0)])
        list(groups.batch_write())


@pytest.mark.parametrize(
    ("write", "part"), [(update_all, "partition 2 of 2"), (write_in_groups, "group 2")]
)
def test_other_actors_run_between_the_parts_of_a_request(
    database: Any, write: Any, part: str
) -> None:
    result = database.explore({"write": write, "audit": audit}, faults=())
    assert result.kind is not None
    assert part in result.failure
    answers = {outcome.answers[1] for outcome in result.outcomes}
    assert answers == {"returned 200", "returned 0"}


@pytest.mark.parametrize("write", [update_all, write_in_groups])
def test_one_part_at_a_time_passes_by_transactions(database: Any, write: Any) -> None:
    result = database.explore({"write": write, "audit": audit}, serial="transactions")
    assert result.complete, result.failure


def test_partitioned_dml_races_with_a_read_before_a_write(database: Any) -> None:
    result = database.explore({"all": update_all, "one": blind("a", 1)})
    assert result.kind is not None
