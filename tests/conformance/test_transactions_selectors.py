"""Which transaction a request runs in, and beginning one inline."""

import pytest

from tests.conformance.raw import (
    AE,
    FP,
    IA,
    NF,
    OOR,
    PDML,
    RO,
    RW,
    insert,
    on_both,
    read_only,
    refused,
    rows_of,
    user,
)

INSERT = "INSERT INTO Users (Id) VALUES (1)"
BEGIN_RW = {"begin": RW}


# ------------------------------------------------------------------ 2.1 Selector rules


@on_both
def test_no_selector_is_a_strong_read(session):
    session.commit(None, user(1))
    assert session.rows("Users", "Id") == [["1"]]
    result = session.sql("SELECT Id FROM Users")
    assert rows_of(result) == [["1"]]
    assert not result.metadata.HasField("transaction")


@on_both
@pytest.mark.parametrize("options", [RW, PDML], ids=["read_write", "partitioned_dml"])
def test_a_single_use_read_must_be_read_only(session, options):
    with refused(IA):
        session.read("Users", "Id", transaction={"single_use": options})
    with refused(IA):
        session.sql("SELECT 1", {"single_use": options})


@on_both
@pytest.mark.parametrize("selector", [None, {"single_use": RO}], ids=["none", "single use"])
def test_dml_needs_a_transaction_that_can_be_repeated(session, selector):
    with refused(IA):
        session.sql(INSERT, selector)


@on_both
def test_single_use_read_write_dml(session):
    with refused(IA):
        session.sql(INSERT, {"single_use": RW})


@on_both
def test_dml_in_a_read_only_transaction(session):
    expected = "only be performed in a read-write or partitioned-dml transaction"
    with refused(IA, match=expected):
        session.sql(INSERT, {"begin": RO})
    with refused(IA, match=expected):
        session.sql(INSERT, session.begin(RO).id)


def test_batch_dml_needs_a_read_write_transaction(session):
    for selector in (None, {"single_use": RO}, {"single_use": RW}, {"begin": RO}):
        with refused(IA):
            session.batch(selector, INSERT)
    with refused(IA):
        session.batch(session.begin(RO).id, INSERT)


@on_both
def test_options_without_a_mode(session):
    with refused(IA, match="No value provided for required field"):
        session.begin({})
    with refused(IA):
        session.sql("SELECT 1", {"begin": {}})


def test_a_single_use_without_a_mode_is_a_strong_read(session):
    # As `gcloud spanner databases splits list` sends it.
    session.commit(None, insert("Users", "Id", [1]))
    assert rows_of(session.sql("SELECT Id FROM Users", {"single_use": {}})) == [["1"]]
    assert rows_of(session.read("Users", "Id", transaction={"single_use": {}})) == [["1"]]


@on_both
@pytest.mark.parametrize("bound", ["min_read_timestamp", "max_staleness"])
def test_bounded_staleness_requires_a_single_use_transaction(session, bound):
    options = read_only(**{bound: 10**18})
    with refused(IA, match="single use transaction"):
        session.begin(options)
    with refused(IA):
        session.sql("SELECT 1", {"begin": options})
    with refused(IA):
        session.read("Users", "Id", transaction={"begin": options})


@on_both
def test_requests_beside_a_live_transaction(session):
    live = session.begin().id
    session.dml(INSERT, live)
    assert session.select("SELECT COUNT(*) FROM Users", {"single_use": RO}) == [["0"]]
    assert session.select("SELECT COUNT(*) FROM Users") == [["0"]]
    assert session.select("SELECT COUNT(*) FROM Users", live) == [["1"]]
    session.commit(live)


def test_an_empty_id(session):
    with refused(IA):
        session.sql("SELECT 1", {"id": b""})
    with refused(IA):
        session.commit(b"")


@pytest.mark.parametrize("unknown", [b"987654321", b"not a number"])
def test_an_unknown_id(session, unknown):
    with refused((NF, IA)):
        session.sql("SELECT 1", unknown)


# ------------------------------------------------------------------ 2.5 Inline begin


@on_both
def test_a_query_begins_a_transaction(session):
    result = session.sql("SELECT 1", BEGIN_RW)
    begun = result.metadata.transaction.id
    assert begun
    session.dml(INSERT, begun)
    session.commit(begun)
    assert session.rows("Users", "Id") == [["1"]]


