"""The statements of the SQL benchmark in both dialects, in turns within one run.

The shapes of `sql_shapes` mean the same in both dialects: PostgreSQL folds their names. The ratios
compare medians of processor time, so that a busy machine changes them little.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count
from statistics import median
from time import thread_time
from typing import Any

from google.cloud.spanner import param_types
from rich.console import Console
from rich.table import Table

import spanemu
from tests.benchmarks.sql_shapes import COLUMNS, DDL, NEW_STATEMENT, SHAPES, rows_of
from tests.dialects import DIALECTS, schema_in

ROWS = 2_000
KEY_READS = 50  # in one measurement
BY_KEY = "SELECT Name FROM Users WHERE UserId = @id"


def postgresql_sql(statement: str) -> str:
    """Return a statement with the parameter `id` in PostgreSQL."""
    return statement.replace("@id", "$1")


SCHEMAS: Mapping[str, list[str]] = {dialect: schema_in(dialect, DDL) for dialect in DIALECTS}


def seconds_of(measure: Callable[[Subject], object], subject: Subject) -> float:
    """Return the processor seconds of a measurement."""
    began = thread_time()
    measure(subject)
    return thread_time() - began


class Subject:
    """A database of one dialect with the rows of the benchmark."""

    def __init__(self, emulator: spanemu.Emulator, dialect: str, rows: int = ROWS) -> None:
        handle = emulator.create_database(dialect, SCHEMAS[dialect], dialect=dialect)
        self.database = handle.client()
        self._is_postgresql = dialect == "postgresql"
        self._numbers = count()
        for table, values in rows_of(rows).items():
            with self.database.batch() as batch:
                batch.insert(table, COLUMNS[table], values)

    def run(self, sql: str, number: int | None = None) -> list[Any]:
        """Return the rows of a statement; `number` is the value of its parameter."""
        sql, name = (postgresql_sql(sql), "p1") if self._is_postgresql else (sql, "id")
        params = None if number is None else {name: number}
        types = None if number is None else {name: param_types.INT64}
        with self.database.snapshot() as snapshot:
            return list(snapshot.execute_sql(sql, params, types))

    def read_by_key(self) -> None:
        for number in range(KEY_READS):
            self.run(BY_KEY, number)

    def run_new_statement(self) -> None:
        self.run(NEW_STATEMENT.format(next(self._numbers)), 3)


def main(rounds: int = 20) -> None:
    """Print the medians of each dialect and their ratios."""
    measurements: dict[str, Callable[[Subject], object]] = {
        f"{KEY_READS} x SELECT by key": Subject.read_by_key,
        "new ten-line statement": Subject.run_new_statement,
    }
    measurements |= {name: lambda s, sql=sql: s.run(sql) for name, sql in SHAPES.items()}  # type: ignore[misc]
    table = Table("statement", *SCHEMAS, "ratio", title=f"both dialects, {ROWS} rows, CPU ms")
    with spanemu.Emulator(seed=1) as emulator:
        subjects = [Subject(emulator, dialect) for dialect in SCHEMAS]
        for name, measure in measurements.items():
            for subject in subjects:
                measure(subject)
            turns = [[seconds_of(measure, each) for each in subjects] for _ in range(rounds)]
            google, postgres = (median(column) * 1e3 for column in zip(*turns, strict=True))
            table.add_row(name, f"{google:.2f}", f"{postgres:.2f}", f"{postgres / google:.2f}")
    Console(width=100).print(table)
