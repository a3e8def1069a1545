"""Finds what a request names: sessions by their name, inside their database."""

from __future__ import annotations

from spanemu.admin.instances import Instances
from spanemu.base.resource_names import SessionName
from spanemu.database.database import Database
from spanemu.database.sessions.registry import Sessions
from spanemu.database.sessions.session import Session


def session_of(instances: Instances, name: str) -> Session:
    """The session of that name. Raises InvalidName, or NOT_FOUND errors.

    A dropped instance or database is reported as such, rather than as a missing session.
    """
    database = instances.find_database(name.rpartition("/sessions/")[0])
    if database is None:
        database = database_of(instances, name)
    return database.sessions.get(name)


def sessions_of(instances: Instances, name: str) -> Sessions:
    """The sessions of the database that the session name `name` lies in."""
    return database_of(instances, name).sessions


def database_of(instances: Instances, session_name: str) -> Database:
    """The database that a session name lies in."""
    return instances.database(str(SessionName.parse(session_name).parent))
