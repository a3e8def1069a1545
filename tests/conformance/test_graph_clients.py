"""The statements that known clients of Spanner Graph send, through the official client.

The shapes are those of LangChain's SpannerGraphStore and graph retrievers, of llama-index's
SpannerPropertyGraphStore, of the graph notebook and of Google's samples.
"""

from __future__ import annotations

from typing import Any

import pytest
from google.cloud.spanner_v1 import param_types

import spanemu

SCHEMA = """
CREATE TABLE IF NOT EXISTS `Person` (`id` STRING(MAX) NOT NULL, `name` STRING(MAX),
  `age` FLOAT64, `embedding` ARRAY<FLOAT64>) PRIMARY KEY (`id`);
CREATE TABLE IF NOT EXISTS `City` (`id` STRING(MAX) NOT NULL, `name` STRING(MAX))
  PRIMARY KEY (`id`);
CREATE TABLE IF NOT EXISTS `Person_KNOWS_Person` (`id` STRING(MAX) NOT NULL,
  `target_id` STRING(MAX) NOT NULL, `since` INT64,
  FOREIGN KEY (`target_id`) REFERENCES `Person`(`id`)) PRIMARY KEY (`id`, `target_id`),
  INTERLEAVE IN PARENT `Person`;
CREATE TABLE IF NOT EXISTS `Person_LIVES_IN_City` (`id` STRING(MAX) NOT NULL,
  `target_id` STRING(MAX) NOT NULL,
  FOREIGN KEY (`target_id`) REFERENCES `City`(`id`)) PRIMARY KEY (`id`, `target_id`),
  INTERLEAVE IN PARENT `Person`;
ALTER TABLE `City` ADD COLUMN `country` STRING(MAX);
CREATE OR REPLACE PROPERTY GRAPH `g`
NODE TABLES (
  `Person` AS `Person` KEY (`id`) LABEL `Person`
    PROPERTIES (`id` AS `id`, `name` AS `name`, `age` AS `age`, `embedding` AS `embedding`),
  `City` AS `City` KEY (`id`) LABEL `City`
    PROPERTIES (`id` AS `id`, `name` AS `name`, `country` AS `country`)
)
EDGE TABLES (
  `Person_KNOWS_Person` AS `Person_KNOWS_Person` KEY (`id`, `target_id`)
    SOURCE KEY (`id`) REFERENCES `Person`(`id`)
    DESTINATION KEY (`target_id`) REFERENCES `Person`(`id`)
    LABEL `KNOWS` PROPERTIES (`id` AS `id`, `target_id` AS `target_id`, `since` AS `since`),
  `Person_LIVES_IN_City` AS `Person_LIVES_IN_City` KEY (`id`, `target_id`)
    SOURCE KEY (`id`) REFERENCES `Person`(`id`)
    DESTINATION KEY (`target_id`) REFERENCES `City`(`id`)
    LABEL `LIVES_IN` PROPERTIES (`id` AS `id`, `target_id` AS `target_id`)
)
"""
FLEXIBLE_SCHEMA = """
CREATE TABLE nodes (id STRING(MAX) NOT NULL, label STRING(MAX), properties JSON) PRIMARY KEY (id);
CREATE TABLE edges (id STRING(MAX) NOT NULL, target_id STRING(MAX) NOT NULL, label STRING(MAX),
  properties JSON) PRIMARY KEY (id, target_id, label), INTERLEAVE IN PARENT nodes;
CREATE PROPERTY GRAPH flexible
NODE TABLES (nodes DYNAMIC LABEL (label) DYNAMIC PROPERTIES (properties))
EDGE TABLES (edges SOURCE KEY (id) REFERENCES nodes (id)
  DESTINATION KEY (target_id) REFERENCES nodes (id)
  DYNAMIC LABEL (label) DYNAMIC PROPERTIES (properties))
"""
PEOPLE = [
    ["ann", "Ann", 33.0, [1.0, 0.0]],
    ["bob", "Bob", 41.0, [0.0, 1.0]],
    ["cid", "Cid", None, None],
]
STRINGS = param_types.Array(param_types.STRING)


@pytest.fixture(scope="module")
def emulator():
    with spanemu.Emulator() as emulator:
        yield emulator


