"""Explorations find each planted race, name it, and accuse no other program."""

from __future__ import annotations

import re
from _thread import allocate_lock, start_new_thread
from collections.abc import Iterator
from contextlib import suppress
from threading import Lock
from threading import enumerate as enumerate_threads
from typing import Any

import pytest
from google.api_core.exceptions import FailedPrecondition, MethodNotImplemented
from google.cloud.spanner_dbapi import Connection

from spanemu import Emulator
from spanemu.explorer.errors import CannotExplore, ExplorationFailed
from tests.unit.explorer.programs import PROGRAMS, SCHEMA, Program, blind, fill, transfer


@pytest.fixture(scope="module")
def database() -> Iterator[Any]:
    with Emulator() as emulator:
        handle = emulator.create_database("app", SCHEMA)
        fill(handle.client())
        handle.settle()
        yield handle


def rows_of(database: Any) -> list[list[Any]]:
    with database.client().snapshot() as snapshot:
        return list(snapshot.execute_sql("SELECT Id, Bal FROM Acc ORDER BY Id"))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_races_are_found_and_named(database: Any, program: Program) -> None:
    before = rows_of(database)
    result = database.explore(program.actors, **program.options)
    assert result.kind == program.kind, result.failure
    assert result.complete == (program.kind is None)
    assert rows_of(database) == before
    followed = [each for each in result.warnings if "followed" in each]
    assert not followed


@pytest.mark.parametrize(
    "program", [each for each in PROGRAMS if each.kind], ids=lambda program: program.name
)
def test_schedules_of_failures_repeat_them(database: Any, program: Program) -> None:
    first = database.explore(program.actors, **program.options)
    again = database.explore(program.actors, **program.options, schedule=first.schedule)
    assert (again.kind, again.schedule) == (first.kind, first.schedule)


TIMELINE = """\
lost update of Acc("a"): deposit reads it, withdraw writes it, deposit overwrites it from what it had read
advice: Read and write in one read-write transaction (run_in_transaction), so that Spanner aborts one of the two.
explored 5 schedules; repeat it with --spanner-schedule=ABBA

    deposit                                       withdraw
    --------------------------------------------  --------------------------------------------
 1  SELECT Bal FROM Acc WHERE Id = @id @id='a'
      read   Acc("a") Bal=100 < written by 3
 2                                                SELECT Bal FROM Acc WHERE Id = @id @id='a'
                                                    read   Acc("a") Bal=100
 3                                                COMMIT update Acc(Id, Bal) ('a', '95')
                                                    write  Acc("a") Bal 100 -> 95 < overwritten by 4
 4  COMMIT update Acc(Id, Bal) ('a', '101')
      write  Acc("a") Bal 95 -> 101 <

    got                    Acc ("a", 101) ("b", 100) ("c", 100)   deposit returned None   withdraw returned None
    deposit then withdraw  Acc ("a", 96) ("b", 100) ("c", 100)   deposit returned None   withdraw returned None
    withdraw then deposit  as deposit then withdraw"""


def test_failures_raise_with_a_timeline(database: Any) -> None:
    result = database.explore({"deposit": blind("a", 1), "withdraw": blind("a", -5)})
    with pytest.raises(ExplorationFailed) as failure:
        result.check()
    assert re.sub(r"  \S+programs\.py:\d+", "", str(failure.value)) == TIMELINE


def test_writes_after_an_exploration_are_ordinary(database: Any) -> None:
    database.explore({"x": transfer("a", "b", 1), "y": transfer("b", "a", 2)}).check()
    snapshot = database.snapshot()
    transfer("a", "b", 1)(database.client())
    assert rows_of(database)[0] == ["a", 99]
    database.restore(snapshot)
    database.forget(snapshot)


def test_invariants_that_break_only_between_actors_fail(database: Any) -> None:
    def total_is_kept(client: Any) -> bool:
        with client.snapshot() as snapshot:
            ((total,),) = list(snapshot.execute_sql("SELECT SUM(Bal) FROM Acc"))
        return bool(total == 296)

    actors = {"x": blind("a", 1), "y": blind("a", -5)}
    result = database.explore(actors, compare=None, invariant=total_is_kept)
    assert result.kind == "lost update"
    assert result.failure.startswith("the invariant does not hold: it returned False\n")


def test_invariants_that_break_in_a_serial_order_are_named(database: Any) -> None:
    result = database.explore({"x": blind("a", 1)}, invariant=lambda client: False)
    assert result.kind == "invariant"
    assert "without any concurrency" in result.failure


def test_actors_that_share_no_cell_are_warned_about(database: Any) -> None:
    result = database.explore({"x": blind("a", 1), "y": blind("b", 1)})
    assert result.warnings == ["no two actors touch a common cell: there is nothing to explore"]


def test_searches_beyond_their_budget_are_reported(database: Any) -> None:
    actors = {"x": transfer("a", "b", 1), "y": transfer("b", "a", 2)}
    result = database.explore(actors, schedules=5)
    assert not result.complete
    assert str(result) == f"explored 5, {result.left} left"
    with pytest.raises(ExplorationFailed, match="not complete"):
        database.explore(actors, schedules=5, require_complete=True).check()


def test_schema_changes_are_refused_by_name(database: Any) -> None:
    def change(client: Any) -> None:
        with suppress(MethodNotImplemented):
            client.update_ddl(["CREATE TABLE Other (Id INT64) PRIMARY KEY (Id)"])

    with pytest.raises(CannotExplore, match="change uses DDL"):
        database.explore([change])


