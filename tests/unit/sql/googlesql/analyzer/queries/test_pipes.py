"""Columns, order and errors of pipe operators."""

from __future__ import annotations

import pytest

from spanemu.sql import resolved as r
from spanemu.sql.analysis.errors import AmbiguousColumn
from spanemu.sql.googlesql.analyzer.errors import AggregateNotAllowed, BadGrouping, BadQuery
from spanemu.sql.googlesql.analyzer.name_errors import UnrecognizedName
from tests.unit.sql.googlesql.analyzer.shop import names, query, scans, types


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("FROM Albums |> SELECT Title, AlbumId AS a", ["Title", "a"]),
        ("FROM Albums |> DROP Budget, Released", ["SingerId", "AlbumId", "Title"]),
        ("FROM Albums |> SELECT Title |> EXTEND 1 AS one", ["Title", "one"]),
        ("FROM Albums |> SELECT Title, Budget |> RENAME Title AS Budget, Budget AS Title",
         ["Budget", "Title"]),
        ("FROM Albums |> AGGREGATE COUNT(*) AS n GROUP BY Title", ["Title", "n"]),
        ("FROM Albums AS a |> DROP SingerId |> SELECT a.SingerId", ["SingerId"]),
        ("FROM Albums |> AS t |> SELECT t.Title", ["Title"]),
        ("FROM Albums |> SELECT DISTINCT Title |> LIMIT 1", ["Title"]),
        ("FROM Albums |> SELECT Title |> UNION ALL (SELECT 'x'), (SELECT 'y')", ["Title"]),
        ("SELECT 1 AS a |> EXTEND a + 1 AS b", ["a", "b"]),
    ],
)  # fmt: skip
def test_columns(sql: str, expected: list[str]) -> None:
    assert names(sql) == expected


def test_set_replaces_a_column_but_not_that_of_the_table() -> None:
    assert types("FROM Albums AS a |> SET AlbumId = 'x' |> SELECT AlbumId, a.AlbumId") == [
        "STRING",
        "INT64",
    ]


def test_unused_columns_are_not_read() -> None:
    (scan,) = scans(query("FROM Singers |> WHERE Active |> SELECT FirstName").scan, r.TableScan)
    assert [stored.name for _, stored in scan.columns] == ["Active", "FirstName"]


def test_groups_are_sorted_before_aggregates() -> None:
    (order,) = scans(
        query("FROM Albums |> AGGREGATE COUNT(*) AS n DESC GROUP AND ORDER BY Title").scan,
        r.OrderScan,
    )
    assert [key.value.column.name for key in order.keys] == ["Title", "n"]


@pytest.mark.parametrize(
    ("sql", "failure"),
    [
        ("FROM Albums |> WHERE COUNT(*) > 1", AggregateNotAllowed),
        ("FROM Albums |> SELECT COUNT(*)", AggregateNotAllowed),
        ("FROM Albums |> AGGREGATE Title GROUP BY Budget", BadGrouping),
        ("FROM Albums |> EXTEND 1 AS Title |> SELECT Title", AmbiguousColumn),
        ("FROM Albums |> DROP Title |> SELECT Title", UnrecognizedName),
        ("FROM Albums AS a |> AS b |> SELECT a.Title", UnrecognizedName),
        ("FROM Albums |> SET Nope = 1", BadQuery),
        ("FROM Albums |> SELECT Title |> DROP Title", BadQuery),
    ],
)
def test_refused(sql: str, failure: type[Exception]) -> None:
    with pytest.raises(failure):
        query(sql)
