"""A database in a dialect of a few lines: other names, other folding, another order of NULL.

The dialect shares GoogleSQL's grammar. What it changes, a real dialect changes too: a function of
another name, names that differ in case only, and NULL above all values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from spanemu.base.errors import SpannerError
from spanemu.database.options import CommitOptions, Existing, ReadWriteOptions, StatementRequest
from spanemu.schema.dialect import DatabaseDialect
from spanemu.schema.schema import Schema
from spanemu.schema.table import ForeignKey, Table
from spanemu.sql.dialects import DIALECTS
from spanemu.sql.googlesql.catalog import CATALOG
from spanemu.sql.googlesql.dialect import GOOGLESQL, GoogleSqlDialect
from spanemu.sql.googlesql.printing.ddl import GoogleSqlWriter
from spanemu.values.order import POSTGRESQL_ORDERS
from tests.unit.ddl.world import World

EXACT = DatabaseDialect("EXACT", 99, fold=str, orders=POSTGRESQL_ORDERS, unique_key=str)
TAMANHO = replace(CATALOG.scalars["LENGTH"], name="TAMANHO", aliases=())
FUNCTIONS = {name: each for name, each in CATALOG.scalars.items() if name != "LENGTH"}
DIALECT = GoogleSqlDialect(EXACT, replace(CATALOG, scalars={**FUNCTIONS, "TAMANHO": TAMANHO}))

SCHEMA = (
    """CREATE TABLE Pets (
         id INT64 NOT NULL, name STRING(MAX), Name STRING(MAX), age FLOAT64,
         size INT64 AS (TAMANHO(name)) STORED, state STRING(9) DEFAULT ('new'),
         CONSTRAINT named CHECK (TAMANHO(name) > 0)
       ) PRIMARY KEY (id)""",
    "CREATE TABLE pets (id INT64 NOT NULL) PRIMARY KEY (id)",
    "CREATE INDEX ByAge ON Pets(age)",
    "CREATE VIEW Sizes SQL SECURITY INVOKER AS SELECT p.id, TAMANHO(p.name) AS s FROM Pets AS p",
)


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.setitem(DIALECTS, EXACT, DIALECT)
    world = World(*SCHEMA, dialect=EXACT)
    world.insert("Pets", "id name Name age", ("1", "Rex", "R", 7.0), ("2", "Bo", "B", None))
    world.insert("Pets", "id name Name age", ("3", "Mimi", "M", "NaN"), ("4", "Al", "A", 2.0))
    world.insert("pets", "id", ("9",))
    return world


def dml(world: World, sql: str) -> int | None:
    transaction = Existing(world.session.begin(ReadWriteOptions()).id)
    stream = world.session.execute(StatementRequest(sql, seqno=1), transaction)
    list(stream.rows)
    world.session.commit(transaction, [], CommitOptions())
    return stream.stats.row_count


def test_a_function_has_the_name_that_the_dialect_gives_it(world: World):
    assert world.rows("SELECT TAMANHO(name) FROM Pets WHERE id = 1") == [(3,)]
    assert world.rows("SELECT size FROM Pets ORDER BY id") == [(3,), (2,), (4,), (2,)]
    assert world.rows("SELECT s FROM Sizes WHERE id = 3") == [(4,)]
    with pytest.raises(SpannerError, match="LENGTH"):
        world.rows("SELECT LENGTH(name) FROM Pets")


def test_names_that_differ_in_case_are_different_names(world: World):
    assert world.rows("SELECT name, Name FROM Pets WHERE id = 2") == [("Bo", "B")]
    assert world.rows("SELECT id FROM pets") == [(9,)]
    assert world.rows("SELECT P.id, p.id FROM Pets AS P, pets AS p WHERE P.id = 1") == [(1, 9)]
    assert world.rows("SELECT x FROM (SELECT 1 AS X, 2 AS x)") == [(2,)]
    for sql in ("SELECT NAME FROM Pets", "SELECT id FROM PETS", "SELECT P.id FROM Pets AS p"):
        with pytest.raises(SpannerError, match=r"NAME|PETS|P\b"):
            world.rows(sql)


def test_dml_folds_names_as_the_dialect_does(world: World):
    assert dml(world, "UPDATE Pets SET Name = 'X', name = 'Xerxes' WHERE id = 1") == 1
    assert dml(world, "INSERT INTO pets (id) SELECT id FROM Pets WHERE Name = 'X'") == 1
    assert dml(world, "DELETE FROM Pets WHERE name = 'Bo'") == 1
    assert world.rows("SELECT name, Name, size FROM Pets WHERE id = 1") == [("Xerxes", "X", 6)]
    assert world.rows("SELECT id FROM pets ORDER BY id") == [(1,), (9,)]
    with pytest.raises(SpannerError, match="named"):
        dml(world, "UPDATE Pets SET name = '' WHERE id = 3")


def test_null_and_nan_are_the_greatest_values_in_order_by_and_in_an_index(world: World):
    ordered = [(4,), (1,), (3,), (2,)]
    assert world.rows("SELECT id FROM Pets@{FORCE_INDEX=_BASE_TABLE} ORDER BY age") == ordered
    assert world.rows("SELECT id FROM Pets@{FORCE_INDEX=ByAge} ORDER BY age") == ordered
    assert world.rows("SELECT id FROM Pets ORDER BY age DESC") == ordered[::-1]


def test_the_schema_is_printed_and_read_again(world: World):
    again = World(*world.database.ddl(), dialect=EXACT)
    assert again.database.ddl() == world.database.ddl()
    assert again.schema.tables.keys() == {"Pets", "pets"}


def test_schema_statements_look_names_up_as_the_dialect_does(world: World):
    world.ddl("ALTER TABLE Pets ADD COLUMN NAME INT64 DEFAULT (5)", "DROP TABLE pets")
    assert world.rows("SELECT NAME, Name FROM Pets WHERE id = 1") == [(5, "R")]
    assert world.schema.tables.keys() == {"Pets"}
    with pytest.raises(SpannerError, match="pets"):
        world.ddl("DROP TABLE pets")


def test_dialects_do_not_share_signatures():
    for dialect, name in ((DIALECT, "TAMANHO"), (GOOGLESQL, "LENGTH"), (DIALECT, "TAMANHO")):
        schema = Schema(dialect=dialect.database)
        resolved = dialect.resolve(f"SELECT {name}('a')", schema, {})
        assert f"function='{name}'" in repr(resolved)


class Writer(GoogleSqlWriter):
    def table(self, table: Table, left_out: Sequence[ForeignKey]) -> str:
        return f"CRIAR TABELA {table.name}"


class Writing(GoogleSqlDialect):
    schema_writer = Writer()


def test_the_dialect_prints_the_schema(world: World, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(DIALECTS, EXACT, Writing(EXACT, DIALECT.catalog))
    heads = [statement[:17] for statement in world.database.ddl()]
    assert heads == [
        "CRIAR TABELA Pets",
        "CREATE INDEX ByAg",
        "CRIAR TABELA pets",
        "CREATE VIEW Sizes",
    ]


def test_clients_see_the_dialect(world: World):
    sql = """SELECT OPTION_VALUE FROM information_schema.database_options
             WHERE OPTION_NAME = 'database_dialect'"""
    assert world.rows(sql) == [("EXACT",)]
