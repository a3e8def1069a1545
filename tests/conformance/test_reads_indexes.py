"""Reads by index, and reading what one wrote."""

import pytest

from tests.conformance.raw import (
    AE,
    FP,
    IA,
    NF,
    RO,
    delete,
    insert,
    key_range,
    keys,
    nanos_of,
    on_both,
    read_only,
    refused,
    update,
    user,
)


@pytest.fixture
def people(session):
    rows = [
        (1, "ada", 30),
        (2, "bob", None),
        (3, "ada", 20),
        (4, None, 40),
        (5, "ada", None),
    ]
    session.commit(None, insert("Users", "Id Name Age", *rows))
    return session


def ids(session, index, key_set=None, **fields):
    wanted = {"all_": True} if key_set is None else key_set
    return [int(row[0]) for row in session.rows("Users", "Id", wanted, index=index, **fields)]


# ------------------------------------------------------------------ 3.4 Index reads


@on_both
def test_a_null_filtered_index_leaves_nulls_out(people):
    assert ids(people, "UsersByAge") == [4, 1, 3]
    assert ids(people, "UsersByAge", keys(None)) == []


@on_both
def test_an_index_without_null_filter_holds_nulls(people):
    assert ids(people, "UsersByName", keys(None)) == [4]
    assert ids(people, "UsersByName") == [4, 1, 3, 5, 2]


@on_both
def test_stored_columns_do_not_filter(raw, people):
    raw.ddl("CREATE NULL_FILTERED INDEX Stored ON Users (Name) STORING (Age)")
    rows = people.rows("Users", "Id Age", index="Stored")
    assert rows == [["1", "30"], ["3", "20"], ["5", None], ["2", None]]


@on_both
def test_every_key_column_filters(raw, people):
    raw.ddl("CREATE NULL_FILTERED INDEX Two ON Users (Name, Age)")
    assert ids(people, "Two") == [3, 1]


def test_where_is_not_null_filters_the_columns_it_names(raw, people):
    raw.ddl("CREATE INDEX Partly ON Users (Name, Age) WHERE Age IS NOT NULL")
    assert ids(people, "Partly") == [4, 3, 1]


@on_both
def test_equal_entries_come_in_key_order(people):
    assert ids(people, "UsersByName", keys("ada")) == [1, 3, 5]


@on_both
def test_ranges_of_an_index(people):
    assert ids(people, "UsersByName", key_range(start_open=["ada"], end_closed=[])) == [2]
    assert ids(people, "UsersByAge", key_range(start_closed=[35], end_closed=[20])) == [1, 3]


@on_both
def test_an_index_follows_its_table(people):
    people.commit(
        None,
        update("Users", "Id Name Age", (1, "eve", 99)),
        delete("Users", keys(3)),
        insert("Users", "Id Name Age", (6, "ada", 1)),
    )
    assert ids(people, "UsersByName") == [4, 5, 6, 2, 1]
    assert ids(people, "UsersByAge") == [1, 4, 6]
    assert people.rows("Users", "Age", keys("eve"), index="UsersByName") == [["99"]]


@on_both
def test_a_new_index_is_filled_from_existing_rows(raw, people):
    raw.ddl("CREATE INDEX Later ON Users (Age DESC)")
    assert ids(people, "Later") == [4, 1, 3, 2, 5]


def test_an_index_that_is_not_ready_cannot_be_read(raw, people):
    long_before = {"id": people.begin(RO).id}
    statement = "CREATE INDEX Later ON Users (Age)"
    operation = raw.admin.update_database_ddl(database=raw.name, statements=[statement])
    operation.result(timeout=60)
    metadata = type(operation.metadata).pb(operation.metadata)
    ready = nanos_of(metadata.commit_timestamps[0])
    now, before = ({"single_use": read_only(read_timestamp=ready - ago * 1_000)} for ago in (0, 1))
    forced = "SELECT Id FROM Users@{FORCE_INDEX=Later} WHERE Age = 30"
    assert ids(people, "Later", keys(30), transaction=now) == [1]
    assert people.select(forced, now) == [["1"]]
    for request in (
        lambda: people.read("Users", "Id", keys(30), index="Later", transaction=before),
        lambda: people.select(forced, before),
    ):
        with refused(FP, match="not ready"):
            request()
    assert people.select("SELECT Id FROM Users WHERE Age = 30", before) == [["1"]]
    with refused(NF):
        people.read("Users", "Id", keys(30), index="Later", transaction=long_before)


