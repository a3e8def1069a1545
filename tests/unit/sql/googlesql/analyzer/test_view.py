"""Analysis of the queries of views."""

from __future__ import annotations

import pytest

from spanemu.base.errors import Code, SpannerError
from spanemu.sql.googlesql.dialect import GOOGLESQL
from spanemu.values.types import INT64, STRING
from tests.unit.sql.googlesql.analyzer.shop import SCHEMA


def test_columns_and_dependencies() -> None:
    shape = GOOGLESQL.analyze_view(
        "SELECT s.FirstName, t.Id AS n FROM Singers AS s JOIN Titles AS t ON s.SingerId = t.Id",
        SCHEMA,
    )
    assert shape.columns == (("FirstName", STRING), ("n", INT64))
    assert shape.depends_on == {"Singers", "Titles", "Albums"}


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 1",
        "SELECT 1 AS a, 2 AS A",
        "SELECT @p AS a",
        "SELECT x FROM Nowhere",
        "WITH a AS (SELECT 1 AS x) SELECT a.x FROM a",
        "SELECT s.FirstName FROM Singers AS s FOR UPDATE",
        "SELECT FirstName FROM Singers",
        "SELECT s.FirstName FROM Singers AS s WHERE SingerId = 1",
        "SELECT s.FirstName AS x FROM Singers AS s ORDER BY FirstName",
        "SELECT s.FirstName AS x, COUNT(*) AS n FROM Singers AS s GROUP BY FirstName",
        "SELECT Id FROM Titles",
        "SELECT * FROM Singers",
        "SELECT s.* FROM Singers AS s",
        "SELECT 1 AS x FROM Singers AS s WHERE EXISTS (SELECT * FROM Albums AS a)",
        "SELECT t FROM Singers AS s, UNNEST(Tags) AS t",
        "SELECT a FROM UNNEST([STRUCT(1 AS a)]) AS y",
        "SELECT s.SingerId FROM Singers AS s JOIN Albums AS a USING (SingerId)",
        "SELECT",
    ],
)
def test_refused(text: str) -> None:
    with pytest.raises(SpannerError) as caught:
        GOOGLESQL.analyze_view(text, SCHEMA)
    assert caught.value.code is Code.INVALID_ARGUMENT


@pytest.mark.parametrize(
    "text",
    [
        "SELECT Singers.FirstName FROM Singers",
        "SELECT s.FirstName AS x, COUNT(*) AS n FROM Singers AS s GROUP BY x HAVING n > 1 ORDER BY x",
        "SELECT a FROM (SELECT 1 AS a)",
        "SELECT t FROM Singers AS s, s.Tags AS t",
        "SELECT y, offset AS o FROM UNNEST([1]) AS y WITH OFFSET",
        "SELECT y.a FROM UNNEST([STRUCT(1 AS a)]) AS y",
        "SELECT x FROM (SELECT 1 AS x) AS l JOIN (SELECT 1 AS x) AS r USING (x)",
        "SELECT s.Id FROM Titles AS s",
    ],
)
def test_names_that_a_new_column_cannot_change(text: str) -> None:
    GOOGLESQL.analyze_view(text, SCHEMA)
