"""Streams of applications, written in the usual ways through the official client."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count, islice
from random import Random
from typing import Any

import pytest
from google.cloud.spanner_v1 import KeySet

from spanemu import Emulator
from spanemu.control.hotspots import Watch
from tests.hotspots.streams import HARMLESS, HOT, REMOVED, Row, Stream

SIZES = (100, 200)

_numbers = count(1)

Way = Callable[[Any, Stream, list[Row]], None]  # writes rows through a client's Database


@pytest.fixture(scope="module")
def emulator() -> Iterator[Emulator]:
    with Emulator() as running:
        yield running


def by_mutations(client: Any, stream: Stream, rows: list[Row], size: int = 1) -> None:
    for at in range(0, len(rows), size):
        with client.batch() as batch:
            write = batch.insert_or_update if stream.prepared else batch.insert
            write(stream.table, stream.columns.split(), rows[at : at + size])
        if stream.is_removed:
            with client.batch() as batch:
                batch.delete(stream.table, KeySet(keys=[[rows[at][0]]]))


def by_dml(client: Any, stream: Stream, rows: list[Row]) -> None:
    columns = stream.columns.split()
    sql = (
        f"INSERT OR UPDATE INTO {stream.table} ({', '.join(columns)}) "
        f"VALUES ({', '.join(f'@p{n}' for n in range(len(columns)))})"
    )
    for row in rows:
        params = {f"p{n}": value for n, value in enumerate(row)}
        client.run_in_transaction(lambda work, params=params: work.execute_update(sql, params))


def by_ten(client: Any, stream: Stream, rows: list[Row]) -> None:
    by_mutations(client, stream, rows, 10)


def by_threads(client: Any, stream: Stream, rows: list[Row]) -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda row: by_mutations(client, stream, [row]), rows))


def written(
    emulator: Emulator, stream: Stream, way: Way, counts: tuple[int, ...]
) -> Iterator[Watch]:
    """Yield the report after each number of rows."""
    database = emulator.create_database(f"streams-{next(_numbers)}", schema=list(stream.ddl))
    client = database.client()
    if stream.prepared:
        by_mutations(client, stream, [(n, 0) for n in range(stream.prepared)], 1000)
    rows = stream.rows(Random(1))
    with emulator.hotspots(database).watch() as watch:
        done = 0
        for size in counts:
            way(client, stream, list(islice(rows, size - done)))
            done = size
            yield watch


def loud(watch: Watch) -> list[tuple[str, str | None, str]]:
    """Return the findings above INFO."""
    return [
        (each.object, each.column, str(each.reason))
        for each in watch.findings
        if each.severity != "info"
    ]


@pytest.mark.parametrize("name", HOT)
def test_hot(emulator: Emulator, name: str) -> None:
    for watch in written(emulator, HOT[name], by_mutations, SIZES):
        assert loud(watch) == [HOT[name].hot]
        assert watch.findings[0].severity == "error"


@pytest.mark.parametrize("name", HARMLESS)
def test_harmless(emulator: Emulator, name: str) -> None:
    for watch in written(emulator, HARMLESS[name], by_mutations, SIZES):
        assert loud(watch) == []


@pytest.mark.parametrize("name", REMOVED)
def test_repeated_fixtures_are_not_hot(emulator: Emulator, name: str) -> None:
    for watch in written(emulator, REMOVED[name], by_mutations, SIZES):
        assert not [each for each in watch.findings if each.severity == "error"]


MANY = ["UUID 7", "time of now", "a sequence with gaps", "index on a time"]
EVEN = ["UUID 4", "users at random", "32 shards in turn", "a sequence of turned bits"]


@pytest.mark.parametrize("way", [by_dml, by_ten, by_threads])
@pytest.mark.parametrize("name", MANY)
def test_a_hot_stream_is_reported_whatever_writes_it(
    emulator: Emulator, name: str, way: Way
) -> None:
    rows = 1000 if way is by_ten else 100
    for watch in written(emulator, HOT[name], way, (rows,)):
        assert loud(watch) == [HOT[name].hot]


@pytest.mark.parametrize("way", [by_dml, by_ten, by_threads])
@pytest.mark.parametrize("name", EVEN)
def test_a_harmless_stream_is_not_reported_whatever_writes_it(
    emulator: Emulator, name: str, way: Way
) -> None:
    rows = 1000 if way is by_ten else 100
    for watch in written(emulator, HARMLESS[name], way, (rows,)):
        assert loud(watch) == []
