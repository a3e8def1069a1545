"""A few seconds of each; `python -m tests.stress.locks` goes on for longer."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

import spanemu
from spanemu.txn.locks import holder
from tests.dialects import DIALECTS, schema_in
from tests.stress.locks import bank, crash, disjoint
from tests.stress.locks.threads import summary

SECONDS = 3.0
BANK_SECONDS = 2.0
SECONDS_MAX = 60.0  # against waiting for ever
WAITING_SECONDS = 0.5


@pytest.fixture(params=["embedded", "port"])
def emulator(request: Any) -> Iterator[spanemu.Emulator]:
    with spanemu.Emulator(embedded_channel=request.param == "embedded") as emulator:
        yield emulator


@pytest.mark.parametrize("dialect", DIALECTS)
def test_transfers_preserve_the_sum_of_balances(emulator: spanemu.Emulator, dialect: str) -> None:
    schema = schema_in(dialect, bank.SCHEMA)
    here = bank.Bank(emulator.create_database("bank", schema, dialect=dialect).client())
    here.open()
    tallies = here.run(32, BANK_SECONDS)
    print(summary(tallies, BANK_SECONDS))
    assert [problem for tally in tallies for problem in tally.problems] == []
    assert here.total() == bank.TOTAL
    assert min(tally.done for tally in tallies) > 0


def test_transactions_without_conflicts_are_never_aborted(emulator: spanemu.Emulator) -> None:
    database = emulator.create_database("disjoint", disjoint.SCHEMA).client()
    disjoint.fill(database, 8)
    tallies = disjoint.run(database, 8, SECONDS)
    print(summary(tallies, SECONDS))
    assert [problem for tally in tallies for problem in tally.problems] == []
    assert [tally.attempts for tally in tallies] == [tally.done for tally in tallies]
    assert min(tally.done for tally in tallies) > 0


@pytest.fixture
def locked() -> Iterator[tuple[Any, Any]]:
    """Yield a database reached through a port, and a client process that holds a lock in it."""
    with spanemu.Emulator() as emulator:
        database = emulator.create_database("crash", crash.SCHEMA)
        crash.fill(database)
        with crash.holder(emulator, database) as client:
            yield database, client


@pytest.fixture
def endless_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take no locks from a client that is silent."""
    monkeypatch.setattr(holder, "IDLE_SECONDS_MAX", 10 * SECONDS_MAX)


@pytest.mark.usefixtures("endless_patience")
def test_locks_of_a_killed_client_go_with_its_connection(locked: tuple[Any, Any]) -> None:
    database, client = locked
    client.kill()
    client.wait(SECONDS_MAX)
    assert crash.seconds_to_write(database) < SECONDS_MAX


@pytest.mark.usefixtures("endless_patience")
def test_locks_of_a_killed_client_go_to_a_waiting_transaction(locked: tuple[Any, Any]) -> None:
    database, client = locked
    writer = waiting_writer(database)
    client.kill()
    client.wait(SECONDS_MAX)
    writer.join(SECONDS_MAX)
    assert not writer.is_alive()


@pytest.mark.usefixtures("endless_patience")
def test_locks_of_a_silent_client_are_kept_for_a_while(
    locked: tuple[Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    database, _ = locked
    writer = waiting_writer(database)
    monkeypatch.setattr(holder, "IDLE_SECONDS_MAX", 0.0)
    writer.join(SECONDS_MAX)
    assert not writer.is_alive()


def waiting_writer(database: Any) -> threading.Thread:
    """Return a thread that waits for the lock of the client."""
    writer = threading.Thread(target=crash.seconds_to_write, args=(database,), daemon=True)
    writer.start()
    while not any(each.waits for each in database.open_transactions()):
        assert writer.is_alive()
    writer.join(WAITING_SECONDS)
    assert writer.is_alive()
    return writer
