"""Each thread has a row of its own, which it reads and writes: nobody is in anybody's way."""

from __future__ import annotations

from random import Random
from typing import Any

from google.cloud.spanner_v1 import param_types

from tests.dialects import of_database
from tests.stress.locks.threads import Tally, together

SCHEMA = ["CREATE TABLE Counters (Id INT64 NOT NULL, N INT64 NOT NULL) PRIMARY KEY (Id)"]
_READ = "SELECT N FROM Counters WHERE Id = @id"
_COUNT = "UPDATE Counters SET N = N + 1 WHERE Id = @id"
_TYPES = {"id": param_types.INT64}


def fill(database: Any, threads: int) -> None:
    """Insert a row for each thread."""
    with database.batch() as batch:
        batch.insert("Counters", ("Id", "N"), [(number, 0) for number in range(threads)])


def run(database: Any, threads: int, seconds: float) -> list[Tally]:
    """Let each thread count in its row."""

    def act(number: int, _: Random, tally: Tally) -> None:
        def count(transaction: Any) -> None:
            tally.attempts += 1
            given = {"id": number}
            query = of_database(database, _READ, given, _TYPES)
            ((before,),) = transaction.execute_sql(*query)
            assert before == tally.done
            transaction.execute_update(*of_database(database, _COUNT, given, _TYPES))

        database.run_in_transaction(count)

    return together(threads, seconds, act)
