"""A process from its start to the first query of a test: processor milliseconds of each part.

Google's client is imported first, and its construction is not counted: what remains is spanemu's.
Also the elapsed time of `spanemu --help`, a process of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from time import perf_counter, process_time


def help_seconds() -> float:
    """Return how long `spanemu --help` takes."""
    began = perf_counter()
    command = [sys.executable, "-P", "-m", "spanemu", "--help"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return perf_counter() - began


def main() -> None:
    began = process_time()
    import google.cloud.spanner

    client = process_time()
    import spanemu

    emulator = spanemu.Emulator()
    handle = emulator.create_database(
        "shop", schema="CREATE TABLE T (Id INT64 NOT NULL, Name STRING(MAX)) PRIMARY KEY (Id)"
    )
    started = process_time()
    database = handle.client()
    constructed = process_time()
    with database.batch() as batch:
        batch.insert("T", ("Id", "Name"), [(1, "a")])
    with database.snapshot() as snapshot:
        assert list(snapshot.execute_sql("SELECT Name FROM T WHERE Id = 1")) == [["a"]]
    queried = process_time()
    numbers = {
        "client_ms": 1e3 * (client - began),
        "start_ms": 1e3 * (started - client),
        "first_calls_ms": 1e3 * (queried - constructed),
        "ours_ms": 1e3 * (started - client + queried - constructed),
        "share": (started - client + queried - constructed) / (client - began),
        "help_ms": 1e3 * help_seconds(),
    }
    assert google.cloud.spanner
    print(json.dumps(numbers), flush=True)
    os._exit(0)


if __name__ == "__main__":
    main()
