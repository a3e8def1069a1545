"""Emulators in other processes are used through `RemoteEmulator`."""

import pytest
from google.api_core.exceptions import AlreadyExists, RetryError

import spanemu
from spanemu.api import remote

SINGERS = "CREATE TABLE Singers (\n  Id INT64 NOT NULL,\n) PRIMARY KEY(Id)"


@pytest.fixture(scope="module")
def running():
    with spanemu.Emulator.subprocess(seed=1) as emulator:
        yield emulator


def test_databases_are_created_through_the_client(running):
    database = running.create_database("shop", schema=SINGERS)
    assert database.ddl() == [SINGERS]
    assert database.client().exists()
    with pytest.raises(AlreadyExists):
        running.create_database("shop")
    database.drop()
    assert not database.client().exists()


def test_closing_an_attached_handle_leaves_the_emulator_running(running):
    with spanemu.Emulator.attach(running.uri) as attached:
        attached.create_database("left-behind")
    for ask in (attached.client, lambda: attached.create_database("more")):
        with pytest.raises(ValueError, match="is closed"):
            ask()
    assert running.database("left-behind").client().exists()


def test_a_server_that_does_not_answer_fails_the_connection(monkeypatch):
    monkeypatch.setattr(remote, "CONNECT_SECONDS_MAX", 0.1)
    with (
        spanemu.Emulator.attach("127.0.0.1:1") as nobody,
        pytest.raises(RetryError),
    ):
        nobody.create_database("shop")


def test_a_start_time_needs_a_zone():
    with pytest.raises(ValueError, match="no time zone"):
        spanemu.Emulator.subprocess(start_time="2026-01-01T00:00")


def test_a_failed_start_raises_the_output_of_the_process(running):
    with pytest.raises(spanemu.StartFailed, match="port is taken"):
        spanemu.Emulator.subprocess(host_port=running.uri)


def test_closing_ends_the_process(monkeypatch):
    # On a busy machine the process may take longer than the seconds after which it is killed.
    monkeypatch.setattr(remote, "STOP_SECONDS_MAX", 60.0)
    emulator = spanemu.Emulator.subprocess()
    emulator.close()
    emulator.close()
    assert emulator._process._process.returncode == 0
