"""Random statements on spanemu and on a real PostgreSQL, answers compared.

    python -m tests.differential.postgresql --count 5000 --seed 1

Prints each difference, and how many statements both refuse.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from google.api_core.exceptions import GoogleAPICallError
from google.cloud.spanner_v1 import TypeCode

import spanemu
from tests.differential.postgresql_queries import Statement, random_statement, rows, schema
from tests.postgres import Postgres, PostgresError, postgres

Row = tuple[Any, ...]


@dataclass(frozen=True)
class Difference:
    """A statement that spanemu and PostgreSQL answer differently."""

    seed: int
    sql: str
    ours: str
    theirs: str

    def __str__(self) -> str:
        return (
            f"seed {self.seed}: {self.sql}\n  spanemu:    {self.ours}\n  PostgreSQL: {self.theirs}"
        )


class Comparison:
    """Both engines with the same tables; `refused` counts the statements that both refuse."""

    def __init__(self, database: Any, oracle: Postgres) -> None:
        self._database = database
        self._oracle = oracle
        self.refused = 0

    def differences(self, seeds: Sequence[int]) -> Iterator[Difference]:
        """Yield the statements of `seeds` that are answered differently."""
        statements = [random_statement(seed) for seed in seeds]
        answers = self._oracle.rows([statement.sql for statement in statements])
        for seed, statement, theirs in zip(seeds, statements, answers, strict=True):
            ours = self._ask(statement)
            if isinstance(ours, str) and isinstance(theirs, PostgresError):
                self.refused += 1
            elif isinstance(ours, str) or isinstance(theirs, PostgresError):
                yield Difference(seed, statement.sql, str(ours), str(theirs))
            else:
                kinds, result = ours
                expected = [_row(kinds, row) for row in theirs]
                if not statement.ordered:
                    result, expected = sorted(result, key=repr), sorted(expected, key=repr)
                if result != expected:
                    yield Difference(seed, statement.sql, str(result), str(expected))

    def _ask(self, statement: Statement) -> tuple[list[TypeCode], list[Row]] | str:
        """Return the types of spanemu's columns and its rows, or its error."""
        try:
            if statement.sql.startswith(("INSERT", "UPDATE", "DELETE")):
                return self._undone(statement.sql)
            with self._database.snapshot() as snapshot:
                return _read(snapshot.execute_sql(statement.sql))
        except GoogleAPICallError as error:
            return f"{type(error).__name__} {error.message}"

    def _undone(self, sql: str) -> tuple[list[TypeCode], list[Row]]:
        """Run a DML statement in a transaction that is rolled back."""
        session = self._database.session()
        session.create()
        try:
            transaction = session.transaction()
            transaction.begin()
            try:
                return _read(transaction.execute_sql(sql))
            finally:
                transaction.rollback()
        finally:
            session.delete()


def _read(result: Any) -> tuple[list[TypeCode], list[Row]]:
    found = list(result)
    kinds = [TypeCode(each.type_.code) for each in result.fields]
    return kinds, [_row(kinds, row) for row in found]


def _row(kinds: Sequence[TypeCode], row: Sequence[Any]) -> Row:
    return tuple(_value(kind, value) for kind, value in zip(kinds, row, strict=True))


def _value(kind: TypeCode, value: Any) -> Any:
    """Return a value in a form that is equal for equal values, NaN included."""
    if value is None or kind in (TypeCode.BOOL, TypeCode.STRING):
        return value
    if kind is TypeCode.FLOAT64:
        return repr(float(value) + 0.0)
    if kind is TypeCode.NUMERIC:
        number = Decimal(str(value))
        return str(number.normalize() + 0) if number.is_finite() else str(number)
    return str(value)


@contextmanager
def comparison(seed: int) -> Iterator[Comparison]:
    """Yield both engines with the rows of `seed`; skip the test without PostgreSQL."""
    with postgres() as oracle, spanemu.Emulator() as emulator:
        handle = emulator.create_database(
            "differential", schema=[f"{each};" for each in schema()], dialect="postgresql"
        )
        database = handle.client()

        def load(transaction: Any) -> None:
            for statement in rows(seed):
                transaction.execute_update(statement)

        database.run_in_transaction(load)
        oracle.execute(";\n".join([*schema(), *rows(seed)]) + ";")
        yield Comparison(database, oracle)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    seeds = range(arguments.seed, arguments.seed + arguments.count)
    result = 0
    with comparison(arguments.seed) as both:
        for difference in both.differences(seeds):
            result += 1
            print(difference, flush=True)
        print(f"{result} differences, {both.refused} refused by both, of {len(seeds)}")


if __name__ == "__main__":
    main()
