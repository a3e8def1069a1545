"""How long sessions live, and what transactions each may have."""

import pytest
from google.cloud.spanner_v1 import BurstyPool, KeySet

from tests.conformance.raw import (
    FP,
    IA,
    NF,
    PDML,
    RO,
    RW,
    info_of,
    on_both,
    refused,
    user,
)

MINUTE = 60 * 10**9
HOUR = 60 * MINUTE
DAY = 24 * HOUR
UPDATE = "UPDATE Users SET Age = 1 WHERE true"
SESSION_TYPE = "type.googleapis.com/google.spanner.v1.Session"
KINDS = [
    "get", "query", "read", "begin", "commit", "rollback", "partition", "batch write", "a failure",
]  # fmt: skip


# ------------------------------------------------------------------ 1.4 Lifetime


def test_a_regular_session_ends_an_hour_after_its_last_request(raw, session):
    for _ in range(3):
        raw.clock.advance(59 * MINUTE)
        session.sql("SELECT 1")
    raw.clock.advance(61 * MINUTE)
    with refused(NF, match="Session not found") as error:
        session.sql("SELECT 1")
    assert info_of(error, "ResourceInfo").resource_name == session.name


def uses(session):
    """Return a request of each kind, but for those that end a session."""
    return {
        "get": session.get,
        "query": lambda: session.stream_sql("SELECT 1"),
        "read": lambda: session.read("Users", "Id"),
        "begin": session.begin,
        "commit": lambda: session.commit(None),
        "rollback": lambda: session.rollback(b"1"),
        "partition": lambda: session.partition_query("SELECT 1", {"begin": RO}),
        "batch write": lambda: session.batch_write([user(1)]),
        "a failure": lambda: session.sql("SELECT"),
    }


@pytest.mark.parametrize("which", KINDS)
def test_every_request_keeps_a_session_alive(raw, session, which):
    for _ in range(3):
        raw.clock.advance(59 * MINUTE)
        try:
            uses(session)[which]()
        except IA:
            assert which == "a failure"
    assert session.get().name == session.name


def test_deleting_an_expired_session_succeeds(raw, session):
    raw.clock.advance(61 * MINUTE)
    session.delete()


def test_a_missing_session_is_named_by_its_resource_type(raw, session, shared):
    raw.clock.advance(29 * DAY)
    for ended in (session, shared):
        with refused(NF, match="Session not found: ") as error:
            ended.read("Users", "Id")
        assert info_of(error, "ResourceInfo").resource_type == SESSION_TYPE


def test_a_session_that_ended_is_not_listed(raw, session):
    raw.clock.advance(61 * MINUTE)
    other = raw.session()
    found = raw.call("list_sessions", "ListSessionsRequest", database=raw.name).sessions
    assert [one.name for one in found] == [other.name]


def test_sessions_show_their_last_use(raw, session):
    before = session.get().approximate_last_use_time.seconds
    raw.clock.advance(10 * MINUTE)
    session.sql("SELECT 1")
    assert session.get().approximate_last_use_time.seconds >= before + 600


def test_a_multiplexed_session_expires_after_28_days(raw, shared):
    raw.clock.advance(27 * DAY)
    assert shared.select("SELECT 1") == [["1"]]
    raw.clock.advance(DAY + MINUTE)
    with refused(NF, match="Session not found") as error:
        shared.sql("SELECT 1")
    assert info_of(error, "ResourceInfo").resource_name == shared.name


# ------------------------------------------------------------------ 1.5 Transactions per session


def test_a_newer_read_write_transaction_replaces_the_one_before(raw, session):
    session.commit(None, user(1))
    first = session.begin().id
    session.dml(UPDATE, first)
    second = session.begin().id
    session.dml(UPDATE, second, timeout=8)
    with refused(FP):
        session.dml(UPDATE, first)
    session.commit(second)


@on_both
def test_an_earlier_transaction_cannot_commit_after_a_newer_was_used(raw, session):
    first, second = session.begin().id, session.begin().id
    session.commit(second, user(1))
    with refused(FP):
        session.commit(first, user(2))
    assert session.rows("Users", "Id") == [["1"]]


def test_read_only_transactions_live_side_by_side(raw, session):
    begun = []
    for number in range(5):
        session.commit(None, user(number))
        begun.append(session.begin(RO).id)
    counts = [len(session.rows("Users", "Id", transaction=one)) for one in begun]
    assert counts == [1, 2, 3, 4, 5]


def test_a_read_only_transaction_outlives_a_newer_read_write_one(raw, session):
    snapshot = session.begin(RO).id
    session.commit(session.begin().id, user(1))
    assert session.rows("Users", "Id", transaction=snapshot) == []


