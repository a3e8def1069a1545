"""What grows with the schema, and with snapshots: processor time at two sizes of each."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from statistics import median
from time import process_time
from typing import Any

import spanemu

TABLES = (100, 2_000)
SNAPSHOTS = (10, 4_000)
SESSIONS = (1_000, 20_000)
TIMES = 30
COLUMNS = (
    "SELECT COLUMN_NAME FROM INFORMATION_SCHEMA.COLUMNS "
    "WHERE TABLE_SCHEMA = '' AND TABLE_NAME = 'T7'"
)


def microseconds(work: Callable[[], object]) -> float:
    taken = []
    for _ in range(TIMES):
        began = process_time()
        work()
        taken.append(process_time() - began)
    return 1e6 * median(taken)


def main() -> None:
    numbers: dict[str, float] = {}
    with spanemu.Emulator() as emulator:
        for count in TABLES:
            numbers |= with_tables(emulator, count)
        store = emulator.create_database("snapped")._database()._core.store
        kept: list[Any] = []
        for count in SNAPSHOTS:
            while len(kept) < count:
                kept.append(store.snapshot())
            work = microseconds(lambda: store.forget(store.snapshot()))
            numbers[f"snapshot_{count}"] = work
        numbers |= with_sessions(emulator)
        print(json.dumps(numbers), flush=True)
        os._exit(0)


def with_tables(emulator: Any, count: int) -> dict[str, float]:
    """Measure a database with that many tables."""
    ddl = [f"CREATE TABLE T{n} (A INT64, B INT64) PRIMARY KEY (A)" for n in range(count)]
    handle = emulator.create_database(f"with-{count}", schema=ddl)
    names = iter(range(TIMES))
    return {
        f"columns_{count}": microseconds(lambda: columns(handle.client())),
        f"clone_{count}": microseconds(lambda: handle.clone(f"clone-{count}-{next(names)}")),
    }


def with_sessions(emulator: Any) -> dict[str, float]:
    """Measure a page of the sessions of a database, in the middle of them."""
    sessions = emulator.create_database("used")._database().sessions
    numbers: dict[str, float] = {}
    for count in SESSIONS:
        while sessions.counts()[0] < count:
            for _ in range(500):
                sessions.create({})
        _, token = sessions.list("", 500, "")
        numbers[f"sessions_{count}"] = microseconds(lambda: sessions.list("", 100, token))  # noqa: B023
    return numbers


def columns(database: Any) -> None:
    with database.snapshot() as snapshot:
        assert len(list(snapshot.execute_sql(COLUMNS))) == 2


if __name__ == "__main__":
    main()
