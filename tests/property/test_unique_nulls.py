"""Unique indexes of a PostgreSQL database, whose NULLs are distinct, against lists of rows.

Entries, violations and the backfill follow a model of the index, and no query loses a row: with any
index in the plan, forced or not, the answer is that of the table alone.
"""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st

from spanemu.database.options import ReadRequest
from spanemu.schema.dialect import POSTGRESQL
from spanemu.txn.errors import UniqueViolation
from spanemu.values.mutation import RawKeySet
from tests.unit.ddl.world import World

Row = tuple[int, int | None, int | None, int]  # k, a, b, c

_COLUMNS = ("k", "a", "b", "c")
_TABLE = "CREATE TABLE t (k bigint PRIMARY KEY, a bigint, b bigint, c bigint NOT NULL)"
_CELL = st.one_of(st.none(), st.integers(0, 3))


@dataclass(frozen=True)
class Index:
    """A unique index; a row with NULL in its key or in `where` has no entry."""

    name: str
    key: tuple[str, ...]
    suffix: str
    where: tuple[str, ...]

    @property
    def ddl(self) -> str:
        parts = ", ".join(f"{column}{self.suffix}" for column in self.key)
        where = " AND ".join(f"{column} IS NOT NULL" for column in self.where)
        text = f"CREATE UNIQUE INDEX {self.name} ON t ({parts})"
        return f"{text} WHERE {where}" if where else text

    def entries(self, rows: list[Row]) -> dict[int, tuple[int | None, ...]]:
        """Return the keys of the entries by the key of their row."""
        filtered = {*self.key, *self.where}
        cells = {row[0]: dict(zip(_COLUMNS, row, strict=True)) for row in rows}
        return {
            number: tuple(row[column] for column in self.key)
            for number, row in cells.items()
            if all(row[column] is not None for column in filtered)
        }

    def is_violated(self, rows: list[Row]) -> bool:
        keys = list(self.entries(rows).values())
        return len(set(keys)) < len(keys)


@st.composite
def _indexes(draw: st.DrawFn) -> list[Index]:
    keys = draw(
        st.lists(
            st.sampled_from([("a",), ("b",), ("a", "b"), ("c", "a"), ("b", "c"), ("c",)]),
            min_size=1,
            max_size=3,
        )
    )
    suffixes = st.sampled_from(["", "", " DESC", " NULLS FIRST"])
    return [
        Index(f"u{number}", key, draw(suffixes), key[:1] if draw(st.integers(0, 3)) == 0 else ())
        for number, key in enumerate(keys)
    ]


_ROWS = st.lists(
    st.tuples(st.integers(0, 9), _CELL, _CELL, st.integers(0, 5)),
    min_size=1,
    max_size=8,
    unique_by=lambda row: row[0],
)
_ATOMS = st.sampled_from(
    [
        "a = 1", "b = 2", "a IS NULL", "b IS NULL", "a IS NOT NULL", "b IS NOT NULL", "a > 0",
        "b < 3", "a = b", "c = 2", "a IS NOT DISTINCT FROM 1", "b IS NOT DISTINCT FROM NULL",
        "a IN (1, 2)", "COALESCE(a, 1) = 1", "a BETWEEN 0 AND 2", "(a, b) = (1, 2)",
    ]
)  # fmt: skip


@st.composite
def _queries(draw: st.DrawFn) -> tuple[str, str]:
    """Return the parts of a query before and after the name of its table."""
    atoms = draw(st.lists(_ATOMS, max_size=3))
    where = draw(st.sampled_from([" AND ", " OR "])).join(atoms)
    clause = f"WHERE {where}" if where else ""
    kind = draw(st.integers(0, 3))
    if kind == 0:
        return "SELECT count(*), sum(a), count(DISTINCT b) FROM", clause
    if kind == 1:
        return (
            "SELECT s.k, (SELECT max(t.k) FROM",
            f"WHERE t.a = s.a {f'AND ({where})' if where else ''}) FROM s ORDER BY s.k",
        )
    if kind == 2:
        return "SELECT s.k, t.k FROM s LEFT JOIN", "ON t.a = s.a AND t.b = s.b ORDER BY s.k, t.k"
    order = draw(st.sampled_from(["a, b, k", "b DESC, k", "k", "c, a DESC NULLS LAST, k"]))
    limit = draw(st.sampled_from(["", "LIMIT 2"]))
    return "SELECT k, a, b FROM", f"{clause} ORDER BY {order} {limit}"


def _violates(world: World, rows: list[Row]) -> bool:
    try:
        world.insert("t", " ".join(_COLUMNS), *[[_wire(cell) for cell in row] for row in rows])
    except UniqueViolation:
        return True
    return False


def _wire(cell: int | None) -> str | None:
    return None if cell is None else str(cell)


def _check_entries(world: World, index: Index, rows: list[Row]) -> None:
    request = ReadRequest("t", ("k",), RawKeySet(all=True), index.name)
    found = {row[0] for row in world.session.read(request, None).rows}
    assert found == index.entries(rows).keys()


@settings(max_examples=80, deadline=None)
@given(_ROWS, _indexes())
def test_entries_and_violations_follow_the_model(rows: list[Row], indexes: list[Index]) -> None:
    world = World(_TABLE, *[index.ddl for index in indexes], dialect=POSTGRESQL)
    violated = any(index.is_violated(rows) for index in indexes)
    assert _violates(world, rows) == violated
    for index in indexes:
        _check_entries(world, index, [] if violated else rows)


@settings(max_examples=80, deadline=None)
@given(_ROWS, _indexes())
def test_a_backfill_follows_the_model(rows: list[Row], indexes: list[Index]) -> None:
    world = World(_TABLE, dialect=POSTGRESQL)
    assert not _violates(world, rows)
    for index in indexes:
        failure = world.database.apply_ddl([index.ddl]).failure
        assert (failure is not None) == index.is_violated(rows)
        if failure is None:
            _check_entries(world, index, rows)


@settings(max_examples=80, deadline=None)
@given(_ROWS, _indexes(), st.lists(_queries(), min_size=1, max_size=4))
def test_no_query_loses_a_row(
    rows: list[Row], indexes: list[Index], queries: list[tuple[str, str]]
) -> None:
    other = "CREATE TABLE s (k bigint PRIMARY KEY, a bigint, b bigint)"
    world = World(_TABLE, other, *[index.ddl for index in indexes], dialect=POSTGRESQL)
    kept = [row for row in rows if not _violates(world, [row])]
    cells = [[_wire(cell) for cell in row[:3]] for row in kept]
    world.insert("s", "k a b", *cells)
    for before, after in queries:
        expected = world.rows(f"{before} t /*@ FORCE_INDEX=_BASE_TABLE */ {after}")
        assert world.rows(f"{before} t {after}") == expected
        for index in indexes:
            if not index.where:  # otherwise the query may have to reject NULL
                forced = f"{before} t /*@ FORCE_INDEX={index.name} */ {after}"
                assert world.rows(forced) == expected
