"""Which transactions a session still knows, and for how long."""

import pytest

from spanemu.base.clock import ManualClock
from spanemu.database import transactions as module
from spanemu.database.database import Database
from spanemu.database.environment import Environment
from spanemu.database.errors import TransactionClosed, TransactionEnded
from spanemu.database.options import CommitOptions, Existing, ReadWrite

NAME = "projects/p/instances/i/databases/d"


@pytest.fixture
def session():
    database = Database(NAME, Environment(clock=ManualClock(1_000_000_000)))
    yield database.sessions.create({}, multiplexed=True)
    database.close()


def test_ended_transactions_of_multiplexed_sessions_are_forgotten_first(session, monkeypatch):
    monkeypatch.setattr(module, "MULTIPLEXED_ENDED_SECONDS_MAX", -1.0)
    begun = [session.begin(ReadWrite()).id for _ in range(3)]
    session.rollback(begun[1])
    for _ in range(256):
        session.begin(ReadWrite())
    transactions = session.transactions
    assert [transactions.get(id_).id for id_ in (begun[0], begun[2])] == [begun[0], begun[2]]
    with pytest.raises(TransactionClosed):
        transactions.get(begun[1])


def test_an_ended_transaction_still_says_so(session):
    ended = session.begin(ReadWrite()).id
    session.rollback(ended)
    with pytest.raises(TransactionEnded):
        session.commit(Existing(ended), [], CommitOptions())
