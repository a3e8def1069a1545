"""A session has one transaction at a time, and knows the dialect of its database."""

from __future__ import annotations

from types import SimpleNamespace
from unittest.mock import Mock

import pytest
from google.api_core.exceptions import Aborted, NotFound, ServiceUnavailable

from spanemu.api.client import official_client
from spanemu.base.resource_names import DatabaseName
from spanemu.cli.shell.database_session import DatabaseSession


@pytest.mark.parametrize(("database", "is_postgresql"), [("music", False), ("pg", True)])
def test_the_dialect_is_known_although_the_server_leaves_it_out(
    emulator, monkeypatch, database, is_postgresql
):
    client = official_client(emulator.uri, emulator.project)
    without_dialect = SimpleNamespace(database_dialect=0)
    monkeypatch.setattr(client.database_admin_api, "get_database", lambda **_: without_dialect)
    name = DatabaseName(emulator.project, emulator.instance, database)
    session = DatabaseSession(client, name)
    assert session.is_postgresql is is_postgresql
    session.close()


def test_an_aborted_transaction_is_over(emulator, open_shell):
    session = open_shell().session
    session.begin(read_only=False)
    list(session.query("SELECT 1", {}).rows)
    with emulator.faults.abort("ExecuteStreamingSql"), pytest.raises(Aborted):
        session.query("SELECT 1", {})
    assert not session.in_transaction
    session.begin(read_only=False)
    session.rollback()


def test_dml_is_repeated_after_an_abort(emulator, open_shell):
    session = open_shell().session
    with emulator.faults.abort("Commit"):
        result = session.dml("UPDATE Singers SET Name = Name WHERE SingerId = 1", {})
    assert result.row_count == 1


def test_a_session_that_the_server_lost_is_replaced(emulator, open_shell):
    session = open_shell().session
    list(session.query("SELECT 1", {}).rows)
    with emulator.faults.session_lost("ExecuteStreamingSql"), pytest.raises(NotFound):
        session.query("SELECT 1", {})
    assert list(session.query("SELECT 1", {}).rows) == [["1"]]


def test_no_commit_is_sent_to_a_server_that_does_not_answer(open_shell, monkeypatch):
    session = open_shell().session
    session.begin(read_only=False)
    unavailable = Mock(side_effect=ServiceUnavailable("gone"))
    with monkeypatch.context() as patch:
        patch.setattr(session.client.database_admin_api, "get_database", unavailable)
        with pytest.raises(ServiceUnavailable):
            session.commit()
    assert session.in_transaction
    session.commit()


def test_a_database_that_was_created_again_gets_a_new_session(emulator, open_shell):
    emulator.create_database("again")
    session = open_shell("again").session
    session.begin(read_only=False)
    emulator.database("again").drop()
    emulator.create_database("again")
    with pytest.raises(NotFound):
        session.query("SELECT 1", {})
    assert not session.in_transaction
    assert list(session.query("SELECT 1", {}).rows) == [["1"]]
