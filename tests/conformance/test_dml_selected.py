"""INSERT from a query: untyped literals of its select list, and WITH."""

import pytest

from tests.conformance.backends import IA, refused, spanemu_only

PARTS = """CREATE TABLE Parts (
    Id INT64 NOT NULL, Name STRING(MAX), Tags ARRAY<STRING(MAX)>, Extra JSON, Born DATE,
) PRIMARY KEY (Id)"""


@pytest.fixture
def parts(create):
    """Return an empty table."""
    return create(PARTS)


def all_parts(db):
    return db.rows("SELECT Id, Name, Tags FROM Parts ORDER BY Id")


@pytest.mark.parametrize(
    ("query", "row"),
    [
        ("SELECT 1, NULL, NULL", [1, None, None]),
        ("SELECT 1, (NULL), ((NULL))", [1, None, None]),
        ("SELECT 1, NULL, []", [1, None, []]),
        ("SELECT 1, NULL, ARRAY[]", [1, None, []]),
        ("SELECT 1, NULL AS a, NULL b", [1, None, None]),
        ("(SELECT 1, NULL, ([]))", [1, None, []]),
        ("((SELECT 1, NULL, []))", [1, None, []]),
        ("SELECT ALL n, NULL, NULL FROM UNNEST([1]) AS n", [1, None, None]),
        ("SELECT n, NULL, [] FROM UNNEST([1, 2]) AS n WHERE n > 1", [2, None, []]),
        ("SELECT n, NULL, [] FROM UNNEST([1, 1]) AS n GROUP BY n", [1, None, []]),
        ("SELECT MAX(n), NULL, [] FROM UNNEST([1, 3]) AS n", [3, None, []]),
        ("SELECT n, NULL, [] FROM (SELECT NULL AS m, 1 AS n) WHERE m IS NULL", [1, None, []]),
        ("SELECT * REPLACE (NULL AS s) FROM (SELECT 1 AS n, 'a' AS s, ['a'])", [1, None, ["a"]]),
        ("SELECT 1, NULL, ['a'] UNION ALL SELECT 1, 'a', NULL LIMIT 0", None),
    ],
)
def test_untyped_items_of_the_select_list_take_the_types_of_the_columns(parts, query, row):
    count = [0] if row is None else [1]
    assert parts.dml(f"INSERT INTO Parts (Id, Name, Tags) {query}") == count
    assert all_parts(parts) == ([] if row is None else [row])


def test_untyped_items_take_any_type(parts):
    parts.dml("INSERT INTO Parts (Id, Name, Tags, Extra, Born) SELECT 1, NULL, NULL, NULL, NULL")
    assert parts.rows("SELECT * FROM Parts") == [[1, None, None, None, None]]


@pytest.mark.parametrize("statement", ["INSERT OR UPDATE", "INSERT OR IGNORE", "INSERT"])
def test_untyped_items_with_every_mode_and_then_return(parts, statement):
    sql = f"{statement} INTO Parts (Id, Name, Tags) SELECT 1, NULL, [] THEN RETURN Id, Name, Tags"
    assert parts.in_transaction(lambda txn: list(txn.execute_sql(sql))) == [[1, None, []]]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT DISTINCT n, NULL FROM UNNEST([1]) AS n",
        "SELECT n, NULL FROM UNNEST([1]) AS n GROUP BY n HAVING TRUE",
        "SELECT n, NULL FROM UNNEST([1]) AS n ORDER BY n",
        "SELECT n, NULL AS s FROM UNNEST([1]) AS n GROUP BY n, s",
        "SELECT 1, NULL LIMIT 1",
        "(SELECT 1, NULL) LIMIT 1",
        "WITH a AS (SELECT 1 AS n) SELECT n, NULL FROM a",
        "SELECT 1, NULL UNION ALL SELECT 2, NULL",
        "SELECT * FROM (SELECT 1, NULL)",
        "SELECT n, s FROM (SELECT 1 AS n, NULL AS s)",
        "SELECT 1, s FROM (SELECT NULL AS s)",
        "SELECT 1, (SELECT NULL)",
        "SELECT 1, IF(TRUE, NULL, NULL)",
        "SELECT 1, -NULL",
        "SELECT 1, CAST(NULL AS INT64)",
        "SELECT 1, []",
        "SELECT 1, ANY_VALUE(NULL) FROM UNNEST([1])",
    ],
)
def test_other_untyped_values_have_types_of_their_own(parts, query):
    refused(IA, parts.dml, f"INSERT INTO Parts (Id, Name) {query}")
    assert all_parts(parts) == []


