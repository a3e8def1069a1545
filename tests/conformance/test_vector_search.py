"""Vector indexes and the nearest neighbours of a vector, through the official client."""

from __future__ import annotations

import random

import pytest
from google.api_core.exceptions import (
    FailedPrecondition,
    GoogleAPICallError,
    InvalidArgument,
    NotFound,
    OutOfRange,
)
from google.cloud.spanner_v1 import KeySet, param_types
from google.cloud.spanner_v1.types import ExecuteSqlRequest

import spanemu

OPTIONS = "options => JSON '{\"num_leaves_to_search\": 10}'"
PG_OPTIONS = "options => jsonb'{\"num_leaves_to_search\": 10}'"
GOOGLESQL = """
CREATE TABLE Docs (
  Id INT64 NOT NULL, Kind STRING(MAX), Score INT64,
  E ARRAY<FLOAT32>(vector_length=>2), D ARRAY<FLOAT64>(vector_length=>2),
  Must ARRAY<FLOAT32>(vector_length=>2) NOT NULL, Plain ARRAY<FLOAT32>,
  IsA BOOL AS (IF(Kind = 'a', TRUE, NULL)) HIDDEN,
) PRIMARY KEY (Id);
CREATE VECTOR INDEX Cosine ON Docs(E) STORING (Kind) WHERE E IS NOT NULL OPTIONS (distance_type = 'COSINE');
CREATE VECTOR INDEX Euclidean ON Docs(E, Kind) WHERE E IS NOT NULL OPTIONS (distance_type = 'EUCLIDEAN');
CREATE VECTOR INDEX Dot ON Docs(D) WHERE D IS NOT NULL OPTIONS (distance_type = 'DOT_PRODUCT');
CREATE VECTOR INDEX MustCosine ON Docs(Must) OPTIONS (distance_type = 'COSINE');
CREATE VECTOR INDEX OnlyA ON Docs(Must) STORING (IsA) WHERE IsA IS NOT NULL OPTIONS (distance_type = 'EUCLIDEAN');
CREATE VECTOR INDEX Off ON Docs(Must) OPTIONS (distance_type = 'DOT_PRODUCT', disable_search = true);
CREATE INDEX ByScore ON Docs(Score);
CREATE TABLE Other (Id INT64 NOT NULL, Name STRING(MAX)) PRIMARY KEY (Id);
"""
ROWS = [
    (1, "a", 10, [1.0, 0.0], [1.0, 0.0], [1.0, 0.0]),
    (2, "b", 20, [0.8, 0.6], [0.8, 0.6], [0.8, 0.6]),
    (3, "a", 30, [0.0, 1.0], [0.0, 1.0], [0.0, 1.0]),
    (4, "b", 40, [-1.0, 0.0], [-1.0, 0.0], [-1.0, 0.0]),
    (5, "a", 50, None, None, [0.5, 0.5]),
    (6, None, 60, [3.0, 4.0], [3.0, 4.0], [3.0, 4.0]),
]
COLUMNS = ("Id", "Kind", "Score", "E", "D", "Must")
NEAR = "ARRAY<FLOAT32>[1.0, 0.1]"
COSINE = f"APPROX_COSINE_DISTANCE(E, {NEAR}, {OPTIONS})"
POSTGRESQL = """
CREATE TABLE docs (id bigint PRIMARY KEY, kind text, e float4[] VECTOR LENGTH 2, d float8[] VECTOR LENGTH 2 NOT NULL);
CREATE INDEX cosine ON docs USING scann(e) INCLUDE (kind) WITH (distance_type = 'COSINE') WHERE e IS NOT NULL;
CREATE INDEX dot ON docs USING scann(d, kind) WITH (distance_type = 'DOT_PRODUCT', tree_depth = 3, num_branches = 2, num_leaves = 9);
"""


@pytest.fixture(scope="module")
def emulator():
    with spanemu.Emulator() as running:
        yield running


@pytest.fixture(scope="module")
def docs(emulator):
    database = emulator.create_database("docs", GOOGLESQL).client()
    with database.batch() as batch:
        batch.insert("Docs", COLUMNS, ROWS)
        batch.insert("Other", ("Id", "Name"), [(1, "one"), (2, "two"), (3, "three")])
    return database


@pytest.fixture(scope="module")
def pg_docs(emulator):
    database = emulator.create_database("pg-docs", POSTGRESQL, dialect="postgresql").client()
    rows = [(row[0], row[1], row[3], row[5]) for row in ROWS]
    with database.batch() as batch:
        batch.insert("docs", ("id", "kind", "e", "d"), rows)
    return database


def ask(database, sql, **parameters):
    types = {
        name: param_types.Array(param_types.FLOAT32)
        for name, value in parameters.items()
        if isinstance(value, list)
    }
    with database.snapshot() as snapshot:
        return [list(row) for row in snapshot.execute_sql(sql, parameters, types)]