def test_a_session_keeps_its_newest_32_transactions(raw, session):
    begun = [session.begin(RO).id for _ in range(33)]
    with refused(FP):
        session.read("Users", "Id", transaction=begun[0])
    session.read("Users", "Id", transaction=begun[1])


@on_both
def test_an_unknown_transaction_id_is_refused(raw, session):
    with refused(NF, match="Transaction not found"):
        session.read("Users", "Id", transaction=b"123456789")


@on_both
def test_a_transaction_of_another_regular_session(raw, session):
    foreign = raw.session().begin().id
    with refused((NF, FP)):
        session.read("Users", "Id", transaction=foreign)
    with refused((NF, FP)):
        session.commit(foreign)


def test_a_multiplexed_session_has_any_number_of_any_kind(raw, shared):
    raw.session().commit(None, user(1, 2))
    begun = [shared.begin().id for _ in range(40)]
    snapshots = [shared.begin(RO).id for _ in range(40)]
    shared.dml("UPDATE Users SET Age = 1 WHERE true", shared.begin(PDML).id)
    for item in begun:
        assert shared.rows("Users", "Id", transaction=item) == [["1"], ["2"]]
    for item in snapshots:
        assert shared.rows("Users", "Age", transaction=item) == [[None], [None]]


def test_any_multiplexed_session_can_use_a_transaction(raw, shared):
    twin = raw.session(multiplexed=True)
    begun = shared.begin(RO)
    assert twin.rows("Users", "Id", transaction=begun.id) == []
    writing = shared.begin().id
    reply = twin.dml("INSERT INTO Users (Id) VALUES (1)", writing)
    token = {
        "precommit_token": reply.precommit_token.precommit_token,
        "seq_num": reply.precommit_token.seq_num,
    }
    raw.session(multiplexed=True).commit(writing, precommit_token=token)
    assert twin.rows("Users", "Id") == [["1"]]


def test_ids_are_unique_in_a_database(raw, session, shared):
    sessions = [session, shared, raw.session(), raw.session(multiplexed=True)]
    begun = [one.begin(options).id for one in sessions for options in (RW, RO, PDML)]
    assert len(set(begun)) == len(begun)


def test_a_regular_session_does_not_know_a_multiplexed_ones_transactions(raw, session, shared):
    with refused(NF):
        session.read("Users", "Id", transaction=shared.begin(RO).id)


# ------------------------------------------------------------------ 1.6 The official client


@pytest.fixture
def database(raw):
    return raw.home.client()


def test_the_official_client_writes_and_reads_on_one_multiplexed_session(raw, database):
    with database.batch() as batch:
        batch.insert("Users", ["Id", "Name"], [(1, "ada")])
    database.run_in_transaction(lambda txn: txn.execute_update(UPDATE))
    with database.snapshot() as snapshot:
        assert list(snapshot.execute_sql("SELECT Id, Name, Age FROM Users")) == [[1, "ada", 1]]
    assert database.execute_partitioned_dml("UPDATE Users SET Age = 2 WHERE true") == 1
    listed = raw.call("list_sessions", "ListSessionsRequest", database=raw.name).sessions
    assert list(listed) == []


def test_the_official_client_with_a_pool_of_regular_sessions(raw, monkeypatch):
    for suffix in ("", "_PARTITIONED_OPS", "_FOR_RW"):
        monkeypatch.setenv(f"GOOGLE_CLOUD_SPANNER_MULTIPLEXED_SESSIONS{suffix}", "false")
    database = raw.home.client(database_role=None)
    with database.batch() as batch:
        batch.insert("Users", ["Id", "Name"], [(1, "ada")])
    assert database.run_in_transaction(lambda txn: txn.execute_update(UPDATE)) == 1
    with database.snapshot(multi_use=True) as snapshot:
        assert list(snapshot.read("Users", ["Age"], KeySet(all_=True))) == [[1]]
    assert database.execute_partitioned_dml(UPDATE) == 1
    listed = raw.call("list_sessions", "ListSessionsRequest", database=raw.name).sessions
    assert len(listed) > 0


def test_the_official_client_makes_a_new_session_where_one_has_ended(raw, monkeypatch):
    for suffix in ("", "_PARTITIONED_OPS", "_FOR_RW"):
        monkeypatch.setenv(f"GOOGLE_CLOUD_SPANNER_MULTIPLEXED_SESSIONS{suffix}", "false")
    database = raw.home.client(database_role=None, pool=BurstyPool())
    for number in range(3):
        with database.batch() as batch:
            batch.insert("Users", ["Id"], [(number,)])
        raw.clock.advance(61 * MINUTE)
    with database.snapshot() as snapshot:
        assert list(snapshot.execute_sql("SELECT COUNT(*) FROM Users")) == [[3]]
