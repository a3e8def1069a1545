"""The activity of a client decides when a lock holder counts as idle."""

from __future__ import annotations

from types import SimpleNamespace

from spanemu.txn.locks.holder import (
    IDLE_AFTER_FAILURE_SECONDS_MAX,
    IDLE_SECONDS_MAX,
    ClientActivity,
    LockHolder,
    State,
)
from spanemu.txn.locks.table import LockTable


def test_a_client_is_idle_sooner_after_a_failed_request() -> None:
    client = ClientActivity()
    assert client.idle_at == client.heard_at + IDLE_SECONDS_MAX
    client.failed = True
    assert client.idle_at == client.heard_at + IDLE_AFTER_FAILURE_SECONDS_MAX


def test_a_busy_client_is_not_idle() -> None:
    client = ClientActivity()
    client.busy, client.failed = 1, True
    assert client.idle_at > client.heard_at + IDLE_AFTER_FAILURE_SECONDS_MAX


def test_a_disconnected_client_is_idle_at_once_unless_busy() -> None:
    client = ClientActivity()
    client.connection = SimpleNamespace(is_open=lambda: False)  # type: ignore[assignment]
    client.busy = 1
    client.expire_if_disconnected()
    assert client.idle_at > client.heard_at
    client.busy = 0
    client.expire_if_disconnected()
    assert client.idle_at < 0


def test_the_tag_of_the_commit_precedes_that_of_the_last_request() -> None:
    client = ClientActivity()
    assert client.tag == ""
    client.last_request = SimpleNamespace(transaction_tag="of the request")
    assert client.tag == "of the request"
    client.commit_tag = "of the commit"
    assert client.tag == "of the commit"


def test_the_reason_of_an_abort_stays_after_a_rollback() -> None:
    locks, holder = LockTable(), LockHolder()
    assert locks.release(holder, State.ABORTED, "a reason")
    assert not locks.wound(holder, "another reason")
    assert locks.release(holder, State.ROLLED_BACK)
    assert (holder.state, holder.why_aborted) == (State.ROLLED_BACK, "a reason")


def test_a_retry_begins_without_activity() -> None:
    holder = LockHolder()
    holder.begin(3)
    retry = holder.next_attempt()
    assert retry.since == 3
    assert retry.client is not holder.client
    assert retry.client.began_at is None