def ids(database, sql, **parameters):
    return [row[0] for row in ask(database, sql, **parameters)]


QUERIES = {
    f"SELECT Id FROM Docs WHERE E IS NOT NULL ORDER BY {COSINE} LIMIT 3": [1, 2, 6],
    f"SELECT Id FROM Docs WHERE E IS NOT NULL ORDER BY {COSINE} LIMIT 2 OFFSET 1": [2, 6],
    f"SELECT Id FROM Docs WHERE E IS NOT NULL ORDER BY {COSINE} DESC LIMIT 1": [4],
    f"SELECT Id, {COSINE} AS d FROM Docs WHERE E IS NOT NULL ORDER BY d LIMIT 2": [1, 2],
    f"SELECT Id, UPPER(Kind), {COSINE} AS d FROM Docs WHERE E IS NOT NULL ORDER BY 3 LIMIT 2": [
        1,
        2,
    ],
    f"SELECT Id FROM Docs@{{FORCE_INDEX=Cosine}} WHERE E IS NOT NULL ORDER BY {COSINE} LIMIT 1": [
        1
    ],
    f"SELECT Id FROM Docs AS x WHERE x.E IS NOT NULL AND Kind = 'b' ORDER BY "
    f"APPROX_COSINE_DISTANCE({NEAR}, x.E, {OPTIONS}) LIMIT 5": [2, 4],
    f"SELECT Id FROM Docs WHERE NOT (E IS NULL) AND (Kind = 'a' OR Score > 50) ORDER BY {COSINE} "
    "LIMIT 5": [1, 6, 3],
    f"SELECT Id FROM Docs ORDER BY APPROX_COSINE_DISTANCE(Must, {NEAR}, {OPTIONS}) LIMIT 2": [1, 2],
    f"SELECT Id FROM Docs WHERE E IS NOT NULL ORDER BY "
    f"APPROX_EUCLIDEAN_DISTANCE(E, {NEAR}, {OPTIONS}) LIMIT 2": [1, 2],
    f"SELECT Id FROM Docs WHERE D IS NOT NULL ORDER BY "
    f"APPROX_DOT_PRODUCT(D, [1.0, 0.1], {OPTIONS}) DESC LIMIT 1": [6],
    f"SELECT Id FROM Docs WHERE IsA IS NOT NULL ORDER BY "
    f"APPROX_EUCLIDEAN_DISTANCE(Must, {NEAR}, {OPTIONS}) LIMIT 2": [1, 5],
    f"SELECT o.Id FROM (SELECT Id FROM Docs WHERE E IS NOT NULL ORDER BY {COSINE} LIMIT 2) AS t "
    "JOIN Other AS o ON o.Id = t.Id ORDER BY o.Name DESC": [2, 1],
    f"SELECT Id FROM Other WHERE Id IN (SELECT Id FROM Docs WHERE E IS NOT NULL ORDER BY {COSINE} "
    "LIMIT 1)": [1],
    f"SELECT ARRAY_LENGTH(ARRAY(SELECT Id FROM Docs WHERE E IS NOT NULL ORDER BY {COSINE} LIMIT 3))": [
        3
    ],
    "WITH emb AS (SELECT E AS value FROM Docs WHERE Id = 3 LIMIT 1) SELECT Id FROM Docs, emb "
    f"WHERE E IS NOT NULL ORDER BY APPROX_COSINE_DISTANCE(emb.value, E, {OPTIONS}) LIMIT 2": [3, 6],
    "SELECT Docs.Id FROM (SELECT E AS value FROM Docs WHERE Id = 3 LIMIT 1) AS emb, Docs "
    f"WHERE E IS NOT NULL ORDER BY APPROX_COSINE_DISTANCE(E, emb.value, {OPTIONS}) LIMIT 1": [3],
    "SELECT Id FROM Docs CROSS JOIN (SELECT MAX(Score) AS s FROM Docs) WHERE E IS NOT NULL AND "
    f"Score < s ORDER BY {COSINE} LIMIT 5": [1, 2, 3, 4],
    f"FROM Docs |> WHERE E IS NOT NULL |> ORDER BY {COSINE} |> LIMIT 1 |> SELECT Id": [1],
    f"(SELECT Id FROM Docs WHERE E IS NOT NULL ORDER BY {COSINE} LIMIT 1) UNION ALL "
    f"(SELECT Id FROM Docs ORDER BY APPROX_COSINE_DISTANCE(Must, {NEAR}, {OPTIONS}) LIMIT 1)": [
        1,
        1,
    ],
    f"SELECT Id FROM Docs WHERE E IS NOT NULL ORDER BY SAFE.{COSINE} LIMIT 1": [1],
    f"SELECT x.i FROM UNNEST(ARRAY(SELECT AS STRUCT Id AS i, {COSINE} AS d FROM Docs "
    "WHERE E IS NOT NULL ORDER BY d LIMIT 2)) AS x ORDER BY x.d": [1, 2],
    f"FROM Docs |> WHERE E IS NOT NULL |> ORDER BY {COSINE} |> SELECT Id + 1 AS i |> LIMIT 1": [2],
}


