"""Sessions: create, get, list, delete."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spanemu.admin.instances import Instances
from spanemu.base.resource_ids import check_labels
from spanemu.base.resource_names import DatabaseName
from spanemu.database.sessions.registry import Sessions
from spanemu.database.sessions.session import Session
from spanemu.frontend import wire
from spanemu.frontend.convert.timestamps import timestamp_to_proto
from spanemu.frontend.errors import InvalidSessionCount, MultiplexedInBatch
from spanemu.frontend.registry import session_of, sessions_of

SESSIONS_PER_BATCH_MAX = 100  # A client that wants more asks again for the rest.


def create_session(instances: Instances, request: Any) -> Any:
    """One new session."""
    template = request.session
    name, labels = _checked(request.database, template.labels)
    sessions = instances.database(name).sessions
    role = template.creator_role
    return session_to_proto(sessions.create(labels, template.multiplexed, role))


def batch_create_sessions(instances: Instances, request: Any) -> Any:
    """Several new sessions alike, a hundred at most."""
    if request.session_count <= 0:
        raise InvalidSessionCount(request.session_count)
    template = request.session_template
    if template.multiplexed:
        raise MultiplexedInBatch()
    name, labels = _checked(request.database, template.labels)
    sessions: Sessions = instances.database(name).sessions
    response = wire.BatchCreateSessionsResponse()
    for _ in range(min(request.session_count, SESSIONS_PER_BATCH_MAX)):
        session = sessions.create(labels, multiplexed=False, role=template.creator_role)
        response.session.append(session_to_proto(session))
    return response


def get_session(instances: Instances, request: Any) -> Any:
    """A session that exists."""
    return session_to_proto(session_of(instances, request.name))


def list_sessions(instances: Instances, request: Any) -> Any:
    """The regular sessions of a database, page by page."""
    name = str(DatabaseName.parse(request.database))
    sessions, next_token = instances.database(name).sessions.list(
        request.filter, request.page_size, request.page_token
    )
    return wire.ListSessionsResponse(
        sessions=[session_to_proto(session) for session in sessions],
        next_page_token=next_token,
    )


def delete_session(instances: Instances, request: Any) -> Any:
    """The session is gone afterwards, whether or not it existed."""
    sessions_of(instances, request.name).delete(request.name)
    return wire.Empty()


def session_to_proto(session: Session) -> Any:
    """A Session message."""
    return wire.Session(
        name=session.name,
        labels=session.labels,
        create_time=timestamp_to_proto(session.create_time),
        approximate_last_use_time=timestamp_to_proto(session.last_use_time),
        multiplexed=session.multiplexed,
        creator_role=session.role,
    )


def _checked(database: str, labels: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    name, plain = str(DatabaseName.parse(database)), dict(labels)
    check_labels(plain)
    return name, plain
