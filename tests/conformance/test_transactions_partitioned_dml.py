"""Partitioned DML, and directed reads."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from google.api_core import exceptions

from spanemu.database.transactions import partitioned_dml
from tests.conformance.raw import (
    ALL,
    FP,
    IA,
    PDML,
    RO,
    RW,
    UNIMPLEMENTED,
    insert,
    nanos_of,
    on_both,
    refused,
    update,
    user,
)

UPDATE = "UPDATE Users SET Age = IFNULL(Age, 0) + 1 WHERE true"
REPLICAS = {"include_replicas": {"replica_selections": [{"location": "us-east1"}]}}


@pytest.fixture
def begun(session):
    session.commit(None, user(1, 2, 3))
    return session.begin(PDML).id


# ------------------------------------------------------------------ 2.10 Partitioned DML


@on_both
def test_partitioned_dml_commits_itself_and_counts_a_lower_bound(session, begun):
    result = session.sql(UPDATE, begun)
    assert result.stats.WhichOneof("row_count") == "row_count_lower_bound"
    assert result.stats.row_count_lower_bound == 3
    assert session.rows("Users", "Age") == [["1"]] * 3


@on_both
def test_partitioned_dml_can_be_streamed(session, begun):
    replies = session.stream_sql("DELETE FROM Users WHERE Id > 1", begun)
    assert replies[-1].stats.row_count_lower_bound == 2
    assert session.rows("Users", "Id") == [["1"]]


@on_both
def test_a_partitioned_dml_transaction_cannot_be_committed_or_rolled_back(session, begun):
    session.sql(UPDATE, begun)
    with refused(FP):
        session.commit(begun)
    with refused(FP):
        session.rollback(begun)


@on_both
def test_a_partitioned_dml_transaction_runs_one_statement(session, begun):
    session.sql(UPDATE, begun, seqno=1)
    with refused(IA, match="may only be used to execute one statement"):
        session.sql("DELETE FROM Users WHERE true", begun, seqno=2)
    assert session.rows("Users", "Age") == [["1"]] * 3


@on_both
def test_inserts_are_refused(session, begun):
    with refused(IA, match="INSERT is not supported for Partitioned DML"):
        session.sql("INSERT INTO Users (Id) VALUES (9)", begun)


@on_both
@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE Users SET Age = 1 WHERE Id IN (SELECT Id FROM Posts)",
        "DELETE FROM Users WHERE EXISTS (SELECT 1 FROM Posts WHERE Posts.Id = Users.Id)",
        "UPDATE Users SET Age = (SELECT MAX(Id) FROM Posts) WHERE true",
        "UPDATE Users SET Age = (SELECT MAX(u.Id) FROM Users AS u) WHERE true",
        "DELETE FROM Users WHERE Id IN (SELECT u.Age FROM Users AS u)",
    ],
)
def test_statements_that_need_other_rows_are_refused(session, begun, sql):
    with refused(IA, match="only supports fully partitionable statements"):
        session.sql(sql, begun)


@on_both
def test_anything_but_dml_is_refused(session, begun):
    with refused(IA, match="only be used to execute DML"):
        session.sql("SELECT 1", begun)
    with refused(IA):
        session.read("Users", "Id", transaction=begun)
    with refused(IA):
        session.batch(begun, UPDATE)


@pytest.mark.parametrize(
    ("sql", "fields", "code"),
    [
        (f"{UPDATE} THEN RETURN Id", {}, UNIMPLEMENTED),
        (UPDATE, {"query_mode": "PLAN"}, IA),
        (UPDATE, {"query_mode": "PROFILE"}, IA),
    ],
    ids=["returning", "plan", "profile"],
)
def test_rows_and_plans_are_refused(session, begun, sql, fields, code):
    with refused(code):
        session.sql(sql, begun, **fields)
    assert session.rows("Users", "Age") == [[None]] * 3


def test_a_refused_statement_does_not_use_up_the_transaction(session, begun):
    with refused(IA):
        session.sql("SELECT 1", begun)
    session.sql(UPDATE, begun)
    assert session.rows("Users", "Age") == [["1"]] * 3


@on_both
def test_partitioned_dml_can_begin_inline(session, begun):
    session.sql(UPDATE, {"begin": PDML})
    assert session.rows("Users", "Age") == [["1"]] * 3


@on_both
def test_a_failed_partition_fails_the_statement(session, begun):
    with refused(FP):
        session.sql("UPDATE Users SET Name = REPEAT('x', 21) WHERE Id = 3", begun)


@on_both
def test_the_commit_timestamp_can_be_written(raw, session):
    raw.ddl(
        "CREATE TABLE Stamps (Id INT64, Time TIMESTAMP OPTIONS (allow_commit_timestamp = true))"
        " PRIMARY KEY (Id)"
    )
    session.commit(None, insert("Stamps", "Id", (1,)))
    session.sql(
        "UPDATE Stamps SET Time = PENDING_COMMIT_TIMESTAMP() WHERE true", session.begin(PDML).id
    )
    assert session.select("SELECT Time IS NOT NULL FROM Stamps") == [[True]]


@on_both
def test_sequences_can_be_drawn_from(raw, session, begun):
    raw.ddl("CREATE SEQUENCE Numbers OPTIONS (sequence_kind = 'bit_reversed_positive')")
    session.sql(
        "UPDATE Users SET Age = GET_NEXT_SEQUENCE_VALUE(SEQUENCE Numbers) WHERE true",
        session.begin(PDML).id,
    )
    assert session.select("SELECT COUNT(DISTINCT Age) FROM Users") == [["3"]]


@pytest.mark.parametrize("parallelism", [1, 1000])
def test_parallelism_can_be_hinted(session, begun, parallelism):
    session.sql(f"@{{PDML_MAX_PARALLELISM={parallelism}}} {UPDATE}", begun)
    assert session.rows("Users", "Age") == [["1"]] * 3


@pytest.mark.parametrize("parallelism", [0, 1001])
def test_parallelism_out_of_range(session, begun, parallelism):
    with refused(IA):
        session.sql(f"@{{PDML_MAX_PARALLELISM={parallelism}}} {UPDATE}", begun)


def test_twenty_thousand_at_a_time(raw, session, begun, monkeypatch):
    monkeypatch.setattr(partitioned_dml, "PARTITIONED_DML_CONCURRENT_MAX", 1)
    other = raw.session()
    held = other.begin().id
    other.dml("UPDATE Users SET Age = 7 WHERE Id = 1", held)
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(session.sql, UPDATE, begun)
        while not raw.home._database()._core.partitioned_dml:
            Event().wait(0.001)
        third = raw.session()
        late = third.begin(PDML).id
        with refused(exceptions.ResourceExhausted):
            third.sql(UPDATE, late)
        other.rollback(held)
        waiting.result(60)
    assert third.sql(UPDATE, late).stats.row_count_lower_bound == 3


@on_both
@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE Users SET Age = (SELECT 7) WHERE true",
        "UPDATE Users SET Age = 7 WHERE Id IN UNNEST([1, 2, 3])",
        "UPDATE Users SET Age = 7 WHERE EXISTS (SELECT 1 FROM UNNEST([1, 2, 3]) AS x WHERE x = Id)",
    ],
)
def test_subqueries_without_a_table_are_partitionable(session, begun, sql):
    assert session.sql(sql, begun).stats.row_count_lower_bound == 3
    assert session.rows("Users", "Age") == [["7"]] * 3


def test_rows_found_by_an_index(session):
    session.commit(None, user(1, 2))
    sql = "UPDATE Users SET Note = 'found' WHERE Name = 'user 2'"
    assert session.sql(sql, session.begin(PDML).id).stats.row_count_lower_bound == 1
    assert session.rows("Users", "Note") == [[None], ["found"]]


def test_partitioned_dml_waits_for_locks(raw, session, begun):
    other = raw.session()
    held = other.begin().id
    other.read("Users", "Id", transaction=held)
    other.commit(held, update("Users", "Id Age", (1, 5)))
    session.sql(UPDATE, begun)
    assert session.rows("Users", "Age") == [["6"], ["1"], ["1"]]


def test_on_a_multiplexed_session(raw, shared):
    shared.commit(None, user(1, 2))
    result = shared.sql(UPDATE, shared.begin(PDML).id)
    assert result.stats.row_count_lower_bound == 2
    assert not result.HasField("precommit_token")


def split(raw):
    """Split users into two partitions: 1 to 9, and from 10 on."""
    raw.home.split_at("Users", [10])


def test_a_failure_leaves_the_partitions_before_it_applied(raw, session):
    split(raw)
    session.commit(None, user(1, 2, 11, 12))
    sql = "UPDATE Users SET Name = IF(Id = 12, REPEAT('x', 21), 'done') WHERE true"
    with refused(FP, match="exceeds the maximum size limit"):
        session.sql(sql, session.begin(PDML).id)
    assert session.rows("Users", "Name") == [["done"], ["done"], ["user 11"], ["user 12"]]


def test_each_partition_has_its_own_timestamp(raw, session):
    split(raw)
    raw.ddl("ALTER TABLE Users ADD COLUMN Time TIMESTAMP OPTIONS (allow_commit_timestamp = true)")
    session.commit(None, user(1, 2, 11, 12))
    sql = "UPDATE Users SET Time = PENDING_COMMIT_TIMESTAMP() WHERE true"
    result = session.sql(sql, session.begin(PDML).id)
    assert result.stats.row_count_lower_bound == 4
    first, second, third, fourth = (row[0] for row in session.rows("Users", "Time"))
    assert first == second < third == fourth


@pytest.mark.parametrize(
    ("condition", "changed"),
    [
        ("true", 4),
        ("Id = 11", 1),
        ("Id IN (2, 11)", 2),
        ("Id BETWEEN 2 AND 11", 2),
        ("Name = 'user 2'", 1),
        ("Id > 99", 0),
    ],
)
def test_partitioned_dml_changes_every_row_once(raw, session, condition, changed):
    split(raw)
    session.commit(None, user(1, 2, 11, 12))
    sql = f"UPDATE Users SET Age = IFNULL(Age, 0) + 1 WHERE {condition}"
    assert session.sql(sql, session.begin(PDML).id).stats.row_count_lower_bound == changed
    touched = session.select("SELECT Id FROM Users WHERE Age = 1")
    assert len(touched) == changed
    assert session.select(f"SELECT COUNT(*) FROM Users WHERE {condition}") == [[str(changed)]]


@pytest.mark.parametrize("limited", [{"mutations_per_commit": 6}], indirect=True)
def test_mutations_of_partitioned_dml_are_not_limited(limited):
    session = limited.session()
    for number in (1, 2, 3):
        session.commit(None, insert("Users", "Id", (number,)))
    begun = session.begin(PDML).id
    assert session.sql(UPDATE, begun).stats.row_count_lower_bound == 3
    assert session.rows("Users", "Age") == [["1"]] * 3


# ------------------------------------------------------------------ 2.11 Directed reads


@pytest.mark.parametrize(
    "directed",
    [
        REPLICAS,
        {"include_replicas": {**REPLICAS["include_replicas"], "auto_failover_disabled": True}},
        {"exclude_replicas": {"replica_selections": [{"type_": "READ_ONLY"}]}},
    ],
)
@pytest.mark.parametrize("selector", [None, {"single_use": RO}, {"begin": RO}, "id"])
def test_read_only_requests_may_choose_replicas(session, directed, selector):
    session.commit(None, user(1))
    if selector == "id":
        selector = session.begin(RO).id
    fields = {"transaction": selector, "directed_read_options": directed}
    assert session.rows("Users", "Id", ALL, **fields) == [["1"]]
    assert session.select("SELECT Id FROM Users", **fields) == [["1"]]


@pytest.mark.parametrize("options", [RW, PDML], ids=["read-write", "partitioned"])
def test_requests_that_may_write_cannot_choose_replicas(session, options):
    begun = session.begin(options).id
    for selector in (begun, {"begin": options}):
        with refused(IA, match="Directed reads can only be performed in a read-only"):
            session.sql(UPDATE, selector, directed_read_options=REPLICAS)
    with refused(IA):
        session.read("Users", "Id", transaction=begun, directed_read_options=REPLICAS)


def test_ten_replicas_at_most(session):
    def choose(count):
        chosen = [{"location": f"us-east{number % 2 * 3 + 1}"} for number in range(count)]
        options = {"include_replicas": {"replica_selections": chosen}}
        session.sql("SELECT 1", directed_read_options=options)

    choose(10)
    with refused(IA):
        choose(11)


def test_a_commit_timestamp_of_partitioned_dml_is_its_own(session, begun):
    before = nanos_of(session.commit(None, user(4)).commit_timestamp)
    session.sql(UPDATE, begun)
    options = {
        "read_only": {"read_timestamp": {"seconds": before // 10**9, "nanos": before % 10**9}}
    }
    assert session.rows("Users", "Age", transaction={"single_use": options}) == [[None]] * 4


@pytest.mark.parametrize("selection", [{}, {"type_": 9}], ids=["nothing", "no such type"])
@pytest.mark.parametrize("kind", ["include_replicas", "exclude_replicas"])
def test_a_replica_selection_must_not_be_empty(session, kind, selection):
    options = {kind: {"replica_selections": [{"location": "us-east1"}, selection]}}
    with refused(IA):
        session.sql("SELECT 1", directed_read_options=options)
