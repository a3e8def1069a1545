"""Tests of aggregate calls."""

from __future__ import annotations

import pytest

from spanemu.sql.postgresql.analyzer.errors import NotGrouped
from spanemu.sql.postgresql.analyzer.expressions.errors import (
    BadExpression,
    ExpressionUnsupported,
    NotDistinguishable,
    UndefinedFunction,
)
from spanemu.sql.postgresql.types import title
from tests.unit.sql.postgresql.analyzer.expressions.world import resolved
from tests.unit.sql.postgresql.analyzer.shop import analyzed


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        ("count(*)", "bigint"),
        ("count(j)", "bigint"),
        ("sum(i)", "numeric"),
        ("sum(r)", "real"),
        ("avg(r)", "double precision"),
        ("avg(v)", "interval"),
        ("max(d)", "date"),
        ("min('x')", "text"),
        ("array_agg(i)", "bigint[]"),
        ("array_agg(DISTINCT t ORDER BY t)", "text[]"),
        ("string_agg(t, ',' ORDER BY i DESC)", "text"),
        ("every(b)", "boolean"),
    ],
)
def test_an_aggregate_has_the_type_of_postgresql(text: str, type_: str):
    assert title(resolved(text, grouped=True).type) == type_


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("sum(count(*))", BadExpression),
        ("count()", BadExpression),
        ("count(DISTINCT j)", NotDistinguishable),
        ("array_agg(DISTINCT t ORDER BY i)", BadExpression),
        ("sum(i ORDER BY i)", ExpressionUnsupported),
        ("sum(t)", UndefinedFunction),
        ("sum(*)", UndefinedFunction),
    ],
)
def test_misused_aggregates_are_refused(text: str, error: type[Exception]):
    with pytest.raises(error):
        resolved(text, grouped=True)


def test_a_clause_without_aggregates_refuses_them():
    with pytest.raises(BadExpression, match="aggregate functions are not allowed in WHERE"):
        resolved("count(*) > 1")


@pytest.mark.parametrize(
    "text",
    [
        "SELECT (SELECT max(singers.id) FROM albums) FROM singers",
        "SELECT (SELECT max(s.id) + max(a.album) FROM albums a) FROM singers s",
        "SELECT (SELECT max(s.id) FROM albums) FROM singers s GROUP BY s.id",
        "SELECT (SELECT (SELECT sum(s.id) FROM albums) FROM albums LIMIT 1) FROM singers s",
        "SELECT a.n FROM (SELECT (SELECT sum(s.id) FROM albums) AS n FROM singers s) a",
        "SELECT (SELECT max(singers.id + albums.singer) FROM albums) FROM singers",
        "SELECT (SELECT count(*) FROM albums), id FROM singers",
        "SELECT a.n FROM (SELECT max((SELECT s.id FROM singers s LIMIT 1)) AS n FROM albums) a",
    ],
)
def test_an_aggregate_may_have_arguments_of_an_outer_query(text: str):
    analyzed(text)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("SELECT (SELECT sum(s.id) FROM albums), s.first FROM singers s", NotGrouped),
        ("SELECT (SELECT sum(s.id) FROM albums a WHERE a.album = s.id) FROM singers s", NotGrouped),
        ("SELECT (SELECT sum(s.id) FROM albums) FROM singers s GROUP BY s.first", NotGrouped),
        ("SELECT (SELECT sum(s.id) FROM albums), count(*) FROM singers s", NotGrouped),
        ("SELECT id FROM singers s WHERE 1 = (SELECT max(s.id) FROM albums)", BadExpression),
        ("SELECT max((SELECT max(s.id) FROM albums)) FROM singers s", BadExpression),
    ],
)
def test_an_aggregate_of_outer_columns_alone_is_one_of_the_outer_query(
    text: str, error: type[Exception]
):
    with pytest.raises(error):
        analyzed(text)