@pytest.mark.parametrize("sql", QUERIES)
def test_nearest_neighbours(docs, sql) -> None:
    assert ids(docs, sql) == QUERIES[sql]


def test_the_query_vector_is_a_parameter_of_either_form(docs) -> None:
    sql = (
        "SELECT Id FROM Docs WHERE E IS NOT NULL "
        f"ORDER BY APPROX_COSINE_DISTANCE(@v, E, {OPTIONS}) LIMIT @k"
    )
    assert ids(docs, sql, v=[0.0, 1.0], k=2) == [3, 6]
    with docs.snapshot() as snapshot:  # without a type, which the column decides
        rows = snapshot.execute_sql(sql, {"v": [0.0, 1.0], "k": 1}, {"k": param_types.INT64})
        assert [row[0] for row in rows] == [3]
    with pytest.raises(
        InvalidArgument, match=r"APPROX_COSINE_DISTANCE: Array length mismatch: 1 and 2"
    ):
        ids(docs, sql, v=[1.0], k=1)
    with pytest.raises(InvalidArgument, match="zero vector"):
        ids(docs, sql, v=[0.0, 0.0], k=1)


SHAPE = "The use of function APPROX_COSINE_DISTANCE is not supported in this query"
REFUSED = {
    f"SELECT Id FROM Docs WHERE E IS NOT NULL ORDER BY {COSINE}": SHAPE,
    f"SELECT Id FROM Docs WHERE E IS NOT NULL ORDER BY {COSINE}, Id LIMIT 2": SHAPE,
    f"SELECT Id FROM Docs WHERE E IS NOT NULL ORDER BY Id, {COSINE} LIMIT 2": SHAPE,
    f"SELECT Id FROM Docs WHERE {COSINE} < 1": SHAPE,
    f"SELECT Id FROM Docs WHERE E IS NOT NULL ORDER BY 1 - {COSINE} LIMIT 2": SHAPE,
    f"SELECT COUNT(*) FROM Docs WHERE E IS NOT NULL GROUP BY {COSINE}": SHAPE,
    f"SELECT Kind FROM Docs WHERE E IS NOT NULL GROUP BY Kind HAVING MIN({COSINE}) < 1": SHAPE,
    f"SELECT {COSINE} AS d FROM Docs WHERE E IS NOT NULL LIMIT 2": SHAPE,
    f"SELECT {COSINE} AS d FROM Docs WHERE E IS NOT NULL ORDER BY Id LIMIT 2": SHAPE,
    f"SELECT Id FROM (SELECT Id, {COSINE} AS d FROM Docs WHERE E IS NOT NULL)": SHAPE,
    f"SELECT DISTINCT {COSINE} AS d FROM Docs WHERE E IS NOT NULL ORDER BY d LIMIT 2": SHAPE,
    f"SELECT Id FROM Docs ORDER BY APPROX_COSINE_DISTANCE(E, Must, {OPTIONS}) LIMIT 2": SHAPE,
    f"SELECT Id FROM Docs ORDER BY APPROX_COSINE_DISTANCE({NEAR}, {NEAR}, {OPTIONS}) LIMIT 2": SHAPE,
    f"SELECT Id FROM Docs ORDER BY APPROX_COSINE_DISTANCE(Must, (SELECT {NEAR}), {OPTIONS}) LIMIT 2": SHAPE,
    f"SELECT Id FROM Docs JOIN Other USING (Id) WHERE E IS NOT NULL ORDER BY {COSINE} LIMIT 2": SHAPE,
    f"SELECT Id FROM Docs JOIN Other ON {COSINE} < 1 USING (Id)": None,
    "SELECT Id FROM Docs ORDER BY APPROX_COSINE_DISTANCE(Must, ARRAY<FLOAT32>[1.0, NULL], "
    f"{OPTIONS}) LIMIT 2": SHAPE,
    f"SELECT Id FROM Docs WHERE E IS NOT NULL ORDER BY APPROX_COSINE_DISTANCE(E, {NEAR}) LIMIT 2":
        "Argument `options` is required for function APPROX_COSINE_DISTANCE",
    f"SELECT Id FROM Docs WHERE E IS NOT NULL ORDER BY APPROX_COSINE_DISTANCE(E, {NEAR}, "
    "options => JSON '{}') LIMIT 2": "Argument `options` of function APPROX_COSINE_DISTANCE is invalid",
    f"SELECT Id FROM Docs WHERE E IS NOT NULL ORDER BY APPROX_COSINE_DISTANCE(E, {NEAR}, "
    "options => JSON '{\"num_leaves_to_search\": -1}') LIMIT 2": "is invalid",
    f"SELECT Id FROM Docs WHERE E IS NOT NULL ORDER BY APPROX_COSINE_DISTANCE(E, {NEAR}, "
    "options => JSON '{\"num_leaves_to_search\": 1, \"more\": 2}') LIMIT 2": "is invalid",
    f"SELECT Id FROM Docs WHERE E IS NOT NULL ORDER BY APPROX_COSINE_DISTANCE(E, {NEAR}, "
    "options => JSON_OBJECT('num_leaves_to_search', 1)) LIMIT 2":
        "Argument `options` of function APPROX_COSINE_DISTANCE must be a literal",
    f"SELECT Id FROM Docs WHERE E IS NOT NULL ORDER BY APPROX_COSINE_DISTANCE(E, "
    f"ARRAY<FLOAT64>[1.0, 0.1], {OPTIONS}) LIMIT 2":
        "No matching signature for function APPROX_COSINE_DISTANCE",
    f"SELECT Id FROM Docs WHERE E IS NOT NULL ORDER BY APPROX_COSINE_DISTANCE(E, "
    f"ARRAY<FLOAT32>[1.0], {OPTIONS}) LIMIT 2": "APPROX_COSINE_DISTANCE: Array length mismatch: 1 and 2",
    f"SELECT Id FROM Docs WHERE E IS NOT NULL ORDER BY APPROX_COSINE_DISTANCE(E, "
    f"ARRAY<FLOAT32>[0.0, 0.0], {OPTIONS}) LIMIT 2": "Cannot compute cosine distance against zero vector",
    f"SELECT Id FROM Docs ORDER BY {COSINE} LIMIT 2":
        "The index Cosine cannot be used because it filters nulls that are required to answer the "
        "query for column E",
    f"SELECT Id FROM Docs WHERE E IS NULL ORDER BY {COSINE} LIMIT 2": "filters nulls",
    f"SELECT Id FROM Docs WHERE E IS NOT NULL OR Id = 1 ORDER BY {COSINE} LIMIT 2": "filters nulls",
    f"SELECT Id FROM Docs@{{FORCE_INDEX=Cosine}} ORDER BY {COSINE} LIMIT 2": "filters nulls",
    "SELECT Id FROM Docs WHERE Kind = 'a' ORDER BY "
    f"APPROX_EUCLIDEAN_DISTANCE(Must, {NEAR}, {OPTIONS}) LIMIT 2": "The index OnlyA cannot be used",
    f"SELECT Id FROM Docs WHERE D IS NOT NULL ORDER BY APPROX_COSINE_DISTANCE(D, [1.0, 0.1], {OPTIONS}) LIMIT 2":
        "No usable vector index can be found for this query that supports COSINE distance type on "
        "column D for function APPROX_COSINE_DISTANCE",
    f"SELECT Id FROM Docs WHERE Plain IS NOT NULL ORDER BY APPROX_COSINE_DISTANCE(Plain, {NEAR}, {OPTIONS}) LIMIT 2":
        "No usable vector index",
    f"SELECT Id FROM Docs ORDER BY APPROX_DOT_PRODUCT(Must, {NEAR}, {OPTIONS}) LIMIT 2":
        "No usable vector index",
    f"SELECT Id FROM Docs@{{FORCE_INDEX=Off}} ORDER BY APPROX_DOT_PRODUCT(Must, {NEAR}, {OPTIONS}) LIMIT 2":
        "The index Off cannot be used because its option disable_search is true",
    f"SELECT Id FROM Docs@{{FORCE_INDEX=_BASE_TABLE}} WHERE E IS NOT NULL ORDER BY {COSINE} LIMIT 2":
        "No usable vector index",
    f"SELECT Id FROM Docs@{{FORCE_INDEX=Euclidean}} WHERE E IS NOT NULL ORDER BY {COSINE} LIMIT 2":
        "The index Euclidean cannot be used because it is a vector index of distance type EUCLIDEAN but "
        "the query requires distance computation function APPROX_COSINE_DISTANCE on column E",
    f"SELECT Id FROM Docs@{{FORCE_INDEX=MustCosine}} WHERE E IS NOT NULL ORDER BY {COSINE} LIMIT 2":
        "The index MustCosine cannot be used because it is not a vector index on column E which is "
        "required for APPROX_COSINE_DISTANCE",
    f"SELECT Id FROM Docs@{{FORCE_INDEX=ByScore}} WHERE E IS NOT NULL ORDER BY {COSINE} LIMIT 2":
        "The index ByScore cannot be used because it is not a vector index",
    "SELECT Id FROM Docs@{FORCE_INDEX=Cosine} WHERE E IS NOT NULL": "because it is a vector index",
    f"SELECT Id FROM Docs@{{FORCE_INDEX=Cosine}} WHERE E IS NOT NULL ORDER BY COSINE_DISTANCE(E, {NEAR}) "
    "LIMIT 1": "because it is a vector index",
}  # fmt: skip


