"""Analysis of DEFAULT, generated column and CHECK expressions."""

from __future__ import annotations

import pytest

from spanemu.base.errors import SpannerError
from spanemu.sql import resolved as r
from spanemu.sql.dialect import StoredExpression
from spanemu.sql.googlesql.analyzer.errors import (
    AggregateNotAllowed,
    BadQuery,
    ExpressionDoesNotFit,
)
from spanemu.sql.googlesql.analyzer.name_errors import UnrecognizedName
from spanemu.sql.googlesql.dialect import GOOGLESQL
from spanemu.values.types import BOOL, FLOAT64, INT64, STRING, TIMESTAMP, Type
from tests.unit.sql.googlesql.analyzer.shop import SCHEMA, SINGERS


def stored(text: str, expected: Type, *, allow_columns: bool = True) -> StoredExpression:
    return GOOGLESQL.analyze_expression(
        text, SINGERS, SCHEMA, expected=expected, allow_columns=allow_columns
    )


def test_columns_are_paired_with_stored_columns() -> None:
    condition = stored("Score > LENGTH(FirstName)", BOOL)
    assert [column.name for _, column in condition.columns] == ["Score", "FirstName"]
    assert condition.is_deterministic
    assert not condition.has_subquery


def test_virtual_columns_are_expanded_but_reported() -> None:
    expression = stored("UPPER(FullName)", STRING)
    assert [column.name for _, column in expression.columns] == ["FirstName", "LastName"]
    assert [column.name for column in expression.references] == ["FullName"]


def test_the_value_is_converted() -> None:
    assert stored("1", FLOAT64).expression.type == FLOAT64
    with pytest.raises(ExpressionDoesNotFit):
        stored("'a'", INT64)


def test_the_properties_of_an_expression_are_reported() -> None:
    assert stored("GENERATE_UUID()", STRING).volatile
    assert stored("CURRENT_TIMESTAMP()", TIMESTAMP).stable
    assert not stored("CURRENT_TIMESTAMP()", TIMESTAMP).is_deterministic
    assert stored("(SELECT COUNT(*) FROM Albums)", INT64).has_subquery
    assert stored("GET_NEXT_SEQUENCE_VALUE(SEQUENCE Seq)", INT64).sequences == {"Seq"}
    assert stored("ABS(ABS(ABS(1)))", INT64).depth == 4


def test_the_commit_timestamp_may_be_a_default() -> None:
    default = stored("PENDING_COMMIT_TIMESTAMP()", TIMESTAMP)
    assert default.pending_commit_timestamp
    assert isinstance(default.expression, r.Literal)


@pytest.mark.parametrize(
    ("text", "failure"),
    [
        ("@p", BadQuery),
        ("COUNT(*)", AggregateNotAllowed),
        ("Nope + 1", UnrecognizedName),
        ("1 +", SpannerError),
    ],
)
def test_refused(text: str, failure: type[Exception]) -> None:
    with pytest.raises(failure):
        stored(text, INT64)


def test_a_default_cannot_use_columns() -> None:
    with pytest.raises(UnrecognizedName) as caught:
        stored("SingerId", INT64, allow_columns=False)
    assert caught.value.column_number == 1
