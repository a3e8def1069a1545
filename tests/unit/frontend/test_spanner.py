from __future__ import annotations

import pytest

from spanemu.base.resource_names import InvalidLabelKey, InvalidName
from spanemu.frontend import spanner, wire
from spanemu.frontend.errors import InvalidSessionCount, MultiplexedInBatch
from tests.unit.frontend.fakes import DATABASE, SESSION, FakeInstances, Refused, world


def test_create() -> None:
    request = wire.CreateSessionRequest(
        database=DATABASE,
        session={"labels": {"env": "dev"}, "multiplexed": True},
    )
    message = spanner.create_session(FakeInstances(), request)
    assert message.name == SESSION
    assert dict(message.labels) == {"env": "dev"}
    assert message.multiplexed
    assert message.create_time.ToNanoseconds() == 1_000
    assert message.approximate_last_use_time.ToNanoseconds() == 2_000


@pytest.mark.parametrize(
    ("database", "labels", "error"),
    [
        ("nonsense", {"BAD": ""}, InvalidName),
        (f"{DATABASE}2", {"BAD": ""}, InvalidLabelKey),
        (f"{DATABASE}2", {}, Refused),
    ],
)
def test_create_checks_in_order(database, labels, error) -> None:
    request = wire.CreateSessionRequest(database=database, session={"labels": labels})
    with pytest.raises(error):
        spanner.create_session(FakeInstances(), request)


def test_roles_are_kept() -> None:
    role = {"creator_role": "reader"}
    first = wire.CreateSessionRequest(database=DATABASE, session=role)
    assert spanner.create_session(FakeInstances(), first).creator_role == "reader"
    many = wire.BatchCreateSessionsRequest(
        database=DATABASE, session_count=1, session_template=role
    )
    created = spanner.batch_create_sessions(FakeInstances(), many).session
    assert [session.creator_role for session in created] == ["reader"]


@pytest.mark.parametrize(("asked", "given"), [(1, 1), (100, 100), (250, 100)])
def test_batches_are_capped(asked: int, given: int) -> None:
    request = wire.BatchCreateSessionsRequest(
        database=DATABASE, session_count=asked, session_template={"labels": {"a": "b"}}
    )
    response = spanner.batch_create_sessions(FakeInstances(), request)
    assert len(response.session) == given
    assert dict(response.session[-1].labels) == {"a": "b"}


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"session_count": 0}, InvalidSessionCount),
        ({"session_count": -1}, InvalidSessionCount),
        (
            {"session_count": 1, "session_template": {"multiplexed": True}},
            MultiplexedInBatch,
        ),
    ],
)
def test_invalid_batches_of_sessions_are_refused(fields, error) -> None:
    request = wire.BatchCreateSessionsRequest(database=DATABASE, **fields)
    with pytest.raises(error):
        spanner.batch_create_sessions(FakeInstances(), request)


def test_get_and_delete() -> None:
    instances, _ = world()
    assert spanner.get_session(instances, wire.GetSessionRequest(name=SESSION)).name == SESSION
    for _ in range(2):
        spanner.delete_session(instances, wire.DeleteSessionRequest(name=SESSION))
    with pytest.raises(Refused):
        spanner.get_session(instances, wire.GetSessionRequest(name=SESSION))


def test_list() -> None:
    instances, _ = world()
    request = wire.ListSessionsRequest(
        database=DATABASE, filter="labels.a:b", page_size=5, page_token="t"
    )
    response = spanner.list_sessions(instances, request)
    assert [session.name for session in response.sessions] == [SESSION]
    assert response.next_page_token == "next"
    assert instances.only.sessions.asked == [("labels.a:b", 5, "t")]
