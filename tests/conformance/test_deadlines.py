"""A query ends when its client stops waiting: by deadline or cancellation, and for good.

The query is a cross join that would take minutes. Work is measured as processor time, which does
not depend on what else runs on the machine.
"""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest
from google.api_core import exceptions
from google.cloud.spanner_v1 import ExecuteSqlRequest

import spanemu

SCHEMA = [
    f"CREATE TABLE {name} (Id INT64 NOT NULL, Value INT64) PRIMARY KEY (Id)" for name in "ABC"
]
SIZES = {"A": 3_000, "B": 3_000, "C": 100}

DEADLINE = 0.25
LATE_MAX = 0.1  # seconds that a query may compute beyond its deadline
TRIES = 5  # other threads of the process may compute meanwhile
PATIENCE = 60.0  # far more than anything here needs, far less than the query does
WINDOW = 0.2  # seconds over which an idle server is watched
IDLE_SHARE = 0.25

QUERIES = {
    "counted": "SELECT COUNT(*) FROM A, B, C WHERE A.Value + B.Value + C.Value >= 0",
    "compared": "SELECT COUNT(*) FROM A JOIN B ON A.Value < B.Value JOIN C ON B.Value <> C.Value",
    "grouped": "SELECT C.Id, SUM(A.Value * B.Value) FROM A, B, C GROUP BY C.Id",
    "unnested": """SELECT COUNT(*) FROM UNNEST(GENERATE_ARRAY(1, 3000)) a,
        UNNEST(GENERATE_ARRAY(1, 3000)) b, UNNEST(GENERATE_ARRAY(1, 100)) c""",
    "hashed": "SELECT COUNT(*) FROM A JOIN B ON MOD(A.Value, 1) = MOD(B.Value, 1) CROSS JOIN C",
}


@pytest.fixture(scope="module", params=["embedded", "port"])
def database(request):
    """Yield the tables, reached without sockets and then through a port."""
    with spanemu.Emulator(embedded_channel=request.param == "embedded") as emulator:
        yield filled(emulator)


@pytest.fixture(scope="module")
def standalone():
    """Yield the tables in a server process of their own, and its process id."""
    with spanemu.Emulator.subprocess() as emulator:
        yield filled(emulator), emulator._process.endpoint.pid


def filled(emulator):
    database = emulator.create_database("deadlines", SCHEMA).client()
    with database.batch() as batch:
        for table, size in SIZES.items():
            batch.insert(table, ["Id", "Value"], [(number, number) for number in range(size)])
    return database


def lateness(database, sql: str) -> float:
    """Return seconds of computing in this process beyond those until the deadline."""
    began, worked = time.monotonic(), time.process_time()
    with pytest.raises(exceptions.DeadlineExceeded), database.snapshot() as snapshot:
        list(snapshot.execute_sql(sql, timeout=DEADLINE, retry=None))
    assert time.monotonic() - began < PATIENCE
    return time.process_time() - worked - DEADLINE


def processor_seconds(pid: int) -> float:
    """Return what a process has used of the processors, all its threads together."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def becomes_idle(pid: int) -> bool:
    """Return whether a process stops computing soon."""
    limit = time.monotonic() + PATIENCE
    while time.monotonic() < limit:
        before, began = processor_seconds(pid), time.monotonic()
        time.sleep(WINDOW)
        used = processor_seconds(pid) - before
        if used < (time.monotonic() - began) * IDLE_SHARE:
            return True
    return False


class Reader(threading.Thread):
    """Reads the answer to a statement on a thread of its own, until it ends or is cancelled."""

    def __init__(self, database, sql: str) -> None:
        super().__init__(daemon=True)
        session = database.session()
        session.create()
        self._request = ExecuteSqlRequest(session=session.name, sql=sql)
        self._api = database.spanner_api
        self.started = threading.Event()
        self.stream = None
        self.failure: Exception | None = None

    def run(self) -> None:
        try:
            self.stream = self._api.execute_streaming_sql(request=self._request, timeout=PATIENCE)
            self.started.set()
            for _ in self.stream:
                pass
        except exceptions.GoogleAPICallError as failure:
            self.failure = failure


@pytest.mark.parametrize("sql", QUERIES.values(), ids=QUERIES)
def test_a_query_ends_with_its_deadline(database, sql):
    assert any(lateness(database, sql) < LATE_MAX for _ in range(TRIES))


def test_an_answer_before_the_deadline_is_complete(database):
    # Without a deadline nothing is lost: the same tables, less of them.
    sql = "SELECT COUNT(*) FROM A, C WHERE A.Value + C.Value >= 0"
    with database.snapshot() as snapshot:
        assert list(snapshot.execute_sql(sql)) == [[SIZES["A"] * SIZES["C"]]]


pid_needed = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="there is no /proc")


@pid_needed
@pytest.mark.parametrize("sql", QUERIES.values(), ids=QUERIES)
def test_a_server_stops_a_query_at_its_deadline(standalone, sql):
    database, pid = standalone
    lateness(database, sql)
    assert becomes_idle(pid)


@pid_needed
def test_a_server_stops_a_cancelled_query(standalone):
    database, pid = standalone
    rows = Reader(database, "SELECT A.Id, B.Id, C.Id FROM A, B, C")
    rows.start()
    assert rows.started.wait(PATIENCE)
    rows.stream.cancel()
    rows.join(PATIENCE)
    assert isinstance(rows.failure, exceptions.Cancelled)
    assert becomes_idle(pid)


def test_a_cancelled_query_ends(database):
    rows = Reader(database, "SELECT A.Id, B.Id, C.Id FROM A, B, C")
    rows.start()
    assert rows.started.wait(PATIENCE)
    rows.stream.cancel()
    rows.join(PATIENCE)
    assert not rows.is_alive()
    assert isinstance(rows.failure, exceptions.Cancelled)