@on_both
def test_a_limit_on_an_index(people):
    assert ids(people, "UsersByName", limit=2) == [4, 1]


# ------------------------------------------------------------------ 3.5 Read your writes


@pytest.fixture
def begun(people):
    return people.begin().id


@on_both
def test_reads_and_queries_see_dml_of_their_transaction(people, begun):
    people.dml("INSERT INTO Users (Id, Name) VALUES (9, 'new')", begun)
    people.dml("UPDATE Users SET Name = 'eve' WHERE Id = 1", begun)
    people.dml("DELETE FROM Users WHERE Id = 2", begun)
    expected = [["1", "eve"], ["3", "ada"], ["4", None], ["5", "ada"], ["9", "new"]]
    assert people.rows("Users", "Id Name", transaction=begun) == expected
    assert people.select("SELECT Id, Name FROM Users ORDER BY Id", begun) == expected
    assert people.rows("Users", "Id", keys(2), transaction=begun) == []


@on_both
def test_index_reads_see_dml_of_their_transaction(people, begun):
    people.dml("UPDATE Users SET Name = 'ada', Age = 35 WHERE Id = 2", begun)
    people.dml("DELETE FROM Users WHERE Id = 1", begun)
    assert ids(people, "UsersByName", keys("ada"), transaction=begun) == [2, 3, 5]
    assert ids(people, "UsersByAge", transaction=begun) == [4, 2, 3]
    by_name = "SELECT Id FROM Users@{FORCE_INDEX=UsersByName} WHERE Name = 'ada' ORDER BY Id"
    assert people.select(by_name, begun) == [["2"], ["3"], ["5"]]


@on_both
def test_dml_sees_dml(people, begun):
    people.dml("UPDATE Users SET Age = 1 WHERE Id = 2", begun)
    assert people.dml("UPDATE Users SET Age = Age + 1 WHERE Age = 1", begun).stats
    with refused(AE):
        people.dml("INSERT INTO Users (Id) VALUES (2)", begun)


@on_both
def test_reads_see_a_cascade_of_their_transaction(people):
    people.commit(None, insert("Posts", "Id PostId", (1, 1), (2, 1)))
    begun = people.begin().id
    people.dml("DELETE FROM Users WHERE Id = 1", begun)
    assert people.rows("Posts", "Id", transaction=begun) == [["2"]]


@on_both
def test_other_transactions_see_dml_after_its_commit(people, begun):
    people.dml("UPDATE Users SET Age = 77 WHERE Id = 1", begun)
    assert people.rows("Users", "Age", keys(1)) == [["30"]]
    people.commit(begun)
    assert people.rows("Users", "Age", keys(1)) == [["77"]]


@on_both
def test_a_snapshot_does_not_see_later_dml(people, begun):
    snapshot = people.begin(RO).id
    people.dml("UPDATE Users SET Age = 77 WHERE Id = 1", begun)
    assert people.rows("Users", "Age", keys(1), transaction=snapshot) == [["30"]]


def test_pending_commit_timestamps_cannot_be_read(raw, session):
    raw.ddl(
        "CREATE TABLE Stamps (Id INT64, Time TIMESTAMP OPTIONS (allow_commit_timestamp = true))"
        " PRIMARY KEY (Id)"
    )
    begun = session.begin().id
    session.dml("INSERT INTO Stamps (Id, Time) VALUES (1, PENDING_COMMIT_TIMESTAMP())", begun)
    with refused(IA, match="pending CommitTimestamp"):
        session.read("Stamps", "Time", transaction=begun)
    assert session.rows("Stamps", "Id", transaction=begun) == [["1"]]
    session.commit(begun)
    assert session.rows("Stamps", "Time") != [[None]]


@on_both
def test_a_failed_statement_leaves_no_visible_rows(people, begun):
    people.dml("UPDATE Users SET Age = 1 WHERE Id = 1", begun)
    with refused(IA):
        people.dml("UPDATE Users SET Nothing = 1 WHERE true", begun)
    assert people.rows("Users", "Age", keys(1), transaction=begun) == [["1"]]


@on_both
def test_rows_written_and_deleted_in_one_transaction(people, begun):
    people.dml("INSERT INTO Users (Id) VALUES (9)", begun)
    people.dml("DELETE FROM Users WHERE Id = 9", begun)
    assert people.rows("Users", "Id", keys(9), transaction=begun) == []
    people.commit(begun, user(9))
    assert people.rows("Users", "Id", keys(9)) == [["9"]]
