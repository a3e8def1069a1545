"""Reads by search indexes, vectors, graphs and foreign keys depend on what others write."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from google.api_core.exceptions import FailedPrecondition
from google.cloud.spanner_v1 import KeySet

from spanemu import Emulator

SCHEMA = """
CREATE TABLE Albums (
  Id INT64, Title STRING(MAX), Tokens TOKENLIST AS (TOKENIZE_FULLTEXT(Title)) HIDDEN,
  Place ARRAY<FLOAT64>(vector_length=>2)
) PRIMARY KEY (Id);
CREATE SEARCH INDEX AlbumsByTitle ON Albums (Tokens);
CREATE TABLE People (Id INT64, Name STRING(20)) PRIMARY KEY (Id);
CREATE TABLE Knows (
  Id INT64, Friend INT64, FOREIGN KEY (Friend) REFERENCES People (Id)
) PRIMARY KEY (Id, Friend), INTERLEAVE IN PARENT People;
CREATE PROPERTY GRAPH Social
  NODE TABLES (People)
  EDGE TABLES (
    Knows SOURCE KEY (Id) REFERENCES People (Id) DESTINATION KEY (Friend) REFERENCES People (Id)
  );
CREATE TABLE Other (Id INT64) PRIMARY KEY (Id);
"""
JAZZ = "SELECT Id FROM Albums WHERE SEARCH(Tokens, 'jazz')"
NEAREST = (
    "SELECT Id FROM Albums WHERE Place IS NOT NULL "
    "ORDER BY EUCLIDEAN_DISTANCE(Place, [1.0, 0.0]) LIMIT 1"
)
FRIENDS = "GRAPH Social MATCH (a:People {Id: 1})-[:Knows]->{1,2}(b:People) RETURN b.Id AS Id"


@pytest.fixture(scope="module")
def database() -> Iterator[Any]:
    with Emulator() as emulator:
        handle = emulator.create_database("app", SCHEMA)
        with handle.client().batch() as batch:
            batch.insert("People", ["Id", "Name"], [(1, "ann"), (2, "bob"), (3, "cid")])
        handle.settle()
        yield handle


def unless_some(sql: str, table: str, columns: list[str], *row: Any) -> Callable[[Any], bool]:
    """Return an actor that inserts a row unless a query in a snapshot of its own has rows."""

    def actor(client: Any) -> bool:
        with client.snapshot() as snapshot:
            if list(snapshot.execute_sql(sql)):
                return False
        with client.batch() as batch:
            batch.insert(table, columns, [row])
        return True

    return actor


def album(sql: str, number: int) -> Callable[[Any], bool]:
    columns = ["Id", "Title", "Place"]
    return unless_some(sql, "Albums", columns, number, "More jazz", [1.0, 0.5])


def friend(number: int) -> Callable[[Any], bool]:
    return unless_some(FRIENDS, "Knows", ["Id", "Friend"], 1, number)


def elsewhere(client: Any) -> None:
    with client.batch() as batch:
        batch.insert("Other", ["Id"], [(1,)])


RACES = {
    "search": (album(JAZZ, 1), album(JAZZ, 2)),
    "vector": (album(NEAREST, 1), album(NEAREST, 2)),
    "graph": (friend(2), friend(3)),
}


@pytest.mark.parametrize("kind", RACES)
def test_checks_before_inserts_race(database: Any, kind: str) -> None:
    one, two = RACES[kind]
    result = database.explore({"one": one, "two": two})
    assert result.kind is not None
    assert not result.warnings


@pytest.mark.parametrize("kind", RACES)
def test_writes_elsewhere_are_independent(database: Any, kind: str) -> None:
    result = database.explore({"one": RACES[kind][0], "two": elsewhere}, faults=())
    assert result.complete
    assert result.warnings == ["no two actors touch a common cell: there is nothing to explore"]
    assert result.phases["requests"] == 2


def test_foreign_key_checks_depend_on_referenced_rows(database: Any) -> None:
    def refer(client: Any) -> bool:
        try:
            with client.batch() as batch:
                batch.insert("Knows", ["Id", "Friend"], [(1, 3)])
        except FailedPrecondition:
            return False
        return True

    def remove(client: Any) -> bool:
        try:
            with client.batch() as batch:
                batch.delete("People", KeySet(keys=[[3]]))
        except FailedPrecondition:
            return False
        return True

    result = database.explore([refer, remove], faults=())
    assert result.complete, result.failure
    assert not result.warnings
    assert {outcome.answers for outcome in result.outcomes} == {
        ("returned True", "returned False"), ("returned False", "returned True"),
    }  # fmt: skip


def test_sequence_states_depend_on_values_drawn_by_other_actors() -> None:
    with Emulator() as emulator:
        database = emulator.create_database(
            "app",
            "CREATE SEQUENCE Numbers OPTIONS (sequence_kind = 'bit_reversed_positive');"
            "CREATE TABLE Taken (Id INT64, Name INT64) PRIMARY KEY (Id);",
        )

        def take(number: int) -> Callable[[Any], None]:
            sql = f"INSERT INTO Taken (Id, Name) VALUES (GET_NEXT_SEQUENCE_VALUE(SEQUENCE Numbers), {number})"
            return lambda client: client.run_in_transaction(lambda work: work.execute_update(sql))

        def look(client: Any) -> int | None:
            sql = "SELECT GET_INTERNAL_SEQUENCE_STATE(SEQUENCE Numbers)"
            with client.snapshot() as snapshot:
                return next(iter(snapshot.execute_sql(sql)))[0]

        result = database.explore({"take": take(1), "look": look}, faults=())
        assert result.complete, result.failure
        assert {outcome.answers[1] for outcome in result.outcomes} == {
            "returned None",
            "returned 1",
        }
        result = database.explore({"one": take(1), "two": take(2)}, faults=())
        assert result.complete, result.failure
        assert result.phases["requests"] <= 6
