"""`python -m tests.stress.locks [bank|disjoint|deadline] [--seconds 60] [--threads 32] [--embedded]`.

`--official` runs Google's emulator, where it is installed; `--dialect postgresql` uses a database
of that dialect. exit 0 when all went well.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from google.cloud.spanner_admin_database_v1 import DatabaseDialect

import spanemu
from spanemu.api.client import official_database
from tests.benchmarks.targets import client_at, free_port, process
from tests.dialects import DIALECTS, schema_in
from tests.installed import official_binary
from tests.stress.locks import bank, deadline, disjoint
from tests.stress.locks.threads import Tally, summary


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.stress.locks", description=__doc__)
    parser.add_argument("what", choices=("bank", "disjoint", "deadline"))
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--threads", type=int, default=32)
    parser.add_argument("--embedded", action="store_true")
    parser.add_argument("--official", action="store_true")
    parser.add_argument("--dialect", choices=DIALECTS, default=DIALECTS[0])
    given = parser.parse_args()
    if given.what == "deadline":
        return _watch_deadlines()
    ddl = bank.SCHEMA if given.what == "bank" else disjoint.SCHEMA
    schema = schema_in(given.dialect, ddl)
    location = _official if given.official else _embedded if given.embedded else _ours
    with location(schema, given.dialect) as database:
        tallies = _play(given.what, database, given.threads, given.seconds)
    print(summary(tallies, given.seconds))
    problems = [problem for tally in tallies for problem in tally.problems]
    print(*problems[:5], sep="\n")
    starved = sum(tally.done == 0 for tally in tallies)
    if starved:
        print(f"{starved} threads got nothing done")
    return 1 if problems or starved else 0


def _watch_deadlines() -> int:
    problems = 0
    with spanemu.Emulator.subprocess() as emulator:
        database = emulator.create_database("deadlines", deadline.SCHEMA).client()
        deadline.fill(database)
        for name, sql in deadline.QUERIES.items():
            wasted = deadline.seconds_wasted(database, sql, emulator._process.endpoint.pid)
            print(f"{name}: {wasted:.2f} CPU seconds after the deadline")
            problems += wasted > deadline.WASTED_SECONDS_MAX
    return 1 if problems else 0


def _play(what: str, database: Any, threads: int, seconds: float) -> list[Tally]:
    if what == "disjoint":
        disjoint.fill(database, threads)
        return disjoint.run(database, threads, seconds)
    here = bank.Bank(database)
    here.open()
    tallies = here.run(threads, seconds)
    if (result := here.total()) != bank.TOTAL:
        tallies[0].problems.append(f"in the end the sum is {result}")
    return tallies


@contextmanager
def _embedded(schema: list[str], dialect: str) -> Iterator[Any]:
    with spanemu.Emulator() as emulator:
        yield emulator.create_database("contended", schema, dialect=dialect).client()


@contextmanager
def _ours(schema: list[str], dialect: str) -> Iterator[Any]:
    with spanemu.Emulator.subprocess() as emulator:
        yield emulator.create_database("contended", schema, dialect=dialect).client()


@contextmanager
def _official(schema: list[str], dialect: str) -> Iterator[Any]:
    binary, port = official_binary(), free_port()
    if binary is None:
        raise SystemExit("Google's emulator is not installed here")
    address = f"127.0.0.1:{port}"
    with process([str(binary), "--host_port", address], port):
        client = client_at(address)
        instance = client.instance("contended", f"{client.project_name}/instanceConfigs/c")
        instance.create().result(20)
        kind = DatabaseDialect["POSTGRESQL" if dialect == "postgresql" else "GOOGLE_STANDARD_SQL"]
        database = instance.database("contended", database_dialect=kind)
        database.create().result(20)
        database.update_ddl(schema).result(20)
        yield official_database(client, "contended", "contended")


if __name__ == "__main__":
    sys.exit(main())
