"""Paths of GoogleSQL: a part behind a dot may begin with a digit or be a reserved word."""

import pytest

from tests.conformance.backends import IA, refused


@pytest.fixture
def db(create):
    """Return a database without tables."""
    return create()


@pytest.mark.parametrize("dot", [".", " . ", ". ", " .", "./* c */", "\n.\n"])
@pytest.mark.parametrize(
    "part", ["1", "12", "007", "1a", "1_a", "1e5", "1e", "0x1F", "99999999999999999999", "select"]
)
def test_a_part_of_a_path_begins_with_a_digit(db, part, dot):
    assert db.rows(f"SELECT t{dot}{part} FROM (SELECT 5 AS `{part}`) AS t") == [[5]]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT t.1.2 FROM (SELECT STRUCT(5 AS `2`) AS `1`) AS t",
        "SELECT t.1.2.3 FROM (SELECT STRUCT(STRUCT(5 AS `3`) AS `2`) AS `1`) AS t",
        "SELECT t.1.a.2 FROM (SELECT STRUCT(STRUCT(5 AS `2`) AS a) AS `1`) AS t",
        "SELECT t.select.2 FROM (SELECT STRUCT(5 AS `2`) AS `select`) AS t",
        "SELECT `t`.`1`.2 FROM (SELECT STRUCT(5 AS `2`) AS `1`) AS t",
        "SELECT t.1.* FROM (SELECT STRUCT(5 AS `2`) AS `1`) AS t",
        "SELECT t.1e-5 FROM (SELECT 10 AS `1e`) AS t",
        "SELECT t.1-1 FROM (SELECT 6 AS `1`) AS t",
        "SELECT t.1 + .5 - .5 FROM (SELECT 5 AS `1`) AS t",
        "SELECT (t).1 FROM (SELECT 5 AS `1`) AS t",
        "SELECT t.a[OFFSET(0)].1 FROM (SELECT [STRUCT(5 AS `1`)] AS a) AS t",
        "SELECT STRUCT(5 AS `1`).1",
        "SELECT (SELECT AS STRUCT 5 AS `1`).1",
        "SELECT IF(TRUE, STRUCT(5 AS `1`), NULL) .1",
        "SELECT x FROM (SELECT [5] AS `1`) AS t, t.1 AS x",
        "SELECT x FROM (SELECT [5] AS `1`) AS t, UNNEST(t.1) AS x",
        "SELECT t.1 x FROM (SELECT 5 AS `1`) AS t WHERE t.1 > .5 GROUP BY t.1 ORDER BY t.1",
        "SELECT@{engine.1=2} 5",
        "SELECT 5.t",
    ],
)
def test_parts_with_digits_wherever_a_path_stands(db, query):
    assert db.rows(query) == [[5]]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT t.2 FROM (SELECT 5 AS `1`) AS t",
        "SELECT t..1 FROM (SELECT 5 AS `1`) AS t",
        "SELECT 1 .5",
        "SELECT 1.5.5",
        "SELECT 'a'.1",
        "SELECT NULL.1",
        "SELECT CASE WHEN TRUE THEN STRUCT(7 AS `1`) END.1",
        "SELECT 1 AS x .5",
        "SELECT 5t",
        "SELECT 1 FROM 1.t",
    ],
)
def test_numbers_are_refused_elsewhere_in_paths(db, query):
    refused(IA, db.rows, query)
