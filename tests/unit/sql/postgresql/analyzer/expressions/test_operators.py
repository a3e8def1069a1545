"""Tests of operators, IS, BETWEEN and LIKE."""

from __future__ import annotations

import pytest

from spanemu.base.errors import Code, SpannerError
from tests.unit.sql.postgresql.analyzer.expressions.world import resolved, shown, type_of


def code_of(text: str) -> Code:
    with pytest.raises(SpannerError) as failure:
        resolved(text)
    return failure.value.code


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        ("i + 1", "bigint"),
        ("i + 1.5", "numeric"),
        ("f + 1.5", "double precision"),
        ("r + i", "real"),
        ("i / 2", "bigint"),
        ("2 ^ 3", "double precision"),
        ("1 + NULL", "bigint"),
        ("i + '1'", "bigint"),
        ("-n", "numeric"),
        ("~i", "bigint"),
        ("ia || ia", "bigint[]"),
    ],
)
def test_an_operator_has_the_type_of_its_function(text: str, type_: str):
    assert type_of(text) == type_


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("1 || 2", Code.NOT_FOUND),
        ("t = 1", Code.NOT_FOUND),
        ("- t", Code.NOT_FOUND),
        ("'1' + '2'", Code.INVALID_ARGUMENT),
        ("+ i", Code.UNIMPLEMENTED),
        ("t || 1", Code.UNIMPLEMENTED),
        ("ia = ia", Code.UNIMPLEMENTED),
        ("ia || 1", Code.UNIMPLEMENTED),
        ("d = z", Code.UNIMPLEMENTED),
        ("i AND b", Code.INVALID_ARGUMENT),
        ("i IS TRUE", Code.INVALID_ARGUMENT),
        ("i = 'x'", Code.INVALID_ARGUMENT),
        ("ROW(1, 2) IS NULL", Code.UNIMPLEMENTED),
        ("i @@@ i", Code.NOT_FOUND),
    ],
)
def test_operators_without_a_function_of_spanner_are_refused(text: str, code: Code):
    assert code_of(text) is code


def test_between_is_the_form_by_which_ranges_are_found():
    assert shown("i BETWEEN 1 AND '5'") == "$between(i#2, 1, 5)"
    assert shown("i NOT BETWEEN 1 AND 5") == "$not($between(i#2, 1, 5))"


def test_between_compares_each_bound_by_its_own_operator():
    assert shown("i BETWEEN 1 AND 2.5") == (
        "AND(int8ge(i#2, 1), numeric_le(cast_to_numeric(i#2), 2.5:PG.NUMERIC))"
    )


def test_symmetric_takes_the_bounds_in_either_order():
    assert shown("i BETWEEN SYMMETRIC 5 AND 1") == (
        "OR(AND(int8ge(i#2, 5), int8le(i#2, 1)), AND(int8ge(i#2, 1), int8le(i#2, 5)))"
    )


def test_truth_tests_are_never_null():
    assert shown("b IS NOT TRUE") == "$not($is_true(b#1))"
    assert shown("(i = 1) IS UNKNOWN") == "$is_null(int8eq(i#2, 1))"
    assert shown("i IS DISTINCT FROM NULL") == "$is_distinct_from(i#2, NULL:INT64)"


def test_subscripts_count_from_one():
    assert shown("ia[1]") == "$safe_array_at_ordinal(ia#14, 1)"
    assert shown("ia[2:]").startswith("array_slice(ia#14, 2, ")
    assert code_of("i[1]") is Code.INVALID_ARGUMENT


def test_like_has_no_escape_character_but_the_backslash():
    assert type_of(r"'a' LIKE 'a\_' ESCAPE '\'") == "boolean"
    assert code_of("'a' LIKE 'a!_' ESCAPE '!'") is Code.UNIMPLEMENTED
