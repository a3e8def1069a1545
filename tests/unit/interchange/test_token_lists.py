"""Token lists are computed anew by a load: dumps hold only what they are computed from."""

from __future__ import annotations

import pytest

from spanemu.interchange.parts import dump_source
from tests.unit.interchange.test_fixtures import transfer

SCHEMAS = {
    "googlesql": [
        "CREATE TABLE Posts (Id INT64 NOT NULL, Body STRING(MAX), "
        "Words TOKENLIST AS (TOKENIZE_FULLTEXT(Body)) HIDDEN, "
        "Parts TOKENLIST AS (TOKENIZE_SUBSTRING(Body)) STORED HIDDEN) PRIMARY KEY (Id);",
        "CREATE SEARCH INDEX PostsByText ON Posts(Words, Parts);",
    ],
    "postgresql": [
        "CREATE TABLE posts (id bigint NOT NULL, body text, "
        "words spanner.tokenlist GENERATED ALWAYS AS (spanner.tokenize_fulltext(body)) VIRTUAL"
        " HIDDEN, parts spanner.tokenlist GENERATED ALWAYS AS"
        " (spanner.tokenize_substring(body)) STORED HIDDEN, PRIMARY KEY (id));",
        "CREATE SEARCH INDEX postsbytext ON posts (words, parts);",
    ],
}
QUERIES = {
    "googlesql": "SELECT Id FROM Posts WHERE SEARCH(Words, 'fox') AND SEARCH_SUBSTRING(Parts, 'row')",
    "postgresql": "SELECT id FROM posts WHERE spanner.search(words, 'fox')"
    " AND spanner.search_substring(parts, 'row')",
}
ROWS = [(1, "quick brown fox"), (2, "lazy dog"), (3, None)]


def _found(database):
    with database.client().snapshot() as snapshot:
        return [row[0] for row in snapshot.execute_sql(QUERIES[database.dialect])]


@pytest.mark.parametrize("form", ["sql", "jsonl", "csv", "avro"])
@pytest.mark.parametrize("dialect", ["googlesql", "postgresql"])
def test_a_load_makes_the_token_lists(databases, dialect, form, tmp_path):
    original = databases.new(dialect, SCHEMAS[dialect])
    with original.client().batch() as batch:
        batch.insert("posts" if dialect == "postgresql" else "Posts", ["Id", "Body"], ROWS)
    copy = databases.new(dialect)
    with (
        databases.connection(original) as connection,
        databases.connection(copy) as other,
        dump_source(connection) as source,
    ):
        transfer(form, source, other, tmp_path)
    assert _found(original) == _found(copy) == [1]
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or b"\x01F\x1c" not in path.read_bytes()
