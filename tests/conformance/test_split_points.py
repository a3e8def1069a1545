"""AddSplitPoints through the official admin client, and what it leaves behind."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import count

import pytest
from google.api_core.exceptions import (
    FailedPrecondition,
    InvalidArgument,
    NotFound,
    ResourceExhausted,
)
from google.cloud.spanner_admin_database_v1.types import AddSplitPointsRequest, SplitPoints
from google.protobuf.struct_pb2 import ListValue

import spanemu

_numbers = count(1)

SCHEMA = """
CREATE TABLE Users (UserId INT64 NOT NULL, Name STRING(64)) PRIMARY KEY (UserId);
CREATE TABLE Orders (UserId INT64 NOT NULL, OrderId INT64 NOT NULL) PRIMARY KEY (UserId, OrderId),
  INTERLEAVE IN PARENT Users;
CREATE INDEX UsersByName ON Users(Name);
CREATE INDEX UsersByIdAndName ON Users(UserId, Name);
"""
POINTS = "SELECT TABLE_NAME, INDEX_NAME, INITIATOR, SPLIT_KEY, EXPIRE_TIME FROM SPANNER_SYS.USER_SPLIT_POINTS"


@pytest.fixture
def shop():
    with spanemu.Emulator() as emulator:
        yield emulator, emulator.create_database(f"shop-{next(_numbers)}", schema=SCHEMA)


def key(*values) -> SplitPoints.Key:
    parts = ListValue()
    parts.extend(values)
    return SplitPoints.Key(key_parts=parts)


def add(database, *points: SplitPoints, initiator: str = "") -> None:
    api = database.client()._instance._client.database_admin_api
    request = AddSplitPointsRequest(
        database=database.name, split_points=list(points), initiator=initiator
    )
    api.add_split_points(request=request)


def listed(database) -> list[tuple[str, str, str, str]]:
    with database.client().snapshot() as snapshot:
        return sorted(tuple(row[:4]) for row in snapshot.execute_sql(POINTS))


def boundaries(database) -> int:
    return database.layout().count("split boundary")


def now(emulator) -> datetime:
    return emulator.clock.now


def test_whole_numbers_are_keys_of_int64(shop) -> None:
    # As `gcloud spanner databases splits add` sends them.
    _, database = shop
    add(database, SplitPoints(table="Users", keys=[key(5.0)]))
    assert [row[3] for row in listed(database)] == ["Users(5)"]
    with pytest.raises(FailedPrecondition, match=r"5\.5"):
        add(database, SplitPoints(table="Users", keys=[key(5.5)]))


def test_points_of_a_table_an_index_and_a_child(shop) -> None:
    _, database = shop
    add(
        database,
        SplitPoints(table="Users", keys=[key("100"), key("200")]),
        SplitPoints(table="Orders", keys=[key("300", "7")]),
        SplitPoints(table="Users", index="UsersByName", keys=[key("M")]),
        SplitPoints(index="usersbyname", keys=[key("T"), key("5")]),
        initiator="launch",
    )
    assert listed(database) == [
        ("Orders", "", "launch", "Orders(300,7)"),
        ("Users", "", "launch", "Users(100)"),
        ("Users", "", "launch", "Users(200)"),
        ("Users", "UsersByName", "launch",
         "Index: UsersByName on Users, Index Key: (M), Primary Table Key: (<begin>)"),
        ("Users", "UsersByName", "launch",
         "Index: UsersByName on Users, Index Key: (T), Primary Table Key: (5)"),
    ]  # fmt: skip
    assert boundaries(database) == 5


def test_partitions_follow(shop) -> None:
    _, database = shop
    with database.client().batch() as batch:
        batch.insert("Users", ["UserId", "Name"], [(n, f"n{n}") for n in range(10)])
    add(database, SplitPoints(table="Users", keys=[key("4"), key("8")]))
    snapshot = database.client().batch_snapshot()
    from google.cloud.spanner_v1 import KeySet

    partitions = list(snapshot.generate_read_batches("Users", ["UserId"], KeySet(all_=True)))
    sizes = [len(list(snapshot.process_read_batch(each))) for each in partitions]
    assert sizes == [4, 4, 2]
    snapshot.close()


def test_the_default_of_expiry_and_initiator(shop) -> None:
    emulator, database = shop
    add(database, SplitPoints(table="Users", keys=[key("1")]))
    with database.client().snapshot() as snapshot:
        (row,) = snapshot.execute_sql(POINTS)
    assert row[2] == "CloudAddSplitPointsAPI"
    assert abs(row[4] - now(emulator) - timedelta(days=10)) < timedelta(minutes=1)


def test_the_same_point_again_and_its_end(shop) -> None:
    emulator, database = shop
    add(database, SplitPoints(table="Users", keys=[key("1")]))
    later = now(emulator) + timedelta(days=20)
    add(database, SplitPoints(table="Users", keys=[key("1")], expire_time=later))
    assert len(listed(database)) == boundaries(database) == 1
    add(database, SplitPoints(table="Users", keys=[key("1")],
                              expire_time=now(emulator) - timedelta(days=1)))  # fmt: skip
    assert listed(database) == []
    assert boundaries(database) == 0


def test_points_expire(shop) -> None:
    emulator, database = shop
    add(database, SplitPoints(table="Users", keys=[key("1")]))
    database.split_at("Users", [2])
    add(database, SplitPoints(table="Users", keys=[key("2")]))
    emulator.clock.advance(days=11)
    assert listed(database) == []
    assert boundaries(database) == 1  # what the test put there itself


def test_a_restore_removes_later_split_points(shop) -> None:
    _, database = shop
    add(database, SplitPoints(table="Users", keys=[key("1")]))
    before = database.snapshot()
    add(database, SplitPoints(table="Users", keys=[key("2")]))
    database.restore(before)
    assert [row[3] for row in listed(database)] == ["Users(1)"]
    assert boundaries(database) == 1


@pytest.mark.parametrize(
    ("point", "error"),
    [
        (SplitPoints(table="Nobody", keys=[key("1")]), NotFound),
        (SplitPoints(table="Users", index="Nobody", keys=[key("1")]), NotFound),
        (SplitPoints(table="Orders", index="UsersByName", keys=[key("a")]), NotFound),
        (SplitPoints(keys=[key("1")]), InvalidArgument),
        (SplitPoints(table="Users"), InvalidArgument),
        (SplitPoints(index="UsersByName", keys=[key("a"), key("1"), key("2")]), InvalidArgument),
        (SplitPoints(index="UsersByIdAndName", keys=[key("1", "a"), key("2")]), InvalidArgument),
        (SplitPoints(table="Users", keys=[key("1")],
                     expire_time=datetime(2100, 1, 1, tzinfo=UTC)), InvalidArgument),
    ],
)  # fmt: skip
def test_refused(shop, point: SplitPoints, error: type[Exception]) -> None:
    _, database = shop
    with pytest.raises(error):
        add(database, SplitPoints(table="Users", keys=[key("1")]), point)
    assert listed(database) == []
    assert boundaries(database) == 0


@pytest.mark.parametrize("index", ["Found", "Near"])
def test_search_and_vector_indexes_take_none(shop, index: str) -> None:
    _, database = shop
    database.apply_schema(
        """
        CREATE TABLE Docs (Id INT64 NOT NULL, Body STRING(MAX), Words TOKENLIST AS
          (TOKENIZE_FULLTEXT(Body)) HIDDEN, Near ARRAY<FLOAT32>(vector_length=>3)) PRIMARY KEY (Id);
        CREATE SEARCH INDEX Found ON Docs(Words);
        CREATE VECTOR INDEX Near ON Docs(Near) WHERE Near IS NOT NULL
          OPTIONS (distance_type = 'COSINE');
        """
    )
    with pytest.raises(InvalidArgument):
        add(database, SplitPoints(table="Docs", index=index, keys=[key("a")]))


def test_queues_take_none(shop) -> None:
    _, database = shop
    database.apply_schema("CREATE QUEUE Jobs (Id INT64, Payload JSON NOT NULL) PRIMARY KEY (Id)")
    with pytest.raises(InvalidArgument, match="queues take none"):
        add(database, SplitPoints(table="Jobs", keys=[key("1")]))


def test_limits(shop) -> None:
    emulator, database = shop
    with pytest.raises(InvalidArgument):  # a mebibyte a request
        add(database, SplitPoints(index="UsersByName", keys=[key("x" * (1 << 20))]))
    with pytest.raises(ResourceExhausted):  # a request
        add(database, SplitPoints(table="Users", keys=[key(str(n)) for n in range(101)]))
    with pytest.raises(ResourceExhausted):  # ten a minute on one node
        add(database, SplitPoints(table="Users", keys=[key(str(n)) for n in range(11)]))
    for batch in range(5):
        keys = [key(str(batch * 10 + n)) for n in range(10)]
        add(database, SplitPoints(table="Users", keys=keys))
        emulator.clock.advance(minutes=2)
    with pytest.raises(ResourceExhausted):  # fifty on one node
        add(database, SplitPoints(table="Users", keys=[key("999")]))
    assert len(listed(database)) == 50
    add(database, SplitPoints(table="Users", keys=[key("0")]))  # the same one again is none more
