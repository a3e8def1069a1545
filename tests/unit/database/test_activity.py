"""The log records commits that a session performs."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from spanemu.base.errors import Code
from spanemu.database.activity import ActivityLog, CommitRecording
from spanemu.database.errors import DatabaseNotFound
from spanemu.database.options import CommitOptions, ReadWriteOptions
from spanemu.storage.split_map import SplitMap
from spanemu.txn.locks.holder import LockHolder, State
from spanemu.values.mutation import Write, WriteKind

ROWS = [(1, [("a",)], 1)]
MUTATIONS = [
    Write(WriteKind.INSERT, "T", ("k",), ((1,),)),
    Write(WriteKind.INSERT, "T", ("k",), ((2,),)),
]


@pytest.fixture
def log() -> ActivityLog:
    return ActivityLog(SplitMap())


@pytest.fixture
def transaction() -> Any:
    return SimpleNamespace(options=ReadWriteOptions(), holder=LockHolder((1, 1)), written=())


def recording(log: ActivityLog, transaction: Any) -> CommitRecording:
    return CommitRecording(log, transaction, MUTATIONS, CommitOptions(transaction_tag="t"), 7)


def test_a_commit_is_recorded_when_it_has_ended(log: ActivityLog, transaction: Any) -> None:
    with recording(log, transaction):
        assert transaction.holder.client.tag == "t"
        assert not log.commits
        transaction.holder.state, transaction.written = State.COMMITTED, ROWS
    (commit,) = log.commits
    assert (commit.at, commit.tag, commit.age, commit.code) == (7, "t", (1, 1), None)
    assert commit.mutations == ((WriteKind.INSERT, "T", ("k",)),)
    assert commit.rows == ROWS
    assert transaction.written == (), "the transaction outlives its commit"


def test_a_failed_commit_is_recorded_with_its_code(log: ActivityLog, transaction: Any) -> None:
    with pytest.raises(DatabaseNotFound), recording(log, transaction):
        raise DatabaseNotFound("d")
    (commit,) = log.commits
    assert (commit.code, commit.rows) == (Code.NOT_FOUND, ())


def test_a_commit_that_must_be_retried_is_not_recorded(log: ActivityLog, transaction: Any) -> None:
    with recording(log, transaction):
        pass
    assert not log.commits
