"""Tests of IN over lists, and of ANY and ALL over arrays."""

from __future__ import annotations

import pytest

from spanemu.base.errors import Code, SpannerError
from tests.unit.sql.postgresql.analyzer.expressions.world import resolved, shown


def code_of(text: str) -> Code:
    with pytest.raises(SpannerError) as failure:
        resolved(text)
    return failure.value.code


def test_a_list_is_the_form_by_which_keys_are_found():
    assert shown("i IN (1, '2', NULL)") == "$in(i#2, 1, 2, NULL:INT64)"
    assert shown("i NOT IN (1)") == "$not($in(i#2, 1))"


def test_a_list_of_another_type_converts_the_operand():
    assert shown("i IN (1, 2.5)") == (
        "$in(cast_to_numeric(i#2), cast_to_numeric(1), 2.5:PG.NUMERIC)"
    )


def test_items_without_a_common_type_are_compared_one_by_one():
    assert code_of("i IN (1, t)") is Code.NOT_FOUND
    assert shown("r IN (f)").startswith("float48eq")


def test_rows_are_compared_item_by_item():
    assert shown("(i, t) IN ((1, 'a'), (2, 'b'))") == (
        "OR(AND(int8eq(i#2, 1), texteq(t#6, 'a')), AND(int8eq(i#2, 2), texteq(t#6, 'b')))"
    )
    assert code_of("(i, t) IN ((1, 'a', 2))") is Code.INVALID_ARGUMENT
    assert code_of("(i, t) < (1, 'a')") is Code.INVALID_ARGUMENT
    assert shown("(i, t) <> (1, 'a')").startswith("OR(int8ne")


def test_any_takes_columns_parameters_and_constructors():
    assert shown("i = ANY(ia)") == "$in_unnest(i#2, ia#14)"
    assert shown("i = ANY($1)") == "$in_unnest(i#2, @p1:ARRAY<INT64>)"
    assert shown("$1 = ANY($2)") == "$in_unnest(@p1:STRING, @p2:ARRAY<STRING>)"
    assert shown("i <> ALL(ARRAY[1, 2])") == "$not($in(i#2, 1, 2))"
    assert shown("i >= ALL(ia)") == "array_all_greater_equal(i#2, ia#14)"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("i = ANY('{1,2}'::bigint[])", Code.INVALID_ARGUMENT),
        ("i >= ALL('{1,2}'::bigint[])", Code.INVALID_ARGUMENT),
        ("i = ANY(COALESCE(ia, ia))", Code.INVALID_ARGUMENT),
        ("i = ANY(array_cat(ia, ia))", Code.INVALID_ARGUMENT),
        ("n = ANY(ia)", Code.INVALID_ARGUMENT),
        ("i > ANY(ia)", Code.UNIMPLEMENTED),
        ("i = ANY(i)", Code.INVALID_ARGUMENT),
        ("i + ANY(ia)", Code.INVALID_ARGUMENT),
    ],
)
def test_other_arrays_and_operators_are_refused(text: str, code: Code):
    assert code_of(text) is code
