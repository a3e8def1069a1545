"""The statements of vector stores: LangChain's in both dialects, and those of Google's agents."""

from __future__ import annotations

from datetime import timedelta

import pytest
from google.api_core.exceptions import InvalidArgument
from google.cloud.spanner_v1 import KeySet, param_types

import spanemu

DOUBLES = param_types.Array(param_types.FLOAT64)
ROWS = [
    ("1", "one", [1.0, 0.0, 0.0], "a"),
    ("2", "two", [0.5, 0.5, 0.0], "a"),
    ("3", "three", [0.0, 1.0, 1.0], "b"),
]


@pytest.fixture(scope="module")
def emulator():
    with spanemu.Emulator() as running:
        yield running


@pytest.fixture
def googlesql(emulator, request):
    """Return a database with LangChain's table, whose statements come in one batch."""
    created = emulator.create_database(f"g{abs(hash(request.node.name)) % 10**8}")
    database = created.client()
    database.update_ddl(
        [
            "CREATE TABLE IF NOT EXISTS store (\n  langchain_id STRING(36),\n  content STRING(MAX),\n"
            "  embedding ARRAY<FLOAT64>(vector_length=>3) NOT NULL,\n  kind STRING(MAX)\n"
            ") PRIMARY KEY(langchain_id)",
            "CREATE INDEX kinds ON store(kind)  STORING (embedding)",
            "CREATE VECTOR INDEX IF NOT EXISTS near\n\tON store(embedding)\n\tOPTIONS("
            "distance_type='COSINE', tree_depth=3, num_branches=1000, num_leaves=1000000)",
        ]
    ).result()
    return filled(database)


@pytest.fixture
def postgresql(emulator, request):
    name = f"p{abs(hash(request.node.name)) % 10**8}"
    database = emulator.create_database(name, dialect="postgresql").client()
    database.update_ddl(
        [
            "CREATE TABLE IF NOT EXISTS store (\n  langchain_id varchar(36),\n  content text,\n"
            "  embedding float8[] VECTOR LENGTH 3,\n  kind text,\n  PRIMARY KEY(langchain_id)\n)",
            "CREATE INDEX kinds ON store(kind)  INCLUDE (embedding)",
        ]
    ).result()
    return filled(database)


def filled(database):
    with database.batch() as batch:
        batch.insert_or_update("store", ("langchain_id", "content", "embedding", "kind"), ROWS)
    return database


def ask(database, sql, params=None, types=None, **bound):
    with database.snapshot(**bound) as snapshot:
        return [list(row) for row in snapshot.execute_sql(sql, params, types)]


def test_columns_are_checked(googlesql, postgresql) -> None:
    query = (
        "SELECT column_name, is_nullable, spanner_type FROM information_schema.columns "
        "WHERE table_name = 'store'"
    )
    assert ["embedding", "NO", "ARRAY<FLOAT64>(vector_length=>3)"] in ask(googlesql, query)
    assert ["embedding", "YES", "double precision[] vector length 3"] in [
        [name, null, kind.lower()] for name, null, kind in ask(postgresql, query)
    ]


@pytest.mark.parametrize("staleness", [timedelta(), timedelta(microseconds=1)])
def test_exact_searches(googlesql, staleness) -> None:
    result = ask(
        googlesql,
        """
            SELECT langchain_id,content,embedding,kind, COSINE_DISTANCE(embedding, @vector_embedding) AS distance
            FROM store
            WHERE 1 = 1
            ORDER BY distance
            LIMIT 2;
        """,
        {"vector_embedding": [1.0, 0.1, 0.0]},
        {"vector_embedding": DOUBLES},
        **({"exact_staleness": staleness} if staleness else {}),
    )
    assert [row[:4] for row in result] == [list(ROWS[0]), list(ROWS[1])]


def test_exact_searches_in_postgresql(postgresql) -> None:
    for placeholder in ("$1", "$1::float8[]"):
        result = ask(
            postgresql,
            f"SELECT langchain_id, spanner.cosine_distance(embedding, {placeholder}) AS distance "
            "FROM store WHERE kind = 'a' ORDER BY distance LIMIT 4;",
            {"p1": [0.0, 1.0, 0.0]},
            {"p1": DOUBLES},
        )
        assert [row[0] for row in result] == ["2", "1"]


