"""Sequence numbers of DML, and statements that are sent twice."""

import pytest

from tests.conformance.raw import AE, FP, IA, RW, on_both, params, refused, rows_of, user

INSERT = "INSERT INTO Users (Id, Age) VALUES (2, 1)"
MORE = "UPDATE Users SET Age = IFNULL(Age, 0) + 1 WHERE Id = 1"
RETURN = MORE + " THEN RETURN Age"


@pytest.fixture
def begun(session):
    session.commit(None, user(1))
    return session.begin().id


@on_both
def test_a_statement_sent_twice_runs_once(session, begun):
    for _ in range(3):
        assert session.sql(MORE, begun, seqno=1).stats.row_count_exact == 1
    session.commit(begun)
    assert session.rows("Users", "Age") == [["1"]]


def test_a_streamed_statement_replays_an_unary_one(session, begun):
    session.sql(RETURN, begun, seqno=1)
    replies = session.stream_sql(RETURN, begun, seqno=1)
    assert replies[-1].stats.row_count_exact == 1
    assert [one.string_value for one in replies[0].values] == ["1"]
    session.commit(begun)
    assert session.rows("Users", "Age") == [["1"]]


@on_both
def test_a_replay_returns_the_rows_again(session, begun):
    first, again = (rows_of(session.sql(RETURN, begun, seqno=1)) for _ in range(2))
    assert first == again == [["1"]]


@on_both
def test_replays_ignore_the_resume_token(session, begun):
    session.sql(MORE, begun, seqno=1)
    session.sql(MORE, begun, seqno=1, resume_token=b"")
    session.commit(begun)
    assert session.rows("Users", "Age") == [["1"]]


@on_both
def test_rising_numbers_run_each_time(session, begun):
    for seqno in (1, 2, 5, 100):
        session.sql(MORE, begun, seqno=seqno)
    session.commit(begun)
    assert session.rows("Users", "Age") == [["4"]]


@on_both
def test_an_older_answer_can_still_be_had(session, begun):
    session.sql(MORE, begun, seqno=1)
    session.sql(INSERT, begun, seqno=2)
    assert session.sql(MORE, begun, seqno=1).stats.row_count_exact == 1


@on_both
def test_a_number_used_for_something_else(session, begun):
    session.sql(MORE, begun, seqno=1)
    with refused(IA, match="different request with this seqno"):
        session.sql(INSERT, begun, seqno=1)


@on_both
def test_a_number_used_with_other_parameters(session, begun):
    sql = "UPDATE Users SET Age = @age WHERE Id = 1"
    types = {"age": {"code": "INT64"}}
    session.sql(sql, begun, seqno=1, params=params(age=1), param_types=types)
    session.sql(sql, begun, seqno=1, params=params(age=1), param_types=types)
    with refused(IA):
        session.sql(sql, begun, seqno=1, params=params(age=2), param_types=types)


@on_both
def test_an_old_number_is_refused(session, begun):
    session.sql(MORE, begun, seqno=5)
    with refused(IA, match="out-of-order seqno"):
        session.sql(INSERT, begun, seqno=3)


def test_an_old_number_ends_the_transaction(session, begun):
    session.sql(MORE, begun, seqno=5)
    for _ in range(2):
        with refused(IA, match="out-of-order seqno"):
            session.sql(INSERT, begun, seqno=3)
    with refused(IA):
        session.commit(begun)


@on_both
def test_a_failure_is_replayed(session, begun):
    for _ in range(2):
        with refused(AE):
            session.sql("INSERT INTO Users (Id) VALUES (1)", begun, seqno=1)


@on_both
def test_a_success_is_replayed_in_an_invalidated_transaction(session, begun):
    session.sql(MORE, begun, seqno=1)
    with refused(AE):
        session.sql("INSERT INTO Users (Id) VALUES (1)", begun, seqno=2)
    assert session.sql(MORE, begun, seqno=1).stats.row_count_exact == 1


@on_both
def test_a_batch_sent_twice_runs_once(session, begun):
    for _ in range(2):
        reply = session.batch(begun, MORE, INSERT, seqno=1)
        assert [one.stats.row_count_exact for one in reply.result_sets] == [1, 1]
    session.commit(begun)
    assert session.rows("Users", "Age") == [["1"], ["1"]]


@on_both
def test_a_failed_batch_is_replayed(session, begun):
    for _ in range(2):
        reply = session.batch(begun, MORE, "INSERT INTO Users (Id) VALUES (1)", MORE, seqno=1)
        assert (len(reply.result_sets), reply.status.code) == (1, 6)


@on_both
def test_a_batch_with_the_number_of_another(session, begun):
    session.batch(begun, MORE, seqno=1)
    with refused(IA, match="different request with this seqno"):
        session.batch(begun, INSERT, seqno=1)
    with refused(IA):
        session.sql(MORE, begun, seqno=1)


@on_both
def test_a_batch_with_an_old_number_is_refused(session, begun):
    session.sql(MORE, begun, seqno=5)
    with refused(IA, match="out-of-order seqno"):
        session.batch(begun, INSERT, seqno=3)


@on_both
def test_each_transaction_counts_by_itself(session, begun):
    session.sql(MORE, begun, seqno=7)
    session.commit(begun)
    again = session.begin().id
    session.sql(MORE, again, seqno=1)
    session.commit(again)
    assert session.rows("Users", "Age") == [["2"]]


@on_both
def test_queries_need_no_number(session, begun):
    session.sql(MORE, begun, seqno=3)
    assert session.select("SELECT Age FROM Users", begun) == [["1"]]
    session.sql(MORE, begun, seqno=4)


# ------------------------------------------------------------------ the last statement


def test_only_a_commit_or_rollback_follows_the_last_statement(session, begun):
    session.dml(MORE, begun, last_statement=True)
    for request in (
        lambda: session.dml(MORE, begun),
        lambda: session.batch(begun, MORE),
        lambda: session.sql("SELECT 1", begun),
        lambda: session.read("Users", "Id", transaction=begun),
    ):
        with refused(FP):
            request()
    session.commit(begun)
    assert session.rows("Users", "Age") == [["1"]]


def test_the_last_statement_can_be_replayed(session, begun):
    for _ in range(2):
        session.sql(MORE, begun, seqno=1, last_statement=True)
    session.rollback(begun)


def test_the_last_batch(session, begun):
    session.batch(begun, MORE, last_statements=True)
    with refused(FP):
        session.dml(MORE, begun)
    session.commit(begun)
    assert session.rows("Users", "Age") == [["1"]]


def test_the_last_statement_may_be_the_first(session, begun):
    session.rollback(begun)
    begun = session.dml(MORE, {"begin": RW}, last_statement=True).metadata.transaction.id
    session.commit(begun)
    assert session.rows("Users", "Age") == [["1"]]
