"""Commit."""

import pytest

from tests.conformance.raw import (
    ALL,
    FP,
    IA,
    NF,
    OPTIMISTIC,
    PDML,
    REPEATABLE,
    RO,
    RW,
    delete,
    insert,
    key_range,
    keys,
    nanos_of,
    on_both,
    refused,
    rows_of,
    update,
    user,
    writes,
)

MILLI = 1_000_000


def counted(session, *mutations, transaction=None):
    """Return how many mutations a commit counts."""
    reply = session.commit(transaction, *mutations, return_commit_stats=True)
    return reply.commit_stats.mutation_count


# ------------------------------------------------------------------ which transaction


@on_both
def test_a_commit_needs_a_transaction(raw, session):
    with refused(IA):
        raw.call("commit", "CommitRequest", session=session.name)


@pytest.mark.parametrize("options", [RO, PDML, {}], ids=["read-only", "partitioned", "none"])
def test_a_single_use_commit_is_read_write(raw, session, options):
    with refused(IA):
        raw.call("commit", "CommitRequest", session=session.name, single_use_transaction=options)


# ------------------------------------------------------------------ effects


@on_both
def test_dml_comes_before_mutations(session):
    begun = session.begin().id
    session.dml("INSERT INTO Users (Id, Age) VALUES (1, 1)", begun)
    session.commit(begun, update("Users", "Id Age", (1, 2)))
    assert session.rows("Users", "Id Age") == [["1", "2"]]


@on_both
def test_mutations_take_effect_in_order(session):
    session.commit(
        None,
        user(1),
        update("Users", "Id Age", (1, 1)),
        delete("Users", ALL),
        user(2, 1),
        delete("Users", keys(2)),
        writes("insert_or_update", "Users", "Id Age", (1, 5)),
    )
    assert session.rows("Users", "Id Name Age") == [["1", "user 1", "5"]]


@on_both
def test_mutations_are_visible_only_after_commit(session):
    begun = session.begin().id
    assert session.rows("Users", "Id", transaction=begun) == []
    session.commit(begun, user(1))
    assert session.rows("Users", "Id") == [["1"]]


@on_both
def test_a_commit_of_nothing_has_a_timestamp(session):
    assert nanos_of(session.commit(None).commit_timestamp) > 0
    assert nanos_of(session.commit(session.begin().id).commit_timestamp) > 0


@on_both
def test_commit_timestamps_rise(session):
    found = [nanos_of(session.commit(None).commit_timestamp) for _ in range(20)]
    assert found == sorted(set(found))


# ------------------------------------------------------------------ statistics


@on_both
def test_statistics_come_only_when_asked_for(session):
    assert not session.commit(None, user(1)).HasField("commit_stats")


def test_each_column_of_each_row_counts(raw, session):
    raw.ddl("CREATE TABLE Plain (A INT64, B INT64, C INT64) PRIMARY KEY (A)")
    assert counted(session, insert("Plain", "A B C", (1, 1, 1), (2, 2, 2))) == 6
    assert counted(session, update("Plain", "A C", (1, 2))) == 2
    assert counted(session, writes("insert_or_update", "Plain", "A B", (1, 2), (3, 3))) == 4
    assert counted(session) == 0


def test_a_deleted_row_or_range_counts_once(raw, session):
    raw.ddl("CREATE TABLE Plain (A INT64, B INT64) PRIMARY KEY (A)")
    session.commit(None, insert("Plain", "A", *((number,) for number in range(20))))
    assert counted(session, delete("Plain", keys(0, 1, 2))) == 3
    assert counted(session, delete("Plain", key_range(start_closed=[3], end_closed=[9]))) == 1
    assert counted(session, delete("Plain", ALL)) == 1


def test_cascading_deletes_count_once(raw, session):
    raw.ddl(
        "CREATE TABLE Top (A INT64) PRIMARY KEY (A)",
        "CREATE TABLE Low (A INT64, B INT64) PRIMARY KEY (A, B),"
        " INTERLEAVE IN PARENT Top ON DELETE CASCADE",
    )
    children = insert("Low", "A B", *((1, number) for number in range(9)))
    session.commit(None, insert("Top", "A", (1,)), children)
    assert counted(session, delete("Top", keys(1))) == 1