def test_approximate_searches(googlesql) -> None:
    sql = (
        "SELECT langchain_id,content, APPROX_COSINE_DISTANCE(ARRAY<FLOAT64>[1.0, 0.0, 0.0], embedding, "
        "options => JSON '{\"num_leaves_to_search\": 1000}') AS distance\n"
        "FROM store@{FORCE_INDEX=near}\nWHERE 1=1\nORDER BY distance\nLIMIT 2"
    )
    assert [row[0] for row in ask(googlesql, sql)] == ["1", "2"]
    filtered = sql.replace("1=1", "kind = 'b'")
    assert [row[0] for row in ask(googlesql, filtered)] == ["3"]
    with pytest.raises(InvalidArgument, match="distance type COSINE but the query requires"):
        ask(googlesql, sql.replace("APPROX_COSINE_DISTANCE", "APPROX_DOT_PRODUCT"))


def test_documents_are_deleted(googlesql, postgresql) -> None:
    def by_text(transaction):
        return transaction.execute_update(
            "DELETE FROM store WHERE content = @content AND kind = @kind",
            {"content": "one", "kind": "a"},
            {"content": param_types.STRING, "kind": param_types.STRING},
        )

    assert googlesql.run_in_transaction(by_text) == 1
    assert googlesql.execute_partitioned_dml("DELETE FROM store WHERE kind = 'b'") == 1
    assert [row[0] for row in ask(googlesql, "SELECT langchain_id FROM store")] == ["2"]
    with postgresql.batch() as batch:
        batch.delete("store", KeySet(keys=[["1"], ["3"]]))
    assert ask(postgresql, "SELECT embedding FROM store") == [[[0.5, 0.5, 0.0]]]


def test_agents_send_embeddings_without_a_type(googlesql, postgresql) -> None:
    exact = (
        "SELECT content, COSINE_DISTANCE(embedding, @embedding) AS distance FROM store WHERE 1=1 "
        "AND kind = 'a' ORDER BY distance LIMIT 1"
    )
    approximate = (
        "SELECT content, APPROX_COSINE_DISTANCE(embedding, @embedding, options => "
        "JSON '{\"num_leaves_to_search\": 10}') AS distance FROM store WHERE embedding IS NOT NULL "
        "AND (kind = 'a') ORDER BY distance LIMIT 1"
    )
    for sql in (exact, approximate):
        assert ask(googlesql, sql, {"embedding": [0.0, 1.0, 0.0]})[0][0] == "two"
    in_postgresql = (
        "SELECT content, spanner.cosine_distance(embedding, $1) AS distance FROM store "
        "ORDER BY distance LIMIT 1"
    )
    assert ask(postgresql, in_postgresql, {"p1": [0.0, 1.0, 0.5]})[0][0] == "three"


def test_agents_cast_embeddings_in_postgresql(postgresql) -> None:
    postgresql.update_ddl(
        [
            "ALTER TABLE store ADD COLUMN small float4[] VECTOR LENGTH 2",
            "CREATE INDEX smalls ON store USING scann(small, kind) INCLUDE (content) "
            "WITH (distance_type = 'EUCLIDEAN', num_leaves = 1000) WHERE small IS NOT NULL",
        ]
    ).result()
    with postgresql.batch() as batch:
        batch.update("store", ("langchain_id", "small"), [("1", [1.0, 2.0]), ("3", [3.0, 4.0])])
    sql = (
        "SELECT content, spanner.approx_euclidean_distance(small, $1::float4[], "
        "options => '{\"num_leaves_to_search\": 10}'::jsonb) AS distance FROM store "
        "WHERE small IS NOT NULL ORDER BY distance LIMIT 5"
    )
    assert [row[0] for row in ask(postgresql, sql, {"p1": [3.0, 3.0]})] == ["three", "one"]
