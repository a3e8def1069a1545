"""The log records commits that a session performs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from spanemu.base.errors import Code
from spanemu.database.activity import ActivityLog
from spanemu.database.errors import DatabaseNotFound
from spanemu.database.options import CommitOptions, ReadWriteOptions
from spanemu.database.statements.results import CommitOutcome, WrittenRows
from spanemu.storage.split_map import SplitMap
from spanemu.txn.locks.holder import LockHolder, State
from spanemu.values.mutation import Mutation, Write, WriteKind

ROWS = [(1, [("a",)], 1)]
MUTATIONS = [
    Write(WriteKind.INSERT, "T", ("k",), ((1,),)),
    Write(WriteKind.INSERT, "T", ("k",), ((2,),)),
]


@pytest.fixture
def log() -> ActivityLog:
    return ActivityLog(SplitMap())


class Transaction:
    """A transaction whose commit does what a test says."""

    def __init__(self, does: Callable[[Transaction], object]) -> None:
        self.options = ReadWriteOptions()
        self.holder = LockHolder((1, 1))
        self.written: WrittenRows = ()
        self._does = does

    def commit(self, mutations: Sequence[Mutation], options: CommitOptions) -> CommitOutcome:
        self._does(self)
        return CommitOutcome(None)


def commit(log: ActivityLog, does: Callable[[Transaction], object]) -> Transaction:
    """Return a transaction that the log has committed."""
    transaction = Transaction(does)
    log.record_commit(transaction, MUTATIONS, CommitOptions(transaction_tag="t"), 7)
    return transaction


def test_a_commit_is_recorded_when_it_has_ended(log: ActivityLog) -> None:
    def does(transaction: Transaction) -> None:
        assert transaction.holder.client.tag == "t"
        assert not log.commits
        transaction.holder.state, transaction.written = State.COMMITTED, ROWS

    transaction = commit(log, does)
    (record,) = log.commits
    assert (record.at, record.tag, record.age, record.code) == (7, "t", (1, 1), None)
    assert record.mutations == ((WriteKind.INSERT, "T", ("k",)),)
    assert record.rows == ROWS
    assert transaction.written == (), "the transaction outlives its commit"


def test_a_failed_commit_is_recorded_with_its_code(log: ActivityLog) -> None:
    def fails(_: Transaction) -> Any:
        raise DatabaseNotFound("d")

    with pytest.raises(DatabaseNotFound):
        commit(log, fails)
    (record,) = log.commits
    assert (record.code, record.rows) == (Code.NOT_FOUND, ())


def test_a_commit_that_must_be_retried_is_not_recorded(log: ActivityLog) -> None:
    commit(log, lambda _: None)
    assert not log.commits