def test_requests_of_unknown_threads_are_refused_by_name(database: Any) -> None:
    def with_thread(client: Any) -> None:
        ended = allocate_lock()
        ended.acquire()

        def add() -> None:
            with suppress(FailedPrecondition):
                blind("a", 1)(client)
            ended.release()

        start_new_thread(add, ())
        ended.acquire()

    with pytest.raises(CannotExplore, match="comes from the thread 'Dummy-"):
        database.explore([with_thread])


@pytest.mark.parametrize("schedule", ["", "AZ", "AB/soon", "AB/abort:C1"])
def test_malformed_schedules_are_refused(database: Any, schedule: str) -> None:
    actors = {"x": blind("a", 1), "y": blind("a", 2)}
    with pytest.raises(ValueError, match="schedule="):
        database.explore(actors, schedule=schedule)


def test_actors_that_do_not_repeat_themselves_are_reported(database: Any) -> None:
    calls: list[int] = []

    def counts(client: Any) -> int:
        calls.append(1)
        blind("a", len(calls))(client)
        return len(calls)

    with pytest.raises(CannotExplore, match="do not repeat themselves"):
        database.explore([counts])


@pytest.mark.parametrize(
    "program", [each for each in PROGRAMS if len(each.actors) == 2], ids=lambda each: each.name
)
def test_searches_repeat_themselves(database: Any, program: Program) -> None:
    results = [database.explore(program.actors, **program.options) for _ in range(3)]
    first = results[0]
    for other in results[1:]:
        assert (other.schedules, other.steps) == (first.schedules, first.steps)
        assert list(other.outcomes.items()) == list(first.outcomes.items())
        assert other.failure == first.failure


def test_a_deadlock_of_actors_is_reported_with_a_stack(database: Any) -> None:
    ready = Lock()
    ready.acquire()

    def waits(client: Any) -> None:
        blind("a", 1)(client)
        assert ready.acquire(timeout=10)
        with suppress(FailedPrecondition):
            blind("a", 1)(client)

    def wakes(client: Any) -> None:
        blind("b", 1)(client)
        ready.release()

    try:
        with pytest.raises(CannotExplore, match=r"waits has made no request[^$]*ready\.acquire"):
            database.explore([waits, wakes])
        before = rows_of(database)
    finally:
        ready.release()
    (late,) = [thread for thread in enumerate_threads() if thread.name == "explore-waits"]
    late.join(10)
    assert rows_of(database) == before


def test_dbapi_connections_are_actors(database: Any) -> None:
    def add(amount: int) -> Any:
        def actor() -> None:
            client = database.client()
            connection = Connection(client._instance, client)
            cursor = connection.cursor()
            cursor.execute("SELECT Bal FROM Acc WHERE Id = 'a'")
            ((now,),) = cursor.fetchall()
            connection.commit()
            cursor.execute("UPDATE Acc SET Bal = %s WHERE Id = 'a'", [now + amount])
            connection.commit()
            connection.close()

        return actor

    result = database.explore({"x": add(1), "y": add(2)})
    assert result.kind == "lost update", result.failure


def test_postgresql_databases_are_explored() -> None:
    with Emulator() as emulator:
        schema = "CREATE TABLE acc (id varchar PRIMARY KEY, bal bigint)"
        database = emulator.create_database("pg", schema, dialect="postgresql")
        with database.client().batch() as batch:
            batch.insert("acc", ["id", "bal"], [("a", 1)])

        def add(client: Any) -> None:
            with client.snapshot() as snapshot:
                rows = snapshot.execute_sql("SELECT bal FROM acc WHERE id = 'a'")
                ((now,),) = list(rows)
            with client.batch() as batch:
                batch.update("acc", ["id", "bal"], [("a", now + 1)])

        assert database.explore([add, add]).kind == "lost update"


def test_functions_with_defaults_get_no_database(database: Any) -> None:
    given = []

    def with_default(number: int = 3) -> None:
        given.append(number)

    database.explore(with_default)
    assert set(given) == {3}


def test_functions_that_require_more_than_a_database_are_refused(database: Any) -> None:
    def pay(client: Any, account: str) -> None: ...

    def book(*, room: int) -> None: ...

    with pytest.raises(ValueError, match=r"the actor pay has the parameters \(client.*account"):
        database.explore(pay)
    with pytest.raises(ValueError, match="the actor book has the parameters"):
        database.explore(book)


def test_requests_to_other_databases_are_warned_about() -> None:
    with Emulator() as emulator:
        database, other = (emulator.create_database(name, SCHEMA) for name in ("app", "other"))
        fill(database.client())
        fill(other.client())

        def reads_both(client: Any) -> None:
            for each in (other.client(), client):
                with each.snapshot() as snapshot:
                    list(snapshot.execute_sql("SELECT Bal FROM Acc"))

        def adds_elsewhere(client: Any) -> Any:
            blind("a", 1)(other.client())
            return rows_of(other)

        stranger = "uses another database, which is neither restored nor scheduled"
        assert f"reads_both {stranger}" in database.explore(reads_both).warnings
        with pytest.raises(CannotExplore, match=f"adds_elsewhere {stranger}"):
            database.explore(adds_elsewhere)


def test_outcomes_leave_out_columns_without_values() -> None:
    schema = (
        "CREATE TABLE Doc (Id INT64, Title STRING(MAX), "
        "Tokens TOKENLIST AS (TOKENIZE_FULLTEXT(Title)) HIDDEN) PRIMARY KEY (Id)"
    )

    def write(client: Any) -> None:
        with client.batch() as batch:
            batch.insert("Doc", ["Id", "Title"], [(1, "red fox")])

    with Emulator() as emulator:
        outcomes = emulator.create_database("docs", schema).explore([write, lambda: None]).outcomes
    assert {outcome.rows for outcome in outcomes} == {(("Doc", ('(1, "red fox")',)),)}
