"""The limits on the number of objects, columns and key parts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from spanemu.base.limits import (
    COLUMNS_PER_TABLE_MAX,
    INDEXES_PER_DATABASE_MAX,
    INDEXES_PER_TABLE_MAX,
    TABLES_PER_DATABASE_MAX,
)
from spanemu.ddl.apply import plan_batch
from spanemu.ddl.errors.indexes import TooManyIndexes, TooManyTableIndexes
from spanemu.ddl.errors.tables import TooManyKeyColumns, TooManyTables
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL
from spanemu.schema.schema import EMPTY, Schema
from spanemu.sql.errors import TooManyColumns

TABLE = "CREATE TABLE T (a INT64, b INT64) PRIMARY KEY (a)"


def planned(*statements: str) -> Schema:
    return plan_batch(statements, EMPTY)[-1].schema


def test_tables() -> None:
    first = planned(TABLE)
    table = first.tables["t"]
    many = {f"t{n}": replace(table, name=f"T{n}", id=n) for n in range(TABLES_PER_DATABASE_MAX)}
    with pytest.raises(TooManyTables):
        plan_batch([TABLE], Schema(dialect=GOOGLE_STANDARD_SQL, tables=many, next_id=10_000))
    many.popitem()
    plan_batch([TABLE], Schema(dialect=GOOGLE_STANDARD_SQL, tables=many, next_id=10_000))


def test_columns() -> None:
    columns = ", ".join(f"c{n} INT64" for n in range(COLUMNS_PER_TABLE_MAX))
    full = f"CREATE TABLE W ({columns}) PRIMARY KEY (c0)"
    schema = planned(full)
    with pytest.raises(TooManyColumns):
        plan_batch(["ALTER TABLE W ADD COLUMN x INT64"], schema)
    with pytest.raises(TooManyColumns):
        planned(f"CREATE TABLE W ({columns}, x INT64) PRIMARY KEY (c0)")


def test_indexes() -> None:
    schema = planned(TABLE, "CREATE INDEX I ON T (b)")
    index = schema.indexes["i"]
    on_one = {f"i{n}": replace(index, name=f"I{n}", id=n) for n in range(INDEXES_PER_TABLE_MAX)}
    with pytest.raises(TooManyTableIndexes):
        plan_batch(
            ["CREATE INDEX J ON T (b)"],
            Schema(dialect=GOOGLE_STANDARD_SQL, tables=schema.tables, indexes=on_one),
        )
    on_all = {
        f"i{n}": replace(index, name=f"I{n}", id=n, table=f"T{n}")
        for n in range(INDEXES_PER_DATABASE_MAX)
    }
    with pytest.raises(TooManyIndexes):
        plan_batch(
            ["CREATE INDEX J ON T (b)"],
            Schema(dialect=GOOGLE_STANDARD_SQL, tables=schema.tables, indexes=on_all),
        )


def test_parts_of_an_index_key_count_the_primary_key() -> None:
    names = [f"c{n}" for n in range(16)]
    columns = ", ".join(f"{name} INT64" for name in names)
    table = f"CREATE TABLE T ({columns}, k INT64) PRIMARY KEY (k)"
    planned(table, f"CREATE INDEX I ON T ({', '.join(names[:15])})")
    with pytest.raises(TooManyKeyColumns) as refused:
        planned(table, f"CREATE INDEX I ON T ({', '.join(names)})")
    assert refused.value.count == 17
