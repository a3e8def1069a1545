from datetime import date

import pytest

from spanemu.database.system_tables.catalog import CATALOG, SystemRows
from spanemu.database.system_tables.described import SYSTEM_TABLES
from spanemu.values.types import BOOL, DATE, FLOAT64, INT64, STRING, TIMESTAMP
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


def test_the_default_schema_tells_since_when_it_is_as_it_is() -> None:
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
