"""A statement four times as long takes about four times as many instructions to plan."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.unit.sql.byte_codes import byte_codes
from tests.unit.sql.world import ROWS, MemoryReader, prepared


def listed(pattern: str, count: int, separator: str = ", ") -> str:
    return separator.join([pattern.format(number) for number in range(count)])


def listed_chain(count: int) -> str:
    return ", ".join([f"c{at} AS (SELECT a FROM c{at - 1})" for at in range(1, count)])


SHAPES: dict[str, Callable[[int], str]] = {
    "columns": lambda n: f"SELECT {listed('{0} AS c{0}', n)} FROM Singers",
    "a column again": lambda n: f"SELECT {listed('SingerId', n)} FROM Singers",
    "union": lambda n: f"SELECT {listed('{}', n)} UNION ALL SELECT {listed('{}', n)}",
    "derived": lambda n: f"SELECT * FROM (SELECT {listed('{0} AS c{0}', n)}) WHERE c0 = c1",
    "in": lambda n: f"SELECT 1 FROM Singers WHERE SingerId IN ({listed('{}', n)})",
    "rows": lambda n: f"INSERT INTO Singers (SingerId) VALUES {listed('({})', n)}",
    "structs": lambda n: f"SELECT a FROM UNNEST([{listed('STRUCT({0} AS a, 1 AS b)', n)}])",
    "groups": lambda n: (
        f"SELECT {listed('SingerId + {}', n)} FROM Singers GROUP BY {listed('SingerId + {}', n)}"
    ),
    "a chain of common tables": lambda n: (
        f"WITH c0 AS (SELECT 1 AS a), {listed_chain(n // 2)} SELECT a FROM c{n // 2 - 1}"
    ),
    "common tables": lambda n: (
        f"WITH {listed('c{} AS (SELECT 1 AS a)', n // 4)} SELECT c0.a, c1.a FROM c0, c1"
    ),
}


def instructions(sql: str) -> int:
    """Return how many byte codes the preparation of a statement takes."""
    return byte_codes(lambda: prepared(sql, MemoryReader(ROWS)))


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_work_grows_with_the_statement(shape):
    prepared(shape(40), MemoryReader(ROWS))  # What is remembered between statements.
    assert instructions(shape(160)) < 5 * instructions(shape(40))
