"""Coercion of literals, parameters and values."""

from __future__ import annotations

import datetime
from decimal import Decimal

import pytest

from spanemu.base.errors import Code, SpannerError
from spanemu.sql.googlesql.analyzer.errors import (
    BadCall,
    IncompatibleColumns,
    LiteralDoesNotCast,
    NoMatchingSignature,
)
from spanemu.sql.googlesql.analyzer.expressions.coercion import supertype
from spanemu.values.types import FLOAT32, FLOAT64, INT64, NUMERIC, STRING, Type, struct_of
from tests.unit.sql.googlesql.analyzer.shop import type_of, types, value_of


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (INT64, INT64, INT64),
        (INT64, NUMERIC, NUMERIC),
        (INT64, FLOAT64, FLOAT64),
        (NUMERIC, FLOAT64, FLOAT64),
        (INT64, FLOAT32, FLOAT64),
        (FLOAT32, NUMERIC, FLOAT64),
        (FLOAT32, FLOAT64, FLOAT64),
        (INT64, STRING, None),
        (struct_of(("a", INT64)), struct_of(("b", FLOAT64)), struct_of(("a", FLOAT64))),
        (struct_of(("a", INT64)), struct_of(("b", STRING)), None),
        (struct_of(("a", INT64)), struct_of(("a", INT64), ("b", INT64)), None),
    ],
)
def test_supertypes(first: Type, second: Type, expected: Type | None) -> None:
    assert supertype(first, second) == expected
    reverse = supertype(second, first)
    assert (reverse is None) == (expected is None)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("SingerId + 1.5", "FLOAT64"),
        ("Fee + 1.5", "NUMERIC"),
        ("Fee + Score", "FLOAT64"),
        ("SingerId + Fee", "NUMERIC"),
        ("SingerId + Weight", "FLOAT64"),
        ("1.5 / Fee", "NUMERIC"),
        ("5 / 2", "FLOAT64"),
        ("COALESCE(Weight, 1.5)", "FLOAT32"),
        ("COALESCE(SingerId, 1.5)", "FLOAT64"),
        ("COALESCE(NULL, NULL)", "INT64"),
        ("COALESCE(NULL, 'a')", "STRING"),
        ("[Weight, 1]", "ARRAY<FLOAT32>"),
        ("[SingerId, NULL, 1.5]", "ARRAY<FLOAT64>"),
        ("[Born, '2020-01-01']", "ARRAY<DATE>"),
        ("[]", "ARRAY<INT64>"),
        ("IF(TRUE, [], ['a'])", "ARRAY<STRING>"),
        ("GREATEST(SingerId, Fee)", "NUMERIC"),
        ("NULLIF(SingerId, 1.5)", "FLOAT64"),
        ("ARRAY_CONCAT([1], [1.5])", "ARRAY<FLOAT64>"),
        ("DATE('2020-01-01 03:00:00+00')", "DATE"),
    ],
)
def test_types_of_mixed_expressions(expression: str, expected: str) -> None:
    assert type_of(expression) == expected


def test_an_array_expression_is_not_coerced() -> None:
    with pytest.raises(NoMatchingSignature):
        type_of("ARRAY_CONCAT([SingerId], [Score])")
    with pytest.raises(NoMatchingSignature):
        type_of("Score IN UNNEST([SingerId])")


@pytest.mark.parametrize(
    "expression",
    [
        "STRUCT(1.5) IN UNNEST([STRUCT(1)])",
        "STRUCT(1.5) IN UNNEST([STRUCT(1), STRUCT(2)])",
        "STRUCT(STRUCT(1.5)) IN UNNEST([STRUCT(STRUCT(1))])",
        "(1.5, 2) IN UNNEST([(1, 2)])",
        "STRUCT(1) IN UNNEST([NULL])",
        "1.5 IN UNNEST([1, NULL])",
        "'a' IN UNNEST([NULL])",
        "DATE '2020-01-01' IN UNNEST(['2020-01-01'])",
        "CAST(1 AS FLOAT32) IN UNNEST([1.5])",
    ],
)
def test_in_unnest_does_not_coerce_the_array(expression: str) -> None:
    with pytest.raises(NoMatchingSignature) as refused:
        type_of(expression)
    assert refused.value.code is Code.INVALID_ARGUMENT


