"""Full-text and vector search in graph queries, and graphs in queries that search or predict."""

from __future__ import annotations

import pytest

from tests.unit.ddl.world import World

OPTIONS = """options => JSON '{"num_leaves_to_search": 10}'"""
NEAREST = f"APPROX_EUCLIDEAN_DISTANCE(a.emb, ARRAY<FLOAT32>[0.1, 0.1], {OPTIONS}) AS d"


@pytest.fixture(scope="module")
def world() -> World:
    world = World(
        "CREATE TABLE Person (id INT64 NOT NULL, bio STRING(MAX), "
        "tok TOKENLIST AS (TOKENIZE_FULLTEXT(bio)) HIDDEN) PRIMARY KEY (id)",
        "CREATE TABLE Account (id INT64 NOT NULL, note STRING(MAX), "
        "emb ARRAY<FLOAT32>(vector_length=>2), "
        "tok TOKENLIST AS (TOKENIZE_FULLTEXT(note)) HIDDEN) PRIMARY KEY (id)",
        "CREATE TABLE Own (id INT64 NOT NULL, acc INT64 NOT NULL) PRIMARY KEY (id, acc)",
        "CREATE TABLE Pay (src INT64 NOT NULL, dst INT64 NOT NULL, memo STRING(MAX), "
        "tok TOKENLIST AS (TOKENIZE_FULLTEXT(memo)) HIDDEN) PRIMARY KEY (src, dst)",
        "CREATE SEARCH INDEX ByBio ON Person(tok)",
        "CREATE SEARCH INDEX ByNote ON Account(tok)",
        "CREATE SEARCH INDEX ByMemo ON Pay(tok)",
        "CREATE VECTOR INDEX ByEmb ON Account(emb) WHERE emb IS NOT NULL "
        "OPTIONS (distance_type = 'EUCLIDEAN')",
        "CREATE MODEL Upper INPUT (word STRING(MAX)) OUTPUT (n STRING(MAX)) REMOTE "
        "OPTIONS (endpoint = '//aiplatform.googleapis.com/projects/p/locations/l/endpoints/e')",
        "CREATE PROPERTY GRAPH G NODE TABLES (Person PROPERTIES (id, bio, tok), "
        "Account PROPERTIES (id, note, emb, tok)) EDGE TABLES ("
        "Own SOURCE KEY (id) REFERENCES Person DESTINATION KEY (acc) REFERENCES Account "
        "NO PROPERTIES, Pay SOURCE KEY (src) REFERENCES Account "
        "DESTINATION KEY (dst) REFERENCES Account PROPERTIES (memo, tok))",
    )
    people = (("1", "red car"), ("2", "blue car"), ("3", None), ("4", "red wine"))
    accounts = (
        ("10", "vacation fund", [0.1, 0.2]),
        ("11", "car fund", [0.5, 0.5]),
        ("12", "cash", [0.9, 0.1]),
        ("13", None, None),
    )
    world.insert("Person", "id bio", *people)
    world.insert("Account", "id note emb", *accounts)
    world.insert("Own", "id acc", ("1", "10"), ("2", "11"), ("3", "12"), ("4", "13"))
    pays = (("10", "11", "rent"), ("11", "12", "rent"), ("12", "10", "pizza"), ("12", "13", "rent"))
    world.insert("Pay", "src dst memo", *pays)
    return world


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        (
            "MATCH (p:Person WHERE SEARCH(p.tok, 'car'))-[:Own]->"
            "(a:Account WHERE SEARCH(a.tok, 'fund')) RETURN p.id, a.id AS a",
            {(1, 10), (2, 11)},
        ),
        (
            "MATCH (a:Account {id: 10})-[e:Pay WHERE SEARCH(e.tok, 'rent')]->{1,3}(b) "
            "RETURN b.id, ARRAY_LENGTH(e) AS n",
            {(11, 1), (12, 2), (13, 3)},
        ),
        (
            "MATCH ANY SHORTEST (a:Account WHERE SEARCH(a.tok, 'vacation'))-[e:Pay]->{1,3}(b) "
            "RETURN b.id, ARRAY_LENGTH(e) AS n",
            {(11, 1), (12, 2), (10, 3), (13, 3)},
        ),
        (
            "MATCH (a:Account) OPTIONAL MATCH (a)<-[:Own]-(p:Person WHERE SEARCH(p.tok, 'red')) "
            "RETURN a.id, p.id AS p",
            {(10, 1), (11, None), (12, None), (13, 4)},
        ),
        (
            "MATCH (a:Account) OPTIONAL MATCH (a)<-[:Own]-(p) "
            "WHERE NOT SEARCH(p.tok, 'red') AND a.id > 10 RETURN a.id, p.id AS p",
            {(10, None), (11, 2), (12, None), (13, None)},
        ),
        ("OPTIONAL MATCH (p:Person WHERE SEARCH(p.tok, 'absent')) RETURN p.id", {(None,)}),
        (
            "MATCH (a:Account WHERE a.id = 13) OPTIONAL MATCH (a)<-[e:Pay WHERE "
            "SEARCH(e.tok, 'pizza')]-{1,2}(b) RETURN a.id, b.id AS b",
            {(13, None)},
        ),
        (
            f"MATCH (@{{FORCE_INDEX=ByEmb}} a:Account) WHERE a.emb IS NOT NULL RETURN a, {NEAREST} "
            "ORDER BY d LIMIT 2 NEXT MATCH (a)-[e:Pay]->(b WHERE SEARCH(b.tok, 'fund')) "
            "RETURN a.id, b.id AS b",
            {(10, 11)},
        ),
        (
            "MATCH (p:Person WHERE SEARCH(p.tok, 'red')) RETURN p.id UNION ALL "
            "MATCH (a:Account WHERE SEARCH(a.tok, 'fund')) RETURN a.id",
            {(1,), (4,), (10,), (11,)},
        ),
    ],
)
def test_patterns_search(world, sql, rows):
    found = world.rows(f"GRAPH G {sql}")
    assert (set(found), len(found)) == (rows, len(rows))


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        (
            "SELECT p.id, t.a FROM Person AS p, GRAPH_TABLE(G MATCH (n:Person WHERE n.id = p.id)"
            "-[:Own]->(a) RETURN a.id AS a) AS t WHERE SEARCH(p.tok, 'car')",
            {(1, 10), (2, 11)},
        ),
        (
            "SELECT t.n.id FROM GRAPH_TABLE(G MATCH (n:Person) RETURN n) AS t "
            "WHERE SEARCH(t.n.tok, 'red')",
            {(1,), (4,)},
        ),
        (
            "SELECT id FROM Account WHERE SEARCH(tok, 'fund') AND id IN "
            "{GRAPH G MATCH (p:Person WHERE SEARCH(p.tok, 'red'))-[:Own]->(a) RETURN a.id}",
            {(10,)},
        ),
        (
            "SELECT m.id, a.id FROM ML.PREDICT(MODEL Upper, (SELECT t.id, t.word FROM GRAPH_TABLE("
            "G MATCH (p:Person WHERE SEARCH(p.tok, 'red'))-[:Own]->(a) RETURN a.id, p.bio AS word"
            ") AS t)) AS m JOIN Account AS a ON a.id = m.id WHERE SEARCH(a.tok, 'vacation')",
            {(10, 10)},
        ),
    ],
)
def test_queries_search_beside_graphs(world, sql, rows):
    found = world.rows(sql)
    assert (set(found), len(found)) == (rows, len(rows))