@pytest.fixture(scope="module")
def database(emulator):
    client = emulator.create_database("clients", SCHEMA).client()
    with client.batch() as batch:
        batch.insert_or_update("Person", ["id", "name", "age", "embedding"], PEOPLE)
        batch.insert_or_update("City", ["id", "name", "country"], [["rom", "Rome", "IT"]])
        batch.insert_or_update(
            "Person_KNOWS_Person",
            ["id", "target_id", "since"],
            [["ann", "bob", 2001], ["bob", "cid", 2002]],
        )
        batch.insert_or_update("Person_LIVES_IN_City", ["id", "target_id"], [["ann", "rom"]])
    return client


@pytest.fixture(scope="module")
def flexible(emulator):
    from google.cloud.spanner_v1 import JsonObject

    client = emulator.create_database("flexible", FLEXIBLE_SCHEMA).client()
    with client.batch() as batch:
        batch.insert(
            "nodes",
            ["id", "label", "properties"],
            [
                ["a", "person", JsonObject(name="Ann", age=33)],
                ["b", "person", JsonObject(name="Bob")],
                ["c", "city", JsonObject(name="Rome")],
            ],
        )
        batch.insert(
            "edges",
            ["id", "target_id", "label", "properties"],
            [
                ["a", "b", "knows", JsonObject(since=2001)],
                ["b", "c", "lives", JsonObject()],
            ],
        )
    return client


def ask(database: Any, sql: str, **parameters: Any) -> list[dict[str, Any]]:
    """Return the rows as dictionaries; a parameter is (value, type)."""
    with database.snapshot() as snapshot:
        result = snapshot.execute_sql(
            sql,
            {name: value for name, (value, _) in parameters.items()} or None,
            {name: type_ for name, (_, type_) in parameters.items()} or None,
        )
        rows = list(result)
        names = [field.name for field in result.fields]
    return [dict(zip(names, row, strict=True)) for row in rows]


# ---------------------------------------------------------------------------- LangChain


def test_the_metadata_describes_each_element_table(database):
    (row,) = ask(
        database,
        "SELECT property_graph_metadata_json FROM INFORMATION_SCHEMA.PROPERTY_GRAPHS "
        "WHERE property_graph_name = 'g'",
    )
    graph = row["property_graph_metadata_json"]
    assert graph["name"] == "g"
    person = graph["nodeTables"][0]
    assert person["name"] == person["baseTableName"] == "Person"
    assert person["kind"] == "NODE"
    assert person["keyColumns"] == ["id"]
    assert person["labelNames"] == ["Person"]
    assert person["propertyDefinitions"][0] == {
        "propertyDeclarationName": "id",
        "valueExpressionSql": "id",
    }
    edge = graph["edgeTables"][1]
    assert edge["destinationNodeTable"] == {
        "nodeTableName": "City",
        "edgeTableColumns": ["target_id"],
        "nodeTableColumns": ["id"],
    }
    types = {each["name"]: each["type"] for each in graph["propertyDeclarations"]}
    assert types == {
        "id": "STRING", "name": "STRING", "age": "FLOAT64", "embedding": "ARRAY<FLOAT64>",
        "country": "STRING", "target_id": "STRING", "since": "INT64",
    }  # fmt: skip
    labels = {each["name"]: each["propertyDeclarationNames"] for each in graph["labels"]}
    assert labels["LIVES_IN"] == ["id", "target_id"]


def test_nodes_and_edges_are_counted_by_a_union(database):
    rows = ask(
        database,
        'GRAPH g MATCH -> RETURN "edge" AS type, COUNT(*) AS num_elements UNION ALL MATCH () '
        'RETURN "node" AS type, COUNT(*) AS num_elements NEXT RETURN type, num_elements '
        "ORDER BY type",
    )
    assert rows == [{"type": "edge", "num_elements": 3}, {"type": "node", "num_elements": 4}]


def test_a_node_is_found_by_a_parameter(database):
    rows = ask(
        database,
        "GRAPH g MATCH (n:Person {id: @p}) RETURN n.`name`, n.`age`",
        p=("ann", param_types.STRING),
    )
    assert rows == [{"name": "Ann", "age": 33.0}]


def test_properties_are_taken_out_of_the_json_of_an_edge(database):
    rows = ask(
        database,
        "GRAPH g MATCH (a)-[e:KNOWS]->(b) RETURN TO_JSON(e)['properties'] AS properties, "
        "INT64(TO_JSON(e).properties.since) AS since ORDER BY since",
    )
    assert [row["since"] for row in rows] == [2001, 2002]
    assert rows[0]["properties"] == {"id": "ann", "since": 2001, "target_id": "bob"}