@pytest.mark.parametrize(
    "expression",
    [
        "STRUCT(1) IN UNNEST([STRUCT(1.5)])",
        "STRUCT(1 AS x) IN UNNEST([STRUCT(1 AS y)])",
        "STRUCT(SingerId) IN UNNEST([STRUCT(1.5)])",
        "STRUCT(1.5) IN UNNEST([STRUCT(1), STRUCT(2.5)])",
        "STRUCT('2020-01-01') IN UNNEST([STRUCT(DATE '2020-01-01')])",
        "'2020-01-01' IN UNNEST([DATE '2020-01-01'])",
        "SingerId IN UNNEST([1.5, NULL])",
        "SingerId IN UNNEST([NULL])",
        "1.5 IN UNNEST([])",
        "'a' IN UNNEST([])",
        "NULL IN UNNEST(['a'])",
    ],
)
def test_in_unnest_coerces_the_value_to_the_elements(expression: str) -> None:
    assert type_of(expression) == "BOOL"


def test_literals_are_converted_to_the_required_type() -> None:
    assert value_of("CAST('2020-02-03' AS DATE)") == datetime.date(2020, 2, 3)
    # All digits of the text, not those of the nearest FLOAT64.
    assert value_of("CAST(12345678901234567.123456789 AS NUMERIC)") == Decimal(
        "12345678901234567.123456789"
    )
    assert value_of("-9223372036854775808") == -(2**63)


def test_a_literal_that_is_not_a_date_is_refused_by_analysis() -> None:
    with pytest.raises(LiteralDoesNotCast) as caught:
        type_of("Born = '2020-13-01'")
    assert (caught.value.literal, caught.value.type) == ('"2020-13-01"', "DATE")


def test_a_cast_literal_is_not_coerced() -> None:
    with pytest.raises(NoMatchingSignature):
        type_of("Born = CAST('2020-01-01' AS STRING)")


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT SingerId FROM Singers UNION ALL SELECT Score FROM Singers", "FLOAT64"),
        ("SELECT Born FROM Singers UNION ALL SELECT '2020-01-01'", "DATE"),
        ("SELECT [1] UNION ALL SELECT [1.5]", "ARRAY<FLOAT64>"),
        ("SELECT NULL UNION ALL SELECT 'a'", "STRING"),
        ("SELECT 1.5 FROM Singers GROUP BY Born UNION ALL SELECT NUMERIC '1'", "NUMERIC"),
        (
            "SELECT 1.5 FROM (SELECT Born FROM Singers GROUP BY Born) WHERE TRUE"
            " UNION ALL SELECT NUMERIC '1'",
            "NUMERIC",
        ),
        (
            "SELECT 1.5 FROM Singers GROUP BY Born HAVING TRUE UNION ALL SELECT NUMERIC '1'",
            "FLOAT64",
        ),
    ],
)
def test_set_operations_find_a_common_type(sql: str, expected: str) -> None:
    assert types(sql) == [expected]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("COALESCE([1.5], [1])", "ARRAY<FLOAT64>"),
        ("COALESCE([NULL], [1.5])", "ARRAY<FLOAT64>"),
        ("COALESCE([Born], ['2020-01-01'])", "ARRAY<DATE>"),
        ("COALESCE([Born], [NULL, '2020-01-01'])", "ARRAY<DATE>"),
        ("COALESCE([STRUCT(1 AS a)], [STRUCT(1.5 AS a)])", "ARRAY<STRUCT<a FLOAT64>>"),
        ("COALESCE(['x'], [CAST(NULL AS STRING)])", "ARRAY<STRING>"),
    ],
)
def test_array_constructors_adapt_to_each_other(expression: str, expected: str) -> None:
    assert type_of(expression) == expected


