"""Explorations of transfers in an embedded emulator; prints one JSON object.

pair_seconds     processor time of a complete search of two actors with one transaction each
pair_schedules   its runs
steps            steps for each second of processor time, in a search of many schedules
growth           bytes by which the process grows for each schedule of that search
"""

from __future__ import annotations

import json
import resource
import sys
from collections.abc import Callable
from time import process_time
from typing import Any

from spanemu import Emulator

SCHEMA = "CREATE TABLE Accounts (Id STRING(10), Balance INT64) PRIMARY KEY (Id)"
ACCOUNTS = ("a", "b", "c")
KIB = 1024


def transfer(source: str, target: str, amount: int) -> Callable[[Any], None]:
    """Return an actor that moves an amount in one read-write transaction."""

    def balance(transaction: Any, account: str) -> int:
        rows = list(transaction.execute_sql(f"SELECT Balance FROM Accounts WHERE Id = '{account}'"))
        return int(rows[0][0])

    def move(transaction: Any) -> None:
        before, after = balance(transaction, source), balance(transaction, target)
        rows = [(source, before - amount), (target, after + amount)]
        transaction.update("Accounts", ["Id", "Balance"], rows)

    def actor(database: Any) -> None:
        database.run_in_transaction(move)

    return actor


class Growth:
    """The growth of this process from a tenth of the schedules to their end."""

    def __init__(self, schedules: int) -> None:
        self._schedules = schedules
        self._count = 0
        self._before = 0

    def count(self) -> None:
        """Count a schedule that is about to run."""
        self._count += 1
        if self._count == self._schedules // 10:
            self._before = _peak()

    def each(self) -> float:
        """Return the bytes a schedule."""
        later = self._count - self._schedules // 10
        return (_peak() - self._before) / later if later > 0 else 0.0


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * KIB


def main() -> None:
    schedules = int(sys.argv[1])
    with Emulator() as emulator:
        database = emulator.create_database("bank", SCHEMA)
        with database.client().batch() as batch:
            batch.insert("Accounts", ["Id", "Balance"], [(each, 100) for each in ACCOUNTS])
        database.settle()
        numbers: dict[str, float] = {}
        pair = {"there": transfer("a", "b", 1), "back": transfer("b", "a", 2)}
        database.explore(pair)  # imports, plans
        began = process_time()
        result = database.explore(pair, require_complete=True).check()
        numbers["pair_seconds"] = process_time() - began
        numbers["pair_schedules"] = result.schedules
        growth = Growth(schedules)
        ring = {**pair, "third": transfer("b", "c", 4), "fourth": transfer("c", "a", 8)}
        began = process_time()
        result = database.explore(
            ring, preemptions=50, schedules=schedules, seconds=3600, faults=(), each=growth.count
        )
        result.check()
        numbers["steps"] = result.steps / (process_time() - began)
        numbers["schedules"] = result.schedules
        numbers["growth"] = growth.each()
    print(json.dumps(numbers))


if __name__ == "__main__":
    main()
