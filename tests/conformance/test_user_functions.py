"""Functions that users create, such as the library of MySQL functions that Google publishes.

The library (googleapis/spanner-sql-udf) is not part of Spanner: "You need to implement the MySQL
functions in your Spanner database before you can use them."
"""

import pytest
from google.api_core.exceptions import InvalidArgument

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
    "mysql.NOW()": InvalidArgument,
}


@pytest.fixture(scope="module")
def functions():
    """A database with some functions in the manner of the library."""
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
