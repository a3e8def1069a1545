"""Search indexes through the official client, as applications and libraries use them."""

from __future__ import annotations

import datetime

import pytest
from google.api_core.exceptions import InvalidArgument
from google.cloud.spanner_dbapi.connection import Connection
from google.cloud.spanner_dbapi.exceptions import DatabaseError
from google.cloud.spanner_v1 import KeySet, param_types

import spanemu

SCHEMA = {
    "googlesql": (
        "CREATE TABLE Owners (OwnerId INT64 NOT NULL) PRIMARY KEY (OwnerId)",
        "CREATE TABLE Places (OwnerId INT64 NOT NULL, Id INT64 NOT NULL, Rank INT64 NOT NULL, "
        "Name STRING(MAX), Note STRING(MAX), "
        "Name_Tokens TOKENLIST AS (TOKENIZE_FULLTEXT(Name)) HIDDEN, "
        "Parts TOKENLIST AS (TOKENIZE_SUBSTRING(Name, ngram_size_min=>3, ngram_size_max=>3)) STORED "
        "HIDDEN) PRIMARY KEY (OwnerId, Id), INTERLEAVE IN PARENT Owners ON DELETE CASCADE",
        "CREATE SEARCH INDEX PlacesByName ON Places(Name_Tokens, Parts) STORING (Note) "
        "PARTITION BY OwnerId ORDER BY Rank DESC WHERE Note IS NOT NULL",
        "CREATE SEARCH INDEX AllPlaces ON Places(Name_Tokens, Parts) "
        "OPTIONS (sort_order_sharding = true)",
    ),
    "postgresql": (
        "CREATE TABLE owners (ownerid bigint PRIMARY KEY)",
        "CREATE TABLE places (ownerid bigint NOT NULL, id bigint NOT NULL, rank bigint NOT NULL, "
        "name varchar, note varchar, "
        "name_tokens spanner.tokenlist GENERATED ALWAYS AS (spanner.tokenize_fulltext(name)) "
        "VIRTUAL HIDDEN, "
        "parts spanner.tokenlist GENERATED ALWAYS AS (spanner.tokenize_substring(name, "
        "ngram_size_min=>3, ngram_size_max=>3)) STORED HIDDEN, PRIMARY KEY (ownerid, id)) "
        "INTERLEAVE IN PARENT owners ON DELETE CASCADE",
        "CREATE SEARCH INDEX placesbyname ON places(name_tokens, parts) INCLUDE (note) "
        "PARTITION BY ownerid ORDER BY rank DESC WHERE note IS NOT NULL",
        "CREATE SEARCH INDEX allplaces ON places(name_tokens, parts) "
        "WITH (sort_order_sharding = true)",
    ),
}
ROWS = (
    (1, 1, 5, "Canary Wharf", "station"),
    (1, 2, 9, "Canada Water", "station"),
    (1, 3, 7, "Water Lane", None),
    (2, 4, 1, "Canary Islands", "islands"),
)
COLUMNS = ("OwnerId", "Id", "Rank", "Name", "Note")


@pytest.fixture(scope="module", params=SCHEMA)
def handle(request):
    with spanemu.Emulator() as emulator:
        created = emulator.create_database("places", dialect=request.param)
        created.client().update_ddl(SCHEMA[request.param]).result()
        with created.client().batch() as batch:
            batch.insert("Owners", ["OwnerId"], [[1], [2]])
            batch.insert("Places", COLUMNS, ROWS)
        yield created


@pytest.fixture
def places(handle):
    snapshot = handle.snapshot()
    yield handle.client()
    handle.restore(snapshot)


def is_google(database) -> bool:
    return database.database_dialect == 1


def rows(database, sql: str, postgresql: str | None = None, **given):
    """Return the rows of a query, in the dialect of the database."""
    if not is_google(database):
        sql = postgresql if postgresql is not None else sql.replace("SEARCH", "spanner.search")
    with database.snapshot(**given) as snapshot:
        return [tuple(row) for row in snapshot.execute_sql(sql)]


WATER = "SELECT Id FROM Places WHERE SEARCH(Name_Tokens, 'water') ORDER BY Id"


