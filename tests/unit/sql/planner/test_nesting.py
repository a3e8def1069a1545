"""Planning and compiling take time that grows with a small power of the depth of queries."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

from spanemu.base.limits import DEFAULT_LIMITS
from spanemu.ddl.apply import plan_batch
from spanemu.schema.dialect import POSTGRESQL
from spanemu.schema.schema import Schema, empty_schema
from spanemu.schema.table import Table
from spanemu.sql.dialect import Dialect
from spanemu.sql.dialects import dialect_of
from spanemu.sql.executor.build import compile_plan
from spanemu.sql.googlesql.dialect import GOOGLESQL
from spanemu.sql.planner.build import plan_statement
from tests.unit.sql.world import SCHEMA


def nested(inmost: str, query: str, outermost: str = "") -> Callable[[int], str]:
    """Return the function from a depth to a statement; `query` is around {q} at level {i}."""

    def statement(depth: int) -> str:
        text = inmost
        for level in range(depth):
            around = outermost if outermost and level == depth - 1 else query
            text = around.replace("{q}", text).format(i=level, j=level + 1)
        return text

    return statement


_INMOST = "SELECT 1 FROM Singers WHERE SingerId = t0.SingerId"
NESTED = {
    "scalar": nested("SELECT 1", "SELECT t{i}.SingerId FROM Singers t{i} WHERE t{i}.SingerId = ({q})"),
    "correlated": nested(
        _INMOST,
        "SELECT t{i}.SingerId FROM Singers t{i} WHERE t{i}.SingerId = ({q}) AND t{i}.SingerId = t{j}.SingerId",
        "SELECT t{i}.SingerId FROM Singers t{i} WHERE t{i}.SingerId = ({q})",
    ),
    "exists": nested(
        _INMOST,
        "SELECT 1 FROM Singers t{i} WHERE EXISTS ({q}) AND t{i}.SingerId = t{j}.SingerId",
        "SELECT 1 FROM Singers t{i} WHERE EXISTS ({q})",
    ),
    "in": nested("SELECT 1", "SELECT SingerId FROM Singers t{i} WHERE SingerId IN ({q})"),
    "tables with exists": nested(
        "SELECT SingerId FROM Singers",
        """SELECT t{i}.SingerId FROM ({q}) t{i}
        WHERE EXISTS (SELECT 1 FROM Albums a WHERE a.SingerId = t{i}.SingerId)""",
    ),
    "arrays of structs": lambda depth: f"SELECT ARRAY_LENGTH({'[STRUCT(' * depth}1{')]' * depth})",
    "outer joins": nested(
        "SELECT 1",
        """SELECT t{i}.SingerId FROM Singers t{i} LEFT JOIN Albums a{i}
        ON a{i}.SingerId = t{i}.SingerId AND a{i}.AlbumId = ({q})""",
    ),
}  # fmt: skip


AGGREGATES = nested(
    "SELECT 1",
    "SELECT sum(({q})) FROM t t{i} WHERE t{i}.k = t{j}.k",
    "SELECT sum(({q})) FROM t t{i}",
)


class NoRows:
    """The statistics of tables without rows."""

    def row_count_estimate(self, table: Table) -> int:
        return 0


def work(dialect: Dialect, sql: str, schema: Schema) -> int:
    """Return how many functions are called to resolve, plan and compile a statement."""
    calls = 0

    def count(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        compile_plan(plan_statement(dialect.resolve(sql, schema, {}), schema, NoRows()))
    finally:
        sys.setprofile(None)
    return calls


@pytest.mark.parametrize("statement", NESTED.values(), ids=NESTED)
def test_deep_queries_are_prepared_in_polynomial_time(statement: Callable[[int], str]) -> None:
    few, many = (work(GOOGLESQL, statement(depth), SCHEMA) for depth in (7, 14))
    assert many < 8 * few


def test_deep_aggregates_of_postgresql_are_prepared_in_polynomial_time() -> None:
    table = "CREATE TABLE t (k bigint PRIMARY KEY)"
    schema = plan_batch([table], empty_schema(DEFAULT_LIMITS, POSTGRESQL))[0].schema
    few, many = (work(dialect_of(POSTGRESQL), AGGREGATES(depth), schema) for depth in (6, 12))
    assert many < 8 * few
