"""Queries and DML in a PostgreSQL database, through the official client."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from google.api_core import exceptions

import spanemu

SCHEMA = """
CREATE SEQUENCE ids BIT_REVERSED_POSITIVE;
CREATE TABLE singers (
  id bigint PRIMARY KEY,
  first varchar(16),
  last text,
  score float8,
  price numeric DEFAULT 1.50,
  tags text[],
  shout text GENERATED ALWAYS AS (upper(first)) STORED,
  created spanner.commit_timestamp,
  CHECK (id > 0)
);
CREATE TABLE albums (singer bigint, album bigint, title text, PRIMARY KEY (singer, album));
CREATE TABLE numbered (id bigint DEFAULT nextval('ids') PRIMARY KEY, name text);
CREATE VIEW names SQL SECURITY INVOKER AS SELECT s.id, s.first AS name FROM singers AS s;
"""
ROWS = (
    "INSERT INTO singers (id, first, last, score, tags) VALUES (1, 'Marc', 'R', 1.5, '{a,b}'), "
    "(2, 'Cat', 'S', 'NaN', NULL), (3, 'Alice', 'S', NULL, '{}')",
    "INSERT INTO albums (singer, album, title) VALUES (1, 1, 'x'), (1, 2, 'y'), (2, 1, NULL)",
)


@pytest.fixture(scope="module")
def database() -> Iterator[Any]:
    with spanemu.Emulator() as emulator:
        handle = emulator.create_database("music", schema=SCHEMA, dialect="postgresql")
        official = handle.client()
        official.run_in_transaction(
            lambda txn: [txn.execute_update(each) for each in ROWS] and None
        )
        yield official


def rows(database: Any, sql: str, **options: Any) -> list[list[Any]]:
    """Return the rows of a query."""
    with database.snapshot() as snapshot:
        return list(snapshot.execute_sql(sql, **options))


def names(database: Any, sql: str) -> list[str]:
    """Return the column names of a query."""
    with database.snapshot() as snapshot:
        result = snapshot.execute_sql(sql)
        list(result)
        return [field.name for field in result.fields]


class _Undone(Exception):
    pass


def written(database: Any, *statements: str) -> list[list[Any]]:
    """Return the rows that the last statement returns; the transaction is rolled back."""
    returned: list[list[Any]] = []

    def work(transaction: Any) -> None:
        for statement in statements:
            returned[:] = list(transaction.execute_sql(statement))
        raise _Undone

    with pytest.raises(_Undone):
        database.run_in_transaction(work)
    return returned


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT first FROM singers ORDER BY score DESC, id", [["Alice"], ["Cat"], ["Marc"]]),
        ("SELECT first FROM singers ORDER BY score NULLS FIRST LIMIT 1", [["Alice"]]),
        ("SELECT id FROM public.singers WHERE score = 'NaN'", [[2]]),
        ("SELECT name FROM names WHERE id = 1", [["Marc"]]),
        ("SELECT last, count(*) FROM singers GROUP BY 1 ORDER BY 2", [["R", 1], ["S", 2]]),
        ("SELECT last AS l FROM singers GROUP BY l HAVING count(*) > 1", [["S"]]),
        ("SELECT DISTINCT last FROM singers ORDER BY last DESC", [["S"], ["R"]]),
        (
            "SELECT s.id, a.title FROM singers AS s LEFT JOIN albums AS a ON a.singer = s.id "
            "ORDER BY 1, 2 NULLS FIRST",
            [[1, "x"], [1, "y"], [2, None], [3, None]],
        ),
        (
            "SELECT singer, a.album FROM albums AS a JOIN albums AS b USING (singer) "
            "WHERE b.title = 'y' ORDER BY 2",
            [[1, 1], [1, 2]],
        ),
        (
            "SELECT id, t, o FROM singers, unnest(tags) WITH ORDINALITY AS u (t, o) ORDER BY o",
            [[1, "a", 1], [1, "b", 2]],
        ),
        ("SELECT id FROM singers EXCEPT SELECT singer FROM albums", [[3]]),
        ("SELECT '7' UNION ALL SELECT id FROM singers ORDER BY 1 DESC LIMIT 1", [[7]]),
        (
            "SELECT first FROM singers AS s WHERE EXISTS "
            "(SELECT 1 FROM albums AS a WHERE a.singer = s.id AND a.album = 2)",
            [["Marc"]],
        ),
        ("WITH a (n) AS (SELECT max(id) FROM singers) SELECT n FROM a", [[3]]),
        (
            "SELECT id FROM singers WHERE score IS NOT DISTINCT FROM score ORDER BY 1",
            [[1], [2], [3]],
        ),
        ("SELECT shout FROM singers WHERE id = 1", [["MARC"]]),
    ],
)
def test_a_query_gives_postgresqls_rows(database: Any, sql: str, expected: list[Any]) -> None:
    assert rows(database, sql) == expected


def test_an_aggregate_of_outer_columns_counts_the_rows_of_its_own_query(database: Any) -> None:
    # As Google's emulator shows; PostgreSQL computes it in the outer query.
    for sql, expected in (
        ("SELECT (SELECT count(s.id) FROM albums) FROM singers s", [[3], [3], [3]]),
        ("SELECT (SELECT max(s.id) + max(a.album) FROM albums a) AS m FROM singers s ORDER BY m",
         [[3], [4], [5]]),
        ("SELECT (SELECT count(s.id) FROM albums) FROM singers s GROUP BY s.id", [[3], [3], [3]]),
    ):  # fmt: skip
        assert rows(database, sql) == expected


def test_result_columns_have_postgresqls_names(database: Any) -> None:
    sql = "SELECT s.id, s.first AS n, count(*), 1 + 1, 'x'::text FROM singers AS s GROUP BY 1, 2"
    assert names(database, sql) == ["id", "n", "count", "?column?", "text"]


def test_a_parameter_takes_the_type_of_its_context(database: Any) -> None:
    sql = "SELECT id FROM singers WHERE id = $1 AND first = $2"
    assert rows(database, sql, params={"p1": 1, "p2": "Marc"}) == [[1]]


def test_an_insert_converts_values_and_fills_in_defaults(database: Any) -> None:
    sql = "INSERT INTO singers (id, first) VALUES (9, 12) RETURNING first, price, shout"
    assert [[str(value) for value in row] for row in written(database, sql)] == [
        ["12", "1.50", "12"]
    ]


def test_an_insert_of_a_query_takes_columns_in_order(database: Any) -> None:
    sql = "INSERT INTO albums SELECT id, 9, 'z' FROM singers WHERE id > 2 RETURNING *"
    assert written(database, sql) == [[3, 9, "z"]]


def test_a_sequence_gives_the_default_of_a_key(database: Any) -> None:
    sql = "INSERT INTO numbered (name) VALUES ('a'), ('b') RETURNING id"
    first, second = written(database, sql)
    assert first != second


def test_on_conflict_ignores_or_updates_a_row(database: Any) -> None:
    ignored = "INSERT INTO singers (id, first) VALUES (1, 'X'), (8, 'Y') ON CONFLICT (id) DO"
    assert written(database, f"{ignored} NOTHING RETURNING id") == [[8]]
    updated = f"{ignored} UPDATE SET id = excluded.id, first = excluded.first RETURNING id, last"
    assert written(database, updated) == [[1, "R"], [8, None]]


def test_update_and_delete_return_rows(database: Any) -> None:
    sql = "UPDATE singers AS s SET last = s.first || '!' WHERE s.id = 1 RETURNING last, s.id"
    assert written(database, sql) == [["Marc!", 1]]
    assert written(database, "DELETE FROM albums WHERE singer = 2 RETURNING album") == [[1]]


def test_a_commit_timestamp_is_written(database: Any) -> None:
    sql = "UPDATE singers SET created = spanner.pending_commit_timestamp() WHERE id = 3"
    assert written(database, sql) == []


@pytest.mark.parametrize(
    ("error", "sql"),
    [
        (exceptions.AlreadyExists, "INSERT INTO singers (id) VALUES (1)"),
        (exceptions.OutOfRange, "INSERT INTO singers (id) VALUES (-1)"),
        (exceptions.FailedPrecondition, "INSERT INTO singers (first) VALUES ('a')"),
        (exceptions.InvalidArgument, "INSERT INTO singers (id, shout) VALUES (1, 'a')"),
        (exceptions.InvalidArgument, "UPDATE singers SET id = 5 WHERE id = 1"),
        (exceptions.MethodNotImplemented, "SELECT id FROM singers UNION SELECT 1.5"),
        (exceptions.NotFound, "SELECT 1 FROM nowhere"),
    ],
)
def test_a_failure_has_its_code(database: Any, error: type[Exception], sql: str) -> None:
    def work(transaction: Any) -> None:
        list(transaction.execute_sql(sql))
        raise _Undone

    with pytest.raises(error):
        database.run_in_transaction(work)