@pytest.mark.parametrize("sql", REFUSED)
def test_refused(docs, sql) -> None:
    with pytest.raises(InvalidArgument) as failure:
        ask(docs, sql)
    assert (REFUSED[sql] or "") in failure.value.message


EXACT = {
    f"SELECT Id FROM Docs WHERE E IS NOT NULL ORDER BY COSINE_DISTANCE(E, {NEAR}) LIMIT 3": [
        1,
        2,
        6,
    ],
    f"SELECT Id FROM Docs ORDER BY EUCLIDEAN_DISTANCE({NEAR}, E) LIMIT 3": [5, 1, 2],
    f"SELECT Id FROM Docs WHERE 1 - COSINE_DISTANCE(Must, {NEAR}) > 0.9 ORDER BY Id": [1],
    "SELECT Id FROM Docs WHERE D IS NOT NULL ORDER BY DOT_PRODUCT(D, [1.0, 0.0]) DESC LIMIT 1": [6],
}


@pytest.mark.parametrize("sql", EXACT)
def test_exact_distances(docs, sql) -> None:
    assert ids(docs, sql) == EXACT[sql]


PG_COSINE = f"spanner.approx_cosine_distance(e, ARRAY[1.0, 0.1]::float4[], {PG_OPTIONS})"
PG_QUERIES = {
    f"SELECT id FROM docs WHERE e IS NOT NULL ORDER BY {PG_COSINE} LIMIT 3": [1, 2, 6],
    f"SELECT id, {PG_COSINE} AS d FROM docs WHERE e IS NOT NULL ORDER BY d LIMIT 2": [1, 2],
    "SELECT id FROM docs WHERE e IS NOT NULL ORDER BY spanner.approx_cosine_distance("
    "'{0.0,1.0}'::float4[], e) LIMIT 1": [3],
    "SELECT id FROM docs WHERE e IS NOT NULL ORDER BY spanner.approx_cosine_distance(e, "
    "ARRAY[1.0::float4, 0.1::float4], options=>'{\"num_leaves_to_search\": 1}') LIMIT 1": [1],
    "SELECT id FROM docs WHERE e IS NOT NULL ORDER BY spanner.approx_cosine_distance(e, "
    "ARRAY[1.0::float4, 0.1::float4], options=>'{\"num_leaves_to_search\": 1}'::jsonb) LIMIT 1": [
        1
    ],
    "SELECT id FROM docs ORDER BY spanner.approx_dot_product(d, ARRAY[1.0, 0.1]::float8[]) DESC "
    "LIMIT 1": [6],
    "SELECT id FROM docs /*@ FORCE_INDEX = dot */ ORDER BY "
    "spanner.approx_dot_product(d, ARRAY[1.0, 0.1]::float8[]) DESC LIMIT 1": [6],
    "SELECT docs.id FROM docs, (SELECT e AS value FROM docs WHERE id = 3 LIMIT 1) vector WHERE "
    "docs.e IS NOT NULL ORDER BY spanner.APPROX_COSINE_DISTANCE(docs.e, vector.value) LIMIT 1": [3],
    "SELECT id FROM docs WHERE e IS NOT NULL ORDER BY "
    "spanner.euclidean_distance(e, '{0.1, 0.9}'::float4[]) LIMIT 1": [3],
    "SELECT id FROM docs ORDER BY spanner.dot_product(d, ARRAY[1.0, 0.1]::float8[]) DESC LIMIT 1": [
        6
    ],
}


