from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from spanemu.database.database import Database
from spanemu.database.errors import SystemTableInReadWrite
from spanemu.database.options import StatementRequest
from spanemu.database.statements.query_engine import prepare_locking
from spanemu.database.system_tables.postgresql.catalog import SYSTEM_TABLES
from tests.unit.database.system_tables.postgresql.shop import DDL, database, picked, rows_of


@pytest.fixture(scope="module")
def shop() -> Database:
    return database(*DDL)


def of(shop: Database, table: str, *columns: str, **where: Any) -> list[Any]:
    return picked(rows_of(shop, f"information_schema.{table}"), *columns, **where)


@pytest.mark.parametrize("table", SYSTEM_TABLES, ids=lambda table: table.full_name)
def test_every_row_has_a_value_for_every_column(shop: Database, table: Any) -> None:
    rows_of(shop, table.full_name)  # zips strictly


def test_the_catalog_is_the_database_and_the_default_schema_is_public(shop: Database) -> None:
    places = of(
        shop, "tables", "table_catalog", "table_schema", "table_name", table_type="BASE TABLE"
    )
    assert places == [
        ("shop", "public", "singers"),
        ("shop", "public", "albums"),
        ("shop", "app", "orders"),
        ("shop", "public", "Mixed"),
    ]
    schemas = of(shop, "schemata", "schema_name")
    assert schemas == ["public", "information_schema", "pg_catalog", "spanner_sys", "app"]


def test_tables_show_their_parent_and_ttl(shop: Database) -> None:
    facts = ("parent_table_name", "on_delete_action", "interleave_type")
    assert of(shop, "tables", *facts, table_name="albums") == [("singers", "CASCADE", "IN PARENT")]
    assert of(shop, "tables", *facts, table_name="singers") == [(None, None, None)]
    assert of(shop, "tables", "user_defined_type_catalog", table_name="singers") == [None]
    ttl = of(shop, "tables", "row_deletion_policy_expression", table_name="albums")
    assert ttl == ["INTERVAL '4 WEEKS 2 DAYS' ON made"]


def test_columns_have_types_of_postgresql(shop: Database) -> None:
    types = of(shop, "columns", "column_name", "data_type", "spanner_type", table_name="singers")
    assert types == [
        ("id", "bigint", "bigint"),
        ("first", "character varying", "character varying(64)"),
        ("last", "character varying", "character varying"),
        ("score", "double precision", "double precision"),
        ("tags", "ARRAY", "character varying[]"),
        ("codes", "ARRAY", "character varying(5)[]"),
        ("price", "numeric", "numeric"),
        ("changed", "spanner.commit_timestamp", "spanner.commit_timestamp"),
        ("number", "bigint", "bigint"),
        ("next", "bigint", "bigint"),
        ("rate", "real", "real"),
    ]


def test_numbers_have_precision_and_texts_a_length(shop: Database) -> None:
    numbers = ("numeric_precision", "numeric_precision_radix", "numeric_scale")
    by_name = {
        row[0]: row[1:]
        for row in of(shop, "columns", "column_name", *numbers, table_name="singers")
    }
    assert by_name["id"] == (64, 2, 0)
    assert by_name["score"] == (53, 2, None)
    assert by_name["rate"] == (24, 2, None)
    assert by_name["price"] == (None, 10, None)
    assert by_name["last"] == (None, None, None)
    lengths = of(shop, "columns", "character_maximum_length", table_name="singers")
    assert lengths[:3] == [None, 64, None]


def test_expressions_of_columns_are_canonical(shop: Database) -> None:
    facts = ("column_default", "is_generated", "generation_expression", "is_stored")
    assert of(shop, "columns", *facts, column_name="score") == [
        ("(1.5)::double precision", "NEVER", None, None)
    ]
    assert of(shop, "columns", *facts, column_name="next") == [
        (None, "ALWAYS", "(id + '1'::bigint)", "YES")
    ]
    identity = (
        "is_identity", "identity_generation", "identity_kind", "identity_start_with_counter",
        "identity_skip_range_min", "identity_skip_range_max",
    )  # fmt: skip
    assert of(shop, "columns", *identity, column_name="number") == [
        ("YES", "BY DEFAULT", "BIT_REVERSED_POSITIVE_SEQUENCE", "7", "1", "1000")
    ]


def test_columns_of_views_and_of_the_catalogs_are_listed(shop: Database) -> None:
    view = of(shop, "columns", "column_name", "spanner_type", table_name="names")
    assert view == [("id", "bigint"), ("first", "character varying")]
    own = of(
        shop, "columns", "column_name", "data_type", "is_nullable",
        table_schema="pg_catalog", table_name="pg_am",
    )  # fmt: skip
    assert own == [
        ("oid", "oid", "YES"),
        ("amname", "character varying", "YES"),
        ("amtype", "character varying", "YES"),
    ]


def test_not_null_columns_are_checks(shop: Database) -> None:
    clauses = dict(of(shop, "check_constraints", "constraint_name", "check_clause"))
    assert clauses["CK_IS_NOT_NULL_singers_last"] == "last IS NOT NULL"
    assert clauses["CK_IS_NOT_NULL_Mixed_Id"] == "Id IS NOT NULL"
    assert clauses["good"] == "(first <> last)"
    assert "(id > '0'::bigint)" in clauses.values()


def test_checks_use_no_tables(shop: Database) -> None:
    names = of(shop, "constraint_table_usage", "constraint_name")
    assert {"PK_singers", "to_singer"} < set(names)
    assert not [name for name in names if name.startswith("CK_") or name == "good"]


