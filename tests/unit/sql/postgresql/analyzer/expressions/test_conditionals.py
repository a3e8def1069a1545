"""Tests of CASE, COALESCE, NULLIF, GREATEST and LEAST."""

from __future__ import annotations

import pytest

from spanemu.base.errors import Code, SpannerError
from tests.unit.sql.postgresql.analyzer.expressions.world import resolved, shown, type_of


def code_of(text: str) -> Code:
    with pytest.raises(SpannerError) as failure:
        resolved(text)
    return failure.value.code


def test_the_operand_of_case_is_evaluated_once():
    assert shown("CASE i + 1 WHEN 1 THEN 'a' ELSE 'b' END").count("int8pl") == 1


def test_an_unknown_operand_of_case_is_a_text():
    assert shown("CASE 'x' WHEN t THEN 1 END") == (
        "CASE WHEN texteq('x', t#6) THEN 1 ELSE NULL:INT64"
    )


def test_the_operand_of_case_is_not_converted():
    assert code_of("CASE i WHEN n THEN 1 END") is Code.INVALID_ARGUMENT
    assert shown("CASE i WHEN '1' THEN 1 END") == (
        "CASE WHEN int8eq(i#2, 1) THEN 1 ELSE NULL:INT64"
    )


def test_nullif_has_the_type_in_which_its_operands_are_compared():
    assert type_of("NULLIF(i, 1)") == "bigint"
    assert type_of("NULLIF(i, n)") == "numeric"
    assert type_of("NULLIF('a', 'b')") == "text"


def test_extremes_have_the_common_type_of_their_arguments():
    assert type_of("GREATEST(i, n, NULL)") == "numeric"
    assert type_of("LEAST(r, f)") == "double precision"
    assert code_of("LEAST(i, t)") is Code.INVALID_ARGUMENT


def test_extremes_of_arrays_and_documents_are_refused():
    assert code_of("GREATEST(ia, ia)") is Code.UNIMPLEMENTED
    assert code_of("GREATEST(j, j)") is Code.INVALID_ARGUMENT
