"""BatchWrite."""

import pytest

from tests.conformance.raw import (
    NF,
    delete,
    insert,
    keys,
    nanos_of,
    refused,
    update,
    user,
)


def by_index(replies):
    return {index: reply for reply in replies for index in reply.indexes}


def codes(replies):
    found = by_index(replies)
    return [found[index].status.code for index in sorted(found)]


def test_each_group_is_answered(session):
    replies = by_index(session.batch_write([user(1)], [user(2), user(3)], [user(4)]))
    assert sorted(replies) == [0, 1, 2]
    for reply in replies.values():
        assert reply.HasField("status")
        assert reply.status.code == 0
        assert nanos_of(reply.commit_timestamp) > 0
    assert len(session.rows("Users", "Id")) == 4


def test_groups_are_independent(session):
    session.commit(None, user(2))
    replies = by_index(session.batch_write([user(1)], [user(2)], [user(3)]))
    assert [replies[index].status.code for index in range(3)] == [0, 6, 0]
    assert not replies[1].HasField("commit_timestamp")
    assert session.rows("Users", "Id") == [["1"], ["2"], ["3"]]


def test_a_group_is_atomic(session):
    codes_found = codes(session.batch_write([user(1), update("Users", "Id Age", (9, 9))]))
    assert codes_found == [5]
    assert session.rows("Users", "Id") == []


def test_a_group_runs_in_order(session):
    group = [user(1), insert("Posts", "Id PostId", (1, 1)), delete("Users", keys(1)), user(1)]
    assert codes(session.batch_write(group)) == [0]
    assert session.rows("Posts", "Id") == []


def test_a_group_that_names_nothing_fails_alone(session):
    replies = session.batch_write([insert("Nothing", "Id", (1,))], [user(1)])
    assert codes(replies) == [5, 0]


def test_a_batch_write_without_groups_has_no_replies(session):
    assert session.batch_write() == []


def test_a_group_without_mutations_is_refused_alone(session):
    replies = by_index(session.batch_write([user(1)], [], [user(2)]))
    assert [replies[index].status.code for index in range(3)] == [0, 3, 0]
    assert not replies[1].HasField("commit_timestamp")
    assert session.rows("Users", "Id") == [["1"], ["2"]]


def test_batch_writes_are_not_protected_from_replay(session):
    again = writes = [[delete("Users", keys(1)), user(1)]]
    first, second = (session.batch_write(*groups) for groups in (writes, again))
    assert nanos_of(first[0].commit_timestamp) < nanos_of(second[0].commit_timestamp)


@pytest.mark.parametrize("limited", [{"mutations_per_commit": 8}], indirect=True)
def test_a_group_has_a_limit_of_mutations(limited):
    session = limited.session()
    replies = session.batch_write([user(1, 2, 3)], [user(4)], [user(5)], [user(6)])
    assert codes(replies) == [3, 0, 0, 0]


def test_exclusion_from_change_streams(session):
    assert codes(session.batch_write([user(1)], exclude_txn_from_change_streams=True)) == [0]


def test_on_a_multiplexed_session(shared):
    assert codes(shared.batch_write([user(1)], [user(2)])) == [0, 0]


def test_an_unknown_session_is_refused(raw, session):
    session.delete()
    with refused(NF, match="Session not found"):
        session.batch_write([user(1)])


@pytest.mark.parametrize(
    "malformed",
    [{}, {"insert": {"columns": ["Id"]}}, {"delete": {"table": "Users"}}],
    ids=["nothing", "no table", "no keys"],
)
def test_a_group_that_is_malformed_fails_alone(session, malformed):
    replies = session.batch_write([user(1)], [user(2), malformed], [user(3)])
    assert codes(replies) == [0, 3, 0]
    assert session.rows("Users", "Id") == [["1"], ["3"]]


def test_the_official_clients_groups(raw):
    database = raw.home.client()
    with database.mutation_groups() as groups:
        for number in range(3):
            groups.group().insert("Users", ["Id"], [(number,)])
        replies = list(groups.batch_write())
    assert sorted(index for reply in replies for index in reply.indexes) == [0, 1, 2]
    assert all(reply.status.code == 0 for reply in replies)