@pytest.mark.parametrize("function", ["EUCLIDEAN_DISTANCE", "COSINE_DISTANCE"])
def test_the_nearest_nodes_are_found_by_their_embeddings(database, function):
    rows = ask(
        database,
        "GRAPH g MATCH (node:Person|%) WHERE node.embedding IS NOT NULL "
        f"ORDER BY {function}(node.embedding, ARRAY[0.1, 0.9]) LIMIT 1 "
        "RETURN SAFE_TO_JSON(node) AS path",
    )
    assert rows[0]["path"]["properties"]["id"] == "bob"
    assert rows[0]["path"]["labels"] == ["Person"]


def test_paths_begin_at_the_nearest_node(database):
    rows = ask(
        database,
        "GRAPH g MATCH (node:Person) WHERE node.embedding IS NOT NULL "
        "ORDER BY COSINE_DISTANCE(node.embedding, ARRAY[0.9, 0.1]) LIMIT 1 RETURN node NEXT "
        "MATCH p = TRAIL (node) -[]-{0,2} () RETURN SAFE_TO_JSON(p) AS path",
    )
    result = sorted([each["labels"][0] for each in row["path"]] for row in rows)
    assert result == [
        ["Person"],
        ["Person", "KNOWS", "Person"],
        ["Person", "KNOWS", "Person", "KNOWS", "Person"],
        ["Person", "LIVES_IN", "City"],
    ]


# ---------------------------------------------------------------------------- llama-index


def test_nodes_are_found_by_ids(database):
    rows = ask(
        database,
        "GRAPH `g` MATCH (n) WHERE n.id IN UNNEST(@ids) RETURN n.id AS id, LABELS(n)[0] AS type, "
        "TO_JSON(n).properties AS properties ORDER BY id",
        ids=(["cid", "rom", "nobody"], STRINGS),
    )
    assert [(row["id"], row["type"]) for row in rows] == [("cid", "Person"), ("rom", "City")]
    assert rows[1]["properties"] == {"country": "IT", "id": "rom", "name": "Rome"}


def test_nodes_are_found_by_the_names_of_those_that_have_names(database):
    rows = ask(
        database,
        "GRAPH g MATCH (n) WHERE PROPERTY_EXISTS(n, country) AND n.name IN UNNEST(@names) "
        "RETURN n.id AS id",
        names=(["Ann", "Rome"], STRINGS),
    )
    assert rows == [{"id": "rom"}]


def test_relations_of_nodes(database):
    rows = ask(
        database,
        "GRAPH g MATCH (n)-[r]->(n2) WHERE n.id IN UNNEST(@ids) "
        "RETURN n.id AS source, LABELS(r)[0] AS label, n2.id AS target ORDER BY label",
        ids=(["ann"], STRINGS),
    )
    assert [tuple(row.values()) for row in rows] == [
        ("ann", "KNOWS", "bob"),
        ("ann", "LIVES_IN", "rom"),
    ]
    labels = ask(database, "GRAPH g MATCH -[r]-> RETURN DISTINCT LABELS(r)[0] AS edge_label")
    assert sorted(row["edge_label"] for row in labels) == ["KNOWS", "LIVES_IN"]


def test_a_neighbourhood_has_a_limit(flexible):
    rows = ask(
        flexible,
        "GRAPH flexible MATCH p = TRAIL (n)-[r WHERE r.label NOT IN UNNEST(@ignore_rels)]-{1,2}() "
        "WHERE n.id IN UNNEST(@ids) RETURN TO_JSON(p) AS json_path LIMIT @limit",
        ignore_rels=(["lives"], STRINGS),
        ids=(["a"], STRINGS),
        limit=(10, param_types.INT64),
    )
    (row,) = rows
    source, edge, target = row["json_path"]
    assert [each["kind"] for each in row["json_path"]] == ["node", "edge", "node"]
    assert edge["source_node_identifier"] == source["identifier"]
    assert edge["destination_node_identifier"] == target["identifier"]


def test_vectors_are_ranked_with_a_limit_in_the_middle(database):
    rows = ask(
        database,
        "GRAPH g MATCH (n:Person) WHERE n.embedding IS NOT NULL "
        "AND ARRAY_LENGTH(n.embedding) = @dimension "
        "WITH n, 1 - COSINE_DISTANCE(n.embedding, ARRAY[1.0, 0.0]) AS score "
        "ORDER BY score DESC LIMIT @limit RETURN n.id AS id, score",
        dimension=(2, param_types.INT64),
        limit=(1, param_types.INT64),
    )
    assert rows == [{"id": "ann", "score": 1.0}]


