import gc
from collections.abc import Iterator
from datetime import date
from typing import Any
from weakref import ref

import pytest

from spanemu.database.database import Database
from spanemu.database.options import StatementRequest
from spanemu.database.system_tables.catalog import CATALOG, SYSTEM_TABLES, SystemRows, system_tables
from spanemu.database.system_tables.declaration import Declared, Source
from spanemu.values.types import BOOL, DATE, FLOAT64, INT64, STRING, TIMESTAMP
from tests.unit.database.system_tables.postgresql import shop as postgresql
from tests.unit.database.system_tables.shop import DDL, database, picked, rows_of

PYTHON = {STRING: str, INT64: int, BOOL: bool, FLOAT64: float, DATE: date, TIMESTAMP: int}


@pytest.fixture(scope="module")
def shop():
    return database(*DDL)


def test_names_are_found_whatever_their_case() -> None:
    table = CATALOG.table("Information_Schema.tables")
    assert table is not None
    assert table.name == "INFORMATION_SCHEMA.TABLES"
    assert table.positions["table_name"] == 2
    assert CATALOG.table("INFORMATION_SCHEMA.NOTHING") is None
    assert CATALOG.table("TABLES") is None


@pytest.mark.parametrize("declared", SYSTEM_TABLES, ids=lambda declared: declared.full_name)
def test_rows_fit_their_columns(shop, declared) -> None:
    for row in rows_of(shop, declared.full_name):
        for column in declared.columns:
            value = row[column.name]
            if value is not None:
                assert type(value) is PYTHON[column.type], column.name
            # Spanner itself shows no state for primary keys in a column that is NOT NULL.
            elif column.name != "INDEX_STATE":
                assert not column.not_null, column.name


@pytest.mark.parametrize(
    "declared",
    [declared for declared in SYSTEM_TABLES if declared.key_columns],
    ids=lambda declared: declared.full_name,
)
def test_primary_keys_are_unique(shop, declared) -> None:
    keys = [
        tuple(row[column.name] for column in declared.key_columns)
        for row in rows_of(shop, declared.full_name)
    ]
    assert len(set(keys)) == len(keys)


def test_rows_are_made_once_per_statement(shop) -> None:
    rows = SystemRows(shop._core, shop._core.store.clock.peek())
    name = "INFORMATION_SCHEMA.COLUMNS"
    assert rows.rows(name) is rows.rows(name)


def test_rows_are_those_of_the_timestamp() -> None:
    owner = database("CREATE TABLE A (Id INT64) PRIMARY KEY (Id)")
    before = owner._core.store.clock.now()
    owner.apply_ddl(["DROP TABLE A", "CREATE TABLE B (Id INT64) PRIMARY KEY (Id)"])
    then = rows_of(owner, "INFORMATION_SCHEMA.TABLES", before)
    now = rows_of(owner, "INFORMATION_SCHEMA.TABLES")
    assert picked(then, "TABLE_NAME", TABLE_SCHEMA="") == ["A"]
    assert picked(now, "TABLE_NAME", TABLE_SCHEMA="") == ["B"]


