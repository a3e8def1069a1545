"""Searches for the nearest of many vectors, with numpy and without, beside numpy's own product.

Processor time, beside goals for an idle machine.
"""

from __future__ import annotations

import random
import time
import tracemalloc
from collections.abc import Callable
from statistics import median
from typing import Any

from rich.console import Console
from rich.table import Table

from spanemu.base.clock import SystemClock
from spanemu.database.core import Environment
from spanemu.database.database import Database
from spanemu.database.options import (
    CommitOptions,
    ReadWriteOptions,
    SingleUse,
    StatementRequest,
)
from spanemu.database.sessions.session import Session
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL
from spanemu.sql.executor import nearness
from spanemu.values.floats import round32
from spanemu.values.mutation import Write, WriteKind
from spanemu.values.types import FLOAT32, array_of

ROWS, LENGTH, BATCH, FIRST = 100_000, 768, 1_000, 10
DDL = [
    "CREATE TABLE Docs (Id INT64 NOT NULL, Kind STRING(9), "
    f"E ARRAY<FLOAT32>(vector_length=>{LENGTH}) NOT NULL) PRIMARY KEY (Id)",
    "CREATE VECTOR INDEX ByE ON Docs(E) OPTIONS (distance_type = 'COSINE')",
]
NEAREST = (
    "SELECT Id, APPROX_COSINE_DISTANCE(E, @v, options => JSON '{\"num_leaves_to_search\": 9}') AS d "
    f"FROM Docs WHERE TRUE ORDER BY d LIMIT {FIRST}"
)
VECTOR = {"v": array_of(FLOAT32)}


def vectors(count: int, seed: int) -> list[list[float]]:
    """Return vectors between pairs of a few hundred random ones."""
    drawn = random.Random(seed)
    known = [[drawn.gauss(0, 1) for _ in range(LENGTH)] for _ in range(211)]
    created = []
    for _ in range(count):
        first, other, share = drawn.choice(known), drawn.choice(known), drawn.random()
        created.append(
            [round32(share * a + (1 - share) * b) for a, b in zip(first, other, strict=True)]
        )
    return created


def insert(session: Session, first: int, rows: list[list[float]]) -> None:
    """Commit rows with these vectors."""
    values = [[str(first + n), "ab"[n % 2], each] for n, each in enumerate(rows)]
    write = Write(WriteKind.INSERT, "Docs", ("Id", "Kind", "E"), values)
    session.commit(SingleUse(ReadWriteOptions()), [write], CommitOptions())


def insert_many(session: Session, count: int) -> float:
    """Commit that many rows; return the seconds of the commits."""
    spent = 0.0
    for start in range(0, count, BATCH):
        rows = vectors(BATCH, start)
        spent += seconds(lambda start=start, rows=rows: insert(session, start, rows))  # type: ignore[misc]
    return spent


def ask(session: Session, vector: list[float], where: str = "TRUE") -> list[Any]:
    request = StatementRequest(NEAREST.replace("TRUE", where), {"v": vector}, VECTOR)
    return list(session.execute(request, None).rows)


def seconds(work: Callable[[], object], rounds: int = 1) -> float:
    """Return the median of a few times."""
    times = []
    for _ in range(rounds):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return median(times)


def product(database: Database, query: list[float], rounds: int) -> float:
    """Return seconds of a top 10 by numpy's own product with kept lengths."""
    numpy: Any = nearness._numpy()
    gathered = database._core.store.vector_rows
    assert gathered is not None
    (entry,) = gathered._entries.values()
    matrix = entry.gathered.kept.values
    lengths = numpy.linalg.norm(matrix, axis=1)
    vector = numpy.asarray(query, dtype=numpy.float32)

    def first() -> Any:
        distances = 1 - (matrix @ vector) / (lengths * numpy.linalg.norm(vector))
        nearest = numpy.argpartition(distances, FIRST)[:FIRST]
        return nearest[numpy.argsort(distances[nearest])]

    return seconds(first, rounds)


def main(rounds: int = 20, _: str | None = None) -> None:
    """Print the times of searches, and the memory of a vector, beside their goals."""
    table = Table("vectors", "found", "goal", title=f"{ROWS:,} vectors of {LENGTH}")
    database = Database.create(
        "projects/p/instances/i/databases/d", Environment(SystemClock()), GOOGLE_STANDARD_SQL
    )
    database.apply_ddl(DDL)
    session = database.sessions.create({})
    tracemalloc.start()
    before, _peak = tracemalloc.get_traced_memory()
    insert(session, ROWS, vectors(BATCH, 2))
    after, _peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    table.add_row("bytes of a vector", f"{(after - before) / BATCH:,.0f}", "< 4,096")
    table.add_row("all inserted, s", f"{insert_many(session, ROWS - BATCH):.2f}", "")
    query = vectors(1, 3)[0]
    table.add_row("first, s", f"{seconds(lambda: ask(session, query)):.3f}", "< 0.6")
    repeated = seconds(lambda: ask(session, query), rounds)
    own = product(database, query, rounds)
    table.add_row("repeated, s", f"{repeated:.3f}", f"< {own + 0.005:.3f}: numpy's product + 5 ms")
    half = "Kind = 'a'"
    table.add_row(
        "with a filter, s", f"{seconds(lambda: ask(session, query, half), rounds):.3f}", ""
    )
    insert(session, 2 * ROWS, [query])
    changed = seconds(lambda: ask(session, query))
    table.add_row("after an insert, s", f"{changed:.3f}", f"< {1.5 * repeated:.3f}: 1.5 x repeated")
    assert ask(session, query)[0][0] == 2 * ROWS
    result = ask(session, query)
    numpy, nearness._imported[:] = nearness._imported[0], [None]
    table.add_row("first without numpy, s", f"{seconds(lambda: ask(session, query)):.3f}", "< 2.5")
    table.add_row("repeated without numpy, s", f"{seconds(lambda: ask(session, query)):.3f}", "")
    assert ask(session, query) == result
    nearness._imported[:] = [numpy]
    Console().print(table)
