"""Many rows inserted at once (`txn.bulk_insert`) are what they are one by one.

Two databases of the same random schema take the same random commits of many rows: one as it likes,
the other row by row. The schemas have parents, defaults, generated columns, checks, foreign keys,
indexes of each kind, JSON, commit timestamps and change streams. After each commit, both have given
the same answer or error, and have the same versions and records of changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from operator import itemgetter
from typing import Any
from unittest.mock import patch

from hypothesis import event, given, settings
from hypothesis import strategies as st

from spanemu.base.errors import SpannerError
from spanemu.database.options import CommitOptions, Isolation, ReadWriteOptions, SingleUse
from spanemu.storage import store
from spanemu.txn import commit as commits_of_mutations
from spanemu.txn import write_plan
from spanemu.txn.bulk_insert import BulkInsert
from spanemu.values.mutation import Mutation, Write, WriteKind
from tests.property.test_one_row import CELLS, PENDING, Place, Shape, Table, declared

SIZES = ((write_plan, "MANY_ROWS"), (commits_of_mutations, "MANY_ROWS"), (store, "MANY_WRITES"))
PAST = "1969-01-01T00:00:00Z"
VALID: Mapping[str, st.SearchStrategy[Any]] = {
    "INT64": st.integers(-2, 60).map(str),
    "STRING(3)": st.sampled_from(["", "a", "b", "c", "abc"]),
    "JSON": st.sampled_from(['{"a":1}', '{ "a": [1.50, "x"] }', '{"a":1,"a":2}', "1e5"]),
    "FLOAT64": st.floats(width=16, allow_nan=False).map(float),
    "TIMESTAMP": st.integers(0, 50).map("1969-01-01T00:00:{:02}Z".format),
    PENDING: st.sampled_from([PAST, "spanner.commit_timestamp()", None]),
    "ARRAY<INT64>": st.lists(st.sampled_from(["1", None]), max_size=2),
}
ANY: Mapping[str, st.SearchStrategy[Any]] = {
    **CELLS,
    "JSON": st.sampled_from(["{}", "{", '{"a": 01}', '"\\u00e9"']),
}
TYPES = ("INT64", "INT64", "STRING(3)", "JSON", "FLOAT64", "TIMESTAMP", PENDING, "ARRAY<INT64>")
COMPUTED = (
    *[""] * 3,
    ", X INT64 AS (IF(K > 20, 1, K)) STORED",
    ", X INT64 NOT NULL AS (IF(K = 13, NULL, K)) STORED",
    ", X INT64 AS (DIV(10, K - 13)) STORED",
    ", X STRING(2) AS (IF(K = 13, 'abc', 'a')) STORED",
    ", X INT64 AS (MOD(K, 3))",
    ", X INT64 DEFAULT (7)",
    ", X INT64 NOT NULL DEFAULT (NULL)",
    *[", X STRING(2) DEFAULT ('ab')"] * 3,
    ", X STRING(2) DEFAULT ('abc')",
    ", X TIMESTAMP DEFAULT (PENDING_COMMIT_TIMESTAMP()) OPTIONS (allow_commit_timestamp = true)",
)
CHECKS = (
    *[""] * 3,
    ", CONSTRAINT {name}Few CHECK (K < 4500)",
    ", CONSTRAINT {name}Known CHECK (A IS NOT NULL)",
    ", CONSTRAINT {name}Divided CHECK (DIV(10, K - 13) < 11)",
)


@st.composite
def schemas(draw: st.DrawFn) -> Shape:
    """Return a root table, a child, and a table that refers to the root, with their indexes."""
    shape = Shape()
    for name in ("Root", "Child", "Other"):
        key = ("K", "L") if name == "Child" else ("K",)
        types: dict[str, str] = dict.fromkeys(key, "INT64")
        parts = [declared(draw, column, "INT64") for column in key]
        if shape.tables and name == "Child":
            parts[0] = shape.statements[0].partition("(")[2].partition(",")[0]
        values = {column: draw(st.sampled_from(TYPES)) for column in ("A", "B")}
        parts += [declared(draw, column, type_) for column, type_ in values.items()]
        extra = draw(st.sampled_from(COMPUTED))
        tail = extra + draw(st.sampled_from(CHECKS)).format(name=name)
        if name == "Other":
            types["R"] = "INT64"
            action = draw(st.sampled_from(["", " ON DELETE CASCADE", " NOT ENFORCED"]))
            tail += f", R INT64, CONSTRAINT F FOREIGN KEY (R) REFERENCES Root (K){action}"
        order = draw(st.sampled_from(["", " DESC"])) if name == "Child" else ""
        parent = ", INTERLEAVE IN PARENT Root" if name == "Child" else ""
        primary = ", ".join(key) + order
        shape.statements.append(
            f"CREATE TABLE {name} ({', '.join(parts)}{tail}) PRIMARY KEY ({primary}){parent}"
        )
        shape.tables.append(Table(name, {**types, **values}, key))
        sorted_columns = [each for each in "AB" if values[each] not in ("JSON", "ARRAY<INT64>")]
        if extra:
            sorted_columns.append("X")
        for number in range(draw(st.integers(0, 2)) if sorted_columns else 0):
            kind = draw(st.sampled_from(["", "", "UNIQUE ", "NULL_FILTERED "]))
            column = draw(st.sampled_from(sorted_columns))
            direction = draw(st.sampled_from(["", " DESC"]))
            shape.statements.append(
                f"CREATE {kind}INDEX {name}{number} ON {name} ({column}{direction})"
            )
    shape.statements += draw(
        st.sampled_from(
            [[], ["CREATE CHANGE STREAM S FOR ALL"], ["CREATE CHANGE STREAM S FOR Child(A)"]]
        )
    )
    return shape


def valid(table: Table, column: str) -> st.SearchStrategy[Any]:
    """Return mostly valid values of a column, in a key mostly different ones."""
    if column == "L":
        return st.integers(0, 1 << 40).map(str)
    if column == "R":
        return st.none() | st.integers(0, 16).map(lambda number: str(2 * number))
    if column == "K":
        numbers = {"Root": st.integers(34, 5_000), "Child": st.integers(0, 16).map(lambda n: 2 * n)}
        return numbers.get(table.name, st.integers(0, 5_000)).map(str)
    return VALID[table.columns[column]]


@st.composite
def writes(draw: st.DrawFn, shape: Shape) -> Mutation:
    """Return an insert of some rows, whose keys are mostly different and whose parents exist."""
    table = draw(st.sampled_from(shape.tables))
    listed = [each for each in table.columns if each in table.key or draw(st.integers(0, 5))]
    columns = tuple(draw(st.permutations(listed)))
    kind = draw(
        st.sampled_from([WriteKind.INSERT] * 6 + [WriteKind.INSERT_OR_UPDATE] * 3 + [*WriteKind])
    )
    count = draw(st.integers(1, 12))
    written = [[draw(valid(table, column)) for column in columns] for _ in range(count)]
    if draw(st.integers(0, 3)) == 0:
        column = draw(st.sampled_from(columns))
        cells = draw(st.sampled_from(written))
        cells[columns.index(column)] = draw(st.none() | ANY[table.columns[column]])
    return Write(kind, table.name, columns, written)


@contextmanager
def many_from(count: int) -> Iterator[None]:
    """Insert rows together from this number on."""
    with ExitStack() as patches:
        for module, name in SIZES:
            patches.enter_context(patch.object(module, name, count))
        yield


def run(world: Place, options: ReadWriteOptions, mutations: list[Mutation]) -> Any:
    """Return the outcome of a commit, or its error as (type, text)."""
    try:
        return world.session.commit(SingleUse(options), mutations, CommitOptions(True))
    except SpannerError as failure:
        return type(failure), str(failure)


def state(world: Place) -> str:
    """Return everything that a commit leaves behind; reports to observers in any order."""
    world.core.store.flush_observers()
    journal = world.observed.journal
    world.observed.journal = sorted(zip(*[iter(journal)] * 3, strict=True), key=itemgetter(0, 1))
    log = world.core.store.change_log
    entries = [] if log is None else log.between(0, 1 << 62)
    left = world.state() + repr([(each.timestamp, each.changes) for each in entries])
    world.observed.journal = []
    return left


def first_rows(shape: Shape) -> list[Mutation]:
    """Return writes that make most parents and referenced rows exist."""
    root = shape.tables[0]
    plain = {"INT64": "1", "STRING(3)": "a", "JSON": "{}", "FLOAT64": 1.5, "ARRAY<INT64>": []}
    columns = tuple(root.columns)
    rows = [
        [str(number) if each == "K" else plain.get(root.columns[each], "1969-01-01T00:00:00Z")
         for each in columns]
        for number in range(0, 34, 2)
    ]  # fmt: skip
    return [Write(WriteKind.INSERT, root.name, columns, [row]) for row in rows]


OPTIONS = st.sampled_from(
    [*[ReadWriteOptions()] * 5, ReadWriteOptions(isolation=Isolation.REPEATABLE_READ)]
)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_many_rows_are_inserted_as_they_are_one_by_one(data: st.DataObject) -> None:
    shape = data.draw(schemas())
    try:
        together, single = Place(shape), Place(shape)
    except SpannerError as refused:
        event(f"refused: {type(refused).__name__}")
        return
    at_once = 0
    insert = BulkInsert.write

    def counted(*given: Any) -> bool:
        nonlocal at_once
        done = insert(*given)
        at_once += done
        return done

    def compare(options: ReadWriteOptions, mutations: list[Mutation]) -> None:
        with many_from(2), patch.object(BulkInsert, "write", counted):
            outcome = run(together, options, mutations)
        with many_from(1 << 30):
            assert outcome == run(single, options, mutations)
        event(f"outcome: {outcome[0].__name__ if outcome.__class__ is tuple else 'committed'}")
        assert state(together) == state(single)

    for mutation in first_rows(shape):
        compare(ReadWriteOptions(), [mutation])
    for _ in range(data.draw(st.integers(1, 6))):
        mutations = [data.draw(writes(shape)) for _ in range(data.draw(st.integers(1, 3)))]
        compare(data.draw(OPTIONS), mutations)
    event(f"{min(at_once, 3)} at once, or more")
    together.core.store.check()