@pytest.mark.parametrize(
    "expression",
    [
        "COALESCE(['x'], [NULL])",
        "COALESCE([NULL], ['x'])",
        "COALESCE([Born], [NULL])",
        "COALESCE([STRUCT('b' AS b)], [STRUCT(NULL AS b)])",
        "COALESCE([STRUCT('b' AS b)], [STRUCT(@u AS b)])",
        "COALESCE(STRUCT(['x']), STRUCT([NULL]))",
        "ARRAY_CONCAT(['x'], [NULL])",
        "['x'] = [NULL]",
    ],
)
def test_an_array_gives_its_nulls_a_type(expression: str) -> None:
    with pytest.raises(NoMatchingSignature):
        type_of(expression)


@pytest.mark.parametrize("having", ["HAVING COUNT(*) > 1", "ORDER BY Born", "LIMIT 1"])
def test_a_clause_over_a_select_list_fixes_the_types_of_its_literals(having: str) -> None:
    assert types(
        "(SELECT '2020-01-01' FROM Singers GROUP BY Born) UNION ALL SELECT Born FROM Singers"
    )
    with pytest.raises(IncompatibleColumns):
        types(
            f"(SELECT '2020-01-01' FROM Singers GROUP BY Born {having})"
            " UNION ALL SELECT Born FROM Singers"
        )


@pytest.mark.parametrize(
    "condition",
    [
        "NULL IN (SELECT Born FROM Singers)",
        "'2020-01-01' IN (SELECT Born FROM Singers)",
        "(1, 1) IN (SELECT AS STRUCT 1, 1.5)",
        "(1, Score) IN (SELECT AS STRUCT 1, SingerId FROM Singers)",
    ],
)
def test_the_operand_of_in_with_a_subquery_is_not_coerced(condition: str) -> None:
    with pytest.raises(BadCall):
        type_of(condition)
    assert type_of("1 IN (SELECT 1.5)") == type_of("NULL IN (SELECT 1.5)") == "BOOL"
    assert type_of("STRUCT(1 AS a, 'x') IN (SELECT AS STRUCT 1, 'x' AS b)") == "BOOL"


def test_a_call_of_error_has_any_type() -> None:
    assert types("SELECT IF(TRUE, 'a', ERROR('x')), COALESCE(DATE '2020-01-01', ERROR('x'))") == [
        "STRING",
        "DATE",
    ]
    assert types("SELECT ERROR('x')") == ["INT64"]


@pytest.mark.parametrize(
    "expression",
    [
        "STRUCT(@u) IN (STRUCT(TRUE), STRUCT(FALSE))",
        "STRUCT(@u) = STRUCT('a')",
        "STRUCT(NULL) = STRUCT(TRUE)",
        "(NULL, 1) = (TRUE, 1)",
        "STRUCT(STRUCT(NULL)) = STRUCT(STRUCT(TRUE))",
        "STRUCT([]) = STRUCT(['a'])",
        "STRUCT(TRUE) IN UNNEST([STRUCT(@u)])",
        "IF(TRUE, STRUCT(NULL), STRUCT('a')) = STRUCT('a')",
    ],
)
def test_an_untyped_field_of_the_first_struct_is_an_int64_beside_literals(expression: str) -> None:
    with pytest.raises(SpannerError) as refused:
        type_of(expression)
    assert refused.value.code is Code.INVALID_ARGUMENT


@pytest.mark.parametrize(
    "expression",
    [
        "STRUCT(TRUE) IN (STRUCT(@u), STRUCT(FALSE))",
        "STRUCT(@u) = STRUCT(1.5)",
        "STRUCT(@u) IN UNNEST([STRUCT(TRUE)])",
        "STRUCT(NULL) IN UNNEST([STRUCT('a')])",
        "STRUCT(NULL) = STRUCT(STARTS_WITH(FirstName, 'a'))",
        "STRUCT(NULL) = STRUCT(FirstName)",
        "STRUCT(NULL) = STRUCT(STRUCT(1))",
        "STRUCT('a') = STRUCT(NULL)",
    ],
)
def test_another_field_determines_the_type_of_an_untyped_field(expression: str) -> None:
    assert type_of(expression) == "BOOL"