def test_hidden_token_columns_stay_out_of_every_column(places):
    sql = 'SELECT * FROM Places WHERE SEARCH_NGRAMS(Parts, "Canar") LIMIT 10'
    postgresql = "SELECT * FROM places WHERE spanner.search_ngrams(parts, 'Canar') LIMIT 10"
    found = rows(places, sql, postgresql)
    assert sorted(row[1] for row in found) == [1, 2, 4]
    assert {len(row) for row in found} == {5}


def test_an_entity_is_resolved_within_its_partition(places):
    conditions = "OwnerId = @part AND Note IS NOT NULL"
    score = "SCORE(Name_Tokens, @name) + IF(Name = @name, 1., 0.)"
    sql = (
        f"SELECT Id AS Id FROM Places WHERE SEARCH(Name_Tokens, @name) AND {conditions} "
        f"ORDER BY {score} DESC LIMIT 5"
    )
    given = {"name": "Canary Wharf", "part": 1}
    types = {"name": param_types.STRING, "part": param_types.INT64}
    if not is_google(places):
        sql = (
            "SELECT id AS id FROM places WHERE spanner.search(name_tokens, $1) AND ownerid = $2 "
            "AND note IS NOT NULL ORDER BY spanner.score(name_tokens, $1) + "
            "CASE WHEN name = $1 THEN 1. ELSE 0. END DESC LIMIT 5"
        )
        given = {"p1": given["name"], "p2": given["part"]}
        types = {"p1": types["name"], "p2": types["part"]}
    with places.snapshot() as snapshot:
        assert list(snapshot.execute_sql(sql, params=given, param_types=types)) == [[1]]


def test_fuzzy_names_are_ranked(places):
    sql = (
        "SELECT Name FROM Places WHERE SEARCH_NGRAMS(Parts, 'Canery wharf') "
        "ORDER BY SCORE_NGRAMS(Parts, 'Canery wharf') DESC LIMIT 1"
    )
    postgresql = (
        "SELECT name FROM places WHERE spanner.search_ngrams(parts, 'Canery wharf') "
        "ORDER BY spanner.score_ngrams(parts, 'Canery wharf') DESC LIMIT 1"
    )
    assert rows(places, sql, postgresql) == [("Canary Wharf",)]


def test_information_schema_describes_search_indexes(places):
    sql = (
        "SELECT t.index_name, t.parent_table_name, t.is_unique, t.is_null_filtered, t.filter, "
        "t.index_type, t.search_partition_by, t.search_order_by FROM information_schema.indexes "
        "AS t WHERE t.index_type = 'SEARCH' AND t.spanner_is_managed = %s ORDER BY t.index_name"
    )
    result = rows(places, sql % "FALSE", sql % "'NO'")
    names = [row[0].lower() for row in result]
    assert names == ["allplaces", "placesbyname"]
    assert [row[4] is None for row in result] == [True, False]
    assert "note" in result[1][4].lower()
    assert "IS NOT NULL" in result[1][4]
    assert [str(row[6]).lower() for row in result] == ["none", "['ownerid']"]
    assert [str(row[7]).lower() for row in result] == ["none", "['rank desc']"]
    columns = (
        "SELECT column_name, ordinal_position, column_ordering, index_type, spanner_type "
        "FROM information_schema.index_columns WHERE index_name = '%s' "
        "ORDER BY ordinal_position, column_name"
    )
    name = "PlacesByName" if is_google(places) else "placesbyname"
    facts = {row[0].lower(): row[1:] for row in rows(places, columns % name, columns % name)}
    assert facts["name_tokens"][:3] == (1, None, "SEARCH")
    assert "tokenlist" in facts["name_tokens"][3].lower()
    assert facts["ownerid"][0] == 3
    assert facts["rank"][1].startswith("DESC")
    assert facts["note"][:2] == (None, None)
    options = "SELECT option_name, option_value FROM information_schema.index_options"
    assert [row[0] for row in rows(places, options, options)] == ["sort_order_sharding"]


def test_generated_columns_show_their_tokenizers(places):
    sql = (
        "SELECT column_name, generation_expression FROM information_schema.columns "
        "WHERE table_name = '%s' AND generation_expression IS NOT NULL ORDER BY ordinal_position"
    )
    result = rows(places, sql % "Places", sql % "places")
    assert [name.lower() for name, _ in result] == ["name_tokens", "parts"]
    assert all("tokenize_" in expression.lower() for _, expression in result)


