"""A query over REST beside the same query over gRPC, in turn, on a server of its own process."""

from __future__ import annotations

import http.client
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median
from time import perf_counter
from typing import Any
from urllib.parse import urlsplit

import grpc
from rich.console import Console
from rich.table import Table

from spanemu.frontend import wire
from tests.stress.rest.__main__ import served
from tests.stress.rest.requests import DATABASE

SPANNER = "/google.spanner.v1.Spanner/"
CALLS_PER_ROUND = 50
ROWS = 1_500  # of two cells each
QUERIES = {
    "a row by its key": "SELECT Text FROM T WHERE Id = 5",
    "3,000 cells": "SELECT Id, Text FROM T",
}


def main(rounds: int = 20) -> None:
    table = Table(title="Medians in microseconds")
    for column in ("query", "gRPC", "REST", "ratio"):
        table.add_column(column, justify="left" if column == "query" else "right")
    with calls() as (over_grpc, over_rest):
        for name, sql in QUERIES.items():
            times: tuple[list[float], list[float]] = ([], [])
            for _ in range(rounds * CALLS_PER_ROUND):
                times[0].append(_timed(over_grpc, sql))
                times[1].append(_timed(over_rest, sql))
            slow, fast = median(times[0]), median(times[1])
            table.add_row(name, f"{slow:,.0f}", f"{fast:,.0f}", f"{fast / slow:.2f}")
    Console().print(table)


@contextmanager
def calls() -> Iterator[tuple[Callable[[str], Any], Callable[[str], Any]]]:
    """Yield functions that run a query over gRPC and over REST, in one session."""
    with served() as endpoint, grpc.insecure_channel(endpoint.uri) as channel:
        create = channel.unary_unary(SPANNER + "CreateSession")
        request = wire.CreateSessionRequest(database=DATABASE)
        session = wire.Session.FromString(create(request.SerializeToString())).name
        execute = channel.unary_unary(SPANNER + "ExecuteSql")
        parts = urlsplit(endpoint.rest_uri or "")
        connection = http.client.HTTPConnection(parts.hostname or "", parts.port)

        def send(verb: str, content: Any) -> Any:
            headers = {"Content-Type": "application/json"}
            connection.request("POST", f"/v1/{session}:{verb}", json.dumps(content), headers)
            return json.loads(connection.getresponse().read())

        def over_grpc(sql: str) -> Any:
            query = wire.ExecuteSqlRequest(session=session, sql=sql)
            return wire.ResultSet.FromString(execute(query.SerializeToString()))

        rows = [[str(number), f"text {number}"] for number in range(ROWS)]
        insert = {"table": "T", "columns": ["Id", "Text"], "values": rows}
        send(
            "commit", {"singleUseTransaction": {"readWrite": {}}, "mutations": [{"insert": insert}]}
        )
        yield over_grpc, lambda sql: send("executeSql", {"sql": sql})
        connection.close()


def _timed(call: Callable[[str], Any], sql: str) -> float:
    started = perf_counter()
    call(sql)
    return (perf_counter() - started) * 1e6