@pytest.mark.parametrize("sql", PG_QUERIES)
def test_nearest_neighbours_in_postgresql(pg_docs, sql) -> None:
    assert ids(pg_docs, sql) == PG_QUERIES[sql]


PG_REFUSED = {
    f"SELECT id FROM docs WHERE e IS NOT NULL ORDER BY {PG_COSINE}": SHAPE,
    f"SELECT id FROM docs ORDER BY {PG_COSINE} LIMIT 1": "filters nulls",
    "SELECT id FROM docs ORDER BY spanner.approx_cosine_distance(d, ARRAY[1.0, 0.1]::float8[]) LIMIT 1":
        "No usable vector index",
    "SELECT id FROM docs WHERE e IS NOT NULL ORDER BY spanner.approx_cosine_distance(e, "
    "ARRAY[1.0, 0.1]::float4[], options => jsonb'{\"leaves\": 1}') LIMIT 1": "is invalid",
    "SELECT id FROM docs WHERE e IS NOT NULL ORDER BY spanner.approx_cosine_distance(e, "
    "ARRAY[1.0, 0.1]::float4[], options => jsonb_build_object('num_leaves_to_search', 1)) LIMIT 1":
        "must be a literal",
    "SELECT id FROM docs /*@ FORCE_INDEX = cosine */ WHERE e IS NOT NULL": "because it is a vector index",
}  # fmt: skip