def test_dynamic_properties_are_json(flexible):
    rows = ask(
        flexible,
        "GRAPH flexible MATCH (n:Person) WHERE JSON_VALUE(n.properties.name) = @p "
        "RETURN n.id AS id, n.age AS age",
        p=("Ann", param_types.STRING),
    )
    assert rows == [{"id": "a", "age": 33}]


# ---------------------------------------------------------------------------- the notebook


def test_a_node_is_expanded_by_an_identifier_of_an_earlier_query(database):
    (first,) = ask(
        database, "GRAPH g MATCH (n:Person {id: 'ann'}) RETURN TO_JSON(n).identifier AS uid"
    )
    rows = ask(
        database,
        f'GRAPH g LET uid = "{first["uid"]}" MATCH (n: Person & %) '
        "WHERE n.name = '''Ann''' AND STRING(TO_JSON(n).identifier) = uid RETURN n NEXT "
        "MATCH (n)-[e:KNOWS]->(d) RETURN TO_JSON(e) AS e, TO_JSON(d) AS d",
    )
    assert [(row["e"]["kind"], row["d"]["properties"]["id"]) for row in rows] == [("edge", "bob")]
    back = ask(
        database,
        f'GRAPH g LET uid = "{first["uid"]}" MATCH (n: Person) '
        "WHERE STRING(TO_JSON(n).identifier) = uid RETURN n NEXT "
        "MATCH (n)<-[e]-(d) RETURN TO_JSON(e) AS e, TO_JSON(d) AS d",
    )
    assert not back


def test_graphs_are_listed_with_their_metadata_as_text_and_in_parts(database):
    (row,) = ask(
        database,
        "SELECT property_graph_name, property_graph_metadata_json FROM "
        "information_schema.property_graphs WHERE property_graph_name = @graph_name",
        graph_name=("g", param_types.STRING),
    )
    assert row["property_graph_name"] == "g"
    (parts,) = ask(
        database,
        "SELECT t.property_graph_schema, t.property_graph_name, "
        "t.property_graph_metadata_json.labels, "
        "t.property_graph_metadata_json.propertyDeclarations, "
        "t.property_graph_metadata_json.nodeTables, t.property_graph_metadata_json.edgeTables, "
        "TO_JSON_STRING(t.property_graph_metadata_json) AS text "
        "FROM information_schema.property_graphs AS t "
        "WHERE t.property_graph_schema NOT IN ('INFORMATION_SCHEMA', 'SPANNER_SYS')",
    )
    assert len(list(parts["nodeTables"])) == len(list(parts["edgeTables"])) == 2
    assert parts["text"].startswith("{")


# ---------------------------------------------------------------------------- Google's samples


def test_rows_are_updated_and_deleted_by_subqueries_over_the_graph(database):
    def work(transaction: Any) -> list[int]:
        updated = transaction.execute_update(
            "UPDATE Person SET age = 1 WHERE id IN { GRAPH g "
            "MATCH (a:Person WHERE a.id = 'ann')-[:knows]->{1,2}(b:Person) RETURN b.id }"
        )
        seen = transaction.execute_sql("Graph g MATCH (p:Person {age: 1}) RETURN p.id ORDER BY id")
        result = [row[0] for row in seen]
        deleted = transaction.execute_update(
            "DELETE FROM Person_KNOWS_Person WHERE target_id IN { GRAPH g "
            "MATCH (:Person)-[e:KNOWS]->(p:Person {age: 1}) RETURN p.id }"
        )
        left = list(transaction.execute_sql("GRAPH g MATCH -[:KNOWS]-> RETURN COUNT(*) AS n"))
        transaction.execute_update(
            "INSERT INTO Person_KNOWS_Person (id, target_id, since) "
            "VALUES ('ann', 'bob', 2001), ('bob', 'cid', 2002)"
        )
        transaction.execute_update("UPDATE Person SET age = 41 WHERE id = 'bob'")
        return [updated, deleted, left[0][0], *result]

    assert database.run_in_transaction(work) == [2, 2, 0, "bob", "cid"]


def test_hints_and_comments_stand_before_a_graph_statement(database):
    rows = ask(
        database,
        "-- from an application\n@{USE_ADDITIONAL_PARALLELISM=TRUE} /* all */ GRAPH g "
        "MATCH (c:City) RETURN c.name;",
    )
    assert rows == [{"name": "Rome"}]
