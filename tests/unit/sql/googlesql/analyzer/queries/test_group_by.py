"""Expressions that are allowed and refused over grouped rows."""

from __future__ import annotations

import pytest

from spanemu.sql import resolved as r
from spanemu.sql.googlesql.analyzer.errors import NeitherGroupedNorAggregated
from tests.unit.sql.googlesql.analyzer.shop import query, scans


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT s.FirstName FROM Singers AS s GROUP BY FirstName",
        "SELECT UPPER(FirstName) FROM Singers GROUP BY FirstName",
        "SELECT UPPER(FirstName) FROM Singers GROUP BY UPPER(FirstName)",
        "SELECT UPPER(FirstName) FROM Singers GROUP BY 1 ORDER BY UPPER(FirstName)",
        "SELECT FirstName AS LastName FROM Singers GROUP BY LastName",
        "SELECT FirstName AS Score, COUNT(*) FROM Singers GROUP BY FirstName HAVING Score = 'a'",
        "SELECT SingerId AS s FROM Singers GROUP BY s HAVING SUM(s) > 1 ORDER BY MAX(s)",
        "SELECT a.x + 1 FROM (SELECT STRUCT(1 AS x) AS a) GROUP BY a.x",
        "SELECT x FROM UNNEST([1]) AS x GROUP BY x",
        "SELECT EXISTS (SELECT 1 FROM Albums AS a WHERE a.SingerId = s.SingerId)"
        " FROM Singers AS s GROUP BY SingerId",
        "SELECT (SELECT COUNT(*) FROM Albums AS a WHERE a.SingerId = s.SingerId) AS c"
        " FROM Singers AS s GROUP BY c",
        "SELECT SUM((SELECT COUNT(*) FROM Albums AS a WHERE a.SingerId = s.SingerId))"
        " FROM Singers AS s",
        "SELECT FirstName FROM Singers GROUP BY FirstName ORDER BY COUNT(*)",
        "SELECT * FROM (SELECT 1 AS a, 2 AS b) GROUP BY a, b",
        "SELECT DISTINCT FirstName FROM Singers ORDER BY UPPER(FirstName)",
        "SELECT WITH(x AS COUNT(*), x + x) FROM Singers",
    ],
)
def test_allowed_over_grouped_rows(sql: str) -> None:
    query(sql)


@pytest.mark.parametrize(
    ("sql", "shown", "clause"),
    [
        ("SELECT FirstName FROM Singers GROUP BY LastName", "column FirstName", "SELECT list"),
        (
            # Only a whole item is compared with a key.
            "SELECT SingerId + 1 + 2 FROM Singers GROUP BY SingerId + 1",
            "column SingerId",
            "SELECT list",
        ),
        ("SELECT COUNT(*) + SingerId FROM Singers GROUP BY ALL", "column SingerId", "SELECT list"),
        (
            "SELECT FirstName FROM Singers GROUP BY FirstName ORDER BY LastName",
            "column LastName",
            "ORDER BY clause",
        ),
        (
            "SELECT 1 FROM Singers AS s GROUP BY FirstName HAVING s.LastName = 'a'",
            "s.LastName",
            "HAVING clause",
        ),
        ("SELECT s.*, COUNT(*) FROM Singers AS s", "column SingerId", "Star expansion"),
    ],
)
def test_refused_over_grouped_rows(sql: str, shown: str, clause: str) -> None:
    with pytest.raises(NeitherGroupedNorAggregated) as caught:
        query(sql)
    assert (caught.value.column, caught.value.clause) == (shown, f"{clause} expression")


def test_group_by_all_uses_the_columns_without_aggregates() -> None:
    (scan,) = scans(
        query("SELECT FirstName, 1, COUNT(*), UPPER(LastName) FROM Singers GROUP BY ALL").scan,
        r.AggregateScan,
    )
    assert len(scan.keys) == 2


def test_group_by_all_ignores_columns_independent_of_the_input() -> None:
    (scan,) = scans(
        query(
            "SELECT LastName, ARRAY_FILTER([1], e -> e > 0), WITH(w AS 1, [w]), COUNT(*)"
            " FROM Singers GROUP BY ALL"
        ).scan,
        r.AggregateScan,
    )
    assert [column.name for column, _ in scan.keys] == ["LastName"]


def test_equivalent_keys_become_a_single_key() -> None:
    (scan,) = scans(
        query("SELECT FirstName FROM Singers GROUP BY 1, FirstName, Singers.FirstName").scan,
        r.AggregateScan,
    )
    assert len(scan.keys) == 1
