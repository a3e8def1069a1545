"""Of several errors in a statement, the one that PostgreSQL's own analyzer finds comes first."""

from __future__ import annotations

import pytest

from spanemu.base.errors import SpannerError
from spanemu.sql.errors import AnalysisError
from spanemu.sql.postgresql.analyzer.errors import (
    MissingFromEntry,
    RelationNotFound,
    SetOperationTypes,
    UndefinedColumn,
)
from spanemu.sql.postgresql.analyzer.expressions.errors import (
    ExpressionRefused,
    ExpressionUnsupported,
    NoSuchFunction,
    TypeNotSupported,
    UndefinedType,
    UnsupportedFunction,
)
from tests.unit.sql.postgresql.analyzer.shop import DIALECT, SCHEMA, analyzed

# Expressions that PostgreSQL accepts and Spanner refuses.
REFUSED = {
    "md5('x')": UnsupportedFunction,
    "'a' || 1": UnsupportedFunction,
    "1::int4": TypeNotSupported,
    "1 = ANY ('{1,2}'::bigint[])": ExpressionRefused,
    "(id, 1) IN (SELECT 1)": ExpressionUnsupported,
    "(SELECT 1 UNION SELECT 1.5)": SetOperationTypes,
}


@pytest.mark.parametrize(("expression", "error"), REFUSED.items())
def test_a_refused_expression_ends_in_its_own_error(
    expression: str, error: type[SpannerError]
) -> None:
    with pytest.raises(error):
        analyzed(f"SELECT {expression}, id FROM singers")


@pytest.mark.parametrize("expression", REFUSED)
@pytest.mark.parametrize(
    ("later", "error"),
    [
        ("nope FROM singers", UndefinedColumn),
        ("x.id FROM singers", MissingFromEntry),
        ("(SELECT 1 FROM nope) FROM singers", RelationNotFound),
        ("nope(id) FROM singers", NoSuchFunction),
        ("upper(first, last) FROM singers", NoSuchFunction),
        ("length(1) FROM singers", NoSuchFunction),
        ("overlay('abc' PLACING 'X' FROM 2) FROM singers", NoSuchFunction),
        ("id::nope FROM singers", UndefinedType),
    ],
)
def test_an_error_of_postgresql_comes_before_a_refusal(
    expression: str, later: str, error: type[SpannerError]
) -> None:
    with pytest.raises(error) as raised:
        analyzed(f"SELECT {expression}, {later}")
    assert isinstance(raised.value, AnalysisError)
    assert raised.value.line == 1


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT -cardinality(tags) FROM singers",
        "SELECT sum(cardinality(tags)) FROM singers",
        "SELECT md5(first) FROM singers GROUP BY md5(first)",
        "SELECT count(*), stddev(score) FROM singers",
        "SELECT id FROM singers ORDER BY md5(first)",
        "SELECT id FROM singers ORDER BY md5(first) LIMIT $1",
        "SELECT (string_to_array(first, ' '))[1] FROM singers",
        "SELECT id FROM singers WHERE id = (SELECT cardinality(tags))",
        "SELECT sum((SELECT cardinality(tags))) FROM singers",
        "SELECT abs(a) FROM (SELECT cardinality(tags) AS a FROM singers) AS s",
        "UPDATE singers SET first = md5(first) WHERE cardinality(tags) > 1",
    ],
)
def test_an_error_that_a_refusal_may_cause_is_not_reported(sql: str) -> None:
    with pytest.raises(AnalysisError) as raised:
        analyzed(sql)
    assert raised.value.code.name == "UNIMPLEMENTED"


def test_of_two_refusals_the_first_is_reported() -> None:
    with pytest.raises(ExpressionRefused):
        analyzed("SELECT 1 = ANY ('{1}'::bigint[]), md5('x')")
    with pytest.raises(UnsupportedFunction):
        analyzed("SELECT md5('x'), 1 = ANY ('{1}'::bigint[])")


def test_stored_expressions_have_the_same_order() -> None:
    for text, error in (("md5(first)", UnsupportedFunction), ("md5(first) || x", UndefinedColumn)):
        with pytest.raises(error):
            DIALECT.analyze_expression(text, SCHEMA.tables["singers"], SCHEMA, expected=None)
