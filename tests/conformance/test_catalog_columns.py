"""Columns of the catalogs that exporters read: special indexes, options, placements, types."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterator
from typing import Any

import pytest
from google.cloud.spanner_v1 import RequestOptions
from google.protobuf.descriptor_pb2 import FileDescriptorSet

import spanemu
from tests.conformance.test_mutations_protos import descriptors

GOOGLESQL = [
    "CREATE SCHEMA app",
    "CREATE PLACEMENT europe OPTIONS (instance_partition = 'eu')",
    "CREATE TABLE Docs (Id INT64 NOT NULL, Owner INT64 NOT NULL, Time INT64 NOT NULL,"
    " Name STRING(9), Home STRING(MAX) NOT NULL PLACEMENT KEY, Text STRING(MAX),"
    " Words TOKENLIST AS (TOKENIZE_FULLTEXT(Text)) HIDDEN, E ARRAY<FLOAT32>(vector_length=>2))"
    " PRIMARY KEY (Id)",
    "CREATE TABLE app.Notes (Id INT64) PRIMARY KEY (Id)",
    "CREATE INDEX ByName ON Docs(Name) STORING (Text) WHERE Name IS NOT NULL",
    "CREATE INDEX app.ById ON app.Notes(Id DESC)",
    "CREATE SEARCH INDEX ByWords ON Docs(Words) STORING (Name) PARTITION BY Owner"
    " ORDER BY Time DESC WHERE Name IS NOT NULL OPTIONS (sort_order_sharding = true)",
    "CREATE VECTOR INDEX Near ON Docs(E) WHERE E IS NOT NULL"
    " OPTIONS (distance_type = 'COSINE', num_leaves = 1000)",
    "CREATE CHANGE STREAM Changes FOR app.Notes",
]
POSTGRESQL = [
    "CREATE PLACEMENT europe WITH (instance_partition = 'eu')",
    "CREATE TABLE docs (id bigint PRIMARY KEY, owner bigint NOT NULL, time bigint NOT NULL,"
    " name text, home varchar NOT NULL PLACEMENT KEY, body text,"
    " words spanner.tokenlist GENERATED ALWAYS AS (spanner.tokenize_fulltext(body)) VIRTUAL HIDDEN,"
    " e float4[] VECTOR LENGTH 2 NOT NULL)",
    "CREATE INDEX byname ON docs(name) INCLUDE (body) WHERE name IS NOT NULL",
    "CREATE SEARCH INDEX bywords ON docs(words) INCLUDE (name) PARTITION BY owner"
    " ORDER BY time DESC",
    "CREATE INDEX near ON docs USING ScaNN (e) WITH (distance_type = 'COSINE', num_leaves = 1000)",
    "CREATE TABLE notes (id bigint PRIMARY KEY)",
    "CREATE CHANGE STREAM changes FOR notes",
]


class Catalog:
    """The catalogs of a database with one index of each kind."""

    def __init__(self, emulator: spanemu.Emulator, dialect: str, name: str) -> None:
        self.is_googlesql = dialect == "googlesql"
        schema = GOOGLESQL if self.is_googlesql else POSTGRESQL
        self.handle = emulator.create_database(name, schema=schema, dialect=dialect)

    def rows(self, sql: str) -> list[list[Any]]:
        with self.handle.client().snapshot() as snapshot:
            return list(snapshot.execute_sql(sql))

    def of(self, table: str, columns: str, **where: str) -> list[tuple[Any, ...]]:
        """Return the columns of the rows of a catalog, sorted by the first; names in lower case."""
        conditions = " AND ".join(f"LOWER({name}) = '{value}'" for name, value in where.items())
        rows = self.rows(
            f"SELECT {columns} FROM information_schema.{table} WHERE {conditions} ORDER BY 1"
        )
        return [tuple(_lower(cell) for cell in row) for row in rows]


def _lower(cell: Any) -> Any:
    if isinstance(cell, list):
        return [_lower(each) for each in cell]
    return cell.lower() if isinstance(cell, str) else cell


@pytest.fixture(scope="module")
def emulator() -> Iterator[spanemu.Emulator]:
    with spanemu.Emulator() as emulator:
        yield emulator


@pytest.fixture(scope="module", params=["googlesql", "postgresql"])
def catalog(request: pytest.FixtureRequest, emulator: spanemu.Emulator) -> Catalog:
    return Catalog(emulator, request.param, f"docs-{request.param}")


# ---------------------------------------------------------------------------- indexes


def test_indexes_have_their_type(catalog: Catalog) -> None:
    vector = "vector" if catalog.is_googlesql else "scann"
    assert sorted(catalog.of("indexes", "index_name, index_type", table_name="docs")) == [
        ("byname", "index"), ("bywords", "search"), ("near", vector),
        ("primary_key", "primary_key"),
    ]  # fmt: skip
    assert {kind for (kind,) in catalog.of("index_columns", "index_type", index_name="near")} == {
        vector
    }


def test_a_partial_index_has_its_condition(catalog: Catalog) -> None:
    found = catalog.of("indexes", "filter", index_name="byname")
    assert found == [("name is not null" if catalog.is_googlesql else "(name is not null)",)]
    assert catalog.of("indexes", "filter", index_name="primary_key", table_name="docs") == [(None,)]


def test_a_search_index_has_its_partition_and_its_order(catalog: Catalog) -> None:
    columns = "search_partition_by, search_order_by"
    assert catalog.of("indexes", f"index_name, {columns}", index_name="bywords") == [
        ("bywords", ["owner"], ["time desc"])
    ]
    for name in ("byname", "near"):
        result = catalog.of("indexes", f"index_name, {columns}", index_name=name)
        assert result == [(name, None, None)]


def test_special_indexes_have_their_conditions(emulator: spanemu.Emulator) -> None:
    catalog = Catalog(emulator, "googlesql", "docs-conditions")
    assert catalog.of("indexes", "index_name, filter", index_name="bywords") == [
        ("bywords", "name is not null")
    ]
    assert catalog.of("indexes", "filter, index_name", index_name="near") == [
        ("e is not null", "near")
    ]


def test_indexes_have_their_options(catalog: Catalog) -> None:
    vector = "vector" if catalog.is_googlesql else "scann"
    whole, text = ("int64", "string") if catalog.is_googlesql else ("bigint", "character varying")
    columns = "option_name, option_type, option_value, index_type, table_name"
    assert catalog.of("index_options", columns, index_name="near") == [
        ("distance_type", text, "cosine", vector, "docs"),
        ("num_leaves", whole, "1000", vector, "docs"),
        ("system_optimized_num_leaves", whole, "1000", vector, "docs"),
        ("system_optimized_tree_depth", whole, "2", vector, "docs"),
    ]
    assert catalog.of("index_options", columns, index_name="byname") == []


# ---------------------------------------------------------------------------- placements


def test_a_placement_key_is_a_constraint(catalog: Catalog) -> None:
    name = "placement_key_docs"
    assert catalog.of("table_constraints", "constraint_type, enforced", constraint_name=name) == [
        ("placement key", "yes")
    ]
    assert catalog.of(
        "constraint_column_usage", "column_name, table_name", constraint_name=name
    ) == [("home", "docs")]
    used = catalog.of("constraint_table_usage", "table_name", constraint_name=name)
    assert used == [("docs",)]


# ---------------------------------------------------------------------------- types and protos


def test_routines_and_parameters_of_postgresql_have_spanner_types(
    emulator: spanemu.Emulator,
) -> None:
    catalog = Catalog(emulator, "postgresql", "docs-routines")
    routine = "read_json_changes"
    columns = "data_type, spanner_type, spanner_determinism"
    result = catalog.of("routines", columns, routine_name=routine)
    assert result == [("jsonb", "jsonb", None)]
    columns = "ordinal_position, parameter_name, data_type, spanner_type"
    parameters = catalog.of("parameters", columns, specific_name=routine)
    assert parameters[3] == (4, "heartbeat_milliseconds", "bigint", "bigint")
    assert parameters[4] == (5, "read_options", "array", "character varying[]")


def test_the_proto_bundle_is_a_set_of_file_descriptors(emulator: spanemu.Emulator) -> None:
    database = emulator.create_database("docs-protos").client()
    sql = "SELECT PROTO_BUNDLE FROM INFORMATION_SCHEMA.SCHEMATA WHERE SCHEMA_NAME = ''"
    with database.snapshot() as snapshot:
        assert list(snapshot.execute_sql(sql)) == [[None]]
    statement = "CREATE PROTO BUNDLE (music.Song, music.Mood)"
    database.update_ddl([statement], proto_descriptors=descriptors()).result()
    with database.snapshot() as snapshot:
        ((bundle,),) = snapshot.execute_sql(sql)
    (file,) = FileDescriptorSet.FromString(b64decode(bundle)).file
    assert [message.name for message in file.message_type] == ["Song"]


# ---------------------------------------------------------------------------- running queries


def test_a_running_query_names_its_client_and_its_priority() -> None:
    with spanemu.Emulator(embedded_channel=False) as emulator:
        database = emulator.create_database("docs").client()
        with database.snapshot() as snapshot:
            options = {"priority": RequestOptions.Priority.PRIORITY_LOW}
            rows = iter(
                snapshot.execute_sql(
                    "SELECT REPEAT('x', 1000) FROM UNNEST(GENERATE_ARRAY(1, 9000))",
                    request_options=options,
                )
            )
            next(rows)
            with database.snapshot() as other:
                running = list(
                    other.execute_sql(
                        """SELECT client_ip_address, priority, api_client_header, user_agent_header
                           FROM SPANNER_SYS.OLDEST_ACTIVE_QUERIES ORDER BY start_time"""
                    )
                )
        address, priority, api_client, user_agent = running[0]
        assert (address, priority) == ("127.0.0.1", "PRIORITY_LOW")
        assert "gl-python/" in api_client
        assert "grpc-python/" in user_agent
        assert running[1][1] == "PRIORITY_UNSPECIFIED"
