from __future__ import annotations

from typing import Any

import pytest

from spanemu.database.database import Database
from tests.unit.database.system_tables.postgresql.shop import DDL, database, picked, rows_of


@pytest.fixture(scope="module")
def shop() -> Database:
    return database(*DDL)


def of(shop: Database, table: str, *columns: str, **where: Any) -> list[Any]:
    return picked(rows_of(shop, f"pg_catalog.{table}"), *columns, **where)


def oid_of(shop: Database, name: str) -> int:
    (oid,) = of(shop, "pg_class", "oid", relname=name)
    assert isinstance(oid, int)
    return oid


def test_relations_have_their_kind_and_number_of_columns(shop: Database) -> None:
    relations = of(shop, "pg_class", "relname", "relkind", "relnatts", relnamespace=2200)
    assert sorted(relations) == [
        ("Mixed", "r", 2),
        ("PK_Mixed", "i", 1),
        ("PK_albums", "i", 2),
        ("PK_singers", "i", 1),
        ("albums", "r", 3),
        ("by_name", "i", 3),
        ("names", "v", 2),
        ("seq", "S", None),
        ("singers", "r", 11),
    ]


def test_relations_of_a_schema_have_its_oid(shop: Database) -> None:
    (home,) = of(shop, "pg_namespace", "oid", nspname="app")
    names = of(shop, "pg_class", "relname", relnamespace=home)
    managed = [name for name in names if name.startswith("IDX_")]  # of the foreign key
    assert sorted({*names} - {*managed}) == ["PK_orders", "by_singer", "orders", "plain"]
    assert len(managed) == 1


def test_oids_of_objects_are_unique_and_stable(shop: Database) -> None:
    before = dict(of(shop, "pg_class", "relname", "oid"))
    other = database(*DDL, "CREATE TABLE more (id bigint PRIMARY KEY)", "CREATE SCHEMA zzz")
    after = dict(of(other, "pg_class", "relname", "oid"))
    assert before.items() <= after.items()
    assert len(set(after.values())) == len(after)
    users = [oid for oid, kind in of(other, "pg_class", "oid", "relnamespace") if kind == 2200]
    assert min(users) >= 100_000
    constraints = of(other, "pg_constraint", "oid")
    assert len(set(constraints)) == len(constraints)


def test_a_renamed_table_keeps_its_oid() -> None:
    renamed = database("CREATE TABLE t (id bigint PRIMARY KEY)")
    before = oid_of(renamed, "t")
    assert renamed.apply_ddl(["ALTER TABLE t RENAME TO u"]).failure is None
    assert oid_of(renamed, "u") == before


def test_attributes_have_types_and_numbers(shop: Database) -> None:
    names = dict(of(shop, "pg_type", "oid", "typname"))
    attributes = of(
        shop, "pg_attribute", "attname", "attnum", "atttypid", "attnotnull",
        attrelid=oid_of(shop, "singers"),
    )  # fmt: skip
    assert [(name, number, names[oid], not_null) for name, number, oid, not_null in attributes] == [
        ("id", 1, "int8", True),
        ("first", 2, "text", False),
        ("last", 3, "text", True),
        ("score", 4, "float8", False),
        ("tags", 5, "_text", False),
        ("codes", 6, "_text", False),
        ("price", 7, "numeric", False),
        ("changed", 8, "timestamptz", False),
        ("number", 9, "int8", False),
        ("next", 10, "int8", False),
        ("rate", 11, "float4", False),
    ]
    marks = ("attname", "atthasdef", "attidentity", "attgenerated")
    by_name = {
        row[0]: row[1:]
        for row in of(shop, "pg_attribute", *marks, attrelid=oid_of(shop, "singers"))
    }
    assert by_name["score"] == (True, "", "")
    assert by_name["number"] == (True, "d", "")
    assert by_name["next"] == (False, "", "s")


def test_defaults_are_expressions(shop: Database) -> None:
    texts = of(shop, "pg_attrdef", "adnum", "adbin", adrelid=oid_of(shop, "singers"))
    assert texts == [(4, "(1.5)::double precision"), (10, "(id + '1'::bigint)")]


def test_indexes_name_the_columns_of_their_table(shop: Database) -> None:
    facts = ("indnatts", "indnkeyatts", "indisunique", "indisprimary", "indkey")
    assert of(shop, "pg_index", *facts, indexrelid=oid_of(shop, "by_name")) == [
        (3, 2, True, False, [2, 3, 4])
    ]
    assert of(shop, "pg_index", *facts, indexrelid=oid_of(shop, "PK_albums")) == [
        (2, 2, True, True, [1, 2])
    ]
    assert ("app", "orders", "by_singer") in of(
        shop, "pg_indexes", "schemaname", "tablename", "indexname"
    )


def test_constraints_refer_to_columns_by_number(shop: Database) -> None:
    facts = ("contype", "conkey", "confkey", "confdeltype")
    assert of(shop, "pg_constraint", *facts, conname="to_singer") == [("f", [2], [1], "c")]
    assert of(shop, "pg_constraint", *facts, conname="PK_albums") == [("p", [1, 2], None, " ")]
    ((kind, key, *_),) = of(shop, "pg_constraint", *facts, conname="good")
    assert (kind, sorted(key)) == ("c", [2, 3])


def test_types_have_the_oids_of_postgresql(shop: Database) -> None:
    types = dict(of(shop, "pg_type", "typname", "oid"))
    assert (types["int8"], types["text"], types["varchar"], types["_text"]) == (20, 25, 1043, 1009)
    assert (types["uuid"], types["interval"], types["jsonb"]) == (2950, 1186, 3802)
    facts = ("typlen", "typbyval", "typcategory", "typelem", "typarray")
    assert of(shop, "pg_type", *facts, typname="int8") == [(8, True, "N", 0, 1016)]
    assert of(shop, "pg_type", *facts, typname="_int8") == [(-1, False, "A", 20, 0)]


def test_views_by_name(shop: Database) -> None:
    assert of(shop, "pg_tables", "tablename", "hasindexes", schemaname="public") == [
        ("singers", True),
        ("albums", False),
        ("Mixed", False),
    ]
    assert of(shop, "pg_views", "viewname", "definition", schemaname="public") == [
        ("names", "SELECT id, first FROM singers WHERE (id > '1'::bigint)")
    ]
    assert of(shop, "pg_sequences", "sequencename", "start_value", "cache_size") == [
        ("seq", 50, 1000),
        ("plain", 1, 1000),
    ]
    assert of(shop, "pg_settings", "name", "setting") == [("max_index_keys", "16")]


def test_functions_that_read_streams_are_listed(shop: Database) -> None:
    facts = ("proretset", "pronargs", "prorettype", "proargtypes")
    assert of(shop, "pg_proc", *facts, proname="read_json_stream") == [
        (True, 5, 3802, [1184, 1184, 25, 20, 1009])
    ]


def test_functions_have_the_oids_of_postgresql(shop: Database) -> None:
    facts = ("oid", "prokind", "prorettype", "proargtypes")
    assert of(shop, "pg_proc", *facts, proname="lower") == [(870, "f", 25, [25])]
    assert (2803, "a", 20, []) in of(shop, "pg_proc", *facts, proname="count")
    namespaces = dict(of(shop, "pg_namespace", "nspname", "oid"))
    (home,) = of(shop, "pg_proc", "pronamespace", proname="generate_uuid")
    assert home == namespaces["spanner"]


def test_functions_that_spanner_lacks_are_not_listed(shop: Database) -> None:
    names = set(of(shop, "pg_proc", "proname"))
    assert not names & {"ascii", "md5", "random"}