def test_foreign_keys_match_none(shop: Database) -> None:
    facts = ("constraint_schema", "unique_constraint_name", "match_option", "delete_rule")
    assert of(shop, "referential_constraints", *facts, constraint_name="to_singer") == [
        ("app", "PK_singers", "NONE", "CASCADE")
    ]


def test_indexes_answer_yes_and_no(shop: Database) -> None:
    facts = ("index_type", "is_unique", "is_null_filtered", "index_state", "filter")
    assert of(shop, "indexes", *facts, index_name="by_name") == [
        ("INDEX", "YES", "NO", "READ_WRITE", "(first IS NOT NULL)")
    ]
    assert of(shop, "indexes", *facts, table_name="Mixed") == [
        ("PRIMARY_KEY", "YES", "NO", None, None)
    ]
    parts = ("column_name", "ordinal_position", "column_ordering", "is_nullable")
    assert of(shop, "index_columns", *parts, index_name="by_name") == [
        ("first", 1, "DESC", "NO"),
        ("last", 2, "ASC NULLS FIRST", "NO"),
        ("score", None, None, "YES"),
    ]


def test_sequences_have_their_clauses(shop: Database) -> None:
    facts = (
        "sequence_schema", "sequence_name", "data_type", "cycle_option", "sequence_kind",
        "counter_start_value", "skip_range_min", "skip_range_max",
    )  # fmt: skip
    assert of(shop, "sequences", *facts) == [
        ("public", "seq", "int8", "NO", "bit_reversed_positive", 50, 1, 100),
        ("app", "plain", "int8", "NO", "bit_reversed_positive", 1, None, None),
    ]


def test_change_streams_and_their_functions(shop: Database) -> None:
    assert of(shop, "change_streams", "change_stream_schema", "change_stream_name", "all") == [
        ("public", "stream", "NO"),
        ("public", "everything", "YES"),
    ]
    assert of(shop, "change_stream_tables", "table_name", "all_columns") == [
        ("singers", "NO"),
        ("albums", "YES"),
    ]
    assert of(shop, "change_stream_options", "option_type", "option_value") == [
        ("character varying", "7d")
    ]
    names = of(shop, "routines", "routine_schema", "routine_name", "data_type")
    assert names == [
        ("spanner", "read_json_stream", "jsonb"),
        ("spanner", "read_json_everything", "jsonb"),
    ]
    parameters = of(shop, "parameters", "parameter_name", specific_name="read_json_stream")
    assert parameters[0] == "start_timestamp"
    assert len(parameters) == 5


def test_options_of_the_database(shop: Database) -> None:
    options = of(
        shop, "database_options", "schema_name", "option_name", "option_type", "option_value"
    )
    assert options == [
        ("public", "database_dialect", "character varying", "POSTGRESQL"),
        ("public", "default_sequence_kind", "character varying", "bit_reversed_positive"),
    ]


def test_roles_and_privileges(shop: Database) -> None:
    assert of(shop, "applicable_roles", "grantee", "role_name", "is_grantable") == [
        ("member", "reader", "NO")
    ]
    assert ("reader", "NO") in of(shop, "enabled_roles", "role_name", "spanner_is_system")
    assert of(shop, "table_privileges", "grantee", "table_name", "privilege_type") == [
        ("reader", "singers", "SELECT")
    ]
    assert of(shop, "column_privileges", "column_name", "privilege_type", table_name="orders") == [
        ("name", "UPDATE")
    ]


def test_a_role_sees_the_objects_on_which_it_has_privileges(shop: Database) -> None:
    def names(table: str, column: str) -> set[str]:
        rows = rows_of(shop, f"information_schema.{table}", role="member")
        return {row[column] for row in rows if row.get("table_catalog", "shop") == "shop"}

    assert {"singers", "orders"} <= names("tables", "table_name")
    assert not {"albums", "Mixed"} & names("tables", "table_name")
    assert names("change_streams", "change_stream_name") == {"stream"}
    columns = rows_of(shop, "information_schema.columns", role="member")
    assert picked(columns, "column_name", table_name="orders") == ["name"]
    assert "by_name" in names("indexes", "index_name")
    assert "pg_class" in names("tables", "table_name")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT table_name FROM information_schema.tables",
        "SELECT relname FROM pg_catalog.pg_class",
        "SELECT 1 FROM singers WHERE EXISTS (SELECT 1 FROM pg_catalog.pg_namespace)",
        "DELETE FROM singers WHERE EXISTS (SELECT relname FROM pg_catalog.pg_class)",
    ],
)
def test_a_read_write_transaction_refuses_catalogs_in_the_words_that_clients_know(
    shop: Database, sql: str
) -> None:
    core = shop._core
    request = StatementRequest(sql, {}, {})
    with pytest.raises(SystemTableInReadWrite, match=r"using INFORMATION_SCHEMA\.$"):
        prepare_locking(core.generation, request, core.statistics)


def test_a_googlesql_database_imports_nothing_of_postgresql() -> None:
    script = """
from spanemu.base.clock import ManualClock
from spanemu.database.core import Environment
from spanemu.database.database import Database
from spanemu.database.errors import SystemTableInReadWrite
from spanemu.database.options import StatementRequest
from spanemu.database.statements.query_engine import prepare_locking
from spanemu.database.system_tables.catalog import CATALOG, SystemRows
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL
from tests.loaded import modules_that_ran
database = Database.create("projects/p/instances/i/databases/d", Environment(ManualClock()), GOOGLE_STANDARD_SQL)
assert database.apply_ddl(["CREATE TABLE T (A INT64) PRIMARY KEY (A)"]).failure is None
SystemRows(database._core, 1).rows("INFORMATION_SCHEMA.COLUMNS")
print([name for name in modules_that_ran() if "postgresql" in name])
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"