def test_index_entries_count(session):
    # UsersByName has Name and stores Age; UsersByAge has Age. The table's key does not count again:
    # so the Go client's tests of Spanner have it.
    assert counted(session, insert("Users", "Id Name", (1, "ada"))) == 2 + 2
    assert counted(session, insert("Users", "Id Name Age", (2, "bob", 3))) == 3 + 2 + 1
    assert counted(session, update("Users", "Id Note", (1, "text"))) == 2
    assert counted(session, delete("Users", keys(1))) == 1 + 1
    assert counted(session, delete("Users", keys(2))) == 1 + 2


def test_computed_columns_count(raw, session):
    raw.ddl(
        "CREATE TABLE Sums (A INT64, B INT64, C INT64 AS (A + B) STORED) PRIMARY KEY (A, B)",
    )
    assert counted(session, insert("Sums", "A B", (1, 1))) == 5


def test_defaults_count(raw, session):
    raw.ddl("CREATE TABLE Filled (A INT64, B INT64 DEFAULT (7), C INT64) PRIMARY KEY (A)")
    # As with generated columns: the default comes with a second write of the key.
    assert counted(session, insert("Filled", "A", (1,))) == 1 + 2
    assert counted(session, insert("Filled", "A B", (2, 2))) == 2
    assert counted(session, update("Filled", "A C", (1, 1))) == 2


def test_dml_counts_each_computed_column_once_and_the_key_once(raw, session):
    # As the sample log_commit_stats of the Python client: three columns plus a generated one.
    raw.ddl(
        "CREATE TABLE Singers (SingerId INT64 NOT NULL, FirstName STRING(1024),"
        " LastName STRING(1024), FullName STRING(2048) AS (CONCAT(FirstName, LastName)) STORED,"
        ") PRIMARY KEY (SingerId)",
        "CREATE TABLE Filled (A INT64, B INT64 DEFAULT (7), C INT64) PRIMARY KEY (A)",
    )
    for statement, count in (
        ("INSERT Singers (SingerId, FirstName, LastName) VALUES (110, 'Virginia', 'Watson')", 4),
        ("UPDATE Singers SET LastName = 'Smith' WHERE SingerId = 110", 3),
        ("INSERT INTO Filled (A) VALUES (1)", 2),
        ("DELETE FROM Singers WHERE TRUE", 1),
    ):
        begun = session.begin().id
        session.dml(statement, begun)
        assert counted(session, transaction=begun) == count
    columns = "SingerId FirstName LastName"
    assert counted(session, insert("Singers", columns, (1, "a", "b"))) == 5  # the key again


@pytest.mark.parametrize("limited", [{"mutations_per_commit": 4}], indirect=True)
def test_the_limit_has_the_count_of_the_statistics(limited):
    limited.ddl("CREATE TABLE S (A INT64, B INT64, C INT64, D INT64 AS (B) STORED) PRIMARY KEY (A)")
    session = limited.session()
    begun = session.begin().id
    session.dml("INSERT INTO S (A, B, C) VALUES (1, 1, 1)", begun)
    assert counted(session, transaction=begun) == 4
    with refused(IA):
        session.commit(None, insert("S", "A B C", (2, 2, 2)))


def test_dml_counts_as_mutations_do(session):
    begun = session.begin().id
    session.dml("INSERT INTO Pairs (A, B, C) VALUES (1, 1, 1), (2, 2, 2)", begun)
    dml = counted(session, transaction=begun)
    assert dml == counted(session, insert("Pairs", "A B C", (3, 3, 3), (4, 4, 4)))


# ------------------------------------------------------------------ options


@on_both
@pytest.mark.parametrize("delay", [0, 5, 500])
def test_a_commit_delay(session, delay):
    session.commit(None, user(1), max_commit_delay={"nanos": delay * MILLI})
    assert session.rows("Users", "Id") == [["1"]]


@pytest.mark.parametrize("delay", [{"nanos": 501 * MILLI}, {"seconds": 1}, {"nanos": -1}])
def test_a_commit_delay_out_of_range(session, delay):
    with refused(IA):
        session.commit(None, user(1), max_commit_delay=delay)


@on_both
@pytest.mark.parametrize("priority", ["PRIORITY_LOW", "PRIORITY_MEDIUM", "PRIORITY_HIGH"])
def test_priorities_and_tags(session, priority):
    options = {"priority": priority, "transaction_tag": "_" + "long tag" * 20}
    begun = session.begin().id
    session.dml(
        "INSERT INTO Users (Id) VALUES (1)",
        begun,
        request_options={**options, "request_tag": "tag\u00e9\n"},
    )
    session.commit(begun, request_options=options)
    session.read("Users", "Id", request_options=options)
    session.sql("SELECT 1", request_options=options)


