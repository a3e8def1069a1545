"""An emulator with a database of each dialect, for all tests of the shell."""

from __future__ import annotations

import functools
import io

import pytest

import spanemu
from spanemu.api.client import official_client
from spanemu.base.resource_names import DatabaseName
from spanemu.cli.shell.database_session import DatabaseSession
from spanemu.cli.shell.interpreter import Shell
from spanemu.cli.shell.output import Printer
from spanemu.cli.target import Target

SCHEMA = """
CREATE TABLE Singers (SingerId INT64, Name STRING(MAX), Born DATE) PRIMARY KEY (SingerId);
CREATE INDEX SingersByName ON Singers(Name DESC) STORING (Born);
CREATE TABLE Albums (SingerId INT64, AlbumId INT64,
  CONSTRAINT Known FOREIGN KEY (AlbumId) REFERENCES Singers (SingerId)) PRIMARY KEY (SingerId, AlbumId),
  INTERLEAVE IN PARENT Singers ON DELETE CASCADE;
CREATE VIEW Names SQL SECURITY INVOKER AS SELECT Singers.Name FROM Singers;
CREATE SEQUENCE Ids OPTIONS (sequence_kind = 'bit_reversed_positive');
CREATE CHANGE STREAM Everything FOR ALL;
CREATE SCHEMA app; CREATE TABLE app.Users (Id INT64) PRIMARY KEY (Id);
"""
POSTGRESQL_SCHEMA = """
CREATE TABLE singers (id bigint PRIMARY KEY, name varchar, first varchar DEFAULT 'x');
CREATE UNIQUE INDEX by_name ON singers (name);
CREATE VIEW names SQL SECURITY INVOKER AS SELECT name FROM singers;
CREATE SEQUENCE ids BIT_REVERSED_POSITIVE;
CREATE CHANGE STREAM everything FOR ALL;
"""

GRAPH_SCHEMA = """
CREATE TABLE People (Id INT64, Name STRING(MAX)) PRIMARY KEY (Id);
CREATE SCHEMA app;
CREATE PROPERTY GRAPH app.Net NODE TABLES (People LABEL Person PROPERTIES (Id, Name AS FullName));
"""


@pytest.fixture(scope="package")
def emulator():
    with spanemu.Emulator() as emulator:
        emulator.create_database("pg", POSTGRESQL_SCHEMA, dialect="postgresql")
        emulator.create_database("graphs", GRAPH_SCHEMA)
        database = emulator.create_database("music", SCHEMA)
        with database.client().batch() as batch:
            batch.insert("Singers", ["SingerId", "Name"], [[1, "Ann"], [2, None]])
        yield emulator


@pytest.fixture(scope="package")
def open_session(emulator):
    """Return a function that returns the session with a database, which all tests share."""
    client = official_client(emulator.uri, emulator.project)

    @functools.cache
    def open_session(database):
        return DatabaseSession(client, DatabaseName(emulator.project, emulator.instance, database))

    return open_session


@pytest.fixture
def open_shell(emulator, open_session):
    """Yield a function that returns a new shell on a database, with files in memory."""
    sessions = []

    def open_shell(database="music"):
        session = open_session(database)
        sessions.append(session)
        target = Target(emulator.uri, None, "the emulator of the tests")
        return Shell(session, target, Printer(io.StringIO(), io.StringIO()))

    yield open_shell
    for session in sessions:
        session.close()
