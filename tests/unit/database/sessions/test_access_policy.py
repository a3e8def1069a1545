"""A session with a role performs the requests that its access policy lists, and no others."""

from __future__ import annotations

from typing import Any

import pytest

from spanemu.base.errors import Code, SpannerError
from spanemu.database.errors import RequestDenied
from spanemu.database.options import CommitOptions, Existing, ReadWriteOptions
from spanemu.database.sessions.access_policy import (
    GUARDS,
    AccessPolicy,
    GuardedSession,
    guard_requests,
    requests_of,
)
from spanemu.database.sessions.session import Session, SessionSpec
from tests.unit.database.sessions.test_access import session


def test_the_policy_lists_every_request_of_a_session() -> None:
    assert set(requests_of(Session)) == GUARDS.keys()


def test_a_request_that_is_not_listed_is_denied() -> None:
    ran: list[Any] = []

    @guard_requests
    class NewSession(GuardedSession):
        def analyze(self, sql: str) -> None:
            ran.append(sql)

    of = session()
    assert isinstance(of, GuardedSession)
    new = NewSession(of.name, SessionSpec({}, role=of.role), of.transactions, 0, of.policy)
    with pytest.raises(RequestDenied) as denial:
        new.analyze("SELECT 1")
    assert (denial.value.code, denial.value.request) == (Code.PERMISSION_DENIED, "analyze")
    assert ran == []


def test_a_listed_request_is_checked_before_it_runs() -> None:
    of = session()
    assert isinstance(of, GuardedSession)
    of.policy = AccessPolicy(of.policy.access, {"begin": GUARDS["begin"]})
    transaction = of.begin(ReadWriteOptions())
    with pytest.raises(RequestDenied):
        of.rollback(transaction.id)


def test_a_role_may_roll_back_its_transaction() -> None:
    of = session()
    begun = of.begin(ReadWriteOptions())
    of.rollback(begun.id)
    with pytest.raises(SpannerError):
        of.commit(Existing(begun.id), (), CommitOptions())


def test_a_session_without_a_role_is_not_guarded() -> None:
    assert type(session(role="")) is Session
