"""A client process that takes locks and is then killed, or merely falls silent."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from spanemu.base.clock import monotonic

SCHEMA = ["CREATE TABLE Held (Id INT64 NOT NULL, N INT64) PRIMARY KEY (Id)"]

_CLIENT = """
import sys, time
from spanemu.api.client import official_client, official_database
uri, project, instance, name = sys.argv[1:]
database = official_database(official_client(uri, project), instance, name)
def hold(transaction):
    assert list(transaction.execute_sql("SELECT N FROM Held WHERE Id = 1 FOR UPDATE")) == [[0]]
    print("holds", flush=True)
    time.sleep(3600)
database.run_in_transaction(hold)
"""


@contextmanager
def holder(emulator: Any, database: Any) -> Iterator[subprocess.Popen[str]]:
    """Yield a client process in the middle of a transaction that has locked row 1."""
    where = emulator.uri, emulator.project, emulator.instance, database.database_id
    command = [sys.executable, "-c", _CLIENT, *where]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as client:
        try:
            assert client.stdout is not None
            assert client.stdout.readline() == "holds\n"
            yield client
        finally:
            client.kill()


def seconds_to_write(database: Any) -> float:
    """Return how long it takes another client to write row 1."""
    began = monotonic()

    def work(transaction: Any) -> None:
        transaction.execute_update("UPDATE Held SET N = N + 1 WHERE Id = 1")

    database.client().run_in_transaction(work)
    return monotonic() - began


def fill(database: Any) -> None:
    """Insert row 1."""
    with database.client().batch() as batch:
        batch.insert("Held", ("Id", "N"), [(1, 0)])
