"""Resolution of names in nested scopes."""

from __future__ import annotations

import pytest

from spanemu.sql.analysis.errors import AmbiguousColumn
from spanemu.sql.googlesql.analyzer.name_errors import (
    NameNotFoundInside,
    TableNotFound,
    UnrecognizedName,
)
from tests.unit.sql.googlesql.analyzer.shop import names, query, type_of, types


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT singerid, s.FIRSTNAME FROM Singers AS s", ["singerid", "FIRSTNAME"]),
        ("SELECT 1, 1 + 1, FirstName || 'a' FROM Singers", ["", "", ""]),
        ("SELECT Notes.a.b FROM Singers", ["b"]),
        ("SELECT STRUCT(1 AS a).a", ["a"]),
        ("SELECT * FROM Albums", ["SingerId", "AlbumId", "Title", "Budget", "Released"]),
        ("SELECT a.* EXCEPT (Budget, Released) FROM Albums AS a", ["SingerId", "AlbumId", "Title"]),
        ("SELECT * FROM (SELECT 1, 2 AS a)", ["", "a"]),
        ("SELECT * FROM UNNEST([1]) AS x WITH OFFSET", ["x", "offset"]),
        ("SELECT * FROM UNNEST([STRUCT(1 AS a, 2 AS b)]) WITH OFFSET AS o", ["a", "b", "o"]),
        ("SELECT Title FROM Albums UNION ALL SELECT FirstName FROM Singers", ["Title"]),
        ("SELECT AS VALUE 1", [""]),
        ("SELECT Secret FROM Singers", ["Secret"]),
    ],
)
def test_names_of_output_columns(sql: str, expected: list[str]) -> None:
    assert names(sql) == expected


def test_a_star_leaves_out_hidden_columns() -> None:
    assert "Secret" not in names("SELECT * FROM Singers")
    assert "FullName" in names("SELECT * FROM Singers")


def test_using_merges_columns_to_the_front() -> None:
    joined = "FROM (SELECT FirstName, SingerId FROM Singers) AS s JOIN Albums AS a USING (SingerId)"
    assert names(f"SELECT * EXCEPT (Budget, Released) {joined}") == [
        "SingerId",
        "FirstName",
        "AlbumId",
        "Title",
    ]
    assert names(f"SELECT SingerId, s.SingerId, a.SingerId {joined}") == ["SingerId"] * 3


def test_a_range_variable_hides_a_column() -> None:
    assert type_of("TO_JSON(Singers)") == "JSON"
    sql = "SELECT TO_JSON(FirstName) FROM Singers AS FirstName"
    assert types(sql) == ["JSON"]


@pytest.mark.parametrize(
    "sql",
    [
        # The inner name hides the outer name, so the subquery is not correlated.
        "SELECT (SELECT MAX(SingerId) FROM Albums) FROM Singers",
        "SELECT (SELECT a.Title || s.FirstName FROM Albums AS a LIMIT 1) FROM Singers AS s",
        "SELECT s.FirstName FROM Singers AS s WHERE EXISTS"
        " (SELECT 1 FROM UNNEST(s.Tags) AS t WHERE t = s.LastName)",
        "SELECT x FROM Singers AS s, UNNEST(ARRAY(SELECT t FROM UNNEST(s.Tags) AS t)) AS x",
        "WITH Singers AS (SELECT 1 AS x) SELECT x FROM Singers",
        "WITH a AS (SELECT 1 AS x) SELECT (SELECT x FROM a), ARRAY(SELECT a.x FROM a)",
    ],
)
def test_nested_scopes(sql: str) -> None:
    query(sql)


@pytest.mark.parametrize(
    ("sql", "failure"),
    [
        ("SELECT * FROM Singers AS s JOIN (SELECT s.SingerId) AS t ON TRUE", UnrecognizedName),
        ("SELECT s.x FROM (SELECT s.FirstName AS x FROM Singers AS s)", UnrecognizedName),
        ("SELECT 1 AS a, a + 1", UnrecognizedName),
        ("SELECT FirstName AS x FROM Singers WHERE x = 'a'", UnrecognizedName),
        ("SELECT Singers.FirstName FROM Singers AS s", UnrecognizedName),
        ("SELECT a.x FROM (SELECT 1 AS y) AS a", NameNotFoundInside),
        ("SELECT SingerId FROM Singers AS a JOIN Albums AS b ON TRUE", AmbiguousColumn),
        ("SELECT 1 FROM Singers AS s, s", TableNotFound),
        ("WITH a AS (SELECT 1 FROM b), b AS (SELECT 2) SELECT 3", TableNotFound),
    ],
)
def test_invisible_names_are_refused(sql: str, failure: type[Exception]) -> None:
    with pytest.raises(failure):
        query(sql)


def test_the_position_counts_lines_and_tabs() -> None:
    with pytest.raises(UnrecognizedName) as caught:
        query("SELECT 1,\n\tnope FROM Singers")
    assert (caught.value.line, caught.value.column_number) == (2, 9)
    assert str(caught.value).endswith("[at 2:9]")


def test_the_current_date_needs_no_parentheses() -> None:
    sql = "SELECT CURRENT_DATE, current_timestamp, d.current_date FROM (SELECT 1 AS current_date) d"
    assert types(sql) == ["DATE", "TIMESTAMP", "INT64"]
    for quoted in ("`current_date`", "CURRENT_DATE.x"):
        with pytest.raises(UnrecognizedName):
            query(f"SELECT {quoted}")
