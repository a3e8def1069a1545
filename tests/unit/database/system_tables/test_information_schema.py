"""Change streams, roles, routines, models, graphs, places: what INFORMATION_SCHEMA says of them."""

from __future__ import annotations

from tests.unit.database.system_tables.shop import database, picked, rows_of

DDL = (
    "CREATE SCHEMA s",
    "CREATE LOCALITY GROUP cold OPTIONS (storage = 'hdd')",
    "CREATE PLACEMENT eu OPTIONS (instance_partition = 'europe')",
    "CREATE TABLE T (k INT64 NOT NULL, a STRING(9), e ARRAY<FLOAT32>(vector_length=>2) NOT NULL, "
    "tok TOKENLIST AS (TOKEN(a)) HIDDEN) PRIMARY KEY (k)",
    "CREATE SEARCH INDEX Words ON T(tok) STORING (a)",
    "CREATE VECTOR INDEX Near ON T(e) OPTIONS (distance_type = 'COSINE')",
    "CREATE CHANGE STREAM every FOR ALL",
    "CREATE CHANGE STREAM part FOR T(a) OPTIONS (retention_period = '2d')",
    "CREATE FUNCTION s.plus(x INT64, y INT64 DEFAULT 1) AS (x + y)",
    "CREATE MODEL m INPUT (p STRING(MAX)) OUTPUT (q BOOL) REMOTE OPTIONS (endpoint = 'e')",
    "CREATE PROPERTY GRAPH g NODE TABLES (T PROPERTIES (k))",
    "CREATE ROLE r",
    "CREATE ROLE q",
    "GRANT SELECT, INSERT(k) ON TABLE T TO ROLE r",
    "GRANT ROLE r TO ROLE q",
    "GRANT EXECUTE ON TABLE FUNCTION READ_part TO ROLE q",
    "ALTER STATISTICS auto_20260101_00_00_00UTC SET OPTIONS (allow_gc = false)",
)


def rows(name: str) -> list[dict[str, object]]:
    return rows_of(database(*DDL), f"INFORMATION_SCHEMA.{name}")


def test_change_streams() -> None:
    assert picked(rows("CHANGE_STREAMS"), "CHANGE_STREAM_NAME", "ALL") == [
        ("every", True),
        ("part", False),
    ]
    assert picked(rows("CHANGE_STREAM_TABLES"), "TABLE_NAME", "ALL_COLUMNS") == [("T", False)]
    assert picked(rows("CHANGE_STREAM_COLUMNS"), "COLUMN_NAME") == ["a"]
    assert picked(rows("CHANGE_STREAM_OPTIONS"), "OPTION_NAME", "OPTION_TYPE", "OPTION_VALUE") == [
        ("retention_period", "STRING", "2d")
    ]


def test_roles_and_privileges() -> None:
    assert picked(rows("ROLES"), "ROLE_NAME", IS_SYSTEM=False) == ["r", "q"]
    assert picked(rows("ROLE_GRANTEES"), "ROLE_NAME", "GRANTEE") == [("r", "q")]
    assert picked(rows("TABLE_PRIVILEGES"), "TABLE_NAME", "PRIVILEGE_TYPE", "GRANTEE") == [
        ("T", "SELECT", "r")
    ]
    columns = picked(rows("COLUMN_PRIVILEGES"), "COLUMN_NAME", "PRIVILEGE_TYPE")
    assert columns == [
        ("k", "SELECT"), ("a", "SELECT"), ("e", "SELECT"), ("tok", "SELECT"), ("k", "INSERT"),
    ]  # fmt: skip
    assert picked(rows("ROLE_TABLE_GRANTS"), "GRANTOR", "IS_GRANTABLE") == [(None, "NO")]
    assert picked(rows("ROUTINE_PRIVILEGES"), "SPECIFIC_NAME", "GRANTEE") == [("READ_part", "q")]


def test_routines_and_their_parameters_are_listed() -> None:
    result = picked(
        rows("ROUTINES"), "SPECIFIC_SCHEMA", "ROUTINE_NAME", "ROUTINE_BODY", "DATA_TYPE"
    )
    assert ("s", "plus", "SQL", "INT64") in result
    assert {name for _, name, _, _ in result} == {"READ_every", "READ_part", "plus"}
    assert picked(
        rows("PARAMETERS"), "PARAMETER_NAME", "ORDINAL_POSITION", "PARAMETER_DEFAULT",
        SPECIFIC_NAME="plus",
    ) == [("x", 1, None), ("y", 2, "1")]  # fmt: skip


def test_models() -> None:
    assert picked(rows("MODELS"), "MODEL_NAME", "IS_REMOTE") == [("m", True)]
    assert picked(rows("MODEL_COLUMNS"), "COLUMN_KIND", "COLUMN_NAME", "DATA_TYPE") == [
        ("INPUT", "p", "STRING(MAX)"),
        ("OUTPUT", "q", "BOOL"),
    ]
    assert picked(rows("MODEL_OPTIONS"), "OPTION_NAME", "OPTION_VALUE") == [("endpoint", "e")]


def test_graphs() -> None:
    (graph,) = rows("PROPERTY_GRAPHS")
    text = str(graph["PROPERTY_GRAPH_METADATA_JSON"])
    assert "propertyDeclarationNames" in text
    assert "baseTableName" in text


def test_places() -> None:
    assert picked(rows("LOCALITY_GROUP_OPTIONS"), "OPTION_NAME", "OPTION_VALUE") == [
        ("STORAGE", "hdd")
    ]
    assert picked(rows("PLACEMENTS"), "PLACEMENT_NAME", "IS_DEFAULT") == [
        ("default", True),
        ("eu", False),
    ]
    assert picked(rows("PLACEMENT_OPTIONS"), "OPTION_VALUE") == ["europe"]
    assert picked(rows("SPANNER_STATISTICS"), "PACKAGE_NAME", "ALLOW_GC") == [
        ("auto_20260101_00_00_00UTC", False)
    ]


def test_search_and_vector_indexes_are_listed() -> None:
    assert picked(rows("INDEXES"), "INDEX_NAME", "INDEX_TYPE", TABLE_NAME="T") == [
        ("PRIMARY_KEY", "PRIMARY_KEY"),
        ("Words", "SEARCH"),
        ("Near", "VECTOR"),
    ]
    assert picked(rows("INDEX_COLUMNS"), "COLUMN_NAME", "ORDINAL_POSITION", INDEX_NAME="Words") == [
        ("tok", 1),
        ("a", None),
    ]
