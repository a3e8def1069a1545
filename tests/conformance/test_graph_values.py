"""Elements that come from arrays, paths, groups or earlier queries are those that were matched."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import spanemu

SCHEMA = (
    "CREATE TABLE Person (id INT64 NOT NULL, name STRING(MAX), tags ARRAY<STRING(MAX)>) "
    "PRIMARY KEY (id)",
    "CREATE TABLE Account (id INT64 NOT NULL, kind STRING(MAX)) PRIMARY KEY (id)",
    "CREATE TABLE Owns (id INT64 NOT NULL, account INT64 NOT NULL, share FLOAT64) "
    "PRIMARY KEY (id, account), INTERLEAVE IN PARENT Person",
    "CREATE TABLE Pays (id INT64 NOT NULL, payee INT64 NOT NULL, amount INT64) "
    "PRIMARY KEY (id, payee), INTERLEAVE IN PARENT Account",
    "CREATE PROPERTY GRAPH Bank NODE TABLES (Person LABEL Person PROPERTIES (id, name, tags, "
    "UPPER(name) AS loud) LABEL Holder PROPERTIES (id), Account LABEL Account PROPERTIES (id, "
    "kind) LABEL Holder PROPERTIES (id)) EDGE TABLES (Owns SOURCE KEY (id) REFERENCES Person (id) "
    "DESTINATION KEY (account) REFERENCES Account (id) LABEL Owns PROPERTIES (share), Pays "
    "SOURCE KEY (id) REFERENCES Account (id) DESTINATION KEY (payee) REFERENCES Account (id) "
    "LABEL Pays PROPERTIES (amount))",
)
# What a query says of a node, an edge and a node.
EXPRESSIONS = (
    "a.id",
    "a.loud",
    "a.tags",
    "b.kind",
    "e.amount",
    "e.share",
    "LABELS(a)",
    "PROPERTY_NAMES(e)",
    "ELEMENT_DEFINITION_NAME(a)",
    "ELEMENT_ID(e)",
    "SOURCE_NODE_ID(e) = ELEMENT_ID(a)",
    "DESTINATION_NODE_ID(e) = ELEMENT_ID(b)",
    "a = b",
    "a IS SOURCE OF e",
    "b IS SOURCE OF e",
    "b IS DESTINATION OF e",
    "a IS NOT DESTINATION OF e",
    "a IS LABELED Person",
    "a IS LABELED Holder & !Account",
    "e IS LABELED %",
    "PROPERTY_EXISTS(a, name)",
    "SAME(a, b)",
    "a IN UNNEST([b, a])",
    "TO_JSON_STRING(TO_JSON(a))",
    "TO_JSON_STRING(TO_JSON(e))",
    "a IN {MATCH ()-[:Pays]->(w) RETURN w}",
    "EXISTS {MATCH (n)-[f]->() WHERE f = e AND n = a}",
    "IF(a = b, a, b).id",
    "PATH_LENGTH(PATH(a, e, b))",
)
# Queries before RETURN that name the three otherwise.
SOURCES = {
    "matched backwards": "MATCH (b)<-[e]-(a)",
    "of arrays": "MATCH (x)-[y]->(z) LET a = [x][0], e = [y][0], b = [z][0]",
    "of FOR": "MATCH (x)-[y]->(z) FOR a IN [x] FOR e IN [y] FOR b IN [z]",
    "of a path": "MATCH p = ()-[]->() LET a = NODES(p)[0], e = EDGES(p)[0], b = PATH_LAST(p)",
    "of groups": "MATCH ((x)-[y]->(z)){1} LET a = x[0], e = y[0], b = z[0]",
    "after NEXT": "MATCH (a)-[e]->(b) RETURN e, b, a NEXT",
    "of groups after NEXT": "MATCH ((x)-[y]->(z)){1} RETURN x, y, z NEXT LET a = x[0], "
    "e = y[0], b = z[0]",
    "that were keys": "MATCH (a)-[e]->(b) RETURN a, e, b, COUNT(*) AS n NEXT",
    "that are distinct": "MATCH (a)-[e]->(b) RETURN DISTINCT a, e, b NEXT",
    "of aggregates": "MATCH (x)-[e]->(y) RETURN e, ANY_VALUE(x) AS a, ARRAY_AGG(y)[0] AS b NEXT",
    "of a union": "MATCH (a)-[e:Owns]->(b) RETURN a, e, b UNION ALL MATCH (a)-[e:Pays]->(b) "
    "RETURN b, e, a NEXT",
    "of an optional match": "OPTIONAL MATCH (a)-[e]->(b)",
    "of CALL": "MATCH (a)-[y]->(b) CALL (y, b) {MATCH ()-[e]->(b) WHERE e = y RETURN e}",
    "of expressions": "MATCH (x)-[y]->(z) LET a = COALESCE(x, z), e = IF(TRUE, y, NULL), "
    "b = CASE WHEN x = z THEN x ELSE z END",
    "matched again": "MATCH (a)-[e]->(b) RETURN a, e, b NEXT MATCH (a)-[e]->(b)",
}


@pytest.fixture(scope="module")
def bank() -> Iterator[Any]:
    """Yield a database with two tables of nodes and two of edges."""
    with spanemu.Emulator() as emulator:
        schema = [f"{each};" for each in SCHEMA]
        database = emulator.create_database("bank", schema=schema).client()
        with database.batch() as batch:
            batch.insert("Person", ("id", "name", "tags"), [(1, "Ann", ["x"]), (2, None, None)])
            batch.insert("Account", ("id", "kind"), [(1, "old"), (2, None), (3, "new")])
            batch.insert(
                "Owns", ("id", "account", "share"), [(1, 1, 0.5), (1, 2, None), (2, 2, 0.25)]
            )
            batch.insert(
                "Pays", ("id", "payee", "amount"), [(1, 2, 5), (2, 1, None), (2, 2, 7), (3, 1, 2)]
            )
        yield database


def answers(database: Any, source: str) -> list[str]:
    returned = ", ".join(f"{each} AS c{place}" for place, each in enumerate(EXPRESSIONS))
    with database.snapshot() as snapshot:
        return sorted(map(str, snapshot.execute_sql(f"GRAPH Bank {source} RETURN {returned}")))


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_all_that_a_query_says_of_matched_elements_holds_of_those(bank, source):
    expected = answers(bank, "MATCH (a)-[e]->(b)")
    assert len(expected) == 7
    assert answers(bank, source) == expected
