"""Indexes with every order of NULL and NaN: scanned both ways, sought, and used for ORDER BY.

GoogleSQL has no syntax for these orders, so the schema is built without DDL, and its dialect is
GoogleSQL with the orders of PostgreSQL.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cmp_to_key
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanemu.schema.dialect import GOOGLE_STANDARD_SQL
from spanemu.schema.indexes import SortedIndex
from spanemu.schema.schema import Schema
from spanemu.schema.table import Column, KeyPart, Table
from spanemu.sql.executor.build import compile_plan
from spanemu.sql.googlesql.dialect import GOOGLESQL
from spanemu.sql.plan.nodes import Scan, Sort, TopN
from spanemu.sql.plan.traverse import walk
from spanemu.sql.planner.build import plan_statement
from spanemu.values.order import GOOGLESQL_ORDERS, POSTGRESQL_ORDERS, SortOrder, SortOrders
from spanemu.values.types import FLOAT64, INT64
from tests.unit.sql.world import MemoryReader, run_for

NAN = float("nan")

ID = Column("Id", INT64, id=1, position=0, not_null=True)
X = Column("X", FLOAT64, id=2, position=1)
N = Column("N", INT64, id=3, position=2)

ROWS = st.lists(
    st.tuples(
        st.none() | st.sampled_from([NAN, float("-inf"), -1.5, 0.0, 1.5, float("inf")]),
        st.none() | st.integers(-2, 2),
    ),
    max_size=8,
)
DIALECTS = st.sampled_from([GOOGLESQL_ORDERS, POSTGRESQL_ORDERS])
ORDERS = st.builds(SortOrder, st.booleans(), st.booleans(), st.booleans())


def schema_of(dialect: SortOrders, x: SortOrder, n: SortOrder) -> Schema:
    table = Table("T", 1, (ID, X, N), (KeyPart(ID, dialect.order()),))
    indexes = (
        SortedIndex(
            name="ByX", id=2, table="T", key=(KeyPart(X, x),), suffix=table.key, stored=(N,)
        ),
        SortedIndex(
            name="ByN", id=3, table="T", key=(KeyPart(N, n),), suffix=table.key, stored=(X,)
        ),
    )
    return Schema(
        tables={"t": table},
        indexes={each.name.lower(): each for each in indexes},
        dialect=replace(GOOGLE_STANDARD_SQL, orders=dialect),
    )


class World:
    """Rows of T, whose indexes have the given orders."""

    def __init__(
        self, dialect: SortOrders, x: SortOrder, n: SortOrder, cells: Sequence[tuple[Any, Any]]
    ) -> None:
        self.schema = schema_of(dialect, x, n)
        self.rows = [(number, *pair) for number, pair in enumerate(cells)]
        self.reader = MemoryReader({"T": self.rows}, self.schema)

    def plan(self, sql: str) -> Any:
        statement = GOOGLESQL.resolve(sql, self.schema, {})
        return plan_statement(statement, self.schema, self.reader)

    def ask(self, sql: str) -> list[Any]:
        executable = compile_plan(self.plan(sql))
        return [row[0] for row in executable.run(run_for(executable, self.reader))]


def in_order(rows: Sequence[Any], position: int, order: SortOrder) -> list[int]:
    """Return the ids of rows sorted by one column, then by id, by comparing values in pairs."""

    def compared(left: Any, right: Any) -> int:
        a, b = left[position], right[position]
        if a is None or b is None:
            if a is b:
                return 0
            return -1 if (a is None) is order.nulls_first else 1
        return -_compared(a, b, order) if order.descending else _compared(a, b, order)

    return [row[0] for row in sorted(rows, key=cmp_to_key(compared))]


def _compared(a: Any, b: Any, order: SortOrder) -> int:
    if a != a or b != b:
        if a != a and b != b:
            return 0
        return 1 if (a != a) is order.nan_greatest else -1
    return (a > b) - (a < b)


@given(DIALECTS, ORDERS, ORDERS, st.booleans(), ROWS)
def test_order_by_gives_the_order_of_the_dialect_whatever_the_index(
    dialect: SortOrders, x: SortOrder, n: SortOrder, descending: bool, cells: Any
) -> None:
    world = World(dialect, x, n, cells)
    order = dialect.order(descending=descending)
    word = "DESC" if descending else "ASC"
    for position, name in ((1, "X"), (2, "N")):
        expected = in_order(world.rows, position, order)
        for hint in ("", f"@{{FORCE_INDEX=By{name}}}"):
            sql = f"SELECT Id FROM T{hint} ORDER BY {name} {word}, Id"
            assert world.ask(sql) == expected
            assert world.ask(f"{sql} LIMIT 3") == expected[:3]


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("dialect", [GOOGLESQL_ORDERS, POSTGRESQL_ORDERS])
def test_an_index_spares_a_sort_only_in_its_own_order(dialect, descending):
    order = dialect.order(descending=descending)
    word = "DESC" if descending else "ASC"
    for index in (
        SortOrder(*flags, dialect.nan_greatest)
        for flags in ((False, False), (False, True), (True, False), (True, True))
    ):
        world = World(dialect, index, index, [])
        plan = world.plan(f"SELECT X FROM T@{{FORCE_INDEX=ByX}} ORDER BY X {word}")
        scan = next(node for node in walk(plan.root) if isinstance(node, Scan))
        is_sorted = any(isinstance(node, Sort | TopN) for node in walk(plan.root))
        assert is_sorted == (order not in (index, index.reversed()))
        assert scan.descending == (order == index.reversed())


PREDICATES = {
    "IS NULL": lambda value: value is None,
    "IS NOT NULL": lambda value: value is not None,
    "> 0": lambda value: value is not None and value > 0,
    ">= 0": lambda value: value is not None and value >= 0,
    "< 0": lambda value: value is not None and value < 0,
    "<= 0": lambda value: value is not None and value <= 0,
    "= 0": lambda value: value == 0,
    "IN (0, 1)": lambda value: value in (0, 1),
    "BETWEEN -1 AND 1": lambda value: value is not None and -1 <= value <= 1,
    "> CAST(NULL AS INT64)": lambda _: False,
}


@given(ORDERS, ORDERS, ROWS, st.booleans())
def test_a_seek_finds_its_rows_whatever_the_order(
    x: SortOrder, n: SortOrder, cells: Any, descending: bool
) -> None:
    world = World(GOOGLESQL_ORDERS, x, n, cells)
    order = GOOGLESQL_ORDERS.order(descending=descending)
    word = "DESC" if descending else "ASC"
    for predicate, is_met in PREDICATES.items():
        for position, name in ((1, "X"), (2, "N")):
            hint = f"@{{FORCE_INDEX=By{name}}}"
            world.reader.visited = 0
            sql = f"SELECT Id FROM T{hint} WHERE {name} {predicate} ORDER BY {name} {word}, Id"
            rows = [row for row in world.rows if is_met(row[position])]
            assert world.ask(sql) == in_order(rows, position, order)
            if name == "N":
                assert world.reader.visited == len(rows), "a seek visited a row outside its range"


@given(ORDERS, ORDERS, ROWS)
def test_min_and_max_are_found_in_an_index_of_any_order(
    x: SortOrder, n: SortOrder, cells: Any
) -> None:
    cells = [*cells, *[(None, number) for number in range(100)]]
    world = World(GOOGLESQL_ORDERS, x, n._replace(nan_greatest=False), cells)
    numbers = [number for _, number in cells if number is not None]
    for name, choose in (("MIN", min), ("MAX", max)):
        world.reader.visited = 0
        assert world.ask(f"SELECT {name}(N) FROM T") == [choose(numbers)]
        assert world.reader.visited == 1


@given(ORDERS, ORDERS, ROWS)
def test_groups_are_adjacent_in_an_index_of_any_order(
    x: SortOrder, n: SortOrder, cells: Any
) -> None:
    world = World(POSTGRESQL_ORDERS, x, n, cells)
    counts: dict[Any, int] = {}
    for _, number in cells:
        counts[number] = counts.get(number, 0) + 1
    sql = "SELECT COUNT(*) FROM T@{FORCE_INDEX=ByN} GROUP BY N"
    assert sorted(world.ask(sql)) == sorted(counts.values())