def test_literals_with_a_type_are_not_coerced(parts):
    refused(IA, parts.dml, "INSERT INTO Parts (Id, Born) SELECT 1, '2024-02-29'")
    refused(IA, parts.dml, "INSERT INTO Parts (Id, Tags) SELECT 1, [NULL]")


@pytest.mark.parametrize("statement", ["INSERT", "INSERT OR UPDATE", "INSERT OR IGNORE"])
@pytest.mark.parametrize(
    "query",
    [
        "WITH a AS (SELECT 1 AS n) SELECT n, 'a' FROM a",
        "(WITH a AS (SELECT 1 AS n) SELECT n, 'a' FROM a)",
        "((WITH a AS (SELECT 1 AS n) SELECT n, 'a' FROM a))",
        "WITH a AS (SELECT 1 AS n), b AS (SELECT n, 'a' AS s FROM a) SELECT * FROM b LIMIT 1",
        "WITH a AS (SELECT 1 AS n) SELECT n, 'a' FROM a UNION ALL SELECT 1, 'b' LIMIT 1",
    ],
)
def test_an_inserted_query_begins_with_with(parts, statement, query):
    assert parts.dml(f"{statement} INTO Parts (Id, Name) {query}") == [1]
    assert parts.rows("SELECT Id FROM Parts") == [[1]]


@pytest.mark.parametrize(
    "query",
    [
        "(WITH a AS (SELECT 1 AS n) SELECT n, 'a' FROM a) UNION ALL SELECT 2, 'b'",
        "SELECT n, 'a' FROM (WITH a AS (SELECT 1 AS n) SELECT n FROM a)",
    ],
)
def test_a_subquery_of_an_inserted_query_does_not_begin_with_with(parts, query):
    refused(IA, parts.dml, f"INSERT INTO Parts (Id, Name) {query}")


def test_untyped_elements_of_a_nested_insert(parts):
    parts.dml("INSERT INTO Parts (Id, Tags) VALUES (1, ['a'])")
    parts.dml("UPDATE Parts SET (INSERT Tags SELECT NULL FROM UNNEST([1, 2])) WHERE Id = 1")
    assert all_parts(parts) == [[1, None, ["a", None, None]]]
    refused(IA, parts.dml, "UPDATE Parts SET (INSERT Tags SELECT NULL LIMIT 1) WHERE Id = 1")


@pytest.mark.parametrize(
    "query",
    [
        "SELECT s FROM (SELECT NULL AS s) UNION ALL SELECT 'a'",
        "SELECT * FROM (SELECT '2020-01-01' AS s) UNION ALL SELECT DATE '2020-01-02'",
    ],
)
def test_literals_of_a_subquery_keep_their_types_in_a_set_operation(parts, query):
    refused(IA, parts.rows, query)


@spanemu_only  # Google's emulator of June 2025 knows neither pipe operators nor GROUP BY ALL.
@pytest.mark.parametrize(
    "query",
    [
        "SELECT n, NULL FROM UNNEST([1]) AS n GROUP BY ALL",
        "FROM UNNEST([1]) AS n |> SELECT n, NULL",
        "SELECT 1 AS n, 'a' AS s |> SET s = NULL",
    ],
)
def test_untyped_items_of_newer_syntax(parts, query):
    parts.dml(f"INSERT INTO Parts (Id, Name) {query}")
    assert all_parts(parts) == [[1, None, None]]
