"""Functions that users create, such as the library of MySQL functions that Google publishes.

The library (googleapis/spanner-sql-udf) is not part of Spanner: "You need to implement the MySQL
functions in your Spanner database before you can use them."
"""

import pytest
from google.api_core.exceptions import FailedPrecondition, InvalidArgument, MethodNotImplemented

import spanemu

SCHEMA = """
CREATE OR REPLACE SCHEMA mysql;
CREATE OR REPLACE SCHEMA mysql;  -- the library may be installed again
CREATE OR REPLACE FUNCTION mysql.DAY(ts TIMESTAMP) RETURNS INT64
  AS (EXTRACT(DAY FROM ts));
CREATE OR REPLACE FUNCTION mysql.PI() RETURNS FLOAT64 AS (ACOS(-1));
CREATE OR REPLACE FUNCTION mysql.`TRUNCATE`(x FLOAT64, d INT64) RETURNS FLOAT64
  AS (SAFE.TRUNC(x, d));
CREATE OR REPLACE FUNCTION mysql.REGEXP_LIKE(
    expr STRING, pat STRING, match_type STRING DEFAULT 'i') RETURNS BOOL
  AS (REGEXP_CONTAINS(expr, CONCAT('(?', match_type, ')', pat)));
CREATE OR REPLACE FUNCTION mysql.TWICE(x FLOAT64) RETURNS FLOAT64 AS (mysql.PI() * 0 + 2 * x);
"""
CALLS = {
    "mysql.DAY(TIMESTAMP '2025-05-30')": 30,
    "MySQL.day(NULL)": None,
    "mysql.PI()": 3.141592653589793,
    "mysql.TRUNCATE(123.4567, 2)": 123.45,
    "mysql.REGEXP_LIKE('New day', '^new')": True,
    "mysql.REGEXP_LIKE('New day', '^new', '-i')": False,
    "mysql.TWICE(mysql.TWICE(2))": 8.0,
    "mysql.TWICE('x' || 'y')": InvalidArgument,
    "mysql.DAY(DISTINCT NULL)": InvalidArgument,
    "mysql.NOW()": InvalidArgument,
}


@pytest.fixture(scope="module")
def functions():
    """Yield a database with some functions in the manner of the library."""
    with spanemu.Emulator() as emulator:
        yield emulator.create_database("functions", schema=[SCHEMA]).client()


@pytest.mark.parametrize("call", CALLS)
def test_a_function_answers(functions, call):
    with functions.snapshot() as snapshot:
        expected = CALLS[call]
        if isinstance(expected, type):
            with pytest.raises(expected):
                list(snapshot.execute_sql(f"SELECT {call}"))
        else:
            assert list(snapshot.execute_sql(f"SELECT {call}")) == [[expected]]


def test_a_body_is_computed_for_each_row(functions):
    query = "SELECT mysql.TWICE(x) FROM UNNEST([1.0, 2.0]) AS x WHERE mysql.TWICE(x) > 3"
    with functions.snapshot() as snapshot:
        assert list(snapshot.execute_sql(query)) == [[4.0]]


QUERYING = [
    "CREATE TABLE T (k INT64, s STRING(MAX)) PRIMARY KEY (k)",
    "CREATE FUNCTION next(x INT64) RETURNS INT64 AS ((SELECT x + 1))",
    "CREATE FUNCTION total(a ARRAY<INT64>) RETURNS INT64 AS ((SELECT SUM(e) FROM UNNEST(a) AS e))",
    "CREATE FUNCTION named(x INT64) RETURNS STRING AS ((SELECT s FROM T WHERE k = x))",
    "CREATE FUNCTION known(x INT64) RETURNS BOOL AS (x IN (SELECT k FROM T))",
    "CREATE FUNCTION below(x INT64) RETURNS ARRAY<INT64> "
    "AS (ARRAY(SELECT k FROM T WHERE T.k < x ORDER BY k))",
    "CREATE FUNCTION has(k INT64) RETURNS BOOL AS (EXISTS(SELECT 1 FROM T WHERE T.k = next(0)))",
    "CREATE VIEW V SQL SECURITY INVOKER AS SELECT T.k, named(T.k) AS s FROM T",
    "CREATE FUNCTION viewed() RETURNS INT64 AS ((SELECT COUNT(*) FROM V))",
]


@pytest.fixture(scope="module")
def querying():
    """Yield a database whose functions have subqueries, and two rows."""
    with spanemu.Emulator() as emulator:
        database = emulator.create_database("querying", schema=QUERYING)
        with database.client().batch() as batch:
            batch.insert("T", ["k", "s"], [[1, "one"], [2, "two"]])
        yield database


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("SELECT next(1), total([1, 2]), named(2), named(9)", [[2, 3, "two", None]]),
        ("SELECT known(1), known(9), has(7), viewed()", [[True, False, True, 2]]),
        ("SELECT named(k), below(k) FROM T ORDER BY k", [["one", []], ["two", [1]]]),
        ("SELECT s FROM V ORDER BY k", [["one"], ["two"]]),
        ("SELECT k FROM T WHERE known(k + 1) AND named(k) = 'one'", [[1]]),
        ("SELECT total(ARRAY_AGG(k)), MAX(named(k)) FROM T", [[3, "two"]]),
        ("SELECT named(MAX(k)) FROM T", [["two"]]),
        ("SELECT total(below(next(2)))", [[3]]),
        ("SELECT (SELECT named(U.k) FROM T AS U WHERE U.k = T.k) FROM T WHERE k = 2", [["two"]]),
    ],
)
def test_a_body_has_subqueries(querying, query, rows):
    with querying.client().snapshot() as snapshot:
        assert list(snapshot.execute_sql(query)) == rows


def test_functions_that_read_tables_are_printed_after_them(querying):
    ddl = querying.ddl()
    with spanemu.Emulator() as emulator:
        assert emulator.create_database("again", schema=ddl).ddl() == ddl


@pytest.mark.parametrize(
    "statement",
    [
        "DROP TABLE T",
        "DROP VIEW V",
        "ALTER TABLE T DROP COLUMN s",
        "ALTER TABLE T RENAME TO U",
        "DROP FUNCTION named",
    ],
)
def test_objects_that_a_function_reads_cannot_be_dropped(querying, statement):
    with pytest.raises(FailedPrecondition):
        querying.client().update_ddl([statement]).result()


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE U (k INT64, n INT64 AS (next(k))) PRIMARY KEY (k)",
        "CREATE TABLE U (k INT64, n STRING(MAX) DEFAULT (named(1))) PRIMARY KEY (k)",
        "CREATE TABLE U (k INT64, CHECK (known(k))) PRIMARY KEY (k)",
        "CREATE FUNCTION bad(x INT64) RETURNS INT64 AS ((SELECT Nope FROM T))",
        "CREATE FUNCTION bad(x INT64) RETURNS INT64 AS ((SELECT k FROM Nope))",
        "CREATE FUNCTION bad(x INT64) RETURNS INT64 AS ((SELECT k, s FROM T))",
    ],
)
def test_subqueries_where_a_schema_takes_none(querying, statement):
    with pytest.raises(InvalidArgument):
        querying.client().update_ddl([statement]).result()


def test_a_view_calls_no_function_that_reads_a_view(querying):
    statement = "CREATE VIEW W SQL SECURITY INVOKER AS SELECT viewed() AS n"
    with pytest.raises(MethodNotImplemented):
        querying.client().update_ddl([statement]).result()