@pytest.mark.parametrize("sql", PG_REFUSED)
def test_refused_in_postgresql(pg_docs, sql) -> None:
    with pytest.raises(InvalidArgument) as failure:
        ask(pg_docs, sql)
    assert PG_REFUSED[sql] in failure.value.message


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("E", [1.0], "has 1 elements and is less than the `vector_length` limit: 2"),
        ("E", [1.0, 2.0, 3.0], "has 3 elements and exceeds the `vector_length` limit: 2"),
        ("D", [1.0, None], "has `vector_length`, and Null is disallowed"),
    ],
)
def test_written_vectors_have_their_length(docs, column, value, message) -> None:
    row = {"Id": 99, "Must": [1.0, 1.0], column: value}
    with pytest.raises(InvalidArgument, match=message), docs.batch() as batch:
        batch.insert("Docs", tuple(row), [tuple(row.values())])
    literal = ", ".join("NULL" if each is None else str(each) for each in value)
    for dml in (
        f"INSERT INTO Docs (Id, Must, {column}) VALUES (99, [1.0, 1.0], [{literal}])",
        f"UPDATE Docs SET {column} = [{literal}] WHERE Id = 1",
    ):
        with pytest.raises(InvalidArgument, match=message):
            docs.run_in_transaction(lambda transaction, dml=dml: transaction.execute_update(dml))
    assert ids(docs, "SELECT Id FROM Docs WHERE Id = 99") == []


def test_plans_show_the_index(docs) -> None:
    with docs.snapshot() as snapshot:
        results = snapshot.execute_sql(
            f"SELECT Id FROM Docs WHERE E IS NOT NULL ORDER BY {COSINE} LIMIT 3",
            query_mode=ExecuteSqlRequest.QueryMode.PROFILE,
        )
        assert [row[0] for row in results] == [1, 2, 6]
    scans = [dict(node.metadata or {}) for node in results.stats.query_plan.plan_nodes]
    (scan,) = [each for each in scans if each.get("scan_type") == "VectorIndexScan"]
    assert scan["scan_target"] == "Cosine"


def test_reads_by_a_vector_index_are_refused(docs) -> None:
    with pytest.raises(GoogleAPICallError, match="VECTOR index"), docs.snapshot() as snapshot:
        list(snapshot.read("Docs", ("Id",), KeySet(all_=True), index="Cosine"))


def test_a_transaction_sees_its_own_vectors(docs) -> None:
    def work(transaction):
        transaction.insert("Docs", ("Id", "E", "Must"), [(77, [1.0, 0.1], [1.0, 0.1])])
        transaction.execute_update(
            "INSERT INTO Docs (Id, E, Must) VALUES (78, [1.0, 0.1], [1.0, 0.1])"
        )
        result = transaction.execute_sql(
            f"SELECT Id FROM Docs WHERE E IS NOT NULL ORDER BY {COSINE} LIMIT 1"
        )
        assert [row[0] for row in result] == [78]
        updated = transaction.execute_update(
            "UPDATE Docs SET Score = 1 WHERE Id IN (SELECT Id FROM Docs WHERE E IS NOT NULL "
            f"ORDER BY {COSINE} LIMIT 1)"
        )
        assert updated == 1
        transaction.rollback()

    session = docs.session()
    session.create()
    work_in = session.transaction()
    work_in.begin()
    work(work_in)
    assert ids(docs, "SELECT Id FROM Docs WHERE Id > 70") == []


def test_information_schema(docs, pg_docs) -> None:
    assert ask(
        docs,
        "SELECT INDEX_NAME, INDEX_TYPE, FILTER FROM INFORMATION_SCHEMA.INDEXES "
        "WHERE INDEX_TYPE = 'VECTOR' AND INDEX_NAME LIKE '%e' ORDER BY 1",
    ) == [["Cosine", "VECTOR", "E IS NOT NULL"], ["MustCosine", "VECTOR", None]]
    assert ask(
        docs,
        "SELECT COLUMN_NAME, ORDINAL_POSITION, COLUMN_ORDERING, SPANNER_TYPE "
        "FROM INFORMATION_SCHEMA.INDEX_COLUMNS WHERE INDEX_NAME IN ('Cosine', 'Euclidean') ORDER BY "
        "INDEX_NAME, IFNULL(ORDINAL_POSITION, 9)",
    ) == [
        ["E", 1, None, "ARRAY<FLOAT32>(vector_length=>2)"],
        ["Kind", None, None, "STRING(MAX)"],
        ["E", 1, None, "ARRAY<FLOAT32>(vector_length=>2)"],
        ["Kind", 2, "ASC", "STRING(MAX)"],
    ]
    options = (
        "SELECT OPTION_NAME, OPTION_TYPE, OPTION_VALUE FROM INFORMATION_SCHEMA.INDEX_OPTIONS WHERE "
    )
    assert ask(docs, f"{options} INDEX_NAME = 'Off' ORDER BY 1") == [
        ["disable_search", "BOOL", "TRUE"],
        ["distance_type", "STRING", "DOT_PRODUCT"],
        ["system_optimized_num_leaves", "INT64", "1"],
        ["system_optimized_tree_depth", "INT64", "2"],
    ]
    assert ask(pg_docs, f"{options} index_name = 'dot' ORDER BY 1") == [
        ["distance_type", "character varying", "DOT_PRODUCT"],
        ["num_branches", "bigint", "2"],
        ["num_leaves", "bigint", "9"],
        ["system_optimized_num_branches", "bigint", "2"],
        ["system_optimized_num_leaves", "bigint", "9"],
        ["system_optimized_tree_depth", "bigint", "3"],
        ["tree_depth", "bigint", "3"],
    ]
    kinds = (
        "SELECT index_name FROM information_schema.indexes WHERE index_type = 'ScaNN' ORDER BY 1"
    )
    assert ids(pg_docs, kinds) == ["cosine", "dot"]


