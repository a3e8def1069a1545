"""Each thread has a row of its own, which it reads and writes: nobody is in anybody's way."""

from __future__ import annotations

from random import Random
from typing import Any

from google.cloud.spanner_v1 import param_types

from tests.stress.locks.threads import Tally, together

SCHEMA = ["CREATE TABLE Counters (Id INT64 NOT NULL, N INT64 NOT NULL) PRIMARY KEY (Id)"]
_TYPES = {"id": param_types.INT64}


def fill(database: Any, threads: int) -> None:
    """A row for each thread."""
    with database.batch() as batch:
        batch.insert("Counters", ("Id", "N"), [(number, 0) for number in range(threads)])


def run(database: Any, threads: int, seconds: float) -> list[Tally]:
    """Each thread counts in its row."""

    def act(number: int, _: Random, tally: Tally) -> None:
        def count(transaction: Any) -> None:
            tally.attempts += 1
            given = {"id": number}
            sql = "SELECT N FROM Counters WHERE Id = @id"
            ((before,),) = transaction.execute_sql(sql, params=given, param_types=_TYPES)
            assert before == tally.done
            sql = "UPDATE Counters SET N = N + 1 WHERE Id = @id"
            transaction.execute_update(sql, params=given, param_types=_TYPES)

        database.run_in_transaction(count)

    return together(threads, seconds, act)
