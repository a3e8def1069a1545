from collections import Counter

from spanemu.database.system_tables.postgresql.catalog import SYSTEM_TABLES, catalog
from spanemu.database.system_tables.postgresql.declaration import declared, home_and_name
from spanemu.values.types import INT64, PG_OID, STRING, array_of


def test_the_notation_names_postgresql_types() -> None:
    table = declared("s", "t", "a b:bigint c:oid[] d:[]")
    assert [(column.type, column.spanner_type) for column in table.columns] == [
        (STRING, "character varying"),
        (INT64, "bigint"),
        (array_of(PG_OID), "oid[]"),
        (array_of(STRING), "character varying[]"),
    ]
    assert not any(column.not_null for column in table.columns)


def test_every_table_is_declared_once_with_names_in_lower_case() -> None:
    names = [table.full_name for table in SYSTEM_TABLES]
    assert len(set(names)) == len(names)
    for table in SYSTEM_TABLES:
        columns = Counter(column.name for column in table.columns)
        assert set(columns.values()) == {1}, table.full_name
        assert all(name == name.lower() for name in (table.full_name, *columns))


def test_tables_are_found_by_exact_name() -> None:
    assert catalog().table("pg_catalog.pg_class") is not None
    assert catalog().table("PG_CATALOG.PG_CLASS") is None


def test_columns_of_structs_are_left_out_of_spanner_sys() -> None:
    table = catalog().declared("spanner_sys.txn_stats_total_minute")
    names = {column.name for column in table.columns}
    assert "operations_by_table" not in names
    assert {"interval_end", "avg_bytes", "operations_by_table_json_string"} <= names


def test_the_default_schema_is_public() -> None:
    assert home_and_name("t") == ("public", "t")
    assert home_and_name("ns.t") == ("ns", "t")