@pytest.mark.parametrize("table", ["VECTOR_INDEX_STATS", "VECTOR_INDEX_METRICS_HISTORY"])
def test_statistics_of_vector_indexes_are_empty(docs, pg_docs, table) -> None:
    assert ask(docs, f"SELECT * FROM SPANNER_SYS.{table}") == []
    assert ask(pg_docs, f"SELECT * FROM spanner_sys.{table.lower()}") == []
    assert (
        ask(
            docs,
            f"SELECT v.VECTOR_INDEX_NAME, d.value_at_percentile FROM SPANNER_SYS.{table} AS v, "
            "UNNEST(v.CLUSTER_AVERAGE_DISTANCE_TO_CENTROID_PERCENTILES) AS d WHERE d.percentile = 99",
        )
        == []
    )


def test_schema_changes(emulator) -> None:
    database = emulator.create_database("changes", GOOGLESQL)
    client = database.client()

    def apply(*statements):
        client.update_ddl(statements).result()

    apply(
        "ALTER VECTOR INDEX Cosine ADD STORED COLUMN Score",
        "ALTER VECTOR INDEX Cosine DROP STORED COLUMN Score",
        "ALTER VECTOR INDEX Off SET OPTIONS (disable_search = null)",
        "DROP VECTOR INDEX OnlyA",
        "DROP INDEX MustCosine",
    )
    assert (
        ids(
            client,
            f"SELECT Id FROM Docs ORDER BY APPROX_DOT_PRODUCT(Must, {NEAR}, {OPTIONS}) LIMIT 2",
        )
        == []
    )
    refused = {
        "ALTER TABLE Docs ALTER COLUMN Plain ARRAY<FLOAT32>(vector_length=>2)": FailedPrecondition,
        "ALTER TABLE Docs ALTER COLUMN E ARRAY<FLOAT32>": FailedPrecondition,
        "ALTER TABLE Docs ALTER COLUMN E ARRAY<FLOAT32>(vector_length=>3)": FailedPrecondition,
        "ALTER TABLE Docs DROP COLUMN E": FailedPrecondition,
        "ALTER TABLE Docs DROP COLUMN Kind": FailedPrecondition,
        "DROP TABLE Docs": FailedPrecondition,
        "ALTER VECTOR INDEX Cosine ADD STORED COLUMN Nope": NotFound,
        "ALTER VECTOR INDEX Cosine ADD STORED COLUMN Kind": InvalidArgument,
        "ALTER VECTOR INDEX Cosine ADD STORED COLUMN Id": FailedPrecondition,
        "ALTER VECTOR INDEX Cosine ADD STORED COLUMN E": FailedPrecondition,
        "ALTER VECTOR INDEX Cosine DROP STORED COLUMN Score": NotFound,
        "ALTER VECTOR INDEX Cosine DROP STORED COLUMN E": InvalidArgument,
        "ALTER VECTOR INDEX Cosine SET OPTIONS (num_leaves = 3)": InvalidArgument,
        "ALTER VECTOR INDEX ByScore SET OPTIONS (disable_search = true)": NotFound,
        "DROP VECTOR INDEX ByScore": NotFound,
        "ALTER TABLE Docs ADD COLUMN X FLOAT64 AS (APPROX_COSINE_DISTANCE(E, E, "
        "options => JSON '{\"num_leaves_to_search\": 1}')) STORED": InvalidArgument,
    }
    for statement, error in refused.items():
        with pytest.raises(error):
            apply(statement)
    apply("ALTER TABLE Docs ALTER COLUMN D ARRAY<FLOAT64>(vector_length=>2)")


def test_postgresql_schema_changes(emulator) -> None:
    client = emulator.create_database("pg-changes", POSTGRESQL, dialect="postgresql").client()
    client.update_ddl(
        [
            "ALTER INDEX dot ADD INCLUDE COLUMN e",
            "ALTER INDEX dot DROP INCLUDE COLUMN e",
            "DROP INDEX cosine",
        ]
    ).result()
    with pytest.raises(NotFound):
        client.update_ddl(["ALTER INDEX dot DROP INCLUDE COLUMN e"]).result()