@on_both
def test_exclusion_from_change_streams(session):
    begun = session.begin({**RW, "exclude_txn_from_change_streams": True}).id
    session.commit(begun, user(1))
    session.dml(
        "UPDATE Users SET Age = 1 WHERE true",
        session.begin({**PDML, "exclude_txn_from_change_streams": True}).id,
    )
    assert session.rows("Users", "Age") == [["1"]]


def test_change_streams_add_no_mutations(raw, session):
    before = counted(session, user(1))
    raw.ddl("CREATE CHANGE STREAM Everything FOR ALL")
    assert counted(session, user(2)) == before


def test_nothing_is_excluded_from_a_read_only_transaction(session):
    with refused(IA):
        session.begin({**RO, "exclude_txn_from_change_streams": True})


@pytest.mark.parametrize("is_single", [True, False])
@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (RW, (1, 1)),
        ({**RW, "isolation_level": "SERIALIZABLE"}, (1, 1)),
        ({"read_write": {"read_lock_mode": "PESSIMISTIC"}}, (1, 1)),
        (OPTIMISTIC, (1, 2)),
        (REPEATABLE, (2, 2)),
        (
            {**REPEATABLE, "read_write": {"read_lock_mode": "OPTIMISTIC"}},
            (2, 2),
        ),
        (
            {**REPEATABLE, "read_write": {"read_lock_mode": "PESSIMISTIC"}},
            (2, 1),
        ),
    ],
)
def test_a_commit_names_the_isolation_and_the_lock_mode_in_effect(
    session, options, expected, is_single
):
    if is_single:
        reply = session.commit("none", user(1), single_use_transaction=options)
    else:
        reply = session.commit(session.begin(options).id, user(1))
    assert (reply.isolation_level, reply.read_lock_mode) == expected


def test_commits_return_the_snapshot_of_a_repeatable_read(session):
    begun = session.begin(REPEATABLE).id
    session.read("Users", "Id", transaction=begun)
    reply = session.commit(begun, user(1))
    if "snapshot_timestamp" not in reply.DESCRIPTOR.fields_by_name:
        pytest.skip("this release of the client library does not know the field")
    assert 0 < nanos_of(reply.snapshot_timestamp) < nanos_of(reply.commit_timestamp)
    assert not session.commit(None, user(2)).HasField("snapshot_timestamp")


# ------------------------------------------------------------------ limits


def test_more_mutations_than_a_commit_may_have(session):
    # Two columns and the two of an index entry each: 80,004.
    rows = [(number, "name") for number in range(20_001)]
    with refused(IA, match="The transaction contains too many mutations"):
        session.commit(None, insert("Users", "Id Name", *rows), timeout=60)
    assert session.rows("Users", "Id") == []


@pytest.mark.parametrize("limited", [{"mutations_per_commit": 7}], indirect=True)
def test_dml_and_mutations_count_together(limited):
    session = limited.session()
    begun = session.begin().id
    session.dml("INSERT INTO Pairs (A, B, C) VALUES (1, 1, 1)", begun)
    with refused(IA, match="too many mutations"):
        session.commit(begun, insert("Pairs", "A B C", (2, 2, 2)))
    session.commit(None, insert("Pairs", "A B C", (2, 2, 2)))


def test_a_commit_of_more_than_100_mebibytes(session):
    rows = [insert("Users", "Id Note", (number, "x" * 2_600_000)) for number in range(41)]
    with refused(IA):
        session.commit(None, *rows, timeout=60)
    assert session.rows("Users", "Id") == []


@on_both
def test_mutations_are_checked_at_commit(session):
    begun = session.begin().id
    with refused(NF):
        session.commit(begun, insert("Nothing", "Id", (1,)))


@on_both
def test_commit_of_a_partitioned_transaction(session):
    begun = session.begin(PDML).id
    with refused(FP):
        session.commit(begun, user(1))


@on_both
def test_returned_rows_of_dml_are_committed(session):
    begun = session.begin().id
    result = session.dml("INSERT INTO Users (Id) VALUES (1) THEN RETURN Id + 1", begun)
    assert rows_of(result) == [["2"]]
    session.commit(begun)
    assert session.rows("Users", "Id") == [["1"]]
