"""What the request log costs a request in the server: while it is off, and while it is on.

The same query of a row runs in turn with the log off, on an endpoint without the test whether
anybody watches requests, and with the log on. Processor time of the thread, without a transport.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from time import thread_time

from rich.console import Console
from rich.table import Table

import spanemu
from spanemu.frontend import wire
from spanemu.frontend.dispatch import Endpoint, ServedCall

SPANNER = "/google.spanner.v1.Spanner/"
SCHEMA = "CREATE TABLE Users (Id INT64, Name STRING(MAX)) PRIMARY KEY (Id)"
SQL = "SELECT Name FROM Users WHERE Id = 5"
CALLS = 200  # of a measurement
MEASUREMENTS_PER_ROUND = 5


class UnwatchedEndpoint(Endpoint):
    """An endpoint without watchers."""

    def unary(self, data: bytes | bytearray, call: ServedCall) -> bytes:
        reply = self._answer(data, call, ())
        return reply if reply.__class__ is bytes else reply.SerializeToString()


def main(rounds: int = 20) -> None:
    with spanemu.Emulator() as quiet, spanemu.Emulator() as logging:
        logging.request_log.start()
        query, endpoint = _query(quiet)
        unwatched = UnwatchedEndpoint(endpoint.path, endpoint._method, endpoint._instances, ())
        logged_query, logged = _query(logging)
        calls: dict[str, Callable[[], float]] = {
            "without the test": lambda: _microseconds(unwatched, query),
            "log off": lambda: _microseconds(endpoint, query),
            "log on": lambda: _microseconds(logged, logged_query),
        }
        times: dict[str, list[float]] = {name: [] for name in calls}
        for _ in range(rounds * MEASUREMENTS_PER_ROUND):
            for name, call in calls.items():
                times[name].append(call())
    table = Table(title="A query of a row by its key in the server, medians in microseconds")
    for name in times:
        table.add_column(name, justify="right")
    table.add_row(*(f"{median(each):.2f}" for each in times.values()))
    Console().print(table)


def _query(emulator: spanemu.Emulator) -> tuple[bytes, Endpoint]:
    """Return the bytes of a request, and the endpoint that serves it."""
    database = emulator.create_database("bench", SCHEMA)
    find = emulator.endpoints.find
    create, execute = find(f"{SPANNER}CreateSession"), find(f"{SPANNER}ExecuteSql")
    assert create is not None
    assert execute is not None
    expected = wire.CreateSessionRequest(database=database.name).SerializeToString()
    session = wire.Session.FromString(create.unary(expected, ServedCall(create.path, None)))
    query = wire.ExecuteSqlRequest(session=session.name, sql=SQL)
    return query.SerializeToString(), execute


def _microseconds(endpoint: Endpoint, query: bytes) -> float:
    """Return the mean time of a call."""
    began = thread_time()
    for _ in range(CALLS):
        endpoint.unary(query, ServedCall(endpoint.path, None))
    return (thread_time() - began) / CALLS * 1e6
