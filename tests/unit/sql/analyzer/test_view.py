"""Queries of views."""

from __future__ import annotations

import pytest

from spanemu.base.errors import Code, SpannerError
from spanemu.sql.analyzer.analyze import analyze_view
from spanemu.values.types import INT64, STRING
from tests.unit.sql.analyzer.shop import SCHEMA


def test_columns_and_dependencies() -> None:
    shape = analyze_view(
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
        "SELECT",
    ],
)
def test_refused(text: str) -> None:
    with pytest.raises(SpannerError) as caught:
        analyze_view(text, SCHEMA)
    assert caught.value.code is Code.INVALID_ARGUMENT