def test_every_write_path_keeps_the_index(places):
    assert rows(places, WATER) == [(2,), (3,)]
    with places.batch() as batch:
        batch.insert_or_update("Places", ["OwnerId", "Id", "Rank", "Name"], [[1, 1, 5, "water"]])
        batch.replace("Places", COLUMNS, [[1, 2, 9, "Canada", None]])
    assert rows(places, WATER) == [(1,), (3,)]
    places.run_in_transaction(
        lambda transaction: transaction.execute_update(
            "UPDATE Places SET Name = 'still water' WHERE Id = 4"
        )
    )
    assert rows(places, WATER) == [(1,), (3,), (4,)]
    places.execute_partitioned_dml("UPDATE Places SET Name = 'dry' WHERE Id = 3")
    assert rows(places, WATER) == [(1,), (4,)]
    with places.batch() as batch:
        batch.delete("Owners", KeySet(keys=[[1]]))
    assert rows(places, WATER) == [(4,)]
    with places.batch() as batch:
        many = [[2, 100 + number, number, f"water {number}", None] for number in range(300)]
        batch.insert("Places", COLUMNS, many)
    assert len(rows(places, WATER)) == 301
    with places.batch() as batch:
        batch.delete("Places", KeySet(all_=True))
    assert rows(places, WATER) == []


def test_stale_reads_find_old_words(places):
    with places.snapshot() as snapshot:
        (at,) = snapshot.execute_sql("SELECT CURRENT_TIMESTAMP").one()
    with places.batch() as batch:
        many = [[2, 100 + number, number, f"water {number}", None] for number in range(100)]
        batch.insert("Places", COLUMNS, many)
        batch.update("Places", ["OwnerId", "Id", "Name"], [[1, 2, "dry"]])
    assert len(rows(places, WATER)) == 101
    assert isinstance(at, datetime.datetime)
    assert rows(places, WATER, read_timestamp=at) == [(2,), (3,)]


def test_transactions_search_only_when_allowed(places):
    def search(transaction, hint=""):
        sql = WATER if is_google(places) else WATER.replace("SEARCH", "spanner.search")
        return list(transaction.execute_sql(hint + sql))

    with pytest.raises(InvalidArgument, match="transactional queries by default"):
        places.run_in_transaction(search)
    hint = (
        "@{ALLOW_SEARCH_INDEXES_IN_TRANSACTION=TRUE} "
        if is_google(places)
        else "/*@ ALLOW_SEARCH_INDEXES_IN_TRANSACTION = TRUE */ "
    )
    assert places.run_in_transaction(search, hint) == [[2], [3]]


def test_plans_show_the_search_index(places):
    sql = WATER if is_google(places) else WATER.replace("SEARCH", "spanner.search")
    for mode, results in ((1, []), (2, [[2], [3]])):
        with places.snapshot() as snapshot:
            result = snapshot.execute_sql(sql, query_mode=mode)
            assert list(result) == results
            nodes = [node.display_name for node in result.stats.query_plan.plan_nodes]
        assert "Search Index Scan" in nodes


def test_snippets_need_no_index(places):
    sql = "SELECT SNIPPET(Name, 'water') FROM Places WHERE Id = 2"
    postgresql = "SELECT spanner.snippet(name, 'water') FROM places WHERE id = 2"
    ((snippet,),) = rows(places, sql, postgresql)
    assert "Water" in str(snippet)


@pytest.mark.parametrize(
    ("autocommit", "read_only", "is_allowed"),
    [(True, False, True), (False, True, True), (False, False, False)],
)
def test_dbapi_searches_outside_of_read_write_transactions(
    places, autocommit, read_only, is_allowed
):
    sql = WATER if is_google(places) else WATER.replace("SEARCH", "spanner.search")
    connection = Connection(places._instance, places)
    connection.autocommit, connection.read_only = autocommit, read_only
    try:
        with connection.cursor() as cursor:
            if is_allowed:
                cursor.execute(sql)
                assert cursor.fetchall() == [(2,), (3,)]
            else:
                with pytest.raises(DatabaseError) as raised:
                    cursor.execute(sql)
                assert "transactional queries by default" in str(raised.value.__cause__)
    finally:
        connection.close()
