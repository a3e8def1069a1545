"""Commits in one step, as sessions and everything that follows commits see them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from spanemu.base.call import Call
from spanemu.database.errors import DatabaseNotFound
from spanemu.database.options import (
    CommitOptions,
    Isolation,
    ReadLockMode,
    ReadRequest,
    ReadWriteOptions,
    SingleUse,
)
from spanemu.database.statements.results import CommitOutcome
from spanemu.txn import one_row
from spanemu.txn.errors import TransactionAborted
from spanemu.values.mutation import Write, WriteKind
from tests.unit.database.shop import ALL, Shop

ALONE = SingleUse(ReadWriteOptions())
PLAIN = "CREATE TABLE Log (Id INT64 NOT NULL, Text STRING(9), N INT64) PRIMARY KEY (Id)"
COUNTER = ReadRequest("Log", ("N",), ALL)


class Counted:
    """The commits that were made in one step."""

    def __init__(self) -> None:
        self.count = 0
        self._commit = one_row.commit

    def __call__(self, *given: Any) -> Any:
        committed = self._commit(*given)
        self.count += committed is not None
        return committed


@pytest.fixture
def in_one_step(monkeypatch: pytest.MonkeyPatch) -> Counted:
    counted = Counted()
    monkeypatch.setattr(one_row, "commit", counted)
    return counted


@pytest.fixture
def shop() -> Shop:
    return Shop(PLAIN)


def row(id_: int, text: str = "x", kind: WriteKind = WriteKind.INSERT) -> Write:
    return Write(kind, "Log", ("Id", "Text"), [[str(id_), text]])


def logged(shop: Shop) -> list[Any]:
    return shop.sql("SELECT Id, Text FROM Log ORDER BY Id")


def test_a_commit_by_itself(shop: Shop, in_one_step: Counted) -> None:
    outcome = shop.commit(ALONE, row(1), return_stats=True)
    assert in_one_step.count == 1
    control = Isolation.SERIALIZABLE, ReadLockMode.PESSIMISTIC
    assert outcome == CommitOutcome(shop.core.store.last_commit, 2, None, None, control)
    assert logged(shop) == [(1, "x")]


def test_a_commit_after_reads(shop: Shop, in_one_step: Counted) -> None:
    shop.commit(ALONE, row(1))
    begun = shop.begin()
    assert shop.sql("SELECT Text FROM Log WHERE Id = 1", begun) == [("x",)]
    first = shop.commit(begun, row(1, "y", WriteKind.UPDATE))
    assert in_one_step.count == 2
    assert shop.commit(begun, row(1, "z", WriteKind.UPDATE)) == first  # a repeated commit
    assert logged(shop) == [(1, "y")]
    assert not list(shop.core.locks.holders())


def test_a_commit_after_begin_alone(shop: Shop, in_one_step: Counted) -> None:
    shop.commit(shop.begin(), row(1))
    assert in_one_step.count == 1


def test_groups_of_a_batch_write(shop: Shop, in_one_step: Counted) -> None:
    results = list(shop.session.batch_write([[row(1)], [row(1)], [row(2)]]))
    assert [failure is None for _, failure, _ in results] == [True, False, True]
    assert in_one_step.count == 2


def test_a_commit_after_writes_is_made_in_general(shop: Shop, in_one_step: Counted) -> None:
    begun = shop.begin()
    shop.dml("INSERT INTO Log (Id) VALUES (5)", begun)
    shop.commit(begun, row(1))
    assert in_one_step.count == 0
    assert logged(shop) == [(1, "x"), (5, None)]


@pytest.mark.parametrize(
    "options",
    [
        ReadWriteOptions(Isolation.REPEATABLE_READ),
        ReadWriteOptions(read_lock_mode=ReadLockMode.OPTIMISTIC),
    ],
)
def test_validated_transactions_commit_in_general(
    shop: Shop, in_one_step: Counted, options: ReadWriteOptions
) -> None:
    shop.commit(SingleUse(options), row(1))
    shop.commit(shop.begin(options), row(2))
    assert in_one_step.count == 0
    assert len(logged(shop)) == 2


def watch_hotspots(shop: Shop) -> None:
    shop.database.hotspot_monitor.watch()


def follow_changes(shop: Shop) -> None:
    shop.ddl("CREATE CHANGE STREAM Everything FOR ALL")


def ask_for_last_commit(shop: Shop) -> None:
    shop.database.last_commit()


@pytest.mark.parametrize("observe", [watch_hotspots, follow_changes, ask_for_last_commit])
def test_observed_commits_are_made_in_general(
    shop: Shop, in_one_step: Counted, observe: Callable[[Shop], object]
) -> None:
    observe(shop)
    shop.commit(ALONE, row(1))
    assert in_one_step.count == 0
    assert logged(shop) == [(1, "x")]


def test_annotated_requests_commit_in_general(shop: Shop, in_one_step: Counted) -> None:
    call = Call()
    call.facts = {}
    with call:
        shop.commit(ALONE, row(1))
    assert in_one_step.count == 0
    assert call.facts["mutations"] == 2


def test_a_commit_in_one_step_is_recorded(shop: Shop, in_one_step: Counted) -> None:
    shop.core.activity.forget()
    shop.commit(ALONE, row(1), transaction_tag="night")
    (record,) = shop.core.activity.commits
    assert in_one_step.count == 1
    assert (record.tag, record.code) == ("night", None)
    assert record.mutations == ((WriteKind.INSERT, "Log", ("Id", "Text")),)
    ((_, rows, count),) = record.rows
    assert (rows, count) == ([(1, "x", None)], 1)


def test_a_dropped_database_takes_no_commit(shop: Shop) -> None:
    shop.core.closed = True
    with pytest.raises(DatabaseNotFound):
        shop.commit(ALONE, row(1))


def test_a_schema_change_aborts_a_transaction_that_read(shop: Shop, in_one_step: Counted) -> None:
    begun = shop.begin()
    shop.read(1, selector=begun)
    shop.ddl("CREATE TABLE More (Id INT64) PRIMARY KEY (Id)")
    with pytest.raises(TransactionAborted):
        shop.commit(begun, row(1))
    assert in_one_step.count == 0


def test_counters_lose_no_addition(shop: Shop, in_one_step: Counted) -> None:
    shop.commit(ALONE, Write(WriteKind.INSERT, "Log", ("Id", "N"), [["1", "0"]]))
    threads, additions = 4, 25

    def add() -> None:
        session = shop.database.sessions.create({})
        for _ in range(additions):
            while True:
                try:
                    begun = shop.begin(session=session)
                    rows = session.read(COUNTER, begun).rows
                    ((number,),) = list(rows)
                    write = Write(WriteKind.UPDATE, "Log", ("Id", "N"), [["1", str(number + 1)]])
                    session.commit(begun, [write], CommitOptions())
                    break
                except TransactionAborted:
                    continue

    running = [threading.Thread(target=add) for _ in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    assert shop.sql("SELECT N FROM Log") == [(threads * additions,)]
    assert in_one_step.count > 1
    assert not list(shop.core.locks.holders())