def test_many_vectors(emulator) -> None:
    # A table of more rows than are scanned: inserted, changed, deleted, restored, cloned.
    handle = emulator.create_database("many", GOOGLESQL)
    database, drawn = handle.client(), random.Random(5)

    def vector():
        return [drawn.gauss(0, 1), drawn.gauss(0, 1)]

    rows = [(n, "ab"[n % 2], n % 7, vector(), vector(), vector()) for n in range(1500)]
    with database.batch() as batch:
        batch.insert("Docs", COLUMNS, rows)

    def check(client):
        for order, where in (
            ("COSINE_DISTANCE(E, @v)", "E IS NOT NULL"),
            ("COSINE_DISTANCE(E, @v)", "E IS NOT NULL AND Score = 3 AND Kind = 'a'"),
            ("EUCLIDEAN_DISTANCE(@v, Must)", "TRUE"),
            ("DOT_PRODUCT(Must, @v) DESC", "Id < 1400"),
            ("EUCLIDEAN_DISTANCE(E, @v)", "TRUE"),
        ):
            first = f"SELECT Id, Score FROM Docs WHERE {where} ORDER BY {order} LIMIT 7 OFFSET 1"
            # The sum is another order of the same values, which no search answers.
            other = order.replace(")", ") + 0", 1)
            second = first.replace(order, other)
            near = vector()
            assert ask(client, first, v=near) == ask(client, second, v=near)

    check(database)
    before = handle.snapshot()
    with database.batch() as batch:
        batch.update("Docs", ("Id", "E"), [(3, vector()), (4, None)])
        batch.insert("Docs", COLUMNS, [(9000, "a", 3, vector(), vector(), vector())])
        batch.delete("Docs", KeySet(keys=[[5], [6]]))
    check(database)
    clone = handle.clone("many-2").client()
    with clone.batch() as batch:
        batch.insert_or_update("Docs", ("Id", "E", "Must"), [(7, vector(), vector())])
    check(clone)
    check(database)
    handle.restore(before)
    check(database)
    handle.client().update_ddl(["ALTER TABLE Docs ADD COLUMN More STRING(MAX)"]).result()
    check(database)
    assert ask(database, "SELECT COUNT(*) FROM Docs WHERE More IS NULL") == [[1500]]


def test_a_stored_zero_vector_has_no_cosine(emulator) -> None:
    database = emulator.create_database("zero", GOOGLESQL).client()
    with database.batch() as batch:
        batch.insert("Docs", ("Id", "Must"), [(1, [0.0, 0.0])])
    with pytest.raises(OutOfRange, match="zero vector"):
        ask(database, f"SELECT Id FROM Docs ORDER BY COSINE_DISTANCE(Must, {NEAR}) LIMIT 1")


@pytest.mark.parametrize("rows", [150, 1200])
def test_only_exact_searches_are_large_scans(emulator, rows) -> None:
    # An index spares a query the scan that makes a hot spot, in a small table and a large one.
    handle = emulator.create_database(f"scanned-{rows}", GOOGLESQL)
    database, hotspots = handle.client(), emulator.hotspots(handle)
    hotspots.watch()
    for n in range(0, rows, 5):
        with database.batch() as batch:
            values = [(hash((n, m)), "a", [1.0 + n, 2.0 + m]) for m in range(5)]
            batch.insert("Docs", ("Id", "Kind", "Must"), values)

    def scanned(sql):
        for _ in range(30):
            ask(database, sql)
        rules = {each.rule for each in hotspots.report().findings if each.object == "Docs"}
        return "SPN803" in rules

    where = "SELECT Id FROM Docs WHERE Kind = 'a' ORDER BY"
    assert not scanned(f"{where} APPROX_COSINE_DISTANCE(Must, {NEAR}, {OPTIONS}) LIMIT 3")
    assert scanned(f"{where} COSINE_DISTANCE(Must, {NEAR}) LIMIT 3")


def test_a_saved_state_keeps_vectors(tmp_path) -> None:
    values = [(1, [0.1, 1e-8], [0.1, 1e300]), (2, None, None), (3, [3.0, 4.0], [float("inf"), 1.5])]
    with spanemu.Emulator(data_dir=tmp_path) as first:
        database = first.create_database("docs", GOOGLESQL).client()
        with database.batch() as batch:
            batch.insert("Docs", ("Id", "E", "D", "Must"), [(*row, [1.0, 2.0]) for row in values])
        before = ask(database, "SELECT * FROM Docs")
    with spanemu.Emulator(data_dir=tmp_path) as second:
        database = second.database("docs").client()
        assert ask(database, "SELECT * FROM Docs") == before
        near = f"SELECT Id FROM Docs WHERE E IS NOT NULL ORDER BY {COSINE} LIMIT 2"
        assert ids(database, near) == [1, 3]
        with pytest.raises(InvalidArgument, match="limit: 2"), database.batch() as batch:
            batch.update("Docs", ("Id", "E"), [(1, [1.0, 2.0, 3.0])])
