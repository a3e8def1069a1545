"""Random queries on random rows, answered by spanemu and by the enumeration."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from random import Random
from typing import Any

from google.api_core.exceptions import GoogleAPICallError

import spanemu
from tests.differential.graphs.enumeration import TooMany, answer
from tests.differential.graphs.generator import random_query
from tests.differential.graphs.patterns import GraphQuery
from tests.differential.graphs.world import COLUMNS, DDL, Graph, Rows, graph_of, random_rows

ROWS_EVERY = 25  # statements over the same rows
TABLE_EVERY = 4  # statements, of which one is asked as a table of a SQL query as well
_ORDER = ("AA", "AB", "BA", "BB", "A", "B")  # in which rows can be deleted


class Campaign:
    """An emulator with the tables of the graph; use as a context manager."""

    def __enter__(self) -> Campaign:
        self._emulator = spanemu.Emulator()
        self._emulator.__enter__()
        schema = [f"{each};" for each in DDL]
        self._database = self._emulator.create_database("graphs", schema=schema).client()
        return self

    def __exit__(self, *problem: Any) -> None:
        self._emulator.__exit__(*problem)

    def differences(self, seeds: Iterable[int]) -> Iterator[str]:
        """Yield a description of each query that the two answer differently."""
        graph = Graph((), ())
        rows: Rows = {}
        for number, seed in enumerate(seeds):
            if number % ROWS_EVERY == 0:
                rows = random_rows(Random(seed))
                graph = graph_of(rows)
                self._write(rows)
            query = random_query(seed)
            try:
                expected = answer(query, graph)
            except TooMany:
                continue
            texts = [query.text(), *([query.table_text()] if seed % TABLE_EVERY == 0 else [])]
            for text in texts:
                given = self._answer(text)
                if given != expected:
                    yield _described(seed, query, text, rows, given, expected)
                    break

    def _write(self, rows: Rows) -> None:
        """Replace the rows of all tables."""

        def write(transaction: Any) -> None:
            for name in _ORDER:
                transaction.execute_update(f"DELETE FROM {name} WHERE TRUE")
            for name in reversed(_ORDER):
                if rows[name]:
                    transaction.insert(name, COLUMNS[name], rows[name])

        self._database.run_in_transaction(write)

    def _answer(self, text: str) -> Counter[tuple[Any, ...]] | str:
        try:
            with self._database.snapshot() as snapshot:
                return Counter(tuple(map(_plain, row)) for row in snapshot.execute_sql(text))
        except GoogleAPICallError as problem:
            return f"{problem.grpc_status_code}: {problem.message}"


def _plain(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _described(
    seed: int, query: GraphQuery, text: str, rows: Rows, given: Any, expected: Counter[Any]
) -> str:
    if isinstance(given, Counter):
        given = f"missing {dict(expected - given)}, too many {dict(given - expected)}"
    stored = "; ".join([f"{name}: {list(each)}" for name, each in rows.items()])
    return f"seed {seed}\n  {text}\n  rows {stored}\n  {given}\n"
