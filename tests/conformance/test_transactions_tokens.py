"""Precommit tokens of multiplexed sessions."""

import pytest

from tests.conformance.raw import FP, IA, NF, RO, RW, insert, refused, user

INSERT = "INSERT INTO Users (Id) VALUES (1)"
MORE = "UPDATE Users SET Age = 1 WHERE Id = 1"
BIG = "SELECT REPEAT('x', 700000) FROM UNNEST([1, 2, 3])"


def token_of(reply):
    assert reply.HasField("precommit_token")
    return {
        "precommit_token": reply.precommit_token.precommit_token,
        "seq_num": reply.precommit_token.seq_num,
    }


def silent(reply):
    return not reply.HasField("precommit_token")


@pytest.fixture
def begun(shared):
    return shared.begin().id


def test_every_reply_of_a_read_write_transaction_has_a_token(shared, begun):
    tokens = [
        token_of(shared.sql("SELECT 1", begun)),
        token_of(shared.read("Users", "Id", transaction=begun)),
        token_of(shared.dml(INSERT, begun)),
        token_of(shared.batch(begun, MORE)),
        *map(token_of, shared.stream_sql("SELECT 1", begun)),
        *map(token_of, shared.stream_read("Users", "Id", transaction=begun)),
    ]
    numbers = [one["seq_num"] for one in tokens]
    assert numbers == sorted(set(numbers))
    assert len({one["precommit_token"] for one in tokens}) == len(tokens)


def test_every_part_of_a_stream_has_a_token(shared, begun):
    replies = shared.stream_sql(BIG, begun)
    assert len(replies) > 1
    for reply in replies:
        token_of(reply)


def test_inline_begins_have_tokens(shared):
    token_of(shared.sql("SELECT 1", {"begin": RW}))
    token_of(shared.batch({"begin": RW}, INSERT))


def test_a_commit_with_the_latest_token_succeeds(shared, begun):
    shared.dml(INSERT, begun)
    latest = token_of(shared.dml(MORE, begun))
    reply = shared.commit(begun, precommit_token=latest)
    assert reply.HasField("commit_timestamp")
    assert silent(reply)
    assert shared.rows("Users", "Age") == [["1"]]


def test_a_commit_without_the_latest_token_is_refused(shared, begun):
    latest = token_of(shared.dml(INSERT, begun))
    with refused(FP):
        shared.commit(begun)
    shared.commit(begun, precommit_token=latest)
    assert shared.rows("Users", "Id") == [["1"]]


def test_an_older_token_is_answered_with_a_newer(shared, begun):
    older = token_of(shared.dml(INSERT, begun))
    shared.dml(MORE, begun)
    reply = shared.commit(begun, user(2), precommit_token=older)
    assert not reply.HasField("commit_timestamp")
    again = shared.commit(begun, precommit_token=token_of(reply))  # the mutations were kept
    assert again.HasField("commit_timestamp")
    assert shared.rows("Users", "Id") == [["1"], ["2"]]


def test_begin_with_a_mutation_key_has_a_token(shared):
    begun = shared.begin(mutation_key=user(1))
    reply = shared.commit(begun.id, user(1), user(2), precommit_token=token_of(begun))
    assert reply.HasField("commit_timestamp")
    assert shared.rows("Users", "Id") == [["1"], ["2"]]


def test_begin_without_a_mutation_key_has_none(shared):
    assert silent(shared.begin())


@pytest.mark.parametrize("again", [(), (user(1),)], ids=["kept", "sent again"])
def test_mutations_without_a_mutation_key_are_committed_again_with_a_token(shared, begun, again):
    reply = shared.commit(begun, user(1))
    assert not reply.HasField("commit_timestamp")
    assert shared.rows("Users", "Id") == []
    shared.commit(begun, *again, precommit_token=token_of(reply))
    assert shared.rows("Users", "Id") == [["1"]]


def test_an_empty_commit_returns_a_token_to_retry_with(shared, begun):
    reply = shared.commit(begun)
    assert shared.commit(begun, precommit_token=token_of(reply)).HasField("commit_timestamp")


def test_an_invalid_mutation_key_is_refused(shared):
    with refused(NF):
        shared.begin(mutation_key=insert("Nothing", "Id", (1,)))
    with refused(NF):
        shared.begin(mutation_key=insert("Users", "Id Nothing", (1, 1)))
    for malformed in (
        insert("Users", "Id", ("text",)),
        insert("Users", "Id Name", (1, 1.5)),
        {"delete": {"table": "Users", "key_set": {"keys": [["text"]]}}},
        {"delete": {"table": "Users", "key_set": {"keys": [["1", "2"]]}}},
    ):
        with refused(IA):
            shared.begin(mutation_key=malformed)
        with refused(FP):
            shared.commit(None, malformed)


def test_a_repeated_commit_gets_the_same_answer(shared, begun):
    token = token_of(shared.dml(INSERT, begun))
    first = shared.commit(begun, precommit_token=token).commit_timestamp
    assert shared.commit(begun, precommit_token=token).commit_timestamp == first


def test_a_single_use_commit_needs_none(shared):
    assert shared.commit(None, user(1)).HasField("commit_timestamp")


def test_read_only_transactions_have_none(shared):
    assert silent(shared.sql("SELECT 1"))
    assert silent(shared.sql("SELECT 1", {"begin": RO}))
    assert silent(shared.read("Users", "Id", transaction=shared.begin(RO).id))


def test_regular_sessions_have_none(session):
    assert silent(session.begin(mutation_key=user(1)))
    begun = session.begin().id
    replies = [
        session.sql("SELECT 1", begun),
        session.dml(INSERT, begun),
        session.batch(begun, MORE),
        session.read("Users", "Id", transaction=begun),
        *session.stream_sql("SELECT 1", begun),
        session.commit(begun),
    ]
    assert all(map(silent, replies))


def test_failed_statements_give_no_token_but_leave_the_last_one_good(shared, begun):
    latest = token_of(shared.dml(INSERT, begun))
    with refused(IA):
        shared.dml("UPDATE Nothing SET Age = 1 WHERE true", begun)
    shared.commit(begun, precommit_token=latest)


def test_the_official_client_commits_mutations_alone(raw):
    database = raw.home.client()
    database.run_in_transaction(lambda txn: txn.insert("Users", ["Id"], [(1,)]))
    with database.snapshot() as snapshot:
        assert list(snapshot.execute_sql("SELECT Id FROM Users")) == [[1]]