@on_both
def test_dml_begins_a_transaction(session):
    result = session.dml(INSERT, BEGIN_RW)
    assert result.stats.row_count_exact == 1
    session.commit(result.metadata.transaction.id)
    assert session.rows("Users", "Id") == [["1"]]


@on_both
def test_a_read_begins_a_transaction(session):
    begun = session.read("Users", "Id", transaction=BEGIN_RW).metadata.transaction.id
    session.commit(begun, user(1))
    assert session.rows("Users", "Id") == [["1"]]


@on_both
def test_the_first_message_of_a_stream_has_the_transaction(session):
    replies = session.stream_sql("SELECT 1", BEGIN_RW)
    assert replies[0].metadata.transaction.id
    replies = session.stream_read("Users", "Id", transaction=BEGIN_RW)
    assert replies[0].metadata.transaction.id


@on_both
def test_a_batch_begins_a_transaction(session):
    reply = session.batch(BEGIN_RW, INSERT, "UPDATE Users SET Age = 3 WHERE Id = 1")
    begun = reply.result_sets[0].metadata.transaction.id
    assert begun
    assert not reply.result_sets[1].metadata.HasField("transaction")
    session.commit(begun)
    assert session.rows("Users", "Age") == [["3"]]


@on_both
def test_later_requests_do_not_return_the_transaction_id(session):
    begun = session.begin().id
    assert not session.sql("SELECT 1", begun).metadata.HasField("transaction")
    session.rollback(begun)


@on_both
def test_a_read_only_transaction_begins_inline(session):
    begun = session.sql("SELECT 1", {"begin": RO}).metadata.transaction.id
    session.commit(None, user(1))
    assert session.rows("Users", "Id", transaction=begun) == []


@on_both
def test_a_failed_statement_begins_nothing(session):
    session.commit(None, user(1))
    with refused(AE):
        session.dml(INSERT, BEGIN_RW)
    with refused(IA):
        session.dml("UPDATE Nothing SET Age = 3 WHERE true", BEGIN_RW)
    with refused(OOR):
        session.sql("SELECT 1 / 0 FROM Users", BEGIN_RW)
    # Nothing is locked: another transaction goes ahead at once.
    session.dml("UPDATE Users SET Age = 3 WHERE Id = 1", BEGIN_RW, timeout=8)


def test_a_batch_that_fails_at_once_begins_nothing(session):
    session.commit(None, user(1))
    reply = session.batch(BEGIN_RW, INSERT)
    assert reply.status.code == 6
    assert not reply.result_sets
    session.dml("UPDATE Users SET Age = 3 WHERE Id = 1", BEGIN_RW, timeout=8)


@on_both
def test_a_batch_that_fails_later_keeps_its_transaction(session):
    reply = session.batch(BEGIN_RW, INSERT, "UPDATE Users SET Nothing = 1 WHERE true")
    assert (reply.status.code, len(reply.result_sets)) == (3, 1)
    session.commit(reply.result_sets[0].metadata.transaction.id)
    assert session.rows("Users", "Id") == [["1"]]


def test_optimizer_versions(session):
    for version in ("", "1", "latest", "LATEST"):
        session.sql("SELECT 1", query_options={"optimizer_version": version})
    for version in ("latest", "Latest_Version", "default_version", "3"):
        session.sql(f"@{{OPTIMIZER_VERSION={version}}} SELECT 1")
    with refused(IA, match="Query optimizer version: 1000 is not supported"):
        session.sql("SELECT 1", query_options={"optimizer_version": "1000"})


def test_a_plan_begins_a_transaction_too(session):
    result = session.sql("SELECT Id FROM Users", BEGIN_RW, query_mode="PLAN")
    begun = result.metadata.transaction.id
    session.commit(begun, user(1))
    assert session.rows("Users", "Id") == [["1"]]


def test_partitioning_begins_a_read_only_transaction(session):
    begun = session.partition_read("Users", "Id", transaction={"begin": RO}).transaction.id
    assert session.rows("Users", "Id", transaction=begun) == []
    begun = session.partition_query("SELECT Id FROM Users", {"begin": RO}).transaction.id
    assert session.select("SELECT Id FROM Users", begun) == []
    with refused(IA):
        session.partition_read("Users", "Id", transaction=BEGIN_RW)


def test_an_inline_read_write_begin_replaces_the_transaction_before(session):
    old = session.dml(INSERT, BEGIN_RW).metadata.transaction.id
    session.sql("SELECT 1", BEGIN_RW)
    with refused(FP):
        session.commit(old)
