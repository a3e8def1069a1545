"""The records of a change stream, applied to an empty copy, give the database's rows at any time.

Random schemas, all kinds of writes, aborts, cascades, row deletion policies, schema changes, splits
and merges. Longer runs: SPANEMU_CHANGE_STREAM_EXAMPLES=300 pytest tests/property/test_change_streams.py
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import spanemu
from tests.property.change_stream_world import ALL, SOME, RowWrite, World
from tests.property.row_model import Table
from tests.property.test_random_schemas import SMALL, row_writes, schemas, statements

EXAMPLES = int(os.environ.get("SPANEMU_CHANGE_STREAM_EXAMPLES", "3"))
BIT = st.integers(0, 1)  # a value that the checks of row_model.Table accept
CAPTURES = ("OLD_AND_NEW_VALUES", "NEW_VALUES", "NEW_ROW", "NEW_ROW_AND_OLD_VALUES")
pytestmark = pytest.mark.timeout(max(600, 10 * EXAMPLES))
_numbers = count(1)


@pytest.fixture(scope="module")
def emulator() -> Iterator[spanemu.Emulator]:
    with spanemu.Emulator() as running:
        yield running


@st.composite
def complete_writes(draw: st.DrawFn, schema: dict[str, Table]) -> list[RowWrite]:
    """Return writes that few rules refuse: the rows that a row needs come before it."""
    table = draw(st.sampled_from(list(schema.values())))
    key = draw(st.tuples(*[SMALL] * table.depth))
    kind = draw(st.sampled_from(["insert_or_update"] * 3 + ["replace", "delete"]))
    if kind == "delete":
        return [(kind, table.name, key)]
    writes: list[RowWrite] = []
    above = table
    while above.parent is not None:
        above = schema[above.parent]
        writes.insert(0, row_of(above, key, draw(BIT), draw(BIT)))
    _, name, row = row_of(table, key, draw(BIT), draw(BIT))
    left_out = draw(st.sampled_from(["", "", "", "A", "B"]))
    return [*writes, (kind, name, {c: value for c, value in row.items() if c != left_out})]


def row_of(table: Table, key: tuple[int, ...], a: int, b: int) -> RowWrite:
    named = dict(zip(table.key, key, strict=False))  # the key of a parent is the beginning
    return "insert_or_update", table.name, {**named, "A": a, "B": b}


def step(world: World, data: st.DataObject) -> None:
    """Take a random step."""
    draw, schema = data.draw, world.tables
    table = draw(st.sampled_from(list(schema.values())))
    kind = draw(st.sampled_from(["write"] * 8 + ["commit"] * 2 + ["transact"] * 4 + OTHERS))
    if kind == "write":
        several = st.lists(complete_writes(schema), min_size=1, max_size=3)
        world.commit([write for writes in draw(several) for write in writes])
    elif kind == "commit":
        world.commit(draw(st.lists(row_writes(schema), min_size=1, max_size=5)))
    elif kind == "transact":
        ends = st.sampled_from(["commit", "commit", "abort", "rollback"])
        world.transact(draw(st.lists(statements(schema), min_size=1, max_size=4)), draw(ends))
    elif kind == "split":
        roots = [each.name for each in schema.values() if each.parent is None]
        world.split(draw(st.sampled_from(roots)), (draw(SMALL),), merges=draw(st.booleans()))
    elif kind == "partitioned":
        texts = statements(schema).filter(lambda each: each[0] in ("UPDATE", "DELETE"))
        world.partitioned(draw(texts))
    elif kind == "batch-write":
        world.batch_write(draw(st.lists(row_writes(schema), min_size=1, max_size=4)))
    elif kind == "churn":
        world.churn(draw(st.sampled_from([ALL, SOME])))
    elif kind == "expire":
        world.expire(table.name, draw(SMALL))
    elif kind == "alter":
        alter(world, table.name, data)


OTHERS = "split split split partitioned batch-write churn churn expire alter alter".split()


def alter(world: World, table: str, data: st.DataObject) -> None:
    """Make a random schema change."""
    other = data.draw(st.sampled_from(CAPTURES))
    change = "SET (" if world.is_postgresql else "SET OPTIONS ("
    world.alter(
        data.draw(
            st.sampled_from(
                [
                    f"ALTER TABLE {table} ADD COLUMN X INT64",
                    f"ALTER TABLE {table} ADD COLUMN Y INT64 NOT NULL DEFAULT (7)",
                    f"ALTER TABLE {table} DROP COLUMN X",
                    f"ALTER TABLE {table} DROP COLUMN Y",
                    f"DROP TABLE {table}",
                    f"CREATE INDEX ByA{table} ON {table} (A)",
                    f"ALTER CHANGE STREAM {ALL} {change}value_capture_type = '{other}')",
                    *world.tables[table].ddl(),
                ]
            )
        )
    )


def run(world: World, data: st.DataObject) -> None:
    for _ in range(data.draw(st.integers(3, 12))):
        step(world, data)
    world.check()


@pytest.mark.parametrize("dialect", ["googlesql", "postgresql"])
@settings(
    max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), database=None
)
@given(data=st.data())
def test_the_records_give_the_rows(
    emulator: spanemu.Emulator, dialect: str, data: st.DataObject
) -> None:
    handle = emulator.create_database(f"changes-{next(_numbers)}", dialect=dialect)
    try:
        capture = data.draw(st.sampled_from(CAPTURES))
        world = World.create(emulator, handle, data.draw(schemas("googlesql")), capture)
        run(world, data)
        before, states = handle.snapshot(), list(world.states)
        run(world, data)
        clone = world.clone(f"{handle.database_id}-clone")
        handle.restore(before)
        world.states = states
        world.check()
        run(world, data)
        run(clone, data)
        clone.handle.drop()
    finally:
        handle.drop()
