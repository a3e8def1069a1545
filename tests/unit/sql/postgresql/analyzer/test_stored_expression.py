"""Defaults, checks, generated columns and views of a PostgreSQL schema."""

from __future__ import annotations

import pytest

from spanemu.base.errors import Code, SpannerError
from spanemu.values.types import BOOL, FLOAT64, INT64, STRING
from tests.unit.sql.postgresql.analyzer.shop import DIALECT, SCHEMA, SINGERS


def test_an_expression_reports_the_columns_that_it_uses() -> None:
    stored = DIALECT.analyze_expression(
        "next_id > 1 AND first = 'a'", SINGERS, SCHEMA, expected=BOOL
    )
    assert [column.name for column in stored.references] == ["next_id", "first"]
    assert [column.name for _, column in stored.columns] == ["id", "first"]
    assert stored.is_deterministic


def test_a_default_is_assigned_to_its_column() -> None:
    stored = DIALECT.analyze_expression("1.5", None, SCHEMA, expected=FLOAT64)
    assert stored.expression.type == FLOAT64


def test_a_subquery_and_the_time_are_reported() -> None:
    assert DIALECT.analyze_expression("(SELECT 1)", None, SCHEMA, expected=None).has_subquery
    assert DIALECT.analyze_expression("now()", None, SCHEMA, expected=None).stable


def test_the_pending_commit_timestamp_is_recognized() -> None:
    text = "spanner.pending_commit_timestamp()"
    assert DIALECT.is_commit_timestamp(text)
    assert not DIALECT.is_commit_timestamp("now()")
    assert DIALECT.analyze_expression(text, None, SCHEMA, expected=None).pending_commit_timestamp


@pytest.mark.parametrize("text", ["nope", "$1", "count(*)", "true", "'x'"])
def test_a_bad_expression_is_refused(text: str) -> None:
    with pytest.raises(SpannerError) as caught:
        DIALECT.analyze_expression(text, SINGERS, SCHEMA, expected=INT64)
    assert caught.value.code is Code.INVALID_ARGUMENT


def test_a_view_has_columns_and_dependencies() -> None:
    shape = DIALECT.analyze_view("SELECT t.id, count(*) FROM titles AS t GROUP BY 1", SCHEMA)
    assert shape.columns == (("id", INT64), ("count", INT64))
    assert shape.depends_on == {"titles", "albums"}


def test_an_untyped_literal_of_a_view_is_text() -> None:
    assert DIALECT.analyze_view("SELECT 'a' AS a, NULL AS b", SCHEMA).columns == (
        ("a", STRING),
        ("b", STRING),
    )


@pytest.mark.parametrize(
    "query",
    [
        "SELECT id, id FROM singers",
        "SELECT id FROM singers WHERE id = $1",
        "SELECT id FROM singers FOR UPDATE",
        "WITH a AS (SELECT 1 AS n) SELECT n FROM a",
    ],
)
def test_a_view_refuses(query: str) -> None:
    with pytest.raises(SpannerError) as caught:
        DIALECT.analyze_view(query, SCHEMA)
    assert caught.value.code is Code.INVALID_ARGUMENT