def test_the_default_schema_has_an_effective_timestamp() -> None:
    owner = database()
    first = rows_of(owner, "INFORMATION_SCHEMA.SCHEMATA")
    at = owner.apply_ddl(["CREATE SCHEMA app"]).commit_timestamps[0]
    rows = rows_of(owner, "INFORMATION_SCHEMA.SCHEMATA")
    assert picked(first, "EFFECTIVE_TIMESTAMP", SCHEMA_NAME="") == [0]
    assert picked(rows, "EFFECTIVE_TIMESTAMP", SCHEMA_NAME="") == [at // 1000]
    assert picked(rows, "SCHEMA_NAME") == ["", "INFORMATION_SCHEMA", "SPANNER_SYS", "app"]


def test_system_tables_are_listed_themselves(shop) -> None:
    tables = rows_of(shop, "INFORMATION_SCHEMA.TABLES")
    listed = picked(tables, "TABLE_SCHEMA", "TABLE_NAME", TABLE_TYPE="VIEW")
    assert {(one.schema, one.name) for one in SYSTEM_TABLES} < set(listed)
    columns = rows_of(shop, "INFORMATION_SCHEMA.COLUMNS")
    assert picked(
        columns,
        "ORDINAL_POSITION", "IS_NULLABLE", "SPANNER_TYPE", "SPANNER_STATE",
        TABLE_NAME="INDEXES", COLUMN_NAME="INDEX_STATE",
    ) == [(9, "NO", "STRING(100)", None)]  # fmt: skip
    assert picked(columns, "COLUMN_NAME", TABLE_NAME="SUPPORTED_OPTIMIZER_VERSIONS") == [
        "VERSION", "RELEASE_DATE", "IS_DEFAULT",
    ]  # fmt: skip


def test_system_tables_have_keys_and_constraints(shop) -> None:
    where = {"TABLE_SCHEMA": "INFORMATION_SCHEMA", "TABLE_NAME": "COLUMN_OPTIONS"}
    keys = rows_of(shop, "INFORMATION_SCHEMA.KEY_COLUMN_USAGE")
    assert picked(keys, "CONSTRAINT_NAME", "COLUMN_NAME", "ORDINAL_POSITION", **where)[-1] == (
        "PK_COLUMN_OPTIONS", "OPTION_NAME", 5,
    )  # fmt: skip
    constraints = rows_of(shop, "INFORMATION_SCHEMA.TABLE_CONSTRAINTS")
    assert picked(constraints, "CONSTRAINT_NAME", **where)[-1] == (
        "CK_IS_NOT_NULL_COLUMN_OPTIONS_OPTION_VALUE"
    )


def narrowed(owner: Database, declared: Declared) -> Iterator[tuple[list[Any], list[Any]]]:
    """Yield, for each TABLE_NAME, its rows among all rows, and among those of that name."""
    rows = SystemRows(owner._core, owner._core.store.clock.peek())
    names = [column.name.upper() for column in declared.columns]
    position = names.index("TABLE_NAME")
    whole = list(rows.rows(declared.full_name))
    for name in {row[position] for row in whole} | {"singers", "Missing", None}:
        some = rows.rows(declared.full_name, {position: name})
        yield [[row for row in each if row[position] == name] for each in (whole, some)]


@pytest.mark.parametrize("dialect", ["googlesql", "postgresql"])
def test_the_rows_of_one_table_are_those_among_the_rows_of_all(shop, dialect: str) -> None:
    owner = shop if dialect == "googlesql" else postgresql.database(*postgresql.DDL)
    checked = 0
    for declared in system_tables(owner.schema.dialect)._by_name.values():
        if any(column.name.upper() == "TABLE_NAME" for column in declared.columns):
            for among_all, alone in narrowed(owner, declared):
                assert alone == among_all, declared.full_name
                checked += 1
    assert checked > 100


@pytest.mark.parametrize(
    "condition", ["TABLE_NAME = 'Also'", "@name = table_name AND TABLE_SCHEMA = ''"]
)
def test_a_query_about_one_table_makes_its_rows_alone(
    shop, condition: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    created: list[str | None] = []
    relations = Source._relations
    monkeypatch.setattr(
        Source,
        "_relations",
        lambda self, of: (created.append(self.only_table), relations(self, of))[1],
    )
    statement = StatementRequest(
        f"SELECT COLUMN_NAME FROM INFORMATION_SCHEMA.COLUMNS WHERE {condition}",
        parameters={"name": "Also"},
        parameter_types={"name": STRING},
    )
    stream = shop.sessions.create({}).execute(statement, None)
    assert list(stream.rows) == [("A",)]
    assert set(created) == {"Also"}


def test_the_rows_about_system_tables_keep_no_database() -> None:
    owner = database()
    rows_of(owner, "INFORMATION_SCHEMA.TABLES")
    rows_of(owner, "INFORMATION_SCHEMA.COLUMNS")
    core = ref(owner._core)
    owner.close()
    del owner
    gc.collect()
    assert core() is None
